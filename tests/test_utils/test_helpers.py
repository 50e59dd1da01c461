"""The helpers that fixtures do not show: files, settings, statistics, optimizers, texts of errors."""

import bz2
import gzip
import os
import sys
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mxnet as mx
from mxnet import gluon, nd, test_utils
from mxnet.test_utils._comparison import _shortened
from regluon.formats import idx


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


# -- places and settings --------------------------------------------------------------------------------------------


def test_default_context():
    before = test_utils.default_context()
    try:
        test_utils.set_default_context(mx.cpu(1))
        assert test_utils.default_context() == nd.ones(1).context == mx.cpu(1)
    finally:
        test_utils.set_default_context(before)


def test_environment(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("REGLUON_B", "old")
    with test_utils.environment({"REGLUON_A": "1", "REGLUON_B": None}):
        assert os.environ["REGLUON_A"] == "1"
        assert "REGLUON_B" not in os.environ
    assert "REGLUON_A" not in os.environ
    assert os.environ["REGLUON_B"] == "old"
    with pytest.raises(KeyError, match="NO_SUCH"), test_utils.environment("REGLUON_B", "new"):
        os.environ["NO_SUCH"]
    assert os.environ["REGLUON_B"] == "old"
    with test_utils.EnvManager("REGLUON_B", "again"):
        assert test_utils.set_env_var("REGLUON_B", "set") == "again"
    assert os.environ["REGLUON_B"] == "old"
    with (
        pytest.raises(AssertionError, match=r"\[environment\] received .*; expected a dict, or a name"),
        test_utils.environment("A"),
    ):
        pass


def test_discarded_errors(capfd):
    with test_utils.discard_stderr():
        os.write(sys.stderr.fileno(), b"noise")
    print("kept", file=sys.stderr)
    assert capfd.readouterr().err == "kept\n"


def test_discarded_errors_without_a_file(capsys):
    with test_utils.discard_stderr():
        print("noise", file=sys.stderr)
    assert "noise" not in capsys.readouterr().err


def test_the_machine(monkeypatch: pytest.MonkeyPatch):
    assert list(test_utils.list_gpus()) == list(range(mx.num_gpus()))
    assert test_utils.is_op_runnable()
    assert not test_utils.has_tvm_ops()
    assert not test_utils.is_cd_run()
    monkeypatch.setenv("CD_JOB", "1")
    assert test_utils.is_cd_run()
    assert isinstance(test_utils.is_aarch64_run(), bool)


# -- comparisons ----------------------------------------------------------------------------------------------------


def test_assert_exception():
    test_utils.assert_exception(int, ValueError, "x")
    with pytest.raises(AssertionError, match="int raised nothing"):
        test_utils.assert_exception(int, ValueError, "1")


def test_retry():
    calls = []

    @test_utils.retry(3)
    def sometimes(limit: int) -> None:
        calls.append(limit)
        assert len(calls) >= limit

    sometimes(3)
    assert calls == [3, 3, 3]
    calls.clear()
    with pytest.raises(AssertionError):
        sometimes(4)
    with pytest.raises(AssertionError, match=r"\[retry\] n: received 0"):
        test_utils.retry(0)


def test_same_array():
    x = nd.arange(6)
    assert test_utils.same_array(x, x.reshape((2, 3)).reshape(-1))
    assert not test_utils.same_array(x, x.copy())
    assert x.asnumpy().tolist() == list(range(6))


def test_shapes_must_agree_without_broadcasting():
    with pytest.raises(AssertionError, match=r"a.shape = \(2,\) and b.shape = \(1,\) are not equal"):
        test_utils.almost_equal(np.ones(2), np.ones(1), use_broadcast=False)


def test_rate_of_differences():
    test_utils.assert_almost_equal_with_err(np.ones(2), np.ones(2))
    with pytest.raises(AssertionError, match="exceeds tolerance"):
        test_utils.assert_almost_equal_with_err(np.ones(2), np.zeros(2))


def test_bool_arrays():
    test_utils.assert_almost_equal(np.array([True]), np.array([True]))
    with pytest.raises(AssertionError, match="Arrays are not equal"):
        test_utils.assert_almost_equal(np.array([True]), np.array([False]))


def test_max_violation():
    place, size = test_utils.find_max_violation(np.array([1.0, 2.0]), nd.array([1, 3]), rtol=0, atol=0.5)
    assert (place, size) == ((1,), pytest.approx(2))


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "int32", "int64", "bool", "uint8"])
def test_arrays_are_written_as_numpy_writes_them(dtype: str):
    for size in range(1, 30):
        values = (np.arange(size) * 1.37).astype(dtype)
        with np.printoptions(threshold=1000, suppress=True):
            expected = repr(values)
        if size <= 6:  # longer ones are summarized
            assert _shortened(values) == expected
        columns = values.reshape(1, -1)[:, :6].repeat(2, 0)
        with np.printoptions(threshold=1000, suppress=True):
            assert _shortened(columns) == repr(columns)


def test_long_arrays_are_shortened(capsys):
    with pytest.raises(AssertionError, match=r"ACTUAL: array\(\[0., 0., 0., ..., 0., 0., 0.\], dtype=float32\)"):
        test_utils.assert_almost_equal(nd.zeros(100), nd.ones(100))
    capsys.readouterr()


# -- errors of the helpers ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("call", "kind", "text"),
    [
        (
            lambda s: test_utils.check_symbolic_forward(s, {"y": np.ones(1)}, []),
            ValueError,
            r"values for y; expected .* x",
        ),
        (
            lambda s: test_utils.check_symbolic_forward(s, 3, []),
            AssertionError,
            r"\[location\] received int; expected a",
        ),
        (
            lambda s: test_utils.check_symbolic_forward(s, [np.ones(1)], [], dtype=np.int32),
            AssertionError,
            "dtype: received",
        ),
        (
            lambda s: test_utils.check_numeric_gradient(s, [np.ones(1)], numeric_eps=1e-7),
            AssertionError,
            "1e-07 is too small a step",
        ),
        (
            lambda s: test_utils.check_numeric_gradient(s, [np.ones(1)], grad_nodes=3),
            ValueError,
            "grad_nodes: received int",
        ),
        (
            lambda s: test_utils.check_symbolic_backward(s, [np.ones(1)], 3, [np.ones(1)]),
            AssertionError,
            "out_grads: rec",
        ),
        (lambda s: test_utils.check_consistency(s, [{}]), AssertionError, "received 1 bindings; expected at least 2"),
        (lambda s: test_utils.check_speed(s, typ="x"), ValueError, "typ can only be"),
        (lambda s: test_utils.check_speed(s, [1]), AssertionError, "location: received list; expected a dict"),
        (lambda s: test_utils.random_uniform_arrays((1,), lo=2), TypeError, "received lo; expected low"),
        (lambda s: test_utils.random_sample([1], 2), AssertionError, "k: received 2; expected a number from 0 to 1"),
        (lambda s: test_utils.rand_sparse_ndarray((2, 2), "coo"), AssertionError, "unknown storage type 'coo'"),
        (lambda s: test_utils.rand_sparse_ndarray((2,), "csr"), AssertionError, "a csr array has two axes"),
        (lambda s: test_utils.rand_sparse_ndarray((2, 2), "csr", 2.0), ValueError, "density has to be between 0 and 1"),
        (
            lambda s: test_utils.rand_sparse_ndarray((9, 2), "csr", 0.1, distribution="powerlaw"),
            ValueError,
            "not supported for this density",
        ),
        (
            lambda s: test_utils.rand_sparse_ndarray((9, 2), "row_sparse", distribution="powerlaw"),
            AssertionError,
            "Distribution powerlaw not supported for row_sparse",
        ),
        (lambda s: test_utils.create_sparse_array((2, 2), "default"), AssertionError, "Unknown storage type: default"),
        (lambda s: test_utils.collapse_sum_like(np.ones((2, 3)), (2, 2)), AssertionError, "does not broadcast"),
        (lambda s: test_utils.gen_buckets_probs_with_ppf(abs, 0), AssertionError, "nbuckets: received 0"),
        (lambda s: test_utils.chi_square_check(np.ones, [1], [1, 2]), AssertionError, "2 probabilities for 1 buckets"),
        (lambda s: test_utils.download("file:///nowhere", retries=-1), AssertionError, "retries: received -1"),
        (
            lambda s: test_utils.download_model("m", meta_info={"m": {}}),
            AssertionError,
            "address of symbol and params is",
        ),
    ],
)
def test_bad_call(call: Any, kind: type[Exception], text: str):
    with pytest.raises(kind, match=text):
        call(mx.sym.var("x") * 2)


# -- sparse arrays --------------------------------------------------------------------------------------------------


def test_csr():
    csr, (indptr, indices, data) = test_utils.rand_sparse_ndarray((6, 5), "csr", density=0.5, shuffle_csr_indices=True)
    assert (len(data), indptr[-1].asscalar(), len(indices)) == (15, 15, 15)
    assert (csr.asnumpy() != 0).sum() == 15
    fixed = test_utils.create_sparse_array((3, 4), "csr", data_init=2, density=1)
    assert fixed.asnumpy().tolist() == [[2] * 4] * 3


def test_powerlaw():
    csr, _ = test_utils.rand_sparse_ndarray((5, 16), "csr", density=0.5, distribution="powerlaw")
    assert np.diff(csr.indptr.asnumpy()).tolist() == [2, 4, 8, 16, 10]


def test_no_rows():
    empty, (values, rows) = test_utils.rand_sparse_ndarray((3, 2), "row_sparse", density=0)
    assert (empty.stype, len(values), len(rows)) == ("row_sparse", 0, 0)


def test_shuffled_columns():
    class Matrix:
        indptr, indices = np.array([0, 3, 5]), np.array([0, 1, 2, 3, 4])

    test_utils.shuffle_csr_column_indices(Matrix)
    assert sorted(Matrix.indices[:3]) == [0, 1, 2]
    assert sorted(Matrix.indices[3:]) == [3, 4]


# -- statistics -----------------------------------------------------------------------------------------------------


def test_generators():
    random = np.random.RandomState(3)
    buckets, probs = test_utils.gen_buckets_probs_with_ppf(lambda p: p, 5)
    values = test_utils.verify_generator(lambda n: random.uniform(0, 1, n), buckets, probs, nsamples=2000, nrepeat=3)
    assert len(values) == 3
    p, observed, expected = test_utils.chi_square_check(
        lambda n: nd.array(random.randint(0, 4, n)), [0, 1, 2, 3], [0.25] * 4, 400
    )
    assert 0 <= p <= 1
    assert observed.sum() == expected.sum() == 400
    with pytest.raises(AssertionError, match="Generator test fails, Chi-square p="):
        test_utils.verify_generator(lambda n: random.uniform(0, 0.9, n), buckets, probs, nsamples=2000, nrepeat=2)


def test_p_value():
    # 60 tosses of a die: a chi-square of 11.6 with 5 degrees of freedom has p = 0.0407 in the tables.
    tosses = np.repeat(np.arange(6), [8, 9, 19, 5, 8, 11])
    p, _, _ = test_utils.chi_square_check(lambda n: tosses, list(range(6)), [1 / 6] * 6, 60)
    assert p == pytest.approx(0.0407, abs=1e-4)


# -- networks and optimizers ----------------------------------------------------------------------------------------


def test_speed():
    symbol = mx.sym.FullyConnected(mx.sym.var("x"), num_hidden=2)
    assert test_utils.check_speed(symbol, N=1, x=(2, 3)) > 0
    location = {"x": np.ones((2, 3)), "y": np.ones((2, 3))}
    assert test_utils.check_speed(mx.sym.var("x") * mx.sym.var("y"), location, N=1, typ="forward") > 0


@pytest.mark.parametrize("stype", ["default", "row_sparse"])
def test_optimizers(stype: str):
    made = [mx.optimizer.SGD(learning_rate=0.1, lazy_update=False) for _ in range(2)]
    test_utils.compare_optimizer(*made, (4, 2), "float32", g_stype=stype)
    with pytest.raises(AssertionError):
        test_utils.compare_optimizer(made[0], mx.optimizer.SGD(learning_rate=0.5), (4, 2), "float32")
    with pytest.raises(ValueError, match="storage type 'coo'"):
        test_utils.compare_optimizer(*made, (4, 2), "float32", w_stype="coo")


def test_optimizers_of_several_weights():
    made = [mx.optimizer.SGD(learning_rate=0.1, momentum=0.9) for _ in range(2)]
    test_utils.compare_optimizer(*made, [(2, 3), (4,)], "float32", ntensors=2)


def test_hybridized_networks():
    def build(prefix: str) -> Any:
        return gluon.nn.Dense(3, in_units=4, prefix=prefix)

    x = nd.random.uniform(shape=(2, 4))
    test_utils.check_gluon_hybridize_consistency(build, [x])
    with pytest.raises(AssertionError):
        test_utils.check_gluon_hybridize_consistency(build, [x], numpy_func=lambda a: a[:, :3], test_grad=False)


def test_dummy_iterator():
    real = mx.io.NDArrayIter(np.arange(8.0).reshape(4, 2), np.arange(4.0), batch_size=2)
    dummy = test_utils.DummyIter(real)
    assert dummy.provide_data[0].shape == (2, 2)
    assert iter(dummy) is dummy
    assert all(next(dummy).data[0].asnumpy().tolist() == [[0, 1], [2, 3]] for _ in range(5))


# -- files ----------------------------------------------------------------------------------------------------------


def write_digits(folder: Path, packed: bool) -> np.ndarray:
    images = np.arange(4 * 28 * 28).reshape(4, 28, 28).astype(np.uint8)
    for part in ("train", "t10k"):
        for name, values in (("images-idx3", images), ("labels-idx1", np.arange(4, dtype=np.uint8))):
            data = idx.encode(values)
            path = folder / f"{part}-{name}-ubyte{'.gz' if packed else ''}"
            path.write_bytes(gzip.compress(data) if packed else data)
    return images


def test_mnist(folder: Path):
    images = write_digits(folder, packed=True)
    found = test_utils.get_mnist()
    assert sorted(found) == ["test_data", "test_label", "train_data", "train_label"]
    np.testing.assert_allclose(found["train_data"][:, 0], images / 255.0, rtol=1e-6)
    assert found["test_label"].tolist() == [0, 1, 2, 3]
    assert (found["train_data"].dtype, found["train_label"].dtype) == (np.float32, np.int8)


@pytest.mark.parametrize("packed", [True, False])
def test_mnist_iterators(folder: Path, packed: bool):
    (folder / "data").mkdir()
    write_digits(folder / "data", packed)
    training, testing = test_utils.get_mnist_iterator(2, (1, 28, 28))
    assert next(training).data[0].shape == (2, 1, 28, 28)
    assert sorted(number for batch in testing for number in batch.label[0].asnumpy()) == [0, 1, 2, 3]
    flat, _ = test_utils.get_mnist_iterator(2, (784,))
    assert next(flat).data[0].shape == (2, 784)


def test_download(folder: Path):
    source = folder / "source.txt"
    source.write_text("content")
    path = test_utils.download(source.as_uri(), dirname="made/here")
    assert Path(path).read_text() == "content"
    source.write_text("changed")
    assert Path(test_utils.download(source.as_uri(), dirname="made/here")).read_text() == "content"
    assert Path(test_utils.download(source.as_uri(), "named", "made", overwrite=True)).read_text() == "changed"


def test_archives(folder: Path):
    with zipfile.ZipFile(folder / "z.zip", "w") as archive:
        archive.writestr("inner.txt", "zipped")
    test_utils.get_zip_data("out", (folder / "z.zip").as_uri(), "z.zip")
    assert (folder / "out" / "inner.txt").read_text() == "zipped"
    (folder / "b.bz2").write_bytes(bz2.compress(b"packed"))
    for _ in range(2):
        test_utils.get_bz2_data("out", "b", (folder / "b.bz2").as_uri(), "b.bz2")
    assert (folder / "out" / "b").read_bytes() == b"packed"
    assert not (folder / "out" / "b.bz2").exists()


def test_models(folder: Path):
    (folder / "s").write_text("symbol")
    (folder / "p").write_text("params")
    addresses = {"symbol": (folder / "s").as_uri(), "params": (folder / "p").as_uri()}
    prefix, epoch = test_utils.download_model("net", "zoo", {"net": addresses})
    assert (prefix, epoch) == (os.path.join("zoo", "net"), 0)
    assert (folder / "zoo" / "net-0000.params").read_text() == "params"
    assert test_utils.download_model("no such") == (None, 0)


def test_cifar(folder: Path, monkeypatch: pytest.MonkeyPatch):
    for name in ("train.rec", "test.rec", "train.lst", "test.lst"):
        path = folder / "data" / "cifar" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    test_utils.get_cifar10()


def test_im2rec(folder: Path, monkeypatch: pytest.MonkeyPatch):
    assert Path(test_utils.get_im2rec_path("REGLUON_NO_HOME")).name == "im2rec.py"
    monkeypatch.setenv("REGLUON_HOME", str(folder / "a" / "b"))
    with pytest.raises(OSError, match=r"Could not find path to tools/im2rec\.py"):
        test_utils.get_im2rec_path("REGLUON_HOME")
    (folder / "tools").mkdir()
    (folder / "tools" / "im2rec.py").touch()
    assert test_utils.get_im2rec_path("REGLUON_HOME") == str(folder / "tools" / "im2rec.py")
