"""Larger sparse arrays, against NumPy."""

import numpy as np
import pytest

from mxnet import nd
from regluon.array.sparse.storage import Csr, Rows
from tests.ndarray.sparse.examples import drawn, example


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


def test_storages_of_unsorted_rows() -> None:
    rows = nd.sparse.row_sparse_array(([[1, 2], [3, 4]], [3, 1]), shape=(5, 2))
    np.testing.assert_array_equal((rows + rows).asnumpy()[[1, 3]], [[6, 8], [2, 4]])
    np.testing.assert_array_equal(nd.sparse.retain(rows, nd.array([1, 0])).asnumpy()[:2], [[0, 0], [3, 4]])
    assert isinstance(rows._store, Rows)
    assert isinstance(example("csr")._store, Csr)
