"""Checks of what layers are made with, and pieces that their printed forms share."""

from collections.abc import Mapping, Sequence
from numbers import Number
from typing import Any

from ...base import MXNetError

__all__ = ["LayerArgumentError", "expect_layout", "listed", "per_axis"]


class LayerArgumentError(MXNetError, ValueError, AssertionError):
    """A layer cannot be made with the given arguments: MXNet raised an AssertionError or a ValueError there."""


def expect_layout(who: str, layout: str, known: Sequence[str]) -> None:
    """Refuses an order of axes that the layer does not have; `known` may be empty for any."""
    if known and layout not in known:
        raise LayerArgumentError(f"[{who}] layout: received {layout!r}; expected {' or '.join(map(repr, known))}.")


def per_axis(who: str, name: str, value: Any, ndim: int) -> Any:
    """One number for each spatial axis; a single one counts for all. Lists stay lists, as printed forms show them."""
    if isinstance(value, Number):
        return (value,) * ndim
    if len(value) != ndim:
        raise LayerArgumentError(f"[{who}] {name}: received {value!r}; expected a number or a tuple of {ndim} numbers.")
    return value


def listed(arguments: Mapping[str, Any]) -> str:
    """Arguments as a layer's printed form shows them."""
    return ", ".join(f"{name}={value!r}" for name, value in arguments.items())
