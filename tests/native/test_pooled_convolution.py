"""Gradients of convolutions that are max-pooled, in C++."""

from typing import Any, NamedTuple

import numpy as np
import pytest
import torch
from torch.nn.functional import conv2d, max_pool2d

import mxnet as mx
from mxnet import autograd, nd
from mxnet.gluon import nn
from mxnet.kernels import tuning

_LAST = torch.channels_last


class _Layer(NamedTuple):
    data: tuple[int, int, int, int]
    filters: int
    window: tuple[tuple[int, int], ...]  # kernel, stride, pad
    pool: tuple[tuple[int, int], ...]


_PLAIN = ((2, 2), (2, 2), (0, 0))
LAYERS = {
    "one channel": _Layer((3, 1, 12, 12), 20, ((5, 5), (1, 1), (0, 0)), _PLAIN),
    "many channels": _Layer((4, 20, 12, 12), 50, ((5, 5), (1, 1), (0, 0)), _PLAIN),
    "padded": _Layer((2, 5, 9, 8), 7, ((3, 3), (1, 1), (1, 1)), _PLAIN),
    "strides": _Layer((2, 3, 19, 23), 9, ((3, 5), (2, 3), (1, 2)), ((2, 1), (2, 1), (0, 0))),
    "overlapping": _Layer((2, 3, 17, 15), 8, ((7, 7), (2, 2), (3, 3)), ((3, 3), (2, 2), (1, 1))),
    "one place": _Layer((1, 2, 3, 3), 1, ((2, 2), (1, 1), (0, 0)), _PLAIN),
}


@pytest.mark.parametrize("layer", LAYERS.values(), ids=LAYERS)
def test_the_same_as_torch(native: Any, layer: _Layer) -> None:
    draw = torch.Generator().manual_seed(1)
    kernel, stride, pad = layer.window
    data = torch.randn(layer.data, generator=draw).contiguous(memory_format=_LAST)
    weight = torch.randn((layer.filters, layer.data[1], *kernel), generator=draw)
    leaves = [data.double().requires_grad_(), weight.double().requires_grad_()]
    result = conv2d(*leaves, None, stride, pad)
    pooled = max_pool2d(result, *layer.pool)
    grad = torch.randn(pooled.shape, generator=draw).relu()  # half of them 0
    expected = torch.autograd.grad(pooled, leaves, grad.double())
    _, taps = native.max_pool(result.detach().float().contiguous(memory_format=_LAST), pooled.shape[2:], *layer.pool)
    found = (
        native.pooled_data_gradient(grad, taps, weight, data.shape[2:], stride, pad, *layer.pool),
        native.pooled_weight_gradient(grad, taps, data, kernel, stride, pad, *layer.pool),
    )
    for one, wanted in zip(found, expected, strict=True):
        torch.testing.assert_close(one, wanted.float(), rtol=1e-4, atol=1e-4)


def test_a_gradient_without_bounds_stays_in_its_window(native: Any) -> None:
    taps = torch.zeros(1, 1, 2, 2, dtype=torch.uint8)
    grad = torch.tensor([[[[float("inf"), 0.0], [0.0, 1.0]]]])
    moves = ((1, 1), (0, 0), *_PLAIN)
    found = native.pooled_data_gradient(grad, taps, torch.ones(1, 1, 2, 2), (5, 5), *moves)[0, 0]
    assert found[:2, :2].isinf().all()
    assert found[2:4, 2:4].eq(1).all()
    assert found.isfinite().sum() == 25 - 4


def test_refuses_taps_of_another_shape(native: Any) -> None:
    grad, taps = torch.zeros(1, 1, 2, 2), torch.zeros(1, 1, 2, 1, dtype=torch.uint8)
    with pytest.raises(RuntimeError, match="expected bytes of shape"):
        native.pooled_data_gradient(grad, taps, torch.ones(1, 1, 2, 2), (5, 5), (1, 1), (0, 0), *_PLAIN)


@pytest.mark.parametrize("way", ["dense", "sparse"])
@pytest.mark.parametrize("use_bias", [True, False])
def test_in_a_network(native: Any, way: str, use_bias: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Compiled by either way, as without compilation."""

    def run(work: Any, candidates: tuning.Candidates, *args: Any) -> Any:
        return dict(candidates)[way](*args)

    mx.random.seed(2)
    net = nn.HybridSequential()
    net.add(nn.Conv2D(6, 3, activation="relu", use_bias=use_bias), nn.MaxPool2D())
    net.add(nn.Conv2D(9, 3, padding=1, activation="relu", use_bias=use_bias), nn.MaxPool2D(3, 2, 1), nn.Dense(4))
    net.initialize(mx.init.Xavier())
    x = nd.array(np.random.RandomState(0).randn(3, 2, 14, 14))
    x.attach_grad()
    results = []
    for active in (False, True):
        net.hybridize(active)
        monkeypatch.setattr("mxnet.compiler.fused.convolution.run_best", run)
        for _ in range(8):
            with autograd.record():
                y = net(x)
            y.backward()
        grads = [each.grad().asnumpy() for each in net.collect_params().values()]
        results.append([y.asnumpy(), x.grad.asnumpy(), *grads])
    for one, expected in zip(*results, strict=True):
        np.testing.assert_allclose(one, expected, rtol=1e-4, atol=1e-5)
