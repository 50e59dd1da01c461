"""Dense layers in C++."""

from typing import Any

import numpy as np
import pytest
import torch
from torch.nn.functional import linear

import mxnet as mx
from mxnet import autograd, nd
from mxnet.gluon import nn

_SIZES = [
    *((1, 1, 1), (16, 64, 64), (7, 13, 5), (6, 16, 16), (3, 40, 17), (64, 256, 10), (0, 3, 4), (3, 0, 4)),
    (50, 1100, 90),
]


@pytest.mark.parametrize("is_activated", [True, False])
@pytest.mark.parametrize("has_bias", [True, False])
@pytest.mark.parametrize("size", _SIZES)
def test_the_same_as_torch(native: Any, size: tuple[int, int, int], has_bias: bool, is_activated: bool) -> None:
    rows, depth, units = size
    draw = torch.Generator().manual_seed(1)
    x, weight, bias, grad = (
        torch.randn(shape, generator=draw) for shape in ((rows, depth), (units, depth), (units,), (rows, units))
    )
    leaves = [each.requires_grad_() for each in (x.clone(), weight.clone(), bias.clone())]
    expected = linear(leaves[0], leaves[1], leaves[2] if has_bias else None)
    expected = expected.relu() if is_activated else expected
    expected.backward(grad)
    result = native.dense(x, weight, bias if has_bias else None, is_activated)
    torch.testing.assert_close(result, expected.detach(), rtol=1e-5, atol=1e-4)
    found = native.dense_backward(grad, result if is_activated else None, x, weight, True)
    for one, leaf in zip(found[: 3 if has_bias else 2], leaves, strict=False):
        torch.testing.assert_close(one, leaf.grad, rtol=1e-5, atol=1e-4)
    assert native.dense_backward(grad, None, x, weight, False)[0].numel() == 0


def test_what_is_no_number_stays_so(native: Any) -> None:
    x = torch.tensor([[float("nan"), 1.0]])
    assert native.dense(x, torch.ones(1, 2), None, True).isnan().all()


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (
            lambda ours: ours.dense(torch.zeros(2, 3).t(), torch.zeros(1, 2), None, False),
            "expected a contiguous matrix",
        ),
        (lambda ours: ours.dense(torch.zeros(2, 3), torch.zeros(1, 2), None, False), "expected 3 columns"),
        (lambda ours: ours.dense(torch.zeros(2, 3), torch.zeros(1, 3), torch.zeros(2), False), "expected 1 of float32"),
        (
            lambda ours: ours.dense_backward(torch.zeros(2, 2), None, torch.zeros(2, 3), torch.zeros(1, 3), True),
            "expected those of a dense layer",
        ),
    ],
)
def test_refuses(native: Any, call: Any, text: str) -> None:
    with pytest.raises(RuntimeError, match=text):
        call(native)


@pytest.mark.parametrize("frozen", [None, "weight", "bias"])
def test_in_a_network(native: Any, frozen: str | None) -> None:
    """With and without compilation, whichever gradients are wanted."""
    mx.random.seed(2)
    net = nn.HybridSequential()
    net.add(nn.Dense(9, activation="relu"), nn.Dense(4, use_bias=False), nn.Dense(3, activation="tanh"))
    net.initialize(mx.init.Xavier())
    if frozen:
        getattr(net[0], frozen).grad_req = "null"
    x = nd.array(np.random.RandomState(0).randn(5, 6))
    x.attach_grad()
    results = []
    for active in (False, True, True):
        net.hybridize(active)
        for _ in range(12):
            with autograd.record():
                y = net(x)
            y.backward()
        wanted = [each for each in net.collect_params().values() if each.grad_req != "null"]
        results.append([y.asnumpy(), x.grad.asnumpy(), *(each.grad().asnumpy() for each in wanted)])
    for other in results[1:]:
        for one, expected in zip(other, results[0], strict=True):
            np.testing.assert_allclose(one, expected, rtol=1e-4, atol=1e-6)
