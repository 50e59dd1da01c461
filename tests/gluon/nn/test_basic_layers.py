"""Dropout, embeddings and functions as layers; where the classes are found."""

from typing import Any

import numpy as np
import pytest

import mxnet as mx
from mxnet import gluon
from mxnet.gluon import nn
from mxnet.gluon.nn import activations, basic_layers, conv_layers


def test_every_class_is_at_its_public_path() -> None:
    for module in (activations, basic_layers, conv_layers):
        for name in module.__all__:
            assert getattr(nn, name) is getattr(module, name)
    assert {"Block", "HybridBlock", "Sequential", "HybridSequential"} <= set(dir(nn))
    assert nn.Block is gluon.Block
    assert nn.HybridBlock is gluon.HybridBlock
    assert basic_layers._BatchNorm in nn.BatchNorm.__mro__
    assert conv_layers._Conv in nn.Conv2D.__mro__
    assert conv_layers._Pooling in nn.MaxPool2D.__mro__


def test_dropout_drops_in_training_only() -> None:
    layer, data = nn.Dropout(0.25), mx.nd.ones((100, 200))
    np.testing.assert_array_equal(layer(data).asnumpy(), 1)
    with mx.autograd.record():
        out = layer(data).asnumpy()
    assert set(np.unique(out)) == {np.float32(0), np.float32(1 / 0.75)}
    assert abs((out == 0).mean() - 0.25) < 0.02


def test_dropout_axes_share_one_fate() -> None:
    with mx.autograd.record():
        out = nn.Dropout(0.5, axes=(1,))(mx.nd.ones((50, 20))).asnumpy()
    assert (out == out[:, :1]).all()
    assert 0 < (out[:, 0] == 0).sum() < 50


def test_dropout_of_nothing_is_a_copy() -> None:
    data = mx.nd.ones((2, 3))
    out = nn.Dropout(0)(data)
    data[:] = 5
    np.testing.assert_array_equal(out.asnumpy(), 1)


def test_embedding_with_sparse_gradients() -> None:
    net = nn.Embedding(5, 2, sparse_grad=True)
    net.initialize()
    with mx.autograd.record():
        out = net(mx.nd.array([1, 3, 3]))
    out.backward()
    grad = net.weight.grad()
    assert grad.stype == "row_sparse"
    np.testing.assert_array_equal(grad.indices.asnumpy(), [1, 3])
    np.testing.assert_array_equal(grad.data.asnumpy(), [[1, 1], [2, 2]])


def test_embedding_takes_floats_as_indices() -> None:
    layer = nn.Embedding(5, 2)
    layer.initialize()
    np.testing.assert_array_equal(layer(mx.nd.array([0, 4])).asnumpy(), layer.weight.data().asnumpy()[[0, 4]])


@pytest.mark.parametrize("kind", [nn.Lambda, nn.HybridLambda])
def test_functions_that_are_none_are_refused(kind: Any) -> None:
    with pytest.raises(AssertionError, match=r"there is no nd\.no_such_function"):
        kind("no_such_function")
    with pytest.raises(ValueError, match=r"received 3 \(int\); expected a function"):
        kind(3)


def test_functions_take_several_inputs() -> None:
    first, second = mx.nd.ones((2, 3)), mx.nd.ones((2, 3)) * 2
    np.testing.assert_array_equal(nn.Lambda(lambda x, y: x + y)(first, second).asnumpy(), 3)
    np.testing.assert_array_equal(nn.HybridLambda("broadcast_add")(first, second).asnumpy(), 3)


def test_negative_slopes_are_refused() -> None:
    with pytest.raises(AssertionError, match=r"\[LeakyReLU\] alpha: received -0.1; expected a slope not below 0"):
        nn.LeakyReLU(-0.1)


def test_layers_share_parameters() -> None:
    first = nn.Dense(3, in_units=3)
    second = nn.Dense(3, in_units=3, params=first.params)
    assert second.weight is first.weight
    first.initialize()
    data = mx.nd.ones((2, 3))
    np.testing.assert_array_equal(second(data).asnumpy(), first(data).asnumpy())
