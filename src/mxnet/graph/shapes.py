"""Shapes of which not all lengths are known."""

from collections.abc import Mapping, Sequence
from typing import Any

from ..config import switches
from ..error import OpTypeError

Shape = tuple[int, ...]


def unknown() -> int:
    """What an unknown length is written as: 0, or -1 where arrays may be empty."""
    return -1 if switches.np_shape else 0


def is_known(shape: Shape | None) -> bool:
    """Whether the number of axes and all lengths are known."""
    return has_axes(shape) and unknown() not in (shape or ())


def has_axes(shape: Shape | None) -> bool:
    """Whether at least the number of axes is known."""
    return shape is not None and (bool(shape) or switches.np_shape)


def resolved(shape: Sequence[int]) -> Shape:
    """A shape that a program gave: where arrays cannot be empty, -1 stands for an unknown length as 0 does."""
    lengths = tuple(-1 if length is None else length for length in shape)
    return lengths if switches.np_shape else tuple(max(length, 0) for length in lengths)


def is_open_range(params: Mapping[str, Any]) -> bool:
    """Whether an operator makes a range of numbers whose end follows from the shape of what uses it."""
    return bool(params.get("infer_range")) and params.get("stop") is None


def joined(first: Shape | None, second: Shape | None) -> Shape | None:
    """What two partial shapes tell together; raises ValueError if they contradict each other."""
    if not has_axes(first):
        return second
    if not has_axes(second):
        return first
    assert first is not None
    assert second is not None
    if len(first) != len(second):
        raise ValueError("shapes contradict each other")
    gap, lengths = unknown(), []
    for a, b in zip(first, second, strict=True):
        if gap not in (a, b) and a != b:
            raise ValueError("shapes contradict each other")
        lengths.append(b if a == gap else a)
    return tuple(lengths)


def agreed(first: Shape | None, second: Shape) -> Shape:
    """The lengths in which two trials agree, the others unknown."""
    if first is None:
        return second
    if len(first) != len(second):
        return ()
    return tuple(a if a == b else unknown() for a, b in zip(first, second, strict=True))


def filled(shape: Shape, length: int) -> Shape:
    """The shape with a number in place of unknown lengths."""
    return tuple(length if n == unknown() else n for n in shape)


def stretched(first: Shape, second: Shape) -> Shape | None:
    """The shape of two operands stretched to fit, as far as it is known; None if they do not fit."""
    ndim = max(len(first), len(second))
    gap, lengths = unknown(), []
    for a, b in zip(*((1,) * (ndim - len(shape)) + shape for shape in (first, second)), strict=True):
        if gap in (a, b):
            lengths.append(gap)
        elif 1 in (a, b) or a == b:
            lengths.append(max(a, b))
        else:
            return None
    return tuple(lengths)


def without_axis(shape: Shape, axis: int) -> Shape:
    """The shape with the length of one axis unknown."""
    return tuple(unknown() if place == axis % len(shape) else n for place, n in enumerate(shape))


def summed(shapes: Sequence[Shape | None], axis: int) -> int:
    """The sum of the lengths of an axis; unknown if one of them is."""
    lengths = [shape[axis] if shape else unknown() for shape in shapes]
    return unknown() if unknown() in lengths else sum(lengths)


def read_shape(text: str) -> Shape:
    """The shape in an attribute of a variable."""
    inner = text.strip().strip("()[]")
    try:
        return tuple(int(part) for part in inner.split(",") if part.strip())
    except ValueError:
        raise OpTypeError(f"[infer_shape] attribute __shape__: received {text!r}; expected such as '(2, 3)'.") from None
