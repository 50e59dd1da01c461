"""Graphs that are called like operators, with sparse arrays."""

from typing import Any

import numpy as np
import pytest

import mxnet as mx
from mxnet import autograd, gluon, nd, sym
from regluon.array.sparse.interpreter import makes_sparse
from tests.ndarray.sparse.examples import drawn

DENSE = drawn((4, 6), 0.4)


def test_which_graphs_make_sparse_arrays() -> None:
    x = sym.var("x")
    for symbol, expected in (
        (sym.cast_storage(x, stype="csr") * 2, True),
        (sym.cast_storage(x, stype="default"), False),
        (sym.dot(x, x, forward_stype="csr"), True),
        (sym.dot(x, x), False),
        (x * 2, False),
    ):
        assert makes_sparse(symbol._heads) is expected


def test_called_graphs() -> None:
    x, w = sym.var("x"), sym.var("w")
    called = nd.CachedOp(sym.Group([sym.dot(x, w), sym.square(x)]))
    weight = nd.ones((6, 2))
    weight.attach_grad(stype="row_sparse")
    with autograd.record():
        product, squares = called(nd.array(DENSE).tostype("csr"), weight)
    product.backward()
    assert (product.stype, squares.stype, weight.grad.stype) == ("default", "csr", "row_sparse")
    np.testing.assert_allclose(weight.grad.asnumpy(), DENSE.T @ np.ones((4, 2)), rtol=1e-5)
    dense = called(nd.array(DENSE), weight)
    assert [array.stype for array in dense] == ["default", "default"]


def test_called_graphs_that_make_sparse_arrays() -> None:
    called = nd.CachedOp(sym.cast_storage(sym.var("x"), stype="row_sparse") + sym.zeros((0, 6)).sum(axis=0))
    out = nd.CachedOp(sym.cast_storage(sym.var("x"), stype="row_sparse"))(nd.array(DENSE))
    assert out.stype == "row_sparse"
    np.testing.assert_array_equal(out.asnumpy(), DENSE)
    with pytest.raises(mx.MXNetError):
        called(nd.array(DENSE))


class Cast(gluon.HybridBlock):
    """Gives a sparse array for a dense one."""

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        return F.cast_storage(F.relu(x), stype="csr")


def test_hybridized_blocks_agree_with_plain_ones() -> None:
    block = Cast()
    plain = block(nd.array(DENSE))
    block.hybridize()
    compiled = block(nd.array(DENSE))
    assert plain.stype == compiled.stype == "csr"
    np.testing.assert_array_equal(plain.asnumpy(), compiled.asnumpy())


def test_networks_from_symbols() -> None:
    network = gluon.SymbolBlock(sym.FullyConnected(sym.var("data"), num_hidden=2, no_bias=True), sym.var("data"))
    network.initialize(mx.init.One())
    np.testing.assert_allclose(network(nd.array(DENSE).tostype("csr")).asnumpy(), DENSE @ np.ones((6, 2)), rtol=1e-5)
