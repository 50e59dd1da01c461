"""Shapes of results by arithmetic, for the operators that most networks are made of.

Any operator's result can be found by running it on tensors without data. But torch loads its compiler the first time it
does that, which takes longer than training a small network for a while. So the common operators have rules, declared
beside them with `shape_of`; what several rules share is here. A rule knows the ordinary case only; it returns None for
anything else, and the operator itself decides, or refuses. The recorded fixtures compare every rule with what really
comes out.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch

Spec = tuple[tuple[int, ...], torch.dtype]  # shape and dtype
Specs = Sequence[Spec | None]  # of inputs, None for one left out
Params = Mapping[str, Any]  # defaults filled in
Result = list[Spec] | None
Rule = Callable[[Specs, Params], Result]


def like_data(specs: Specs, params: Params) -> Result:
    """The result is like the first input."""
    first = specs[0]
    if first is None or params.get("output_mean_var") or params.get("dtype") or params.get("act_type") == "rrelu":
        return None
    return [first]


def broadcast(specs: Specs) -> list[Spec] | None:
    """The result of two operands of one dtype whose axes of length 1 are stretched."""
    lhs, rhs = specs
    if lhs is None or rhs is None or lhs[1] is not rhs[1] or lhs[1] is torch.bool:
        return None
    shape = stretched(lhs[0], rhs[0])
    return None if shape is None else [(shape, lhs[1])]


def stretched(first: tuple[int, ...], second: tuple[int, ...]) -> tuple[int, ...] | None:
    """The shape of two operands together, axes of length 1 stretched; None if they do not fit."""
    longer, shorter = sorted((first, second), key=len, reverse=True)
    padded = (1,) * (len(longer) - len(shorter)) + shorter
    if any(a != b and 1 not in (a, b) for a, b in zip(longer, padded, strict=True)):
        return None
    return tuple(b if a == 1 else a for a, b in zip(longer, padded, strict=True))


def compared(specs: Specs, params: Params) -> Result:
    """A test of two operands, or of one operand and a number."""
    shapes = [spec[0] for spec in specs if spec is not None]
    if not shapes or len({spec and spec[1] for spec in specs}) > 1:
        return None
    shape = shapes[0] if len(shapes) == 1 else stretched(*shapes)
    return None if shape is None else [(shape, torch.bool)]


def alike(specs: Specs, count: int, keeps_integers: bool) -> Result:
    """The results of an operator whose inputs and outputs are all alike."""
    first = specs[0]
    if first is None or any(spec != first for spec in specs):
        return None
    if first[1].is_floating_point:
        return [first] * count
    return [first] * count if keeps_integers and first[1] is not torch.bool else None


def one_float_dtype(specs: Specs) -> bool:
    """Whether the first input is there, and all that are have one floating dtype."""
    dtypes = {spec[1] for spec in specs if spec is not None}
    return len(dtypes) == 1 and next(iter(dtypes)).is_floating_point and specs[0] is not None


def of_one(result_shape: Callable[[tuple[int, ...], Params], tuple[int, ...] | None]) -> Rule:
    """A rule for an operator of one array whose dtype stays, from its shape and the parameters."""

    def rule(specs: Specs, params: Params) -> Result:
        if specs[0] is None:
            return None
        shape = result_shape(specs[0][0], params)
        return None if shape is None else [(shape, specs[0][1])]

    return rule


def axis_from_front(axis: Any, ndim: int) -> int | None:
    """An axis counted from the front; None if there is none such."""
    return axis % ndim if isinstance(axis, int) and -ndim <= axis < ndim else None


def images(specs: Specs) -> Spec | None:
    """The first input, if it is a batch of images that holds something."""
    first = specs[0]
    usual = first is not None and one_float_dtype(specs) and len(first[0]) == 4 and 0 not in first[0]
    return first if usual else None


def along(specs: Specs, params: Params) -> tuple[tuple[int, ...], int, torch.dtype] | None:
    """Shape, axis and dtype of numbers that an operator goes through along one axis."""
    if specs[0] is None or specs[0][1] is torch.bool or 0 in specs[0][0]:
        return None
    (shape, dtype), axis = specs[0], params["axis"]
    return (shape, axis % len(shape), dtype) if axis is not None and -len(shape) <= axis < len(shape) else None
