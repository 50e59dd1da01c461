"""Gradients of activation functions, from their results."""

from collections.abc import Callable, Mapping
from typing import Any

import torch
from torch import Tensor

from ..activation import activation, gelu, leaky_relu
from ..common import expect_floating
from .native_kernels import kernels_for
from .rule import Arguments, Grads, Needs, Quick, Rule, gradient_of

_Derivative = Callable[[Tensor, Tensor], Tensor]

_ORDINARY: dict[str, Callable[[Tensor], Tensor]] = {"relu": torch.relu, "sigmoid": torch.sigmoid, "tanh": torch.tanh}
OVER: dict[str, Callable[[Tensor], Tensor]] = {"relu": torch.relu_, "sigmoid": torch.sigmoid_, "tanh": torch.tanh_}
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


def _quick(kind: str, over: bool) -> Quick:
    function, derive = OVER[kind] if over else _ORDINARY[kind], DERIVATIVES[kind]

    def forward(data: Tensor) -> tuple[Tensor, Any]:
        result = function(data)
        return result, result

    return forward, lambda result, grad: (derive(grad, result),)


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
    def forward_over(arguments: Arguments, params: dict[str, Any], needs: Needs) -> tuple[Any, Any]:
        """Writes the result over the data."""
        return _written_over(arguments[0], params["act_type"])

    @staticmethod
    def quick(arguments: Arguments, params: dict[str, Any], needs: Needs, over: bool) -> Quick | None:
        return _quick(params["act_type"], over)


def _written_over(data: Tensor | None, kind: str) -> tuple[Any, Any]:
    assert data is not None
    expect_floating(data)
    result = OVER[kind](data)
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
        def forward_over(arguments: Arguments, params: dict[str, Any], needs: Needs) -> tuple[Any, Any]:
            """Writes the result over the data."""
            return _written_over(arguments[0], kind)

        @staticmethod
        def quick(arguments: Arguments, params: dict[str, Any], needs: Needs, over: bool) -> Quick | None:
            return _quick(kind, over)

    return Unary


for _kind in OVER:
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


@gradient_of("_bias_gelu")
class BiasGELU(Rule):
    """GELU behind a dense layer: its derivative is computed with it, and is all that is kept."""

    worth = 2

    @staticmethod
    def forward(arguments: Arguments, params: dict[str, Any], needs: Needs) -> tuple[Any, Any]:
        return _bias_gelu(*arguments, over=False)  # type: ignore[misc, arg-type]

    @staticmethod
    def forward_over(arguments: Arguments, params: dict[str, Any], needs: Needs) -> tuple[Any, Any]:
        """Writes what is kept over the data."""
        return _bias_gelu(*arguments, over=True)  # type: ignore[misc, arg-type]

    @staticmethod
    def backward(saved: Any, grads: Grads, needs: Needs) -> Grads:
        return _bias_gelu_gradients(saved, grads[0], needs)  # type: ignore[arg-type]

    @staticmethod
    def quick(arguments: Arguments, params: dict[str, Any], needs: Needs, over: bool) -> Quick | None:
        def forward(data: Tensor, bias: Tensor) -> tuple[Tensor, Any]:
            return _bias_gelu(data, bias, over)

        return forward, lambda saved, grad: _bias_gelu_gradients(saved, grad, needs)


def _bias_gelu(data: Tensor, bias: Tensor, over: bool) -> tuple[Tensor, Any]:
    ours = kernels_for(data, bias)
    if ours is None:
        total = data.add_(bias) if over else data + bias
        return gelu(total), (total, None)
    if over:
        return ours.bias_gelu_(data, bias), (data, ours)
    result, slope = ours.bias_gelu(data, bias)
    return result, (slope, ours)


def _bias_gelu_gradients(saved: Any, grad: Tensor, needs: Needs) -> Grads:
    kept, ours = saved
    if ours is not None:
        found, sums = ours.sloped_backward(grad.contiguous(), kept)
    else:
        found = torch.ops.aten.gelu_backward(grad, kept)
        sums = found.reshape(-1, found.shape[-1]).sum(0) if needs[1] else None
    return found if needs[0] else None, sums if needs[1] else None
