"""Gradients of softmax and of the losses made with it."""

from collections.abc import Mapping
from typing import Any

import torch
from torch import Tensor

from ..common import normal_axis
from ..fused import cross_entropy
from ..gather import places_on
from ..softmax import log_softmax, softmax
from .rule import Arguments, Grads, Needs, Quick, Rule, gradient_of


def _is_plain(params: Mapping[str, Any]) -> bool:
    return params["temperature"] is None and params["dtype"] is None and not params["use_length"]


@gradient_of("softmax")
class Softmax(Rule):
    """Without lengths and temperature."""

    keeps_output = True
    applies = staticmethod(_is_plain)

    @staticmethod
    def forward(arguments: Arguments, params: dict[str, Any], needs: Needs) -> tuple[Any, Any]:
        result = softmax(*arguments, **params)
        return result, (result, normal_axis(params.get("axis", -1), result.dim()))

    @staticmethod
    def backward(saved: Any, grads: Grads, needs: Needs) -> Grads:
        (result, axis), grad = saved, grads[0]
        assert grad is not None
        return (torch._softmax_backward_data(grad, result, axis, result.dtype), None)


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
    places = places_on(index, data.shape[-1]).view(*data.shape[:-1], 1)
    # The probabilities are what the gradient needs; the loss follows from the largest, whose logarithm is never far.
    probabilities = torch.softmax(data, -1)
    behind = data.amax(-1, keepdim=True).sub_(data.gather(-1, places))
    return behind.sub_(probabilities.amax(-1, keepdim=True).log_()), (probabilities, places)


def _cross_entropy_gradient(saved: Any, grad: Tensor) -> Grads:
    probabilities, places = saved
    return (probabilities * grad).scatter_add_(-1, places, -grad), None
