"""Operators that take any number of arrays."""

from collections.abc import Sequence
from typing import Any

from ...ops.registry import find
from .dispatch import call


def call_several(name: str, arrays: Sequence[Any], params: dict[str, Any] | None = None, out: Any = None) -> Any:
    """Runs an operator on a list of arrays, telling it their number where it asks."""
    given = dict(params or {})
    if "num_args" in find(name).params:
        given["num_args"] = len(arrays)
    return call(name, arrays, given, out)


def as_list(who: str, arrays: Any) -> list[Any]:
    """The arrays of a sequence; a generator is refused, as in NumPy."""
    if not hasattr(arrays, "__getitem__"):
        raise ValueError(f"[np.{who}] received {type(arrays).__name__}; expected a list or tuple of arrays.")
    return list(arrays)
