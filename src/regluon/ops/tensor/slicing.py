"""Operators that take parts out of arrays, write into parts of them, or choose between two arrays."""

from collections.abc import Mapping, Sequence
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional

from ...errors import OpIndexError, OpParamError, OpShapeError
from ..common import expect_shape, normal_axis, same_dtype
from ..dtype_rules import CHOICE, DtypeRule
from ..gradient import Arguments, Grads, Needs, Rule, gradient_of
from ..params import Shape
from ..partial_shapes import PartialShapes, is_known, same_everywhere, unknown
from ..precision import fitted
from ..registry import find, operator, partial_shapes_of, shape_of
from ..shape_rules import Params, Result, Specs, of_one


def _region(data: Tensor, begin: Shape, end: Shape, step: Shape) -> tuple[Tensor, list[int]]:
    """A view of the elements a slice names, and the axes that must then be reversed: torch has no negative steps.

    Ends may be None or lie outside of the array, as in Python.
    """
    if len(begin) != len(end) or (step and len(step) != len(begin)):
        raise OpParamError(
            f"begin={begin}, end={end} and step={step} differ in length; expected one entry for each axis"
        )
    if len(begin) > data.dim():
        raise OpShapeError(f"begin={begin} names {len(begin)} axes, the array has {data.dim()}")
    backwards = []
    for axis, (first, last) in enumerate(zip(begin, end, strict=True)):
        stride = (step[axis] if step else None) or 1
        if step and step[axis] == 0:
            raise OpParamError(f"step={step}; expected steps other than 0")
        places = range(data.shape[axis])[slice(first, last, stride)]
        if stride < 0:
            backwards.append(axis)
            places = places[::-1]
        data = data[(slice(None),) * axis + (slice(places.start, max(places.stop, 0), places.step),)]
    return data, backwards


def _certain_lengths(params: Params, inputs: Sequence[Shape], outputs: list[Shape]) -> list[Shape]:
    """An end beyond the data becomes theirs, which does not show if they are long."""
    return [tuple(unknown() if n == unknown() else m for n, m in zip(inputs[0], outputs[0], strict=True))]


@operator(
    "slice", "_npi_slice", "_npx_slice", "_sparse_slice", "crop", returns_view=True, trial_filter=_certain_lengths
)
def slice_(data: Tensor, *, begin: Shape, end: Shape, step: Shape = ()) -> Tensor:
    """Takes the elements from `begin` up to `end` along the first axes.

    Args:
        data: the array.
        begin: the first place on each axis; negative ones count from the end, None is the start.
        end: the place after the last.
        step: the distance from place to place, negative for the reverse order.
    """
    part, backwards = _region(data, begin, end, step)
    return part.flip(backwards) if backwards else part


@operator("_slice_assign", "_crop_assign", "_npi_slice_assign")
def slice_assign(lhs: Tensor, rhs: Tensor, *, begin: Shape, end: Shape, step: Shape = ()) -> Tensor:
    """A copy of `lhs` with `rhs` in place of the elements that `slice` would take."""
    same_dtype(lhs=lhs, rhs=rhs)
    result = lhs.clone()
    part, backwards = _region(result, begin, end, step)
    expect_shape("rhs", rhs, tuple(part.shape))
    part.copy_(rhs.flip(backwards) if backwards else rhs)
    return result


@operator("_slice_assign_scalar", "_crop_assign_scalar", "_npi_slice_assign_scalar")
def slice_assign_scalar(data: Tensor, *, scalar: float = 0.0, begin: Shape, end: Shape, step: Shape = ()) -> Tensor:
    """A copy with a number in place of the elements that `slice` would take."""
    result = data.clone()
    part, _ = _region(result, begin, end, step)
    part.fill_(fitted(scalar, data.dtype))
    return result


@operator("slice_axis", returns_view=True, trial_filter=_certain_lengths)
def slice_axis(data: Tensor, *, axis: int, begin: int, end: int | None) -> Tensor:
    """Takes the places from `begin` up to `end` along one axis; None takes all that follow.

    Args:
        data: the array.
        axis: the axis.
        begin: the first place; negative ones count from the end.
        end: the place after the last one.
    """
    axis = normal_axis(axis, data.dim())
    length = data.shape[axis]
    if length == 0:  # whatever is asked for, there is nothing to take
        return data.narrow(axis, 0, 0)
    first = begin + length if begin < 0 else begin
    last = length if end is None else end + length if end < 0 else end
    if not 0 <= first < last <= length:
        raise OpIndexError(f"begin={begin}, end={end} is not a range of places on axis {axis} of length {length}")
    return data.narrow(axis, first, last - first)


@operator("slice_like", returns_view=True, zero_inputs=("shape_like",), dtypes=DtypeRule(free=("shape_like",)))
def slice_like(data: Tensor, shape_like: Tensor, *, axes: Shape = ()) -> Tensor:
    """Cuts an array to the lengths of another one, on all axes or on the given ones.

    Args:
        data: the array.
        shape_like: the array whose lengths are taken.
        axes: the axes to cut; all if there are none.
    """
    if not axes and data.dim() != shape_like.dim():
        raise OpShapeError(
            f"expected two inputs with the same number of axes, got {data.dim()} and {shape_like.dim()}; name the axes "
            "to cut with axes=(...)"
        )
    for axis in [normal_axis(axis, data.dim(), "axes") for axis in axes] or range(data.dim()):
        if axis >= shape_like.dim():
            raise OpIndexError(f"axis {axis} is out of range for shape_like of {shape_like.dim()} dimensions")
        length = shape_like.shape[axis]
        if length > data.shape[axis]:
            raise OpShapeError(f"cannot cut axis {axis} of length {data.shape[axis]} to length {length}")
        data = data.narrow(axis, 0, length)
    return data


@operator("Crop", returns_view=True, zero_inputs=(1,), count_param="num_args")
def crop(*data: Tensor, offset: Shape = (0, 0), h_w: Shape = (0, 0), center_crop: bool = False) -> Tensor:
    """Cuts a window out of images.

    Args:
        data: the images (batch, channel, height, width), and, if given, an array whose height and width to cut to.
        offset: row and column of the upper left corner.
        h_w: height and width of the window, if there is no second array.
        center_crop: cut from the middle instead.
    """
    if len(data) > 2 or any(each.dim() != 4 for each in data):
        raise OpShapeError("expected one or two arrays of 4 axes (batch, channel, height, width)")
    images = data[0]
    window = tuple(data[1].shape[2:]) if len(data) == 2 else h_w
    plane = tuple(images.shape[2:])
    if len(window) != 2 or len(offset) != 2:
        raise OpParamError(f"h_w={h_w}, offset={offset}; expected two numbers each, for height and width")
    if not all(1 <= part <= whole for part, whole in zip(window, plane, strict=True)):
        raise OpShapeError(f"cannot cut a window of height and width {window} out of a plane of {plane}")
    rest = [whole - part for part, whole in zip(window, plane, strict=True)]
    if center_crop:
        offset = (rest[0] // 2, rest[1] // 2)
    if not all(0 <= place <= most for place, most in zip(offset, rest, strict=True)):
        raise OpIndexError(f"offset={offset} is out of range; a window of {window} in a plane of {plane} allows {rest}")
    return images.narrow(2, offset[0], window[0]).narrow(3, offset[1], window[1])


@operator(
    "where",
    "_sparse_where",
    zero_inputs=("condition",),
    dtypes=CHOICE,
    trial_filter=lambda params, inputs, outputs: [],
)
def where(condition: Tensor, x: Tensor, y: Tensor) -> Tensor:
    """Takes elements of `x` where the condition is not zero and of `y` elsewhere.

    Args:
        condition: of the shape of `x`, or one number for each row of it.
        x: the array for true.
        y: the array for false, of the same shape.
    """
    same_dtype(x=x, y=y)
    expect_shape("y", y, tuple(x.shape))
    chosen = condition != 0
    if condition.shape != x.shape:
        if condition.dim() != 1 or condition.shape[0] != x.shape[0]:
            raise OpShapeError(
                f"expected a condition of shape {tuple(x.shape)}, or {(x.shape[0],)} to choose rows, "
                f"got {tuple(condition.shape)}"
            )
        chosen = chosen.reshape(-1, *(1,) * (x.dim() - 1))
    return torch.where(chosen, x, y)


class _Part(Rule):
    """A part of an array: what was left out has no gradient."""

    @staticmethod
    def backward(saved: Any, grads: Grads, needs: Needs) -> Grads:
        grad = grads[0]
        assert grad is not None
        return functional.pad(grad, saved), *(None,) * (len(needs) - 1)


def _left_out(whole: Sequence[int], firsts: Mapping[int, int], part: Sequence[int]) -> list[int]:
    """How many places were left out before and behind a part, axis by axis, the last one first, as torch pads."""
    pairs = [(firsts.get(axis, 0), whole[axis] - firsts.get(axis, 0) - part[axis]) for axis in range(len(whole))]
    return [count for pair in reversed(pairs) for count in pair]


@gradient_of("slice")
class _Slice(_Part):
    """Places that follow each other, along the first axes."""

    @staticmethod
    def applies(params: Mapping[str, Any]) -> bool:
        return all(step in (None, 1) for step in params["step"])

    @staticmethod
    def forward(arguments: Arguments, params: dict[str, Any], needs: Needs) -> tuple[Any, Any]:
        data = arguments[0]
        assert data is not None
        result = slice_(data, **params)
        limits = zip(data.shape, params["begin"], params["end"], strict=False)
        firsts = [range(length)[slice(begin, end)].start for length, begin, end in limits]
        return result, _left_out(data.shape, dict(enumerate(firsts)), result.shape)


@gradient_of("slice_axis")
class _SliceAxis(_Part):
    """Places that follow each other, along one axis."""

    @staticmethod
    def forward(arguments: Arguments, params: dict[str, Any], needs: Needs) -> tuple[Any, Any]:
        data = arguments[0]
        assert data is not None
        result = slice_axis(data, **params)
        axis = normal_axis(params["axis"], data.dim())
        first = params["begin"] % max(data.shape[axis], 1)
        return result, _left_out(data.shape, {axis: first}, result.shape)


@gradient_of("slice_like")
class _SliceLike(_Part):
    """The first places of each axis; the array that lends its lengths has no gradient."""

    sources = (0,)

    @staticmethod
    def forward(arguments: Arguments, params: dict[str, Any], needs: Needs) -> tuple[Any, Any]:
        data = arguments[0]
        assert data is not None
        result = find("slice_like").function(*arguments, **params)
        return result, _left_out(data.shape, {}, result.shape)


@gradient_of("where")
class _Where(Rule):
    """Elements of two arrays: each has a gradient where it was chosen, the condition has none."""

    sources = (1, 2)

    @staticmethod
    def forward(arguments: Arguments, params: dict[str, Any], needs: Needs) -> tuple[Any, Any]:
        condition, x, y = arguments
        assert condition is not None
        assert x is not None
        assert y is not None
        chosen = condition != 0
        rows = chosen if condition.shape == x.shape else chosen.reshape(-1, *(1,) * (x.dim() - 1))
        return where(condition, x, y), rows

    @staticmethod
    def backward(saved: Any, grads: Grads, needs: Needs) -> Grads:
        grad = grads[0]
        assert grad is not None
        return (
            None,
            torch.where(saved, grad, 0) if needs[1] else None,
            torch.where(saved, 0, grad) if needs[2] else None,
        )


@shape_of("where")
def _chosen_shape(specs: Specs, params: Params) -> Result:
    condition, one, other = specs
    if condition is None or one is None or one != other or condition[0] != one[0]:
        return None
    return [one]


@shape_of("slice")
@of_one
def _sliced_shape(shape: Shape, params: Params) -> Shape | None:
    begin, end, step = params["begin"], params["end"], params["step"] or (None,) * len(params["begin"])
    if not len(begin) == len(end) == len(step) <= len(shape) or 0 in step:
        return None
    chosen = [len(range(*slice(*limits).indices(n))) for *limits, n in zip(begin, end, step, shape, strict=False)]
    return (*chosen, *shape[len(chosen) :]) if all(chosen) else None


@partial_shapes_of("slice_like")
def _slice_like_shapes(params: Params, inputs: PartialShapes, outputs: PartialShapes) -> PartialShapes:
    data, like = inputs
    if data is None or (like is None and not params["axes"]):
        return []
    axes = {axis % len(data) for axis in params["axes"] or range(len(data))}
    if like is not None and max(axes, default=0) >= len(like):
        return []  # the operator itself says what is wrong
    lengths = [(like[axis] if like else unknown()) if axis in axes else n for axis, n in enumerate(data)]
    return [data, like, tuple(lengths)]


@partial_shapes_of("where")
def _choice_shapes(params: Params, inputs: PartialShapes, outputs: PartialShapes) -> PartialShapes:
    """Whether elements or rows are chosen depends on the condition's shape: MXNet waits for it."""
    found = same_everywhere(params, inputs[1:], outputs)
    return [None, *found] if is_known(inputs[0]) else []
