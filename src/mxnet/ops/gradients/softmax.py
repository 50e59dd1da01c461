"""Gradients of softmax and of the losses made with it."""

from collections.abc import Mapping
from typing import Any

import torch

from ..common import normal_axis
from ..softmax import log_softmax, softmax
from .rule import Arguments, Grads, Needs, Rule, gradient_of


def _is_plain(params: Mapping[str, Any]) -> bool:
    return params["temperature"] is None and params["dtype"] is None and not params["use_length"]


@gradient_of("softmax")
class Softmax(Rule):
    """Without lengths and temperature."""

    keeps_output = True
    applies = staticmethod(_is_plain)

    @staticmethod
    def forward(arguments: Arguments, params: dict[str, Any], needs: Needs) -> tuple[Any, Any]:
        result = softmax(*arguments, **params)  # type: ignore[arg-type]
        return result, (result, normal_axis(params.get("axis", -1), result.dim()))

    @staticmethod
    def backward(saved: Any, grads: Grads, needs: Needs) -> Grads:
        result, axis = saved
        return (torch._softmax_backward_data(grads[0], result, axis, result.dtype), None)


@gradient_of("log_softmax")
class LogSoftmax(Rule):
    """Without temperature."""

    keeps_output = True
    applies = staticmethod(_is_plain)

    @staticmethod
    def forward(arguments: Arguments, params: dict[str, Any], needs: Needs) -> tuple[Any, Any]:
        result = log_softmax(*arguments, **params)  # type: ignore[arg-type]
        return result, (result, normal_axis(params.get("axis", -1), result.dim()))

    @staticmethod
    def backward(saved: Any, grads: Grads, needs: Needs) -> Grads:
        result, axis = saved
        return (torch._log_softmax_backward_data(grads[0], result, axis, result.dtype),)
