"""Activation functions of the layers Activation and LeakyReLU."""

import math
from collections.abc import Callable, Mapping
from typing import Any, Literal

import torch
from torch import Tensor
from torch.nn import functional

from ...errors import OpParamError, OpShapeError
from ...kernels.layout import ordered_like
from ...torch_private import (
    gelu_backward,
    leaky_relu_backward,
    sigmoid_backward,
    tanh_backward,
    threshold_backward,
)
from ..common import expect_floating, grad_needed, same_dtype
from ..gradient import Arguments, Grads, Needs, Rule, gradient_of
from ..params import Rng, Shape, Training
from ..registry import find, in_place_of, operator
from ..shape_rules import like_data
from ..tensor.unary import softsign

_SELU_SCALE, _SELU_ALPHA = 1.0507009873554805, 1.6732632423543772


def _softrelu(data: Tensor) -> Tensor:
    # Above the threshold softplus is the identity; torch's own one of 20 shows in float64.
    return functional.softplus(data, threshold=40)


def gelu(data: Tensor) -> Tensor:
    """x times the normal distribution function of x.

    In single precision torch calls oneDNN, which rounds as the processor likes and makes NaN of infinity.
    """
    if data.dtype is not torch.float32:
        return functional.gelu(data)
    return data * 0.5 * torch.erf(data * math.sqrt(0.5)).add_(1.0)


_ACTIVATIONS = {
    "relu": torch.relu,
    "sigmoid": torch.sigmoid,
    "softrelu": _softrelu,
    "softsign": softsign,
    "tanh": torch.tanh,
}


@operator("Activation", "_npx_activation", alike=True)
def activation(data: Tensor, *, act_type: Literal["relu", "sigmoid", "softrelu", "softsign", "tanh"]) -> Tensor:
    """Applies an activation function to every element.

    Args:
        data: any shape.
        act_type: `relu` max(x, 0), `sigmoid` 1 / (1 + exp(-x)), `softrelu` log(1 + exp(x)), `softsign` x / (1 + |x|),
            or `tanh`.
    """
    expect_floating(data)
    return _ACTIVATIONS[act_type](data)


class _Selu(torch.autograd.Function):
    """SELU with MXNet's gradient, which for negative elements is scale * (alpha + output) instead of the derivative."""

    @staticmethod
    def forward(ctx: Any, data: Tensor) -> Tensor:
        result = functional.selu(data)
        ctx.save_for_backward(data, result)
        return result

    @staticmethod
    def backward(ctx: Any, *heads: Tensor) -> Tensor:
        data, result = ctx.saved_tensors
        return heads[0] * torch.where(data > 0, _SELU_SCALE, _SELU_SCALE * (_SELU_ALPHA + result))


def _broadcast_gamma(gamma: Tensor, data: Tensor) -> Tensor:
    """Lines up the axes of gamma, from its last, with axis 1 and then axis 0 of the data."""
    shape = [1] * data.dim()
    left = list(gamma.shape)
    for axis in range(min(data.dim(), 2) - 1, -1, -1):
        if left and left[-1] in (1, data.shape[axis]):
            shape[axis] = left.pop()
    if left:
        raise OpShapeError(
            f"cannot broadcast gamma of shape {tuple(gamma.shape)} to data of shape {tuple(data.shape)}; expected one "
            f"slope per channel, shape {tuple(data.shape[1:2] or data.shape)}, or (1,)"
        )
    return gamma.reshape(shape)


def _gamma_shape(data: Shape, *, act_type: str, **_: Any) -> dict[str, Shape]:
    if act_type != "prelu":
        return {}
    if len(data) < 2:
        raise OpShapeError(f"cannot tell the number of channels from data of shape {data}; expected 2 axes or more")
    return {"gamma": (data[1],)}


def _num_outputs(params: Mapping[str, Any]) -> int:
    return 2 if params["act_type"] == "rrelu" else 1


def _randomized(
    data: Tensor, lower: float, upper: float, training: bool, rng: torch.Generator | None
) -> tuple[Tensor, Tensor]:
    """Slopes drawn for each element in training, their mean otherwise; both the result and the slopes are outputs."""
    if training:
        if lower > upper:
            raise OpParamError(f"lower_bound={lower} exceeds upper_bound={upper}")
        slopes = torch.empty(data.shape, dtype=data.dtype, device=data.device).uniform_(lower, upper, generator=rng)
    else:
        slopes = torch.full(data.shape, (lower + upper) / 2, dtype=data.dtype, device=data.device)
    return torch.where(data > 0, data, data * slopes), slopes


def _inputs(params: Mapping[str, Any]) -> tuple[str, ...]:
    return ("data", "gamma") if params["act_type"] == "prelu" else ("data",)


@operator(
    "LeakyReLU",
    "_npx_leaky_relu",
    outputs=_num_outputs,
    completes=_gamma_shape,
    shape=like_data,
    takes=_inputs,
    initializers={"gamma": '["Constant", {"value": 0.25}]'},
    output_names=("output", "mask"),
)
def leaky_relu(
    data: Tensor,
    gamma: Tensor | None = None,
    *,
    act_type: Literal["elu", "gelu", "leaky", "prelu", "rrelu", "selu"] = "leaky",
    slope: float = 0.25,
    lower_bound: float = 0.125,
    upper_bound: float = 0.333999991,
    training: Training,
    rng: Rng,
) -> Tensor | tuple[Tensor, Tensor]:
    """Applies an activation function that does not cut negative elements off.

    Args:
        data: any shape.
        gamma: the slopes that `prelu` learns, one per channel (axis 1) or one for all; only for `prelu`.
        act_type: `leaky` slope * x, `prelu` gamma * x, `rrelu` a random slope * x, `elu` slope * (exp(x) - 1),
            each for negative x; `selu`; or `gelu`, x times the normal distribution function of x.
        slope: of `leaky` and `elu`.
        lower_bound: smallest slope `rrelu` draws in training; in prediction it uses the mean.
        upper_bound: largest slope `rrelu` draws.
        training: whether `rrelu` draws slopes.
        rng: what it draws from.

    Returns:
        The result; for `rrelu` the result and the slopes.
    """
    expect_floating(data)
    if (gamma is not None) != (act_type == "prelu"):
        word = "without" if gamma is None else "with"
        raise OpParamError(f"act_type={act_type!r} {word} input gamma; expected gamma for 'prelu' and only for it")
    if gamma is not None:
        same_dtype(data=data, gamma=gamma)
        return torch.where(data > 0, data, data * _broadcast_gamma(gamma, data))
    if act_type == "leaky":
        return functional.leaky_relu(data, slope)
    if act_type == "elu":
        return functional.elu(data, slope)
    if act_type == "gelu":
        return gelu(data)
    if act_type == "selu":
        return _Selu.apply(data) if grad_needed(data) else functional.selu(data)
    return _randomized(data, lower_bound, upper_bound, training, rng)


_Derivative = Callable[[Tensor, Tensor], Tensor]

_ORDINARY: dict[str, Callable[[Tensor], Tensor]] = {"relu": torch.relu, "sigmoid": torch.sigmoid, "tanh": torch.tanh}
IN_PLACE: dict[str, Callable[[Tensor], Tensor]] = {"relu": torch.relu_, "sigmoid": torch.sigmoid_, "tanh": torch.tanh_}
DERIVATIVES: dict[str, _Derivative] = {
    "relu": lambda grad, result: threshold_backward(grad, result, 0),
    "sigmoid": sigmoid_backward,
    "tanh": tanh_backward,
}


class _FromResult(Rule):
    """A function whose derivative follows from its value."""

    keeps_output = True

    @staticmethod
    def backward(saved: Any, grads: Grads, needs: Needs) -> Grads:
        (result, derivative), grad = saved, grads[0]
        assert grad is not None
        return (derivative(ordered_like(grad, result), result),)


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


def _unary_in_place(kind: str) -> Callable[[Tensor], Tensor]:
    ordinary = find(kind).function

    def function(data: Tensor) -> Tensor:
        return IN_PLACE[kind](data) if data.is_floating_point() else ordinary(data)

    return function


for _kind in IN_PLACE:
    gradient_of(_kind)(_unary(_kind))
    in_place_of(_kind)(_unary_in_place(_kind))


@in_place_of("Activation")
def _activation_in_place(data: Tensor, *, act_type: str) -> Tensor:
    in_place = IN_PLACE.get(act_type)
    return activation(data, act_type=act_type) if in_place is None or not data.is_floating_point() else in_place(data)


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
            return (gelu_backward(grads[0], data), None)
        return (leaky_relu_backward(grads[0], data, slope, False), None)
