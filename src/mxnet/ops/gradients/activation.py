"""Gradients of activation functions, from their results."""

from collections.abc import Callable, Mapping
from typing import Any

import torch
from torch import Tensor

from ..common import expect_floating
from ..nn.activation import activation, leaky_relu
from .rule import Arguments, Grads, Needs, Rule, gradient_of

_Derivative = Callable[[Tensor, Tensor], Tensor]

_ORDINARY: dict[str, Callable[[Tensor], Tensor]] = {"relu": torch.relu, "sigmoid": torch.sigmoid, "tanh": torch.tanh}
IN_PLACE: dict[str, Callable[[Tensor], Tensor]] = {"relu": torch.relu_, "sigmoid": torch.sigmoid_, "tanh": torch.tanh_}
DERIVATIVES: dict[str, _Derivative] = {
    "relu": lambda grad, result: torch.ops.aten.threshold_backward(grad, result, 0),
    "sigmoid": torch.ops.aten.sigmoid_backward,
    "tanh": torch.ops.aten.tanh_backward,
}


class _FromResult(Rule):
    """A function whose derivative follows from its value."""

    keeps_output = True

    @staticmethod
    def backward(saved: Any, grads: Grads, needs: Needs) -> Grads:
        result, derivative = saved
        return (derivative(grads[0], result),)


@gradient_of("Activation")
class Activation(_FromResult):
    """relu, sigmoid and tanh."""

    @staticmethod
    def applies(params: Mapping[str, Any]) -> bool:
        return params["act_type"] in DERIVATIVES

    @staticmethod
    def forward(arguments: Arguments, params: dict[str, Any], needs: Needs) -> tuple[Any, Any]:
        result = activation(*arguments, **params)
        return result, (result, DERIVATIVES[params["act_type"]])

    @staticmethod
    def forward_in_place(arguments: Arguments, params: dict[str, Any], needs: Needs) -> tuple[Any, Any]:
        """Writes the result over the data."""
        return _in_place(arguments[0], params["act_type"])


def _in_place(data: Tensor | None, kind: str) -> tuple[Any, Any]:
    assert data is not None
    expect_floating(data)
    result = IN_PLACE[kind](data)
    return result, (result, DERIVATIVES[kind])


def _unary(kind: str) -> type[Rule]:
    class Unary(_FromResult):
        """One of the functions as an operator of its own."""

        @staticmethod
        def forward(arguments: Arguments, params: dict[str, Any], needs: Needs) -> tuple[Any, Any]:
            data = arguments[0]
            assert data is not None
            expect_floating(data)
            result = _ORDINARY[kind](data)
            return result, (result, DERIVATIVES[kind])

        @staticmethod
        def forward_in_place(arguments: Arguments, params: dict[str, Any], needs: Needs) -> tuple[Any, Any]:
            """Writes the result over the data."""
            return _in_place(arguments[0], kind)

    return Unary


for _kind in IN_PLACE:
    gradient_of(_kind)(_unary(_kind))


@gradient_of("LeakyReLU")
class LeakyReLU(Rule):
    """The leaky line, and GELU."""

    @staticmethod
    def applies(params: Mapping[str, Any]) -> bool:
        return params["act_type"] in ("leaky", "gelu")

    @staticmethod
    def forward(arguments: Arguments, params: dict[str, Any], needs: Needs) -> tuple[Any, Any]:
        result = leaky_relu(*arguments, **params)
        return result, (arguments[0], params.get("act_type", "leaky"), params.get("slope", 0.25))

    @staticmethod
    def backward(saved: Any, grads: Grads, needs: Needs) -> Grads:
        data, kind, slope = saved
        if kind == "gelu":
            return (torch.ops.aten.gelu_backward(grads[0], data), None)
        return (torch.ops.aten.leaky_relu_backward(grads[0], data, slope, False), None)
