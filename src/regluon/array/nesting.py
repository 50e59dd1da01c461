"""Nested lists: what loops and branches take and give, flattened and put together again."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from ..errors import OpTypeError

Form = Any  # None for a single thing, a list of forms for a list


def flatten(value: Any, kind: type | tuple[type, ...], what: str) -> tuple[list[Any], Form]:
    """The things in nested lists in order, and the form to put others together in the same way.

    Args:
        value: one thing, or lists or tuples of them.
        kind: the class of the things.
        what: what they are, for the error text.
    """
    if isinstance(value, kind):
        return [value], None
    if not isinstance(value, (list, tuple)):
        kinds = kind if isinstance(kind, tuple) else (kind,)
        received = f"{type(value).__module__}.{type(value).__name__}"
        raise OpTypeError(f"{what}: received {received}; expected {kinds[0].__name__}, or nested lists of them.")
    parts = [flatten(item, kind, what) for item in value]
    return [thing for things, _ in parts for thing in things], [form for _, form in parts]


def regroup(things: Sequence[Any], form: Form) -> Any:
    """Things in the form that `flatten` found."""
    return _take(iter(things), form)


def _take(things: Iterator[Any], form: Form) -> Any:
    return next(things) if form is None else [_take(things, part) for part in form]


def columns(rows: Iterable[Sequence[Any]]) -> list[tuple[Any, ...]]:
    """The results of several steps, by result instead of by step."""
    return list(zip(*rows, strict=True))
