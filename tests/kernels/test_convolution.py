"""Every way to compute a convolution gives the same, and so do its gradients."""

from typing import Any

import pytest
import torch

from regluon.kernels import convolution as kernels
from regluon.kernels.convolution import Window
from regluon.kernels.prepacked_convolution import is_available

pytestmark = pytest.mark.skipif(not is_available(), reason="this build of torch has no oneDNN")

WINDOWS = {
    "plain": ((2, 3, 7, 6), 4, Window((3, 3), (1, 1), (0, 0), (1, 1), 1)),
    "padded": ((2, 3, 7, 6), 4, Window((3, 2), (1, 1), (1, 2), (1, 1), 1)),
    "strided": ((2, 3, 8, 9), 4, Window((3, 3), (2, 3), (1, 1), (1, 1), 1)),
    "dilated": ((2, 3, 9, 9), 4, Window((3, 2), (1, 1), (2, 1), (2, 3), 1)),
    "3 x 3, padded": ((2, 8, 9, 6), 8, Window((3, 3), (1, 1), (1, 1), (1, 1), 1)),
    "3 x 3, padded unevenly": ((1, 8, 5, 11), 3, Window((3, 3), (1, 1), (2, 0), (1, 1), 1)),
    "points": ((2, 5, 4, 4), 3, Window((1, 1), (1, 1), (0, 0), (1, 1), 1)),
    "strided points": ((2, 5, 5, 4), 3, Window((1, 1), (2, 2), (0, 0), (1, 1), 1)),
    "one channel": ((3, 1, 6, 6), 4, Window((5, 5), (1, 1), (0, 0), (1, 1), 1)),
    "one place": ((2, 4, 3, 3), 4, Window((3, 3), (1, 1), (0, 0), (1, 1), 1)),
    "groups": ((2, 4, 6, 6), 6, Window((3, 3), (1, 1), (1, 1), (1, 1), 2)),
}


def _case(name: str) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor, Window]:
    shape, filters, window = WINDOWS[name]
    torch.manual_seed(0)
    data = torch.randn(shape).contiguous(memory_format=torch.channels_last)
    return data, torch.randn(filters, shape[1] // window.groups, *window.kernel), torch.randn(filters), window


def _ways(which: str) -> tuple[Any, ...]:
    return {"forward": kernels._FORWARD, "weight": kernels._OF_WEIGHT, "data": kernels._OF_DATA}[which]


def _convolved(data: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor | None, window: Window) -> torch.Tensor:
    geometry = (window.stride, window.pad, window.dilate)
    return torch.nn.functional.conv2d(data, weight, bias, *geometry, window.groups)


def _check(found: torch.Tensor, expected: torch.Tensor, atol: float, way: str) -> None:
    torch.testing.assert_close(found, expected, rtol=1e-4, atol=atol, msg=lambda text: f"{way}: {text}")


@pytest.mark.parametrize("name", WINDOWS)
def test_the_convolution(name: str) -> None:
    data, weight, bias, window = _case(name)
    for with_bias in (bias, None):
        expected = _convolved(data, weight, with_bias, window)
        for way, kernel in _ways("forward"):
            found = kernel(data, weight, with_bias, window)
            assert found.is_contiguous(memory_format=torch.channels_last), way
            torch.testing.assert_close(
                found, expected, rtol=1e-4, atol=1e-5, msg=lambda text, way=way: f"{way}: {text}"
            )


@pytest.mark.parametrize("name", WINDOWS)
def test_the_gradients(name: str) -> None:
    data, weight, _, window = _case(name)
    leaves = [data.double().requires_grad_(), weight.double().requires_grad_()]
    result = _convolved(*leaves, None, window)
    grad = torch.randn(result.shape).contiguous(memory_format=torch.channels_last)
    result.backward(grad.double())
    for which, leaf in (("data", leaves[0]), ("weight", leaves[1])):
        for way, kernel in _ways(which):
            found = kernel(grad, data, weight, window)
            expected = leaf.grad.float()
            torch.testing.assert_close(
                found, expected, rtol=1e-4, atol=1e-4, msg=lambda text, way=way: f"{way}: {text}"
            )
            if which == "weight":
                assert found.is_contiguous()  # optimizers want it in the order of the weight


@pytest.mark.parametrize("name", [name for name, case in WINDOWS.items() if case[2].groups == 1])
def test_gradients_outside_of_compiled_networks(name: str) -> None:
    data, weight, _, window = _case(name)
    data = data.contiguous()
    leaves = [data.double().requires_grad_(), weight.double().requires_grad_()]
    result = _convolved(*leaves, None, window)
    grad = torch.randn(result.shape)
    result.backward(grad.double())
    for ways, leaf in ((kernels._OF_PLAIN_DATA, leaves[0]), (kernels._OF_PLAIN_WEIGHT, leaves[1])):
        for way, kernel in ways:
            found = kernel(grad, data, weight, window)
            _check(found, leaf.grad.float(), 1e-4, way)
            assert found.is_contiguous(), way


def test_recorded_convolutions_can_be_differentiated_twice() -> None:
    data, weight, bias, window = _case("padded")
    inputs = [each.double().contiguous().requires_grad_() for each in (data, weight, bias)]
    assert torch.autograd.gradgradcheck(lambda *given: kernels.Recorded.apply(*given, window), inputs)
