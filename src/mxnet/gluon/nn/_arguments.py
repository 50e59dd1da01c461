"""Checks of constructor arguments of layers, and pieces that their printed forms share.

MXNet constructs many layers whose arguments no operator accepts, and programs construct such layers without calling
them. `check_at_call` runs a check in the constructor and raises its error when the layer is called.
"""

import functools
from collections.abc import Callable, Mapping, Sequence
from numbers import Number
from typing import Any

from regluon.arguments import did_you_mean
from regluon.ops.params import Choice
from regluon.ops.registry import find, names

from ...base import MXNetError

__all__ = [
    "LayerArgumentError",
    "check_at_call",
    "expect_activation",
    "expect_activation_name",
    "expect_axes",
    "expect_count",
    "expect_given",
    "expect_integer",
    "expect_layout",
    "expect_rate",
    "expect_size",
    "listed",
    "per_axis",
]

# Functions that are layers of their own in Gluon, by the names that other libraries give activations.
_LAYERS = {
    "elu": "nn.ELU()",
    "gelu": "nn.GELU()",
    "leaky": "nn.LeakyReLU(0.01)",
    "leaky_relu": "nn.LeakyReLU(0.01)",
    "leakyrelu": "nn.LeakyReLU(0.01)",
    "linear": "activation=None",
    "prelu": "nn.PReLU()",
    "selu": "nn.SELU()",
    "silu": "nn.Swish()",
    "swish": "nn.Swish()",
}


class LayerArgumentError(MXNetError, ValueError, AssertionError):
    """A layer cannot work with its constructor arguments: MXNet raises an AssertionError or a ValueError."""


def check_at_call(layer: Any, check: Callable[..., None], *args: Any) -> None:
    """Run `check(who, *args)`; if it fails, let every call of the layer raise its error.

    The error is raised by a hook, so layers with valid arguments pay nothing. `Block.__init__` must have run.
    """
    try:
        check(f"{type(layer).__name__} {layer.name}", *args)
    except LayerArgumentError as error:
        layer.register_forward_pre_hook(functools.partial(_refuse, str(error)))


def _refuse(text: str, layer: Any, inputs: Any) -> None:
    raise LayerArgumentError(text)


def expect_layout(who: str, layout: str, known: Sequence[str]) -> None:
    """Refuses an order of axes that the layer does not have; `known` may be empty for any."""
    if known and layout not in known:
        raise LayerArgumentError(
            f"[{who}] layout: received {layout!r}; expected {' or '.join(map(repr, known))}."
            + did_you_mean(layout, known)
        )


def expect_activation(who: str, activation: Any, name: str = "activation") -> None:
    """Refuses an activation that the operator does not have."""
    known = find("Activation").params["act_type"].kind
    assert isinstance(known, Choice)
    if isinstance(activation, str) and activation in known.texts:
        return
    expected = f"[{who}] {name}: received {activation!r}; expected {known.expects}."
    if isinstance(activation, int):
        raise LayerArgumentError(f"{expected} PyTorch's Linear(inputs, outputs) is nn.Dense(outputs, in_units=inputs).")
    if not isinstance(activation, str):
        raise LayerArgumentError(f"{expected} Put a function or a block behind the layer: net.add(layer, block).")
    if activation.lower() in _LAYERS:
        raise LayerArgumentError(f"{expected} {activation} is written {_LAYERS[activation.lower()]}.")
    if any(activation == each for each, _ in names()):
        raise LayerArgumentError(f"{expected} {activation} is written nn.HybridLambda({activation!r}).")
    raise LayerArgumentError(expected + did_you_mean(activation, known.texts))


def expect_activation_name(who: str, activation: Any) -> None:
    """Refuse an activation that is neither None nor a string: the constructor cannot name a layer for it."""
    if activation is not None and not isinstance(activation, str):
        expect_activation(who, activation)


def expect_integer(who: str, name: str, value: Any) -> None:
    """Refuse a number of layers that is no integer: the constructor makes the parameters of each layer."""
    if not _is_integer(value):
        expect_count(who, name, value)


def expect_given(who: str, name: str, value: Any) -> None:
    """Refuse None for a number of units or layers that the constructor computes shapes with."""
    if value is None:
        expect_count(who, name, value)


def expect_count(who: str, name: str, value: Any) -> None:
    """Refuses a number of units, channels or layers that is none: below 1, or not an integer."""
    if not _is_integer(value) or value < 1:
        raise LayerArgumentError(f"[{who}] {name}: received {value!r}; expected an integer, at least 1.")


def expect_size(who: str, name: str, value: Any) -> None:
    """Refuses the size of an input that is none; 0, and -1 with NumPy shapes, stand for an unknown one."""
    if not _is_integer(value) or value < -1:
        raise LayerArgumentError(
            f"[{who}] {name}: received {value!r}; expected an integer, or 0 to have it found from the first data."
        )


def expect_rate(who: str, name: str, value: Any) -> None:
    """Refuses a probability of dropping that is none; numbers below 0 drop nothing, as in MXNet."""
    if not isinstance(value, Number) or value > 1:  # type: ignore[operator]
        raise LayerArgumentError(f"[{who}] {name}: received {value!r}; expected a probability, from 0 to 1.")


def _is_integer(value: Any) -> bool:
    return hasattr(value, "__index__")


def per_axis(value: Any, ndim: int) -> Any:
    """Repeat a number for each spatial axis; return anything else as it is. Printed forms show lists as lists."""
    return (value,) * ndim if isinstance(value, Number) else value


def expect_axes(who: str, name: str, value: Any, ndim: int, lowest: float = 0) -> None:
    """Refuse a value that is neither a number nor one number for each spatial axis, or has one below `lowest`."""
    numbers = per_axis(value, ndim)
    is_row = hasattr(numbers, "__len__") and not isinstance(numbers, str) and len(numbers) == ndim
    if not is_row or any(not _is_integer(each) or each < lowest for each in numbers):
        least = f", none below {lowest}" if is_row else ""
        raise LayerArgumentError(
            f"[{who}] {name}: received {value!r}; expected a number or a tuple of {ndim} numbers{least}."
        )


def listed(arguments: Mapping[str, Any]) -> str:
    """Arguments as a layer's printed form shows them."""
    return ", ".join(f"{name}={value!r}" for name, value in arguments.items())
