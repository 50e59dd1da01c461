"""What fixtures cannot show: texts of errors, copies, pickles, SciPy, larger arrays against NumPy, speed of paths."""

import copy
import inspect
import pickle
import sys
import types
from typing import Any

import numpy as np
import pytest

import mxnet as mx
from mxnet import autograd, gluon, nd
from mxnet.base import NotSupportedForSparseNDArray
from mxnet.ndarray.sparse.storage import Csr, Rows, stable_order


def example(stype: str, dtype: str = "float32") -> Any:
    return nd.array([[0, 0.5, 0], [0, 0, 0], [0.25, 0, -0.125]], dtype=dtype).tostype(stype)


def drawn(shape: tuple[int, ...], share: float = 0.1, seed: int = 0) -> np.ndarray:
    numbers = np.random.default_rng(seed)
    return (numbers.normal(size=shape) * (numbers.random(shape) < share)).astype("float32")


ERRORS = {
    "index": (lambda c, r: c[5], r"\[slice\].*begin=\(5,\), end=\(6,\) leave nothing of shape \(3, 3\)"),
    "step": (lambda c, r: c[::2], r"\[CSRNDArray\] received .*; only supports continuous slicing on axis 0"),
    "several axes": (lambda c, r: c[1, 1], "Multi-dimension indexing is not supported; take rows"),
    "row": (lambda c, r: r[1], r"only \[:\] is there: take rows with nd.sparse.retain"),
    "size": (lambda c, r: c.size, "a sparse array has no one size"),
    "truth": (lambda c, r: bool(c), r"truth value of an array of shape \(3, 3\) is ambiguous"),
    "csr to rows": (lambda c, r: c.tostype("row_sparse"), r"cast_storage from csr to row_sparse is not supported"),
    "unknown type": (
        lambda c, r: c.tostype("coo"),
        r"stype: received 'coo'; expected one of 'default', 'csr', 'row_sp",
    ),
    "copy to rows": (
        lambda c, r: c.copyto(r),
        r"\[copyto\] received a row_sparse array; expected a dense or csr array",
    ),
    "copy shape": (lambda c, r: c.copyto(nd.zeros((2, 3))), r"received an array of shape \(2, 3\); expected \(3, 3\)"),
    "copy csr shape": (
        lambda c, r: c.copyto(nd.sparse.zeros("csr", (2, 3))),
        r"received an array of shape \(3, 3\); expected \(2, 3\)",
    ),
    "retain dense": (
        lambda c, r: nd.sparse.retain(nd.ones((2, 2)), nd.array([0])),
        "data: received default; expected a row",
    ),
    "retain beyond": (lambda c, r: r.retain(nd.array([7])), "row numbers go from 7 to 7 for 3 rows"),
    "dtypes": (
        lambda c, r: c + c.astype("float64"),
        r"received lhs float32\(3, 3\), rhs float64\(3, 3\): expected arrays of one dtype",
    ),
    "shapes": (
        lambda c, r: nd.elemwise_add(c, c[0]),
        r"lhs float32\(3, 3\), rhs float32\(1, 3\): expected arrays of one shape",
    ),
    "product": (lambda c, r: nd.dot(c, nd.ones((2, 2))), "equal lengths, got 3 and 2 for shapes"),
    "product dtype": (lambda c, r: nd.dot(c, nd.ones((3, 2), dtype="float64")), "two arrays of one floating dtype"),
    "product form": (lambda c, r: nd.dot(c, nd.ones(3), forward_stype="csr"), "expected a matrix as the result"),
    "not an array": (lambda c, r: nd.dot(c, 3), r"\[dot\] input rhs: received builtins.int; expected an NDArray"),
    "missing": (lambda c, r: nd.dot(c), r"\[dot\] input rhs is missing; expected the array\(s\) lhs, rhs"),
    "weight shape": (
        lambda c, r: nd.Embedding(nd.array([0]), r, input_dim=4, output_dim=3),
        r"expected a weight of shape \(4, 3\), got \(3, 3\)",
    ),
    "assign number": (lambda c, r: c.__setitem__(slice(None), 1), "Assigning numeric types to CSRNDArray is not"),
    "assign text": (lambda c, r: r.__setitem__(slice(None), "x"), "received str to assign; expected an array"),
    "assign row": (
        lambda c, r: r.__setitem__(0, 1),
        r"received an assignment to \[0\]; expected \[:\], the whole array",
    ),
    "assign shape": (lambda c, r: r.__setitem__(slice(None), np.ones((2, 2))), r"shape \(2, 2\); expected \(3, 3\)"),
    "out shape": (lambda c, r: nd.ones((2, 2), out=r), r"shape \(2, 2\); expected \(3, 3\)"),
    "out dtype": (
        lambda c, r: nd.elemwise_add(r, r, out=nd.sparse.zeros("row_sparse", (3, 3), dtype="int32")).check_format(),
        None,
    ),
    "out kind": (lambda c, r: nd.elemwise_add(r, r, out=3), "out: received int; expected an NDArray"),
    "grad request": (lambda c, r: c.attach_grad("plus"), "received 'plus'; expected 'write', 'add' or 'null'"),
    "dense memory": (lambda c, r: c.to_dlpack_for_read(), r"received a csr array where only a dense one will do"),
    "nnz axis": (lambda c, r: nd.contrib.getnnz(c, axis=0), "axis=0: expected 1, for each row, or None"),
    "nnz axis, dense": (lambda c, r: nd.contrib.getnnz(nd.ones((2, 2)), axis=0), "axis=0: expected 1"),
    "edges of dense": (
        lambda c, r: nd.contrib.edge_id(nd.ones((2, 2)), nd.array([0]), nd.array([0])),
        r"\[_contrib_edge_id\].*expected a graph as a csr matrix, got a dense array of shape \(2, 2\)",
    ),
    "edge vectors": (lambda c, r: nd.contrib.edge_id(c, nd.array([0]), nd.array([0, 1])), "two dense vectors u and v"),
    "graph dtype": (lambda c, r: nd.contrib.dgl_adjacency(c), "expected edge numbers of int64 in the graph"),
    "rows of csr": (lambda c, r: nd.contrib.getnnz(r), r"expected a csr matrix; convert it with tostype\('csr'\)"),
    "shape of csr": (lambda c, r: nd.sparse.zeros("csr", (2,)), r"shape: received \(2,\); expected two lengths"),
    "unknown csr shape": (lambda c, r: nd.sparse.csr_matrix(([], [], [0])), "received none, and no element to tell it"),
    "unknown coo shape": (
        lambda c, r: nd.sparse.csr_matrix(([], ([], []))),
        "received none, and no element to tell it",
    ),
    "unknown rows shape": (lambda c, r: nd.sparse.row_sparse_array(([], [])), "received none, and no row to tell it"),
    "coo lengths": (lambda c, r: nd.sparse.csr_matrix(([1], ([0, 1], [0]))), "1 elements, 2 rows and 1 columns"),
    "coo range": (
        lambda c, r: nd.sparse.csr_matrix(([1], ([5], [0])), shape=(2, 2)),
        "row: received numbers outside 0 to 1",
    ),
    "index matrix": (lambda c, r: nd.sparse.row_sparse_array(([[1, 2]], [[1]])), r"received an invalid shape \(1, 1\)"),
    "fractions": (lambda c, r: nd.contrib.dgl_subgraph(c, nd.array([0]), return_mapping=True), "of int64"),
}


@pytest.mark.parametrize("name", ERRORS)
def test_errors_say_what_is_wrong(name: str) -> None:
    call, text = ERRORS[name]
    if text is None:
        call(example("csr"), example("row_sparse"))
        return
    with pytest.raises((mx.MXNetError, ValueError, TypeError, NotImplementedError), match=text):
        call(example("csr"), example("row_sparse"))


def test_reshape_is_refused() -> None:
    with pytest.raises(NotSupportedForSparseNDArray, match="reshape with arguments of type tuple is not available"):
        example("csr").reshape((9,))


def test_an_index_out_of_range_is_told_when_the_array_is_read() -> None:
    broken = nd.sparse.csr_matrix(([1, 2], [1, 7], [0, 1, 2]), shape=(2, 3))
    broken.check_format(full_check=False)
    with pytest.raises(
        IndexError, match=r"\[CSRNDArray\] cannot be made dense: indices go from 1 to 7; expected 0 to 2"
    ):
        broken.asnumpy()


@pytest.mark.parametrize("stype", ["csr", "row_sparse"])
def test_copies_and_pickles(stype: str) -> None:
    array = example(stype)
    loaded = pickle.loads(pickle.dumps(array))  # noqa: S301 - made by this test
    for twin in (copy.deepcopy(array), loaded, array.copy()):
        assert type(twin) is type(array)
        assert twin.context == mx.cpu()
        np.testing.assert_array_equal(twin.asnumpy(), array.asnumpy())
    copied = array.copy()
    copied *= 2
    np.testing.assert_array_equal(copied.asnumpy(), 2 * array.asnumpy())
    assert array.asnumpy().max() == 0.5
    array.wait_to_read()
    assert hash(array) != hash(copied)
    assert array.as_in_context(mx.cpu()) is array
    assert array.astype("float32", copy=False) is array
    assert isinstance(array, nd.NDArray)
    assert isinstance(array, nd.sparse.BaseSparseNDArray)
    assert type(array).__module__ == "mxnet.ndarray.sparse"
    assert [str(row.asnumpy()) for row in example("csr")][1] == "[[0. 0. 0.]]"


def test_copying_to_itself_warns() -> None:
    array = example("csr")
    with pytest.warns(RuntimeWarning, match="copied to itself"):
        assert array.copyto(array) is False


def test_scipy_matrices(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "scipy", None)
    with pytest.raises(ImportError, match="scipy could not be imported"):
        example("csr").asscipy()

    class Matrix:
        """What this library uses of SciPy's class."""

        def __init__(self, parts: Any, shape: Any = None, dtype: Any = None) -> None:
            if isinstance(parts, Matrix):
                parts, shape = (parts.data, parts.indices, parts.indptr), parts.shape
            self.data, self.indices, self.indptr = map(np.asarray, parts)
            self.shape, self.dtype = shape, self.data.dtype

        def sorted_indices(self) -> "Matrix":
            return self

        def sum_duplicates(self) -> None:
            pass

    Matrix.__module__ = "scipy.sparse._csr"
    package, sparse = types.ModuleType("scipy"), types.ModuleType("scipy.sparse")
    sparse.csr_matrix = Matrix  # type: ignore[attr-defined]
    package.sparse = sparse  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "scipy", package)
    monkeypatch.setitem(sys.modules, "scipy.sparse", sparse)
    array = example("csr")
    matrix = array.asscipy()
    assert matrix.shape == (3, 3)
    for made in (nd.sparse.array(matrix), nd.sparse.csr_matrix(matrix)):
        np.testing.assert_array_equal(made.asnumpy(), array.asnumpy())


def test_places_given_one_by_one_are_added_up() -> None:
    array = nd.sparse.csr_matrix(([1, 2, 3, 4], ([1, 0, 1, 1], [2, 1, 0, 2])), shape=(3, 4))
    np.testing.assert_array_equal(array.asnumpy(), [[0, 2, 0, 0], [3, 0, 5, 0], [0, 0, 0, 0]])
    array.check_format()
    assert nd.sparse.csr_matrix((np.ones(1), ([2], [3]))).shape == (3, 4)


# -- larger arrays, against NumPy -----------------------------------------------------------------------------------


@pytest.mark.parametrize("columns", [40, 70000])
def test_products_of_larger_matrices(columns: int) -> None:
    left = drawn((30, columns), 40 / columns)
    matrix = nd.array(left).tostype("csr")
    right, tall = drawn((columns, 5), 1.0, 1), drawn((30, 5), 1.0, 2)
    np.testing.assert_allclose(nd.dot(matrix, nd.array(right)).asnumpy(), left @ right, rtol=1e-4, atol=1e-5)
    turned = nd.dot(matrix, nd.array(tall), transpose_a=True)
    assert turned.stype == "row_sparse"
    turned.check_format()
    np.testing.assert_allclose(turned.asnumpy(), left.T @ tall, rtol=1e-4, atol=1e-5)
    np.testing.assert_array_equal(turned.indices.asnumpy(), np.unique(left.nonzero()[1]))
    back = nd.dot(nd.array(right.T), matrix, transpose_b=True)
    np.testing.assert_allclose(back.asnumpy(), right.T @ left.T, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("dtype", ["float64", "float16"])
def test_products_in_other_dtypes(dtype: str) -> None:
    left, right = drawn((6, 8), 0.3).astype(dtype), drawn((8, 3), 1.0, 1).astype(dtype)
    out = nd.dot(nd.array(left, dtype=dtype).tostype("csr"), nd.array(right, dtype=dtype))
    assert out.dtype == np.dtype(dtype)
    expected = left.astype("float64") @ right.astype("float64")
    np.testing.assert_allclose(out.asnumpy(), expected, rtol=2e-3, atol=2e-3)


@pytest.mark.parametrize("stype", ["csr", "row_sparse"])
def test_sums_and_products_of_larger_arrays(stype: str) -> None:
    a, b = drawn((200, 7), 0.02), drawn((200, 7), 0.02, 1)
    x, y = nd.array(a).tostype(stype), nd.array(b).tostype(stype)
    for result, expected in ((x + y, a + b), (x - y, a - b), (x * y, a * b), (x * nd.array(b), a * b)):
        assert result.stype == stype
        result.check_format()
        np.testing.assert_array_equal(result.asnumpy(), expected)


def test_rows_are_taken_by_number() -> None:
    a = drawn((50, 9))
    rows = [3, 3, 49, 0]
    np.testing.assert_array_equal(nd.take(nd.array(a).tostype("csr"), nd.array(rows)).asnumpy(), a[rows])
    wrapped = nd.take(nd.array(a).tostype("csr"), nd.array([-1, 51]), mode="wrap")
    np.testing.assert_array_equal(wrapped.asnumpy(), a[[-1, 1]])


@pytest.mark.parametrize("limit", [5, 1 << 16, 1 << 20, 1 << 40])
def test_stable_order(limit: int) -> None:
    keys = nd.array(np.random.default_rng(0).integers(0, limit, 200), dtype="int64")._plain()
    np.testing.assert_array_equal(stable_order(keys, limit).numpy(), np.argsort(keys.numpy(), kind="stable"))


def test_storages_of_unsorted_rows() -> None:
    rows = nd.sparse.row_sparse_array(([[1, 2], [3, 4]], [3, 1]), shape=(5, 2))
    np.testing.assert_array_equal((rows + rows).asnumpy()[[1, 3]], [[6, 8], [2, 4]])
    np.testing.assert_array_equal(nd.sparse.retain(rows, nd.array([1, 0])).asnumpy()[:2], [[0, 0], [3, 4]])
    assert isinstance(rows._store, Rows)
    assert isinstance(example("csr")._store, Csr)


# -- gradients ------------------------------------------------------------------------------------------------------


def test_gradients_that_add_up() -> None:
    weight = nd.ones((4, 2))
    weight.attach_grad("add", stype="row_sparse")
    for row in (1, 3):
        with autograd.record():
            out = nd.Embedding(nd.array([row, 3]), weight, input_dim=4, output_dim=2, sparse_grad=True)
        out.backward()
    np.testing.assert_array_equal(weight.grad.indices.asnumpy(), [1, 3])
    np.testing.assert_array_equal(weight.grad.data.asnumpy(), [[1, 1], [3, 3]])


def test_a_sparse_gradient_fits_a_dense_buffer() -> None:
    weight = nd.ones((4, 2))
    weight.attach_grad()
    with autograd.record():
        out = nd.Embedding(nd.array([3]), weight, input_dim=4, output_dim=2, sparse_grad=True)
    out.backward()
    np.testing.assert_array_equal(weight.grad.asnumpy(), [[0, 0], [0, 0], [0, 0], [1, 1]])


def test_a_computed_weight_passes_gradients_on() -> None:
    weight, rows = nd.ones((4, 2)), nd.array([3, 3])
    weight.attach_grad(stype="row_sparse")
    with autograd.record():
        doubled = weight * 2
        out = nd.Embedding(rows, doubled, input_dim=4, output_dim=2, sparse_grad=True)
        out = out.sum() + nd.dot(nd.sparse.csr_matrix(([5], [0], [0, 1]), shape=(1, 4)), doubled).sum()
    out.backward()
    np.testing.assert_array_equal(weight.grad.asnumpy(), [[10, 10], [0, 0], [0, 0], [4, 4]])


def test_sparse_results_are_part_of_the_graph() -> None:
    x = nd.array([[1, 0], [0, 2]])
    x.attach_grad()
    with autograd.record():
        rows = x.tostype("row_sparse")
        out = (rows * rows).tostype("default") * 3
    out.backward()
    np.testing.assert_array_equal(x.grad.asnumpy(), [[6, 0], [0, 12]])
    later = rows + rows  # outside: nothing of the graph stays
    assert later._place is None
    with autograd.record():
        again = rows * 2
    assert again.stype == "row_sparse"


def test_backward_from_a_sparse_array() -> None:
    rows = example("row_sparse")
    rows.attach_grad()
    with autograd.record():
        out = rows * 3
    out.backward(nd.ones((3, 3)).tostype("row_sparse"))
    np.testing.assert_array_equal(rows.grad.asnumpy(), np.full((3, 3), 3))
    with autograd.record():
        out = rows * 3
    out.detach()
    out.backward()
    with pytest.raises(mx.MXNetError, match="not part of a recorded graph"):
        out.backward()


def test_a_variable_without_gradient_is_zero() -> None:
    rows = example("row_sparse")
    rows.attach_grad()
    with autograd.record():
        out = nd.zeros_like(rows.tostype("default"))
    out.backward()
    assert rows.grad.stype == "row_sparse"
    assert rows.grad.indices.shape == (0,)
    rows.attach_grad("null")
    with autograd.record():
        out = rows * 2
    assert out._place is None


# -- training -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("optimizer", ["sgd", "adam", "rmsprop"])
def test_sparse_and_dense_networks_train_alike(optimizer: str) -> None:
    losses = []
    for sparse in (False, True):
        mx.random.seed(0)
        net = gluon.nn.Sequential()
        net.add(gluon.nn.Embedding(20, 4, sparse_grad=sparse), gluon.nn.Dense(3))
        net.initialize(mx.init.Xavier(rnd_type="uniform"), ctx=[mx.cpu(0), mx.cpu(1)])
        data = [nd.array([[1, 2], [3, 2]], ctx=mx.cpu(i)) + i for i in range(2)]
        for part in data:
            net(part)
        mx.random.seed(1)
        for parameter in net.collect_params().values():
            parameter.set_data(nd.array(np.random.default_rng(parameter.shape).normal(size=parameter.shape)))
        params = {} if optimizer == "rmsprop" else {"lazy_update": False}
        trainer = gluon.Trainer(net.collect_params(), optimizer, {"learning_rate": 0.1, **params})
        for _ in range(3):
            with autograd.record():
                parts = [(net(part) ** 2).sum() for part in data]
            autograd.backward(parts)
            trainer.step(4)
        losses.append(sum(float(part.asscalar()) for part in parts))
    assert losses[1] == pytest.approx(losses[0], rel=1e-5)


def test_a_hybridized_embedding_has_sparse_gradients() -> None:
    net = gluon.nn.Embedding(6, 2, sparse_grad=True)
    net.initialize()
    net.hybridize()
    for _ in range(2):
        with autograd.record():
            out = net(nd.array([1, 5, 5]))
        out.backward()
        np.testing.assert_array_equal(net.weight.grad().indices.asnumpy(), [1, 5])


def test_row_sparse_parameters() -> None:
    parameter = gluon.Parameter("w", shape=(4, 2), stype="row_sparse", grad_stype="row_sparse")
    parameter.initialize(mx.init.One())
    for call, text in (
        (parameter.data, r"data\(\): its storage type is row_sparse; Please use row_sparse_data\(\) instead"),
        (parameter.list_data, r"list_data\(\): its storage type is row_sparse"),
        (lambda: parameter.row_sparse_data(nd.array([1])), "Cannot get row_sparse data when no Trainer is created"),
    ):
        with pytest.raises(RuntimeError, match=text):
            call()
    with pytest.raises(TypeError, match="Cannot create 'None' KVStore with row_sparse parameters"):
        gluon.Trainer([parameter], "sgd", kvstore=None)._prepare()
    with pytest.raises(ValueError, match="Cannot set update_on_kvstore=False when sparse weights are present"):
        gluon.Trainer([parameter], "sgd", update_on_kvstore=False)._prepare()
    parameter.set_data(nd.arange(8).reshape((4, 2)))
    gluon.Trainer([parameter], "sgd", {"learning_rate": 1.0})
    np.testing.assert_array_equal(parameter.row_sparse_data(nd.array([2, 1])).data.asnumpy(), [[2, 3], [4, 5]])
    np.testing.assert_array_equal(parameter._reduce().asnumpy(), np.arange(8).reshape(4, 2))
    dense = gluon.Parameter("d", shape=(4, 2))
    dense.initialize()
    with pytest.raises(RuntimeError, match=r"row_sparse_data\(\): its storage type is default; Please use data\(\)"):
        dense.row_sparse_data(nd.array([1]))
    with pytest.raises(RuntimeError, match=r"list_row_sparse_data\(\): its storage type is default"):
        dense.list_row_sparse_data(nd.array([1]))


def test_states_of_sparse_weights_are_saved() -> None:
    weight = example("row_sparse")
    slope = nd.sparse.row_sparse_array(([[1, 1, 1]], [2]), shape=(3, 3))
    updater = mx.optimizer.get_updater(mx.optimizer.SGD(momentum=0.9))
    updater(0, slope, weight)
    other = mx.optimizer.get_updater(mx.optimizer.SGD(momentum=0.9))
    other.set_states(updater.get_states())
    assert other.states[0].stype == "row_sparse"
    np.testing.assert_array_equal(other.states[0].asnumpy(), updater.states[0].asnumpy())


def test_half_precision_weights_with_sparse_gradients() -> None:
    weight = nd.ones((3, 2), dtype="float16")
    slope = nd.sparse.row_sparse_array((np.ones((1, 2), "float16"), [1]), shape=(3, 2))
    updater = mx.optimizer.get_updater(mx.optimizer.SGD(learning_rate=0.5, multi_precision=True))
    updater(0, slope, weight)
    np.testing.assert_array_equal(weight.asnumpy(), [[1, 1], [0.5, 0.5], [1, 1]])


# -- graphs ---------------------------------------------------------------------------------------------------------


def graph(size: int = 30, seed: int = 0) -> Any:
    edges = np.random.default_rng(seed).random((size, size)) < 0.3
    ends = edges.nonzero()[1]
    starts = np.concatenate([[0], edges.sum(1).cumsum()])
    return nd.sparse.csr_matrix((np.arange(len(ends)), ends, starts), shape=(size, size))


@pytest.mark.parametrize(("hops", "neighbors", "limit"), [(1, 2, 100), (2, 3, 100), (3, 2, 12), (2, 100, 30)])
def test_neighbourhoods(hops: int, neighbors: int, limit: int) -> None:
    whole = graph()
    seeds = nd.array([4, 7], dtype="int64")
    found, edges, layers = nd.contrib.dgl_csr_neighbor_uniform_sample(
        whole, seeds, num_hops=hops, num_neighbor=neighbors, max_num_vertices=limit
    )
    count = int(found[-1].asscalar())
    vertices, distances = found.asnumpy()[:count], layers.asnumpy()[:count]
    assert count <= limit
    assert {4, 7} <= set(vertices)
    assert (np.diff(vertices) > 0).all()
    assert set(distances[np.isin(vertices, [4, 7])]) == {0}
    assert distances.max() <= hops
    starts, ends, numbers = (part.asnumpy() for part in (edges.indptr, edges.indices, edges.data))
    assert np.diff(starts).max() <= neighbors
    original = dict(enumerate(whole.indices.asnumpy()))
    assert all(original[number] == end for number, end in zip(numbers, ends, strict=True))
    if limit > count:
        assert set(ends) <= set(vertices)
        cut, own = nd.contrib.dgl_graph_compact(edges, found, graph_sizes=(count,), return_mapping=True)
        assert cut.shape == (count, count)
        np.testing.assert_array_equal(vertices[cut.indices.asnumpy()], ends)
        np.testing.assert_array_equal(own.data.asnumpy(), numbers)


def test_likelier_vertices_are_drawn_more_often() -> None:
    mx.random.seed(0)
    star = nd.sparse.csr_matrix((np.arange(4), [1, 2, 3, 4], [0, 4, 4, 4, 4, 4]), shape=(5, 5))
    chances = nd.array([0, 0.7, 0.1, 0.1, 0.1])
    counts = np.zeros(5)
    for _ in range(300):
        found = nd.contrib.dgl_csr_neighbor_non_uniform_sample(
            star, chances, nd.array([0], dtype="int64"), num_neighbor=1, max_num_vertices=5
        )
        counts[found[1].indices.asnumpy()] += 1
    assert counts[1] / 300 == pytest.approx(0.7, abs=0.1)
    assert counts[2:].min() > 5


def test_graphs_refuse_what_does_not_fit() -> None:
    whole = graph()
    for call, text in (
        (
            lambda: nd.contrib.dgl_csr_neighbor_uniform_sample(
                whole, nd.array([1, 2, 3], dtype="int64"), max_num_vertices=2
            ),
            "max_num_vertices=2 is less than the 3 seeds",
        ),
        (
            lambda: nd.contrib.dgl_subgraph(whole, nd.array([2, 1], dtype="int64"), return_mapping=False),
            "expected vertices in ascending order",
        ),
        (
            lambda: nd.contrib.dgl_graph_compact(whole, graph_sizes=(3,), return_mapping=False),
            "as many graphs as vectors",
        ),
        (
            lambda: nd.contrib.dgl_graph_compact(
                whole, nd.array([0, 1], dtype="int64"), graph_sizes=(2,), return_mapping=False
            ),
            "an edge leads to a vertex that is not among those given",
        ),
        (
            lambda: nd.contrib.dgl_csr_neighbor_non_uniform_sample(
                whole, nd.ones((2, 2)), nd.array([1], dtype="int64")
            ),
            "the chances of the vertices as a vector of float32",
        ),
        (lambda: nd.contrib.dgl_adjacency(nd.ones((2, 2))), "expected a graph as a csr matrix"),
        (lambda: nd.contrib.dgl_subgraph(nd.ones((2, 2)), nd.ones(1), return_mapping=False), "a graph as a csr matrix"),
    ):
        with pytest.raises(mx.MXNetError, match=text):
            call()


# -- names ----------------------------------------------------------------------------------------------------------


def test_functions_have_the_signatures_of_their_operators() -> None:
    assert list(inspect.signature(nd.sparse.dot).parameters) == list(inspect.signature(nd.op.dot).parameters)
    assert list(inspect.signature(nd.cast_storage).parameters) == ["data", "stype", "out", "name"]
    assert list(inspect.signature(nd.contrib.dgl_subgraph).parameters)[:2] == ["graph", "data"]
    assert nd.sparse.gs_retain is nd.sparse.retain
    assert set(nd.sparse.__all__) <= set(dir(nd.sparse))
    for name in ("BaseSparseNDArray", "csr_matrix", "sgd_update", "sqrt", "where", "zeros", "Embedding", "add_n"):
        assert name in nd.sparse.__all__


# -- the corners of the dispatch ------------------------------------------------------------------------------------


def test_arrays_on_different_devices_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    array, other = example("csr"), example("csr")
    monkeypatch.setattr(type(other._ctx), "device", property(lambda self: f"device {self.device_id}"))
    other._ctx = mx.cpu(1)
    with pytest.raises(mx.MXNetError, match=r"different devices: lhs on cpu\(0\), rhs on cpu\(1\)"):
        nd.elemwise_add(array, other)


def test_results_go_where_out_says() -> None:
    csr, rows = example("csr"), example("row_sparse")
    target = nd.sparse.zeros("csr", (3, 3))
    assert nd.elemwise_add(rows, rows, out=target) is target
    np.testing.assert_array_equal(target.asnumpy(), 2 * rows.asnumpy())
    (dense,) = nd.elemwise_add(rows, rows, out=[nd.zeros((3, 3))])
    np.testing.assert_array_equal(dense.asnumpy(), 2 * rows.asnumpy())
    converted = nd.cast_storage(nd.ones((3, 3)), "csr", out=nd.sparse.zeros("csr", (3, 3)))
    assert converted.asnumpy().sum() == 9
    whole = graph(5)
    vertices = nd.array([0, 2], dtype="int64")
    made = nd.contrib.dgl_subgraph(whole, vertices, return_mapping=True)
    copies = [nd.sparse.zeros("csr", (2, 2), dtype="int64") for _ in range(2)]
    nd.contrib.dgl_subgraph(whole, vertices, return_mapping=True, out=copies)
    for one, other in zip(made, copies, strict=True):
        np.testing.assert_array_equal(one.asnumpy(), other.asnumpy())
    with pytest.raises(TypeError, match="out: received an array of int32; expected float32"):
        nd.exp(csr, out=nd.sparse.zeros("row_sparse", (3, 3), dtype="int32"))


def test_states_that_an_operator_changes_are_written_back() -> None:
    weight, slope, momentum = nd.ones((3, 3)), example("row_sparse"), nd.sparse.zeros("row_sparse", (3, 3))
    nd.sgd_mom_update(weight, slope, momentum, out=weight, lr=1, momentum=0.9, lazy_update=False)
    np.testing.assert_allclose(momentum.asnumpy(), -slope.asnumpy())
    np.testing.assert_allclose(weight.asnumpy(), 1 - slope.asnumpy())
    dense_slope = slope.tostype("default")
    nd.sgd_mom_update(weight, dense_slope, momentum, out=weight, lr=1, momentum=0.0)
    np.testing.assert_allclose(weight.asnumpy(), 1 - 2 * slope.asnumpy())
    other = nd.zeros((3, 3))
    nd.sparse.sgd_update(weight, slope, out=other, lr=1)
    np.testing.assert_allclose(other.asnumpy(), 1 - 3 * slope.asnumpy())
    z, n = nd.zeros((3, 3)), nd.zeros((3, 3))
    nd.sparse.ftrl_update(weight, slope, z, n, out=weight, lr=0.1)
    np.testing.assert_allclose(n.asnumpy(), slope.asnumpy() ** 2)
    assert nd.sgd_update(weight, slope, lr=1).stype == "default"


def test_gradients_of_the_sparse_side() -> None:
    for turn in (False, True):
        matrix, right = example("csr"), nd.ones((3, 2))
        matrix.attach_grad(stype="default")
        with autograd.record():
            out = nd.dot(matrix, right, transpose_a=turn, forward_stype="default")
        out.backward()
        np.testing.assert_array_equal(matrix.grad.asnumpy(), np.full((3, 3), 2.0))
    matrix = example("csr")
    matrix.attach_grad()
    with autograd.record():
        out = nd.dot(nd.ones((2, 3)), matrix)
    out.backward()
    np.testing.assert_array_equal(matrix.grad.asnumpy(), np.full((3, 3), 2.0))
    data = example("csr")
    weight = nd.ones((9, 2)).tostype("row_sparse")
    weight.attach_grad()
    with autograd.record():  # sparse indices are looked up in their dense form
        out = nd.Embedding(data, weight, input_dim=9, output_dim=2)
    out.backward()
    assert weight.grad.indices.asnumpy().tolist() == [0]


def test_gradients_through_an_earlier_tape() -> None:
    x = nd.array([[1, 0], [0, 2]])
    x.attach_grad()
    with autograd.record():
        rows = x.tostype("row_sparse") * 2
    with autograd.record():
        out = nd.exp(rows * 0) * 3
    out.backward()
    np.testing.assert_array_equal(x.grad.asnumpy(), np.zeros((2, 2)))


def test_no_gradient_reaches_a_variable_that_adds_up() -> None:
    rows = example("row_sparse")
    rows.attach_grad("add")
    for _ in range(2):
        with autograd.record():
            out = (rows * 2).sum() + nd.BlockGrad(rows.tostype("default")).sum()
        out.backward()
    np.testing.assert_array_equal(rows.grad.asnumpy(), np.full((3, 3), 4.0))


@pytest.mark.parametrize("stype", ["csr", "row_sparse"])
def test_private_names_that_programs_use(stype: str) -> None:
    array = example(stype)
    assert array._num_aux == (2 if stype == "csr" else 1)
    assert array._aux_type(0) is np.int64
    np.testing.assert_array_equal(array._data().asnumpy(), array.data.asnumpy())
    np.testing.assert_array_equal(array._aux_data(array._num_aux - 1).asnumpy(), array.indices.asnumpy())
    np.testing.assert_array_equal(array.as_torch().numpy(), array.asnumpy())
    assert bool(array.tostype("default")[0:1, 1:2].tostype(stype)) is True


def test_formats_that_do_not_fit() -> None:
    text = r"received indices of shape \(2,\) and data of shape \(1, 3\); expected \(n,\) and \(n, 3\)"
    array = example("row_sparse")
    array._store = array._store._replace(values=array._store.values[:1])
    with pytest.raises(mx.MXNetError, match=text):
        array.check_format()
    empty = nd.sparse.zeros("row_sparse", (2, 2))
    empty.check_format()
    falling = nd.sparse.csr_matrix(([1, 2], [0, 1], [0, 2, 1, 2]), shape=(3, 3))
    with pytest.raises(mx.MXNetError, match="indptr falls; expected numbers that do not"):
        falling.check_format()


def test_products_with_numbers_of_another_kind() -> None:
    csr, rows = example("csr"), example("row_sparse")
    assert (csr * nd.ones((2, 1, 3))[0:1].reshape((1, 1, 3))).shape == (1, 3, 3)
    assert nd._internal._scatter_elemwise_div(csr, csr).stype == "default"
    assert nd._internal._identity_with_attr_like_rhs(rows, rows).stype == "row_sparse"
    assert nd._internal._identity_with_attr_like_rhs(rows, csr).stype == "default"
    assert nd.add_n(rows).stype == "row_sparse"
    assert nd.dot(nd.sparse.zeros("csr", (2, 3)), nd.ones((3, 1))).asnumpy().sum() == 0
    halves = nd.sparse.divide(nd.ones((2, 2)), nd.ones((2, 2)) * 2)
    assert halves.asnumpy().sum() == 2
    nothing = nd.sparse.zeros("csr", (2, 2))
    np.testing.assert_array_equal(nd.contrib.edge_id(nothing, nd.array([0]), nd.array([1])).asnumpy(), [-1])
    unlike = {"data": nd.sparse.row_sparse_array(rows, dtype="float64")}
    assert unlike["data"].dtype == np.float64


def test_storage_is_cast_by_the_operator_too() -> None:
    csr, rows = example("csr"), example("row_sparse")
    assert nd.cast_storage(csr, "csr").stype == "csr"
    assert nd.cast_storage(rows, stype="default").stype == "default"
    with pytest.raises(ValueError, match=r"\[cast_storage\].*a sparse array cannot become csr; go through 'default'"):
        nd.cast_storage(rows, "csr")
    with pytest.raises(TypeError, match="expected a row_sparse array and a dense vector of row numbers"):
        nd.sparse.retain(rows, rows)
    assert nd.elemwise_mul(rows, csr).stype == "default"
    assert nd._internal._square_sum(csr, axis=1).stype == "default"


def test_autograd_takes_sparse_heads_and_variables() -> None:
    rows = example("row_sparse")
    rows.attach_grad()
    with autograd.record():
        out = rows * 2
    autograd.backward([out], [nd.ones((3, 3)).tostype("row_sparse")])
    np.testing.assert_array_equal(rows.grad.asnumpy(), np.full((3, 3), 2.0))
    weight = nd.ones((4, 2))
    weight.attach_grad()
    with autograd.record():
        out = nd.Embedding(nd.array([3]), weight, input_dim=4, output_dim=2, sparse_grad=True).sum() + (rows * 5).sum()
    for_weight, for_rows = autograd.grad([out], [weight, rows])
    np.testing.assert_array_equal(for_weight.asnumpy(), [[0, 0], [0, 0], [0, 0], [1, 1]])
    np.testing.assert_array_equal(for_rows.asnumpy(), np.full((3, 3), 5.0))
