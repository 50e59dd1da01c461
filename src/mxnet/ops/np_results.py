"""Shapes of results by arithmetic, as in results.py, for what networks with NumPy's semantics are made of."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch

from ..error import OpShapeError
from .image_results import IMAGE_RULES
from .np_reshape_codes import coded_shape, plain_shape
from .results import RULES as CLASSIC_RULES
from .results import Rule, Spec

__all__ = ["RULES"]

Specs = Sequence[Spec | None]
Params = Mapping[str, Any]
Shape = tuple[int, ...]


def _of_one(shape_of: Callable[[Shape, Params], Shape | None]) -> Rule:
    """A rule for an operator of one array whose dtype stays, from its shape and the parameters."""

    def rule(specs: Specs, params: Params) -> list[Spec] | None:
        if specs[0] is None:
            return None
        shape = shape_of(specs[0][0], params)
        return None if shape is None else [(shape, specs[0][1])]

    return rule


def _place(axis: Any, ndim: int) -> int | None:
    """An axis counted from the front; None if there is none such."""
    return axis % ndim if isinstance(axis, int) and -ndim <= axis < ndim else None


def _reshaped(shape: Shape, params: Params) -> Shape | None:
    try:
        return plain_shape(shape, params["newshape"])
    except OpShapeError:
        return None  # the operator says what is wrong


def _recoded(shape: Shape, params: Params) -> Shape | None:
    try:
        return coded_shape(shape, params["newshape"], params["reverse"])
    except OpShapeError:
        return None


def _transposed(shape: Shape, params: Params) -> Shape | None:
    if params["axes"] is None:
        return shape[::-1]
    order = [_place(axis, len(shape)) for axis in params["axes"]]
    known = [axis for axis in order if axis is not None]
    return tuple(shape[axis] for axis in known) if sorted(known) == list(range(len(shape))) else None


def _expanded(shape: Shape, params: Params) -> Shape | None:
    axis = _place(params["axis"], len(shape) + 1)
    return None if axis is None else (*shape[:axis], 1, *shape[axis:])


def _swapped(shape: Shape, params: Params) -> Shape | None:
    first, second = _place(params["dim1"], len(shape)), _place(params["dim2"], len(shape))
    if first is None or second is None or first == second:
        return None
    lengths = list(shape)
    lengths[first], lengths[second] = lengths[second], lengths[first]
    return tuple(lengths)


def _repeated(shape: Shape, params: Params) -> Shape | None:
    axis = _place(params["axis"], len(shape))
    if axis is None or params["repeats"] < 1:
        return None
    return (*shape[:axis], shape[axis] * params["repeats"], *shape[axis + 1 :])


def _sliced(shape: Shape, params: Params) -> Shape | None:
    begin, end, step = params["begin"], params["end"], params["step"] or (None,) * len(params["begin"])
    if not len(begin) == len(end) == len(step) <= len(shape) or 0 in step:
        return None
    chosen = [len(range(*slice(*limits).indices(n))) for *limits, n in zip(begin, end, step, shape, strict=False)]
    return (*chosen, *shape[len(chosen) :]) if all(chosen) else None


def _masked(shape: Shape, params: Params) -> Shape | None:
    return shape if len(shape) > 1 and params["axis"] in (0, 1) else None


def _found(specs: Specs, params: Params) -> list[Spec] | None:
    """The places of extremes."""
    if specs[0] is None or 0 in specs[0][0]:
        return None
    shape = specs[0][0]
    if params["axis"] is None:
        return None if params["keepdims"] else [((), torch.int64)]
    axis = _place(params["axis"], len(shape))
    if axis is None:
        return None
    kept = (1,) if params["keepdims"] else ()
    return [((*shape[:axis], *kept, *shape[axis + 1 :]), torch.int64)]


def _stacked(specs: Specs, params: Params) -> list[Spec] | None:
    first = specs[0] if specs else None
    if first is None or any(spec != first for spec in specs):
        return None
    axis = _place(params["axis"], len(first[0]) + 1)
    return None if axis is None else [((*first[0][:axis], len(specs), *first[0][axis:]), first[1])]


def _concatenated(specs: Specs, params: Params) -> list[Spec] | None:
    known = [spec for spec in specs if spec is not None]
    if not known or len({dtype for _, dtype in known}) > 1:
        return None
    shape, dtype = known[0]
    axis = _place(params["axis"], len(shape))
    if axis is None or len({(*each[:axis], *each[axis + 1 :], len(each)) for each, _ in known}) > 1:
        return None
    return [((*shape[:axis], sum(each[axis] for each, _ in known), *shape[axis + 1 :]), dtype)]


def _made(specs: Specs, params: Params) -> list[Spec] | None:
    """Arrays of one number."""
    shape, dtype = params["shape"], params["dtype"]
    return [(tuple(shape), dtype)] if isinstance(dtype, torch.dtype) and min(shape, default=0) >= 0 else None


RULES: dict[str, Rule] = {
    **CLASSIC_RULES,
    **IMAGE_RULES,
    "_np_reshape": _of_one(_reshaped),
    "_npx_reshape": _of_one(_recoded),
    "_np_transpose": _of_one(_transposed),
    "expand_dims": _of_one(_expanded),
    "SwapAxis": _of_one(_swapped),
    "repeat": _of_one(_repeated),
    "slice": _of_one(_sliced),
    "SequenceMask": _of_one(_masked),
    "_npi_argmax": _found,
    "_npi_argmin": _found,
    "_npi_stack": _stacked,
    "_npi_concatenate": _concatenated,
    "_npi_zeros": _made,
    "_npi_ones": _made,
}
