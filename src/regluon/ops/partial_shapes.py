"""Shapes of which not all lengths are known, and what those around an operator imply for each other.

An operator's `partial_shapes` rule receives its parameters and what is known of the shapes of its inputs and outputs
(None where not even the number of axes is), and returns what follows, in the same order: inputs, then outputs; the last
ones may be left out. Shapes that contradict each other raise ValueError: the operator itself will say what is wrong
once its inputs are known; a `Mismatch` is reported at once.

Without such a rule, or beside it, operators run on two different lengths in place of each unknown one: lengths of the
results that come out the same both times do not depend on it. A `trial_filter` drops those that do all the same.
"""

from collections.abc import Callable, Mapping, Sequence
from math import prod
from typing import Any

from ..config import switches
from ..errors import OpTypeError
from .shape_rules import Params, axis_from_front

Shape = tuple[int, ...]
PartialShapes = Sequence[Shape | None]
PartialRule = Callable[[Params, PartialShapes, PartialShapes], PartialShapes]
TrialFilter = Callable[[Params, Sequence[Shape], list[Shape]], list[Shape]]


class Mismatch(ValueError):
    """Inputs that can never fit; the message says what was expected."""


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
    """What two partial shapes of one array imply together; raises ValueError if they contradict each other."""
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


def common(shapes: PartialShapes) -> Shape | None:
    """What several partial shapes of one and the same array imply together."""
    found: Shape | None = None
    for shape in shapes:
        found = joined(found, shape)
    return found


# -- rules that several operators share --------------------------------------------------------------------------------


def from_results(rule: Callable[[Params, Shape | None, Shape], Shape | None]) -> PartialRule:
    """A rule from each result, of at least one axis, to the first input; None if it implies nothing."""

    def both(params: Params, inputs: PartialShapes, outputs: PartialShapes) -> PartialShapes:
        data = inputs[0]
        for result in outputs:
            found = rule(params, data, result) if result and not is_known(data) else None
            try:
                data = joined(data, found)
            except ValueError:
                return [found]  # which does not fit the input, and is reported
        return [data]

    return both


def rows_before(_: Params, data: Shape | None, result: Shape) -> Shape | None:
    """The data of an operator that transforms rows, or the examples of a batch, one by one."""
    return (result[0], *[unknown()] * (len(data) - 1)) if data else None


row_by_row = from_results(rows_before)


def same(_: Params, inputs: PartialShapes, outputs: PartialShapes) -> PartialShapes:
    """The data and the result have one shape."""
    return [common([inputs[0], outputs[0]])] * 2


def same_everywhere(_: Params, inputs: PartialShapes, outputs: PartialShapes) -> PartialShapes:
    """All inputs and outputs have one shape."""
    try:
        return [common([*inputs, *outputs])] * (len(inputs) + len(outputs))
    except ValueError:
        raise Mismatch("equal ones") from None


def joined_along(param: str) -> PartialRule:
    """Arrays that are joined along the axis that a parameter names have the same lengths along the others."""

    def rule(params: Params, inputs: PartialShapes, outputs: PartialShapes) -> PartialShapes:
        axis = params[param]
        if axis is None:
            return []
        usable = [
            shape if shape and axis_from_front(axis, len(shape)) is not None else None for shape in (*inputs, *outputs)
        ]
        try:
            others = common([without_axis(shape, axis) for shape in usable if shape])
        except ValueError:
            raise Mismatch(f"equal lengths but for axis {axis}") from None
        if others is None:
            return []
        result = list(others)
        result[axis] = summed(usable[: len(inputs)], axis)
        return [*[others] * len(inputs), tuple(result)]

    return rule


def stacked(params: Params, inputs: PartialShapes, outputs: PartialShapes) -> PartialShapes:
    """The result of what is known of all inputs together; MXNet does not complete them from each other."""
    item = common(inputs)
    axis = None if item is None else axis_from_front(params["axis"], len(item) + 1)
    if item is None or axis is None:
        return []
    return [*[None] * len(inputs), (*item[:axis], len(inputs), *item[axis:])]


def transposed(params: Params, inputs: PartialShapes, outputs: PartialShapes) -> PartialShapes:
    """Axes in another order, or reversed."""
    ndim = len(inputs[0] or outputs[0] or ())
    axes = [axis % ndim for axis in params["axes"] or reversed(range(ndim))] if ndim else []
    if not ndim or sorted(axes) != list(range(ndim)):
        return []  # the operator itself says what is wrong
    data, result = (shape or (unknown(),) * ndim for shape in (inputs[0], outputs[0]))
    if len(data) != len(result):
        return []
    before = joined(data, tuple(result[axes.index(axis)] for axis in range(ndim)))
    assert before is not None
    return [before, tuple(before[axis] for axis in axes)]


def reshaped(codes: Shape, keeps: int, data: Shape | None, result: Shape | None) -> PartialShapes:
    """Lengths that are given as such, or that follow from the number of elements.

    Args:
        codes: the lengths and codes of the target, read from the front.
        keeps: the code that keeps an axis; all other codes below 1, but for -1, end what is read here.
        data: the shape before.
        result: the shape after.
    """
    if codes and all(code is not None and (code > 0 or code in (-1, keeps)) for code in codes):
        lengths = []
        for axis, code in enumerate(codes):
            kept = data[axis] if code == keeps and data is not None and axis < len(data) else unknown()
            lengths.append(code if code > 0 else kept)
        result = joined(result, tuple(lengths))
    return [_completed(data, result), _completed(result, data)]


def _completed(shape: Shape | None, other: Shape | None) -> Shape | None:
    """The shape with its one unknown length, from another shape of as many elements."""
    if shape is None or shape.count(unknown()) != 1 or other is None or not is_known(other):
        return shape
    others = prod(length for length in shape if length != unknown())
    if not others or prod(other) % others:
        return shape
    return tuple(prod(other) // others if length == unknown() else length for length in shape)
