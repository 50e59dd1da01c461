"""Gradients of softmax and of the losses made with it."""

from collections.abc import Mapping
from functools import partial
from typing import Any

import torch
from torch import Tensor

from ..common import expect_floating, normal_axis
from ..fused import cross_entropy
from ..gather import classes_on
from ..softmax import log_softmax
from .native_kernels import kernels_for
from .rule import Arguments, Grads, Needs, Quick, Rule, gradient_of

_CLASSES = (torch.float32, torch.int32, torch.int64)  # what our kernels know classes by


def _is_plain(params: Mapping[str, Any]) -> bool:
    return params["temperature"] is None and params["dtype"] is None and not params["use_length"]


def _softmax(data: Tensor, axis: int, scale: float, over: bool) -> tuple[Tensor, Any]:
    """Softmax of the data times a number, and what its gradient needs."""
    ours = kernels_for(data) if axis == data.dim() - 1 and scale else None
    if ours is None:
        result = torch.softmax(data if scale == 1 else data.mul_(scale) if over else data * scale, axis)
    elif over:
        ours.scaled_softmax_(data, scale)
        result = data
    else:
        result = ours.scaled_softmax(data, scale)
    return result, (result, axis, scale, ours)


def _softmax_gradient(saved: Any, grad: Tensor) -> Tensor:
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
        data = _checked(arguments)
        return _softmax(data, normal_axis(params.get("axis", -1), data.dim()), 1.0, False)

    @staticmethod
    def forward_over(arguments: Arguments, params: dict[str, Any], needs: Needs) -> tuple[Any, Any]:
        """Writes the result over the data."""
        data = _checked(arguments)
        return _softmax(data, normal_axis(params.get("axis", -1), data.dim()), 1.0, True)

    @staticmethod
    def backward(saved: Any, grads: Grads, needs: Needs) -> Grads:
        assert grads[0] is not None
        return _softmax_gradient(saved, grads[0]), None

    @staticmethod
    def quick(arguments: Arguments, params: dict[str, Any], needs: Needs, over: bool) -> Quick | None:
        return _quick_softmax(normal_axis(params.get("axis", -1), _checked(arguments).dim()), 1.0, over)


@gradient_of("_scaled_softmax")
class ScaledSoftmax(Rule):
    """Of the data times a number, along the last axis."""

    worth = 2

    keeps_output = True

    @staticmethod
    def forward(arguments: Arguments, params: dict[str, Any], needs: Needs) -> tuple[Any, Any]:
        data = _checked(arguments)
        return _softmax(data, normal_axis(-1, data.dim()), params["scale"], False)

    @staticmethod
    def forward_over(arguments: Arguments, params: dict[str, Any], needs: Needs) -> tuple[Any, Any]:
        """Writes the result over the data."""
        data = _checked(arguments)
        return _softmax(data, normal_axis(-1, data.dim()), params["scale"], True)

    @staticmethod
    def backward(saved: Any, grads: Grads, needs: Needs) -> Grads:
        assert grads[0] is not None
        return (_softmax_gradient(saved, grads[0]),)

    @staticmethod
    def quick(arguments: Arguments, params: dict[str, Any], needs: Needs, over: bool) -> Quick | None:
        return _quick_softmax(normal_axis(-1, _checked(arguments).dim()), params["scale"], over)


def _checked(arguments: Arguments) -> Tensor:
    data = arguments[0]
    assert data is not None
    expect_floating(data)
    return data


def _quick_softmax(axis: int, scale: float, over: bool) -> Quick:
    forward = partial(_softmax, axis=axis, scale=scale, over=over)
    return forward, lambda saved, grad: (_softmax_gradient(saved, grad),)


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


@gradient_of("_cross_entropy")
class CrossEntropy(Rule):
    """Softmax and the choice of a class together: the gradient is the probabilities, less one at the class."""

    worth = 3

    @staticmethod
    def forward(arguments: Arguments, params: dict[str, Any], needs: Needs) -> tuple[Any, Any]:
        data, index = arguments
        if data is None or index is None or index.shape not in (data.shape[:-1], (*data.shape[:-1], 1)):
            cross_entropy(*arguments)  # says what is wrong
        return _cross_entropy(data, index)  # type: ignore[arg-type]

    @staticmethod
    def backward(saved: Any, grads: Grads, needs: Needs) -> Grads:
        return _cross_entropy_gradient(saved, grads[0])  # type: ignore[arg-type]

    @staticmethod
    def quick(arguments: Arguments, params: dict[str, Any], needs: Needs, over: bool) -> Quick | None:
        return _cross_entropy, _cross_entropy_gradient


def _cross_entropy(data: Tensor, index: Tensor) -> tuple[Tensor, Any]:
    ours = kernels_for(data) if index.dtype in _CLASSES and index.is_cpu and index.is_contiguous() else None
    if ours is not None:
        loss, probabilities = ours.cross_entropy(data, index)
        return loss, (probabilities, index, ours)
    places = classes_on(index, data.shape[-1]).view(*data.shape[:-1], 1)
    # The probabilities are what the gradient needs; the loss follows from the largest, whose logarithm is never far.
    probabilities = torch.softmax(data, -1)
    behind = data.amax(-1, keepdim=True).sub_(data.gather(-1, places))
    return behind.sub_(probabilities.amax(-1, keepdim=True).log_()), (probabilities, places, None)


def _cross_entropy_gradient(saved: Any, grad: Tensor) -> Grads:
    probabilities, places, ours = saved
    if ours is not None:
        return ours.cross_entropy_backward(grad.contiguous(), probabilities, places), None
    return (probabilities * grad).scatter_add_(-1, places, -grad), None
