"""Flatten and rebuild nested lists of arrays that blocks take and return."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypedDict

from ..ndarray import NDArray
from ..symbol import Symbol
from ._parameter_dict import ParameterDict

__all__ = ["flatten", "indented", "leaves", "mapped", "regroup", "BlockOptions"]


# How `flatten` notes what was there: an array, or nothing.
_ARRAY, _NOTHING = 0, -1


def leaves(value: Any) -> Iterator[Any]:
    """The values in nested lists, tuples and dicts."""
    if isinstance(value, dict):
        value = value.values()
    elif not isinstance(value, (list, tuple)):
        yield value
        return
    for item in value:
        yield from leaves(item)


def mapped(function: Callable[[Any], Any], value: Any, kind: type = NDArray) -> Any:
    """The same nesting with a function applied to every array, or to every value of another kind."""
    if isinstance(value, kind):
        return function(value)
    if isinstance(value, dict):
        return {key: mapped(function, item, kind) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        items = [mapped(function, item, kind) for item in value]
        if isinstance(value, list):
            return items
        return type(value)(*items) if hasattr(value, "_fields") else tuple(items)
    return value


def flatten(args: Any, inout_str: str) -> tuple[list[Any], Any]:
    """All arrays or symbols in order, and how they were nested.

    Args:
        args: an array, a symbol, None, or a nested list of such.
        inout_str: what they are, for the error text.

    Returns:
        The arrays, symbols and Nones, and the nesting: 0 for an array, -1 for None, a list for a list, and for a symbol
        0 or, if it has several outputs, their number.
    """
    if isinstance(args, NDArray):
        return [args], _ARRAY
    if isinstance(args, Symbol):
        outputs = len(args._heads)
        return [args], outputs if outputs > 1 else _ARRAY
    if args is None:
        return [None], _NOTHING
    if not isinstance(args, (list, tuple)):
        raise ValueError(
            f"[HybridBlock] {inout_str}: received {args!r} of type {type(args).__name__}; expected arrays, None, or "
            "nested lists of them."
        )
    flat: list[Any] = []
    formats = []
    for item in args:
        items, form = flatten(item, inout_str)
        flat.extend(items)
        formats.append(form)
    return flat, formats


def regroup(args: Sequence[Any], fmt: Any) -> Any:
    """Nests again what `flatten` took apart."""
    return _regrouped(list(args), fmt)[0]


def _regrouped(rest: list[Any], form: Any) -> tuple[Any, list[Any]]:
    if isinstance(form, list):
        grouped = []
        for each in form:
            item, rest = _regrouped(rest, each)
            grouped.append(item)
        return grouped, rest
    if form > 0:
        return rest[:form], rest[form:]
    if form == _NOTHING and rest[0] is not None:
        raise ValueError(
            f"[HybridBlock] received {type(rest[0]).__name__} where the first call had None; expected the same nesting."
        )
    return rest[0], rest[1:]


def indented(text: str, spaces: int = 2) -> str:
    """Text whose further lines stand some spaces in, as nested blocks are printed."""
    first, *rest = text.split("\n")
    return "\n".join([first, *(" " * spaces + line for line in rest)])


class BlockOptions(TypedDict, total=False):
    """What every block takes."""

    prefix: str | None
    params: ParameterDict | None
