"""The gradient of convolutions of images."""

from collections.abc import Mapping
from typing import Any

import torch
from torch import Tensor

from ...kernels.convolution import Window, bias_gradient, convolve, data_gradient, weight_gradient
from ...kernels.eligibility import suits_kernels
from ...kernels.prepacked_convolution import is_available
from ..nn.convolution import convolution, window_of
from .rule import Arguments, Grads, Needs, Rule, gradient_of

_LAST = torch.channels_last


def _has_kernels(data: Tensor) -> bool:
    """Whether the kernels that are chosen by timing are for these data."""
    return suits_kernels(data) and is_available()


@gradient_of("Convolution")
class Convolution(Rule):
    """Of two spatial axes, channels first; in memory, channels come last."""

    worth = 4

    @staticmethod
    def applies(params: Mapping[str, Any]) -> bool:
        return len(params["kernel"]) == 2 and params["layout"] in (None, "NCHW")

    @staticmethod
    def forward(arguments: Arguments, params: dict[str, Any], needs: Needs) -> tuple[Any, Any]:
        data, weight = arguments[0], arguments[1]
        bias = arguments[2] if len(arguments) > 2 else None
        assert data is not None
        assert weight is not None
        window = window_of(data, weight, bias, **params)
        if not _has_kernels(data):
            return convolution(data, weight, bias, **params), (data, weight, window)
        # What is kept is the data as they came: a gradient reads what stands in memory when backward() runs.
        return convolve(data.contiguous(memory_format=_LAST), weight, bias, window), (data, weight, window)

    @staticmethod
    def backward(saved: Any, grads: Grads, needs: Needs) -> Grads:
        (data, weight, window), grad = saved, grads[0]
        assert grad is not None
        if not _has_kernels(data):
            return _by_torch(data, weight, window, grad, needs)
        grad, data = grad.contiguous(memory_format=_LAST), data.contiguous(memory_format=_LAST)
        found = [
            data_gradient(grad, data, weight, window) if needs[0] else None,
            weight_gradient(grad, data, weight, window) if needs[1] else None,
        ]
        if len(needs) > 2:
            found.append(bias_gradient(grad) if needs[2] else None)
        return found


def _by_torch(data: Tensor, weight: Tensor, window: Window, grad: Tensor, needs: Needs) -> Grads:
    wanted = (*needs, False)[:3]
    sizes = [weight.shape[0]] if wanted[2] else None
    found: tuple[Tensor, ...] = torch.ops.aten.convolution_backward(
        *(grad, data, weight, sizes, window.stride, window.pad, window.dilate, False, (0, 0), window.groups), wanted
    )
    return found[: len(needs)]
