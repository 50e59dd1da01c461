"""What fixtures cannot show: texts of errors, copies, pickles, SciPy, `out=`, names."""

import copy
import inspect
import pickle
import sys
import types
from typing import Any

import numpy as np
import pytest

import mxnet as mx
from mxnet import nd
from mxnet.base import NotSupportedForSparseNDArray
from mxnet.error import OpIndexError, OpParamError, OpShapeError, OpTypeError
from tests.ndarray.sparse.examples import example, graph

ERRORS = {
    "index": (lambda c, r: c[5], OpIndexError, r"\[slice\].*begin=\(5,\), end=\(6,\) leave nothing of shape \(3, 3\)"),
    "step": (
        lambda c, r: c[::2],
        ValueError,
        r"\[CSRNDArray\] received .*; only supports continuous slicing on axis 0",
    ),
    "several axes": (lambda c, r: c[1, 1], ValueError, "Multi-dimension indexing is not supported; take rows"),
    "row": (lambda c, r: r[1], ValueError, r"only \[:\] is there: take rows with nd.sparse.retain"),
    "size": (lambda c, r: c.size, NotImplementedError, "a sparse array has no one size"),
    "truth": (lambda c, r: bool(c), ValueError, r"truth value of an array of shape \(3, 3\) is ambiguous"),
    "csr to rows": (
        lambda c, r: c.tostype("row_sparse"),
        ValueError,
        r"cast_storage from csr to row_sparse is not supported",
    ),
    "unknown type": (
        lambda c, r: c.tostype("coo"),
        mx.MXNetError,
        r"stype: received 'coo'; expected one of 'default', 'csr', 'row_sp",
    ),
    "copy to rows": (
        lambda c, r: c.copyto(r),
        TypeError,
        r"\[copyto\] received a row_sparse array; expected a dense or csr array",
    ),
    "copy shape": (
        lambda c, r: c.copyto(nd.zeros((2, 3))),
        OpShapeError,
        r"received an array of shape \(2, 3\); expected \(3, 3\)",
    ),
    "copy csr shape": (
        lambda c, r: c.copyto(nd.sparse.zeros("csr", (2, 3))),
        OpShapeError,
        r"received an array of shape \(3, 3\); expected \(2, 3\)",
    ),
    "retain dense": (
        lambda c, r: nd.sparse.retain(nd.ones((2, 2)), nd.array([0])),
        OpTypeError,
        "data: received default; expected a row",
    ),
    "retain beyond": (lambda c, r: r.retain(nd.array([7])), OpIndexError, "row numbers go from 7 to 7 for 3 rows"),
    "dtypes": (
        lambda c, r: c + c.astype("float64"),
        OpTypeError,
        r"received lhs float32\(3, 3\), rhs float64\(3, 3\): expected arrays of one dtype",
    ),
    "shapes": (
        lambda c, r: nd.elemwise_add(c, c[0]),
        OpShapeError,
        r"lhs float32\(3, 3\), rhs float32\(1, 3\): expected arrays of one shape",
    ),
    "product": (lambda c, r: nd.dot(c, nd.ones((2, 2))), OpShapeError, "equal lengths, got 3 and 2 for shapes"),
    "product dtype": (
        lambda c, r: nd.dot(c, nd.ones((3, 2), dtype="float64")),
        OpTypeError,
        "two arrays of one floating dtype",
    ),
    "product form": (
        lambda c, r: nd.dot(c, nd.ones(3), forward_stype="csr"),
        OpShapeError,
        "expected a matrix as the result",
    ),
    "not an array": (
        lambda c, r: nd.dot(c, 3),
        OpTypeError,
        r"\[dot\] input rhs: received builtins.int; expected an NDArray",
    ),
    "missing": (lambda c, r: nd.dot(c), OpTypeError, r"\[dot\] input rhs is missing; expected the array\(s\) lhs, rhs"),
    "weight shape": (
        lambda c, r: nd.Embedding(nd.array([0]), r, input_dim=4, output_dim=3),
        OpShapeError,
        r"expected a weight of shape \(4, 3\), got \(3, 3\)",
    ),
    "assign number": (
        lambda c, r: c.__setitem__(slice(None), 1),
        ValueError,
        "Assigning numeric types to CSRNDArray is not",
    ),
    "assign text": (
        lambda c, r: r.__setitem__(slice(None), "x"),
        TypeError,
        "received str to assign; expected an array",
    ),
    "assign row": (
        lambda c, r: r.__setitem__(0, 1),
        TypeError,
        r"received an assignment to \[0\]; expected \[:\], the whole array",
    ),
    "assign shape": (
        lambda c, r: r.__setitem__(slice(None), np.ones((2, 2))),
        OpShapeError,
        r"shape \(2, 2\); expected \(3, 3\)",
    ),
    "out shape": (lambda c, r: nd.ones((2, 2), out=r), OpShapeError, r"shape \(2, 2\); expected \(3, 3\)"),
    "out kind": (lambda c, r: nd.elemwise_add(r, r, out=3), mx.MXNetError, "out: received int; expected an NDArray"),
    "grad request": (
        lambda c, r: c.attach_grad("plus"),
        ValueError,
        "received 'plus'; expected 'write', 'add' or 'null'",
    ),
    "dense memory": (
        lambda c, r: c.to_dlpack_for_read(),
        mx.MXNetError,
        r"received a csr array where only a dense one will do",
    ),
    "nnz axis": (lambda c, r: nd.contrib.getnnz(c, axis=0), OpParamError, "axis=0: expected 1, for each row, or None"),
    "nnz axis, dense": (lambda c, r: nd.contrib.getnnz(nd.ones((2, 2)), axis=0), OpParamError, "axis=0: expected 1"),
    "edges of dense": (
        lambda c, r: nd.contrib.edge_id(nd.ones((2, 2)), nd.array([0]), nd.array([0])),
        OpTypeError,
        r"\[_contrib_edge_id\].*expected a graph as a csr matrix, got a dense array of shape \(2, 2\)",
    ),
    "edge vectors": (
        lambda c, r: nd.contrib.edge_id(c, nd.array([0]), nd.array([0, 1])),
        OpTypeError,
        "two dense vectors u and v",
    ),
    "graph dtype": (
        lambda c, r: nd.contrib.dgl_adjacency(c),
        OpTypeError,
        "expected edge numbers of int64 in the graph",
    ),
    "rows of csr": (
        lambda c, r: nd.contrib.getnnz(r),
        OpTypeError,
        r"expected a csr matrix; convert it with tostype\('csr'\)",
    ),
    "shape of csr": (
        lambda c, r: nd.sparse.zeros("csr", (2,)),
        ValueError,
        r"shape: received \(2,\); expected two lengths",
    ),
    "unknown csr shape": (
        lambda c, r: nd.sparse.csr_matrix(([], [], [0])),
        ValueError,
        "received none, and no element to tell it",
    ),
    "unknown coo shape": (
        lambda c, r: nd.sparse.csr_matrix(([], ([], []))),
        ValueError,
        "received none, and no element to tell it",
    ),
    "unknown rows shape": (
        lambda c, r: nd.sparse.row_sparse_array(([], [])),
        ValueError,
        "received none, and no row to tell it",
    ),
    "coo lengths": (
        lambda c, r: nd.sparse.csr_matrix(([1], ([0, 1], [0]))),
        ValueError,
        "1 elements, 2 rows and 1 columns",
    ),
    "coo range": (
        lambda c, r: nd.sparse.csr_matrix(([1], ([5], [0])), shape=(2, 2)),
        ValueError,
        "row: received numbers outside 0 to 1",
    ),
    "index matrix": (
        lambda c, r: nd.sparse.row_sparse_array(([[1, 2]], [[1]])),
        ValueError,
        r"received an invalid shape \(1, 1\)",
    ),
    "fractions": (lambda c, r: nd.contrib.dgl_subgraph(c, nd.array([0]), return_mapping=True), OpTypeError, "of int64"),
}


@pytest.mark.parametrize("name", ERRORS)
def test_errors_say_what_is_wrong(name: str) -> None:
    call, kind, text = ERRORS[name]
    with pytest.raises(kind, match=text):
        call(example("csr"), example("row_sparse"))


def test_out_receives_the_values_in_its_own_dtype() -> None:
    rows, out = example("row_sparse"), nd.sparse.zeros("row_sparse", (3, 3), dtype="int32")
    nd.elemwise_add(rows, rows, out=out)
    out.check_format()
    assert out.dtype == np.int32
    assert out.asnumpy().tolist() == (2 * rows.asnumpy()).astype("int32").tolist()


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
    for made in (nd.array(matrix), nd.sparse.array(matrix), nd.sparse.csr_matrix(matrix)):
        assert isinstance(made, nd.sparse.CSRNDArray)
        np.testing.assert_array_equal(made.asnumpy(), array.asnumpy())
    assert nd.array(matrix, dtype="float64").dtype is np.float64
    assert nd.array(matrix, ctx=mx.cpu(1)).context == mx.cpu(1)


def test_places_given_one_by_one_are_added_up() -> None:
    array = nd.sparse.csr_matrix(([1, 2, 3, 4], ([1, 0, 1, 1], [2, 1, 0, 2])), shape=(3, 4))
    np.testing.assert_array_equal(array.asnumpy(), [[0, 2, 0, 0], [3, 0, 5, 0], [0, 0, 0, 0]])
    array.check_format()
    assert nd.sparse.csr_matrix((np.ones(1), ([2], [3]))).shape == (3, 4)


def test_functions_have_the_signatures_of_their_operators() -> None:
    assert list(inspect.signature(nd.sparse.dot).parameters) == list(inspect.signature(nd.op.dot).parameters)
    assert list(inspect.signature(nd.cast_storage).parameters) == ["data", "stype", "out", "name"]
    assert list(inspect.signature(nd.contrib.dgl_subgraph).parameters)[:2] == ["graph", "data"]
    assert nd.sparse.gs_retain is nd.sparse.retain
    assert set(nd.sparse.__all__) <= set(dir(nd.sparse))
    for name in ("BaseSparseNDArray", "csr_matrix", "sgd_update", "sqrt", "where", "zeros", "Embedding", "add_n"):
        assert name in nd.sparse.__all__


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


@pytest.mark.parametrize("stype", ["csr", "row_sparse"])
def test_other_libraries_get_dense_arrays_only(stype: str) -> None:
    array = example(stype)
    for export in (
        array.to_dlpack_for_read,
        array.to_dlpack_for_write,
        array.__dlpack__,
        lambda: nd.to_dlpack_for_read(array),
        lambda: nd.to_dlpack_for_write(array),
    ):
        with pytest.raises(
            TypeError, match=rf"received a {stype} array where only a dense one will do; convert it with"
        ):
            export()
    with pytest.raises(ValueError, match=f"cannot convert ndarray of stype {stype} to numpy ndarray; convert it with"):
        array.as_np_ndarray()
    assert array.as_nd_ndarray() is array


def test_bias_may_be_a_column():
    data, weight, bias = nd.array([[1, 2]]), nd.array([[1, 0], [0, 1], [1, 1]]), nd.array([[1], [2], [3]])
    for stype in ("default", "row_sparse"):
        result = nd.FullyConnected(data, weight, bias.tostype(stype), num_hidden=3)
        assert result.asnumpy().tolist() == [[2, 4, 6]]


def test_retain_has_no_parameters():
    rows = nd.ones((2, 2)).tostype("row_sparse")
    with pytest.raises(mx.MXNetError, match=r"\[_sparse_retain\] received axis; expected data and indices only"):
        nd.sparse.retain(rows, nd.array([0]), axis=1)
    with pytest.raises(mx.MXNetError, match=r"\[_sparse_retain\] data: received default; expected a row_sparse array"):
        nd.sparse.retain(nd.ones((2, 2)), axis=1)


def test_rows_divided_by_any_storage_type_stay_rows():
    rows, divisor = nd.array([[2, 4], [0, 0]]).tostype("row_sparse"), nd.array([[1, 2], [3, 0]])
    for stype in ("default", "csr", "row_sparse"):
        result = nd._internal._scatter_elemwise_div(rows, divisor.tostype(stype))
        assert result.stype == "row_sparse"
        assert result.asnumpy().tolist() == [[2, 2], [0, 0]]


def test_sparse_embedding_takes_the_parameter_of_mxnet():
    weight = nd.array([[1, 2], [3, 4]]).tostype("row_sparse")
    found = nd.contrib.SparseEmbedding(nd.array([1, 0]), weight, input_dim=2, output_dim=2, deterministic=True)
    assert found.asnumpy().tolist() == [[3, 4], [1, 2]]


@pytest.mark.parametrize(
    ("data", "dtype", "expected", "values"),
    [
        ([1, 2, 3], None, "int64", [2, 4]),
        ([1.0, 2, 3], None, "float64", [2.0, 4.0]),
        ([1, 2, 3], "float32", "float32", [2.0, 4.0]),
        (np.array([1, 2, 3], "int32"), None, "int32", [2, 4]),
        (np.array([1, 2, 3], "float16"), None, "float32", [2.0, 4.0]),
        (nd.array([1, 2, 3]), None, "float32", [2.0, 4.0]),
        (nd.array([1, 2, 3], dtype="float16"), None, "float32", [2.0, 4.0]),
        ([True, True, True], None, "bool", [True, True]),
        ([True, True, True], "float32", "float32", [1.0, 1.0]),
    ],
)
def test_elements_with_places_have_the_dtype_of_scipy(data: Any, dtype: Any, expected: str, values: list[Any]) -> None:
    """The answers are those of MXNet 1.9.1, which builds this form, and no other, with SciPy."""
    places = [1, 0, 1], [1, 2, 1]
    matrix = nd.sparse.csr_matrix((data, places), shape=(2, 3), dtype=dtype)
    assert np.dtype(matrix.dtype).name == expected
    assert matrix.data.asnumpy().tolist() == values
    assert matrix.indices.asnumpy().tolist() == [2, 1]
