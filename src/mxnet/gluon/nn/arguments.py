"""Checks of what layers are made with, and pieces that their printed forms share."""

from collections.abc import Mapping, Sequence
from numbers import Number
from typing import Any

from ...base import MXNetError
from ...nearest import did_you_mean
from ...ops.params import Choice
from ...ops.registry import find, names

__all__ = [
    "LayerArgumentError",
    "expect_activation",
    "expect_count",
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
    """A layer cannot be made with the given arguments: MXNet raised an AssertionError or a ValueError there."""


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


def per_axis(who: str, name: str, value: Any, ndim: int, lowest: int = 0) -> Any:
    """One number for each spatial axis; a single one counts for all. Lists stay lists, as printed forms show them."""
    numbers = (value,) * ndim if isinstance(value, Number) else value
    is_row = hasattr(numbers, "__len__") and not isinstance(numbers, str) and len(numbers) == ndim
    if not is_row or any(isinstance(each, Number) and each < lowest for each in numbers):  # type: ignore[operator]
        least = f", none below {lowest}" if is_row else ""
        raise LayerArgumentError(
            f"[{who}] {name}: received {value!r}; expected a number or a tuple of {ndim} numbers{least}."
        )
    return numbers


def listed(arguments: Mapping[str, Any]) -> str:
    """Arguments as a layer's printed form shows them."""
    return ", ".join(f"{name}={value!r}" for name, value in arguments.items())
