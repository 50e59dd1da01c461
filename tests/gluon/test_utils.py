"""Helpers for training."""

import hashlib
import warnings
from collections import OrderedDict

import numpy as np
import pytest

import mxnet as mx
from mxnet import autograd, nd
from mxnet.gluon import utils

CPUS = [mx.cpu(0), mx.cpu(1)]


def test_names_of_the_module():
    assert set(utils.__all__) >= {"split_data", "split_and_load", "clip_global_norm", "check_sha1", "download"}
    assert (utils.is_np_array(), utils.is_np_shape()) == (False, False)


@pytest.mark.parametrize(
    ("shape", "num_slice", "axis", "even", "expected"),
    [
        ((6, 2), 3, 0, True, [(2, 2)] * 3),
        ((5, 2), 3, 0, False, [(2, 2), (2, 2), (1, 2)]),
        ((7,), 3, 0, False, [(3,), (2,), (2,)]),
        ((2, 2), 3, 0, False, [(1, 2), (1, 2), (0, 2)]),
        ((2, 6), 3, 1, True, [(2, 2)] * 3),
        ((2, 6), 3, -1, True, [(2, 2)] * 3),
        ((2, 5), 2, 1, False, [(2, 3), (2, 2)]),
        ((4, 1), 1, 0, True, [(4, 1)]),
    ],
)
def test_split_data(shape, num_slice, axis, even, expected):
    data = nd.arange(np.prod(shape)).reshape(shape)
    slices = utils.split_data(data, num_slice, axis, even)
    assert [each.shape for each in slices] == expected
    assert np.array_equal(np.concatenate([each.asnumpy() for each in slices], axis), data.asnumpy())


def test_slices_along_the_first_axis_are_views():
    data = nd.zeros((4, 2))
    utils.split_data(data, 2)[1][:] = 1
    assert data.asnumpy().tolist() == [[0, 0], [0, 0], [1, 1], [1, 1]]


def test_numpy_arrays_are_split_too():
    assert [each.tolist() for each in utils.split_data(np.arange(6), 3)] == [[0, 1], [2, 3], [4, 5]]


def test_uneven_splits_are_refused():
    with pytest.raises(
        ValueError, match=r"\(5, 2\) for 2 slices along axis 0; expected a length that 2 divides.*even_split"
    ):
        utils.split_data(nd.ones((5, 2)), 2)
    with pytest.raises(ValueError, match="num_slice: received 0; expected at least 1"):
        utils.split_data(nd.ones((5, 2)), 0)


@pytest.mark.parametrize("data", [nd.arange(6), np.arange(6), list(range(6))], ids=["nd", "numpy", "list"])
def test_split_and_load(data):
    slices = utils.split_and_load(data, CPUS)
    assert [each.asnumpy().tolist() for each in slices] == [[0, 1, 2], [3, 4, 5]]
    assert [each.context for each in slices] == CPUS
    assert all(each.dtype is np.float32 for each in slices)


def test_split_and_load_on_one_context():
    data = nd.arange(3)
    assert utils.split_and_load(data, [mx.cpu()])[0] is data
    assert utils.split_and_load(data, mx.cpu())[0] is data
    assert utils.split_and_load(nd.ones((2, 4)), CPUS, batch_axis=1)[1].shape == (2, 2)
    assert utils.split_and_load([[1, 2, 3]], CPUS, 1, even_split=False)[0].shape == (1, 2)


def clipped(*values, dtype="float32", ctx=None, **kwargs):
    arrays = [nd.array(value, dtype=dtype, ctx=ctx) for value in values]
    norm = utils.clip_global_norm(arrays, 1.0, **kwargs)
    return norm, [array.asnumpy() for array in arrays]


def test_clip_global_norm():
    norm, arrays = clipped([3, 0], [[4.0]])
    assert norm == 5
    assert isinstance(norm, np.float32)
    np.testing.assert_allclose(arrays[0], [0.6, 0], 1e-6)
    np.testing.assert_allclose(arrays[1], [[0.8]], 1e-6)


def test_short_arrays_stay():
    norm, arrays = clipped([0.3, 0.4])
    assert norm == 0.5
    assert arrays[0].tolist() == np.float32([0.3, 0.4]).tolist()
    assert clipped([0.0, 0.0])[0] == 0


def test_clipping_without_a_look_at_the_norm():
    norm, arrays = clipped([3, 4], check_isfinite=False)
    assert isinstance(norm, nd.NDArray)
    assert (norm.shape, norm.asscalar()) == ((1,), 5)
    np.testing.assert_allclose(arrays[0], [0.6, 0.8], 1e-6)
    np.testing.assert_allclose(clipped([0.3, 0.4], check_isfinite=False)[1][0], [0.3, 0.4], 1e-6)


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_clipping_keeps_dtypes(dtype):
    norm, arrays = clipped([300, 400], dtype=dtype)
    assert norm == 500
    assert arrays[0].dtype == dtype
    np.testing.assert_allclose(arrays[0], [0.6, 0.8], 1e-3)


def test_clipping_over_devices_and_dtypes():
    arrays = [nd.array([3.0], ctx=CPUS[0]), nd.array([4.0], ctx=CPUS[1]), nd.array([12.0], dtype="float64")]
    assert utils.clip_global_norm(arrays, 6.5) == 13
    assert [array.asscalar() for array in arrays] == [1.5, 2, 6]
    assert [array.context for array in arrays] == [CPUS[0], CPUS[1], CPUS[0]]


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_clipping_warns_of_what_is_not_finite(bad):
    with pytest.warns(UserWarning, match=rf"the norm is {bad}: what clipping leaves is of no use"):
        norm, arrays = clipped([3, bad], [1.0])
    assert not np.isfinite(norm)
    assert np.isnan(arrays[0][1])
    assert np.isnan(arrays[1][0]) if np.isnan(bad) else arrays[1][0] == 0
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        clipped([bad], check_isfinite=False)


def test_clipping_gradients():
    x = nd.array([3.0, 4.0])
    x.attach_grad()
    with autograd.record():
        loss = (x * x).sum() / 2
    loss.backward()
    assert utils.clip_global_norm([x.grad], 1) == 5
    np.testing.assert_allclose(x.grad.asnumpy(), [0.6, 0.8], 1e-6)


def test_clipping_nothing_is_refused():
    with pytest.raises(AssertionError, match="received no arrays; expected at least one"):
        utils.clip_global_norm([], 1.0)


def test_check_sha1(tmp_path):
    path = tmp_path / "file"
    path.write_bytes(b"content" * 100_000)
    digest = hashlib.sha1(path.read_bytes()).hexdigest()
    assert utils.check_sha1(path, digest)
    assert utils.check_sha1(str(path), digest.upper())
    assert not utils.check_sha1(path, "0" * 40)


def test_replace_file(tmp_path):
    new, old = tmp_path / "new", tmp_path / "old"
    new.write_text("new")
    old.write_text("old")
    utils.replace_file(new, old)
    assert (new.exists(), old.read_text()) == (False, "new")
    new.write_text("newer")
    with pytest.raises(OSError, match=r"moving .* failed: .*The source is removed"):
        utils.replace_file(new, tmp_path / "no" / "folder")
    assert not new.exists()


@pytest.mark.parametrize(
    ("shape", "known", "known_to_numpy"),
    [(None, False, False), ((), False, True), ((2, 3), True, True), ((2, 0), False, True)],
)
def test_shape_is_known(shape, known, known_to_numpy):
    assert utils.shape_is_known(shape) is known
    with mx.util.np_shape():
        assert utils.shape_is_known(shape) is known_to_numpy


def test_lengths_below_unknown_are_refused():
    with mx.util.np_shape():
        assert not utils.shape_is_known((2, -1))
    with pytest.raises(AssertionError, match=r"\(2, -1\); expected no length less than 0"):
        utils.shape_is_known((2, -1))


def test_addresses_of_the_repository(monkeypatch):
    monkeypatch.delenv("MXNET_GLUON_REPO", raising=False)
    url = "https://apache-mxnet.s3-accelerate.dualstack.amazonaws.com/"
    assert utils._get_repo_url() == url
    assert utils._get_repo_file_url("gluon/models", "a.zip") == f"{url}gluon/models/a.zip"
    assert len(utils._repo_file_urls("gluon/dataset/mnist", "a.gz")) == 2
    monkeypatch.setenv("MXNET_GLUON_REPO", "https://one.org/mirror, http://two.org/,")
    assert utils._get_repo_url() == "https://one.org/mirror/"
    assert utils._get_repo_file_url("a", "b") == "https://one.org/mirror/a/b"
    assert utils._repo_file_urls("a", "b") == ["https://one.org/mirror/a/b", "http://two.org/a/b"]
    monkeypatch.setenv("MXNET_GLUON_REPO", " ")
    with pytest.raises(ValueError, match=r"\[MXNET_GLUON_REPO\] received ' '; expected an address.*Unset the variable"):
        utils._get_repo_url()


def test_hook_handles():
    class Hooks(OrderedDict):
        """A dict that can be referred to weakly."""

    hooks = Hooks()
    handle = utils.HookHandle()
    handle.detach()
    handle.attach(hooks, print)
    assert list(hooks.values()) == [print]
    with pytest.raises(RuntimeError, match="attached already"):
        handle.attach(hooks, print)
    handle.detach()
    handle.detach()
    with utils.HookHandle() as handle:
        handle.attach(hooks, print)
        assert len(hooks) == 1
    assert not hooks
