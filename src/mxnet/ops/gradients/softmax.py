"""Gradients of softmax and of the losses made with it."""

from collections.abc import Mapping
from typing import Any

import torch
from torch import Tensor

from ...kernels.eligibility import kernels_for
from ..common import expect_floating, normal_axis
from ..nn.softmax import log_softmax
from .rule import Arguments, Grads, Needs, Rule, gradient_of


def _is_plain(params: Mapping[str, Any]) -> bool:
    return params["temperature"] is None and params["dtype"] is None and not params["use_length"]


def scaled_softmax(data: Tensor, axis: int, scale: float, in_place: bool) -> tuple[Tensor, Any]:
    """Softmax of the data times a number, and what its gradient needs."""
    ours = kernels_for(data) if axis == data.dim() - 1 and scale else None
    if ours is None:
        result = torch.softmax(data if scale == 1 else data.mul_(scale) if in_place else data * scale, axis)
    elif in_place:
        ours.scaled_softmax_(data, scale)
        result = data
    else:
        result = ours.scaled_softmax(data, scale)
    return result, (result, axis, scale, ours)


def scaled_softmax_gradient(saved: Any, grad: Tensor) -> Tensor:
    """The gradient of the data, from what `scaled_softmax` returned beside its result."""
    result, axis, scale, ours = saved
    if ours is not None:
        found: Tensor = ours.scaled_softmax_backward(grad.contiguous(), result, scale)
        return found
    found = torch._softmax_backward_data(grad, result, axis, result.dtype)
    return found if scale == 1 else found.mul_(scale)


@gradient_of("softmax")
class Softmax(Rule):
    """Without lengths and temperature."""

    keeps_output = True
    applies = staticmethod(_is_plain)

    @staticmethod
    def forward(arguments: Arguments, params: dict[str, Any], needs: Needs) -> tuple[Any, Any]:
        data = floating_data(arguments)
        return scaled_softmax(data, normal_axis(params.get("axis", -1), data.dim()), 1.0, False)

    @staticmethod
    def forward_in_place(arguments: Arguments, params: dict[str, Any], needs: Needs) -> tuple[Any, Any]:
        """Writes the result over the data."""
        data = floating_data(arguments)
        return scaled_softmax(data, normal_axis(params.get("axis", -1), data.dim()), 1.0, True)

    @staticmethod
    def backward(saved: Any, grads: Grads, needs: Needs) -> Grads:
        assert grads[0] is not None
        return scaled_softmax_gradient(saved, grads[0]), None


def floating_data(arguments: Arguments) -> Tensor:
    """The first argument; refuses integers."""
    data = arguments[0]
    assert data is not None
    expect_floating(data)
    return data


@gradient_of("log_softmax")
class LogSoftmax(Rule):
    """Without temperature."""

    keeps_output = True
    applies = staticmethod(_is_plain)

    @staticmethod
    def forward(arguments: Arguments, params: dict[str, Any], needs: Needs) -> tuple[Any, Any]:
        result = log_softmax(*arguments, **params)
        return result, (result, normal_axis(params.get("axis", -1), result.dim()))

    @staticmethod
    def backward(saved: Any, grads: Grads, needs: Needs) -> Grads:
        (result, axis), grad = saved, grads[0]
        assert grad is not None
        return (torch._log_softmax_backward_data(grad, result, axis, result.dtype),)
