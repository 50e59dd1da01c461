"""Sparse arrays on a GPU."""

from typing import Any

import numpy as np
import pytest

import mxnet as mx
from mxnet import autograd, gluon
from tests.gpu.devices import Watch

_GPU = mx.gpu(0)
_VALUES = np.array([[0, 1, 0], [0, 0, 0], [2, 0, 3], [0, 0, 4]], "float32")


def _parts(array: Any) -> list[Any]:
    names = ("data", "indices", "indptr") if array.stype == "csr" else ("data", "indices")
    return [getattr(array, name) for name in names]


def _expect_there(array: Any) -> None:
    assert array.context == _GPU
    for part in [array] if array.stype == "default" else _parts(array):
        assert part.context == _GPU
        assert part._t.device == _GPU.device


@pytest.mark.parametrize("stype", ["csr", "row_sparse"])
def test_made_and_converted(stype: str, gpus: Watch) -> None:
    dense = mx.nd.array(_VALUES, ctx=_GPU)
    array = dense.tostype(stype)
    _expect_there(array)
    _expect_there(array.tostype("default"))
    _expect_there(array.copy())
    _expect_there(array * 2)
    _expect_there(array + array)
    np.testing.assert_array_equal((array + array).asnumpy(), 2 * _VALUES)
    _expect_there(mx.nd.sparse.zeros(stype, (4, 3), ctx=_GPU))


def test_products(gpus: Watch) -> None:
    csr = mx.nd.array(_VALUES, ctx=_GPU).tostype("csr")
    _expect_there(csr[1:3])
    forward = mx.nd.sparse.dot(csr, mx.nd.ones((3, 2), ctx=_GPU))
    backward = mx.nd.sparse.dot(csr, mx.nd.ones((4, 2), ctx=_GPU), transpose_a=True)
    for product, expected in ((forward, _VALUES @ np.ones((3, 2))), (backward, _VALUES.T @ np.ones((4, 2)))):
        _expect_there(product)
        np.testing.assert_array_equal(product.asnumpy(), expected)


def test_retained_rows(gpus: Watch) -> None:
    rows = mx.nd.array(_VALUES, ctx=_GPU).tostype("row_sparse")
    kept = mx.nd.sparse.retain(rows, mx.nd.array([2, 3], ctx=_GPU))
    _expect_there(kept)
    np.testing.assert_array_equal(kept.asnumpy(), _VALUES * [[0], [0], [1], [1]])


@pytest.mark.parametrize("name", ["sgd", "adam", "adagrad"])
def test_embedding(name: str, gpus: Watch) -> None:
    net = gluon.nn.Embedding(6, 3, sparse_grad=True)
    net.initialize(mx.init.One(), ctx=_GPU)
    trainer = gluon.Trainer(net.collect_params(), name, {"learning_rate": 0.1})
    with autograd.record():
        loss = net(mx.nd.array([1, 4], ctx=_GPU)).sum()
    loss.backward()
    _expect_there(net.weight.grad())
    trainer.step(1)
    weight = net.weight.data()
    _expect_there(weight)
    assert (weight.asnumpy() != 1).any(1).tolist() == [False, True, False, False, True, False]
