"""The order of a matrix's elements column by column, and how long it is kept."""

import gc

import numpy as np
import pytest
import torch

import mxnet as mx
from mxnet import nd
from regluon.array.sparse import csr_transpose
from tests.ndarray.sparse.examples import drawn


@pytest.mark.parametrize("limit", [5, 1 << 16, 1 << 20, 1 << 40])
@pytest.mark.parametrize("count", [0, 200, 2000])
def test_sorted_stably(limit: int, count: int) -> None:
    keys = torch.from_numpy(np.random.default_rng(0).integers(0, limit, count))
    found, order = csr_transpose.sorted_stably(keys, limit)
    np.testing.assert_array_equal(order.numpy(), np.argsort(keys.numpy(), kind="stable"))
    np.testing.assert_array_equal(found.numpy(), np.sort(keys.numpy()))


def test_the_order_is_found_once() -> None:
    dense = drawn((20, 9), 0.3)
    matrix = nd.array(dense).tostype("csr")
    weights = [nd.array(drawn((20, 3), 1.0, seed)) for seed in (1, 2)]
    for weight in weights:
        product = nd.dot(matrix, weight, transpose_a=True)
        np.testing.assert_allclose(product.asnumpy(), dense.T @ weight.asnumpy(), rtol=1e-5, atol=1e-6)
    assert csr_transpose.by_column(matrix._store) is csr_transpose.by_column(matrix._store)


def test_a_changed_matrix_is_ordered_anew() -> None:
    first, second = drawn((20, 9), 0.3), drawn((20, 9), 0.3, 1)
    matrix, weight = nd.array(first).tostype("csr"), nd.array(drawn((20, 3), 1.0, 2))
    nd.dot(matrix, weight, transpose_a=True)
    matrix[:] = second
    product = nd.dot(matrix, weight, transpose_a=True)
    np.testing.assert_allclose(product.asnumpy(), second.T @ weight.asnumpy(), rtol=1e-5, atol=1e-6)
    known = csr_transpose.by_column(matrix._store)
    matrix._store.indices.add_(0)  # a write in place, which torch counts
    assert csr_transpose.by_column(matrix._store) is not known


def test_the_order_goes_with_the_matrix() -> None:
    matrix = nd.array(drawn((20, 9), 0.3)).tostype("csr")
    before = len(csr_transpose._known)
    nd.dot(matrix, nd.ones((20, 2)), transpose_a=True)
    assert len(csr_transpose._known) == before + 1
    del matrix
    gc.collect()
    assert len(csr_transpose._known) <= before


def test_columns_out_of_range() -> None:
    matrix = nd.sparse.csr_matrix(([1, 2], [1, 7], [0, 1, 2]), shape=(2, 3))
    with pytest.raises(mx.MXNetError, match="indices go from 1 to 7 for 3 columns"):
        nd.dot(matrix, nd.ones((2, 2)), transpose_a=True)
