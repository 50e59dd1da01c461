"""Contributed layers for everyday use."""

from typing import Any

import numpy as np
import pytest

import mxnet as mx
from mxnet.gluon import nn
from mxnet.gluon.contrib import nn as contrib


@pytest.mark.parametrize("kind", [contrib.Concurrent, contrib.HybridConcurrent])
def test_results_are_joined(kind: Any) -> None:
    net = kind(axis=1)
    net.add(nn.Dense(2), contrib.Identity(), nn.Dense(1))
    net.initialize()
    data = mx.nd.ones((2, 3))
    out = net(data)
    assert out.shape == (2, 6)
    np.testing.assert_array_equal(out[:, 2:5].asnumpy(), 1)
    assert len(net) == 3
    np.testing.assert_array_equal(net[0](data).asnumpy(), out[:, :2].asnumpy())


def test_sparse_embedding() -> None:
    net = contrib.SparseEmbedding(5, 2)
    net.initialize(mx.init.One())
    assert repr(net) == "SparseEmbedding(5 -> 2, float32)"
    with pytest.raises(RuntimeError, match="no Trainer is created with it"):
        net(mx.nd.array([1]))
    trainer = mx.gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 1.0})
    with mx.autograd.record():
        out = net(mx.nd.array([1, 3, 3]))
    out.backward()
    trainer.step(1)
    np.testing.assert_array_equal(net(mx.nd.array([1, 2, 3])).asnumpy(), [[0, 0], [1, 1], [-1, -1]])


@pytest.mark.parametrize(("kind", "factors"), [(contrib.PixelShuffle2D, (1, 2, 3)), (contrib.PixelShuffle3D, (1, 2))])
def test_wrong_number_of_factors(kind: Any, factors: tuple[int, ...]) -> None:
    with pytest.raises(AssertionError, match=r"factor: received .*; expected a number or a tuple of"):
        kind(factors)


def test_pixels_come_from_channels() -> None:
    data = mx.nd.arange(2 * 6 * 2 * 2).reshape((2, 6, 2, 2))
    out = contrib.PixelShuffle2D((2, 3))(data).asnumpy()
    assert out.shape == (2, 1, 4, 6)
    values = data.asnumpy()
    for i in range(4):
        for j in range(6):
            channel = (i % 2) * 3 + j % 3
            np.testing.assert_array_equal(out[:, 0, i, j], values[:, channel, i // 2, j // 3])
