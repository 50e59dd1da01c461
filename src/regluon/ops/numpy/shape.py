"""Shapes and order of axes in mx.np."""

from collections.abc import Mapping
from typing import Any, Literal

import torch
from torch import Tensor

from ...errors import OpParamError, OpShapeError
from ..common import normal_axis, same_dtype
from ..dtype_rules import INDICES
from ..params import Shape, Shapes
from ..partial_shapes import PartialShapes, reshaped, same, transposed
from ..precision import fitted
from ..registry import operator, partial_shapes_of, shape_of
from ..shape_rules import Params, axis_from_front, of_one
from .reshape_codes import coded_shape, plain_shape


@operator("_np_reshape", returns_view=True)
def reshape(a: Tensor, *, newshape: Shape, order: str = "C") -> Tensor:
    """Gives the elements another shape; one length may be -1, which is worked out. They stay in row-major order."""
    return a.reshape(plain_shape(tuple(a.shape), newshape))


@operator("_npx_reshape", "_npi_reshape", returns_view=True)
def npx_reshape(a: Tensor, *, newshape: Shape, reverse: bool = False, order: str = "C") -> Tensor:
    """Gives the elements another shape, which may be described by what becomes of the axes.

    In `newshape`, -1 is worked out from the rest, -2 keeps the length of the current axis, -3 drops the current axis,
    whose length must be 1, -4 takes all remaining axes, -5 joins two axes, and -6 splits an axis into the two lengths
    that follow, one of which may be -1.

    Args:
        a: the array.
        newshape: lengths and codes.
        reverse: read the codes, and the axes, from the last one backwards.
        order: 'C', the only order of the elements there is.
    """
    return a.reshape(coded_shape(tuple(a.shape), newshape, reverse))


@operator(
    "_np_squeeze",
    returns_view=True,
    trial_filter=lambda params, inputs, outputs: [] if params["axis"] is None else outputs,
)
def squeeze(a: Tensor, *, axis: Shape | None = None) -> Tensor:
    """Removes axes of length 1: all of them, or the given ones."""
    if axis is None or a.dim() == 0:
        return a.squeeze()
    axes = sorted({normal_axis(each, a.dim()) for each in axis})
    for each in axes:
        if a.shape[each] != 1:
            raise OpShapeError(f"cannot remove axis {each}, which has length {a.shape[each]}; expected 1")
    return a.squeeze(axes)


@operator("_np_moveaxis", returns_view=True)
def moveaxis(a: Tensor, *, source: Shape, destination: Shape) -> Tensor:
    """Moves axes to other places; the other axes keep their order."""
    if len(source) != len(destination):
        raise OpShapeError(f"expected as many places as axes, got source={source} and destination={destination}")
    origins = [normal_axis(axis, a.dim(), "source") for axis in source]
    places = [normal_axis(axis, a.dim(), "destination") for axis in destination]
    if len(set(origins)) < len(origins) or len(set(places)) < len(places):
        raise OpShapeError(f"source={source} or destination={destination} names an axis twice")
    return a.movedim(origins, places)


@operator("_np_transpose", returns_view=True, partial_shapes=transposed)
def transpose(a: Tensor, *, axes: Shape | None = None) -> Tensor:
    """Puts the axes in another order, reversed if none is given."""
    if axes is None:
        return a.permute(tuple(range(a.dim()))[::-1])
    order = [normal_axis(axis, a.dim(), "axes") for axis in axes]
    if sorted(order) != list(range(a.dim())):
        raise OpShapeError(f"axes={axes} is not an order of the {a.dim()} axes")
    return a.permute(order)


@operator("_np_roll", returns_view=True)
def roll(data: Tensor, *, shift: Shape | None = None, axis: Shape | None = None) -> Tensor:
    """Moves the elements along axes; what is pushed out at one end comes in at the other.

    Args:
        data: the array.
        shift: by how many places, one number for all axes or one for each.
        axis: the axes; if not given, all elements are moved as if they stood in one row.
    """
    if shift is None:
        raise OpParamError("parameter shift is required; expected a number of places, such as shift=1")
    if axis is None:
        if len(shift) != 1:
            raise OpParamError(f"shift={shift}; expected one number where no axis is given")
        return data.roll(shift)
    if len(shift) not in (1, len(axis)):
        raise OpParamError(f"expected as many shifts as axes, got shift={shift} and axis={axis}")
    axes = [normal_axis(each, data.dim()) for each in axis]
    if len(set(axes)) < len(axes):
        raise OpParamError(f"axis={axis} names an axis twice")
    return data.roll(shift * len(axes) if len(shift) == 1 else shift, axes)


@operator("_npi_rot90", returns_view=True)
def rot90(data: Tensor, *, k: int = 1, axes: Shape | None = None) -> Tensor:
    """Turns the plane of two axes k times by 90 degrees, from the first axis towards the second."""
    if axes is None or len(axes) != 2:
        raise OpParamError(f"axes={axes}; expected the two axes of a plane, such as axes=(0, 1)")
    first, second = (normal_axis(axis, data.dim(), "axes") for axis in axes)
    if first == second:
        raise OpParamError(f"axes={axes} names an axis twice; expected two axes")
    return data.rot90(k, (first, second))


@operator("_npi_flip", returns_view=True, partial_shapes=same)
def flip(data: Tensor, *, axis: Shape | None) -> Tensor:
    """Reverses the order of the elements along the given axes, all of them for None."""
    axes = list(range(data.dim())) if axis is None else [normal_axis(each, data.dim()) for each in axis]
    # An axis named twice is turned twice.
    return data.flip([each for each in set(axes) if axes.count(each) % 2])


@operator("_npi_broadcast_to", returns_view=True)
def broadcast_to(array: Tensor, *, shape: Shape = ()) -> Tensor:
    """Stretches axes of length 1, and puts new ones in front, up to a shape; -2 leaves an axis as it is."""
    missing = len(shape) - array.dim()
    padded = (1,) * max(missing, 0) + tuple(array.shape)
    wanted = tuple(old if new == -2 else new for old, new in zip(padded, shape, strict=False))
    if missing < 0 or any(old not in (1, new) or new < 0 for old, new in zip(padded, wanted, strict=True)):
        raise OpShapeError(f"an array of shape {tuple(array.shape)} cannot be stretched to {shape}")
    return array.expand(wanted)


def _count(params: Mapping[str, Any]) -> int:
    """There are as many results as inputs."""
    count: int = params["num_args"]
    return count


def _at_least(arrays: tuple[Tensor, ...], ndim: int) -> tuple[Tensor, ...]:
    """The arrays with axes put in; no gradient passes here in MXNet, and zeros arrive."""
    same_dtype(**{f"arys[{place}]": array for place, array in enumerate(arrays)})
    results = []
    for array in arrays:
        shape = tuple(array.shape)
        if ndim == 3 and len(shape) in (1, 2):
            shape = (*shape, 1)  # the last axis is the new one, and the first one too if another is missing
        results.append(array.detach().reshape((1,) * (ndim - len(shape)) + shape))
    return tuple(results)


@operator("_np_atleast_1d", returns_view=True, zero_gradient=True, outputs=_count, count_param="num_args")
def atleast_1d(*arys: Tensor) -> tuple[Tensor, ...]:
    """The arrays, scalars as arrays of one element."""
    return _at_least(arys, 1)


@operator("_np_atleast_2d", returns_view=True, zero_gradient=True, outputs=_count, count_param="num_args")
def atleast_2d(*arys: Tensor) -> tuple[Tensor, ...]:
    """The arrays with at least two axes: new ones stand in front."""
    return _at_least(arys, 2)


@operator("_np_atleast_3d", returns_view=True, zero_gradient=True, outputs=_count, count_param="num_args")
def atleast_3d(*arys: Tensor) -> tuple[Tensor, ...]:
    """The arrays with at least three axes: (n,) becomes (1, n, 1), and (m, n) becomes (m, n, 1)."""
    return _at_least(arys, 3)


@operator("_np_diag", returns_view=True, names_input=True)
def diag(data: Tensor, *, k: int = 0) -> Tensor:
    """The k-th diagonal of a matrix, or, from one axis, a matrix with it as its k-th diagonal."""
    if data.dim() not in (1, 2):
        raise OpShapeError(f"expected 1 or 2 axes, got {data.dim()}")
    return torch.diag_embed(data, k) if data.dim() == 1 else _diagonal(data, k, 0, 1)


def _diagonal(data: Tensor, offset: int, first: int, second: int) -> Tensor:
    # Beyond the corners there is an empty diagonal; torch may not look there.
    inside = min(max(offset, -data.shape[first]), data.shape[second])
    return data.diagonal(inside, first, second)


@operator("_np_diagflat")
def diagflat(data: Tensor, *, k: int = 0) -> Tensor:
    """A matrix with all elements of the array as its k-th diagonal."""
    if data.dim() == 0:
        raise OpShapeError("expected at least one axis, got an array of shape ()")
    return torch.diag_embed(data.reshape(-1), k)


@operator("_np_diagonal", returns_view=True)
def diagonal(data: Tensor, *, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Tensor:
    """A diagonal of the matrices in two axes; it becomes the last axis."""
    if data.dim() < 2:
        raise OpShapeError(f"expected at least 2 axes, got {data.dim()}")
    first, second = normal_axis(axis1, data.dim(), "axis1"), normal_axis(axis2, data.dim(), "axis2")
    if first == second:
        raise OpParamError(f"axis1={axis1} and axis2={axis2} are the same axis; expected two")
    return _diagonal(data, offset, first, second)


@operator("_npi_diag_indices_from", zero_gradient=True, dtypes=INDICES)
def diag_indices_from(data: Tensor) -> Tensor:
    """Where the diagonal of an array with axes of equal length lies: a row of places for each axis."""
    if data.dim() < 2 or len(set(data.shape)) != 1:
        raise OpShapeError(f"expected at least two axes, all of one length, got {tuple(data.shape)}")
    return torch.arange(data.shape[0], device=data.device).expand(data.dim(), -1).contiguous()


@operator("_npi_tril", returns_view=True)
def tril(data: Tensor, *, k: int = 0) -> Tensor:
    """The matrices in the last two axes, with zeros above the k-th diagonal; one axis counts as equal rows."""
    if data.dim() == 0:
        raise OpShapeError("expected at least one axis, got an array of shape ()")
    return (data.expand(data.shape[0], -1) if data.dim() == 1 else data).tril(k)


@operator("_npi_pad")
def pad(
    data: Tensor,
    *,
    pad_width: Shapes,
    mode: Literal["constant", "edge", "maximum", "minimum", "reflect", "symmetric"] = "constant",
    constant_value: float = 0.0,
    reflect_type: str = "even",
) -> Tensor:
    """Adds a border.

    Args:
        data: the array.
        pad_width: how much to add before and after each axis, such as ((1, 1), (0, 2)).
        mode: what the border holds: a constant, the nearest element, the greatest or least element along the axis, or
            the elements mirrored, 'reflect' at the last element and 'symmetric' behind it.
        constant_value: the constant.
        reflect_type: 'even', the only way to mirror there is.
    """
    if data.dim() == 0 or len(pad_width) != data.dim() or any(len(pair) != 2 for pair in pad_width):
        raise OpParamError(f"pad_width={pad_width}; expected two numbers for each of the {data.dim()} axes")
    if mode == "constant":
        widths = [width for pair in pad_width[::-1] for width in pair]
        return torch.nn.functional.pad(data, widths, value=fitted(constant_value, data.dtype))
    for axis, (before, after) in enumerate(pad_width):
        if before or after:
            data = _padded(data, axis, before, after, mode)
    return data if any(map(any, pad_width)) else data.clone()


def _padded(data: Tensor, axis: int, before: int, after: int, mode: str) -> Tensor:
    length = data.shape[axis]
    if not length or before < 0 or after < 0:
        raise OpShapeError(
            f"cannot add {(before, after)} elements to axis {axis} of length {length} in mode {mode!r}; expected "
            "widths of at least 0 and an axis with elements"
        )
    if mode in ("maximum", "minimum"):
        extreme = data.amax(axis, keepdim=True) if mode == "maximum" else data.amin(axis, keepdim=True)
        parts = [(extreme, before), (data, 1), (extreme, after)]
        return torch.cat([part.repeat_interleave(count, axis) for part, count in parts if count], axis)
    places = torch.arange(-before, length + after, device=data.device)
    if mode == "edge":
        places = places.clamp(0, length - 1)
    else:
        # Mirrored, the axis repeats itself: forwards and backwards, at 'reflect' without the two ends.
        period = max(2 * length - 2, 1) if mode == "reflect" else 2 * length
        places = places.remainder(period)
        places = torch.minimum(places, (period if mode == "reflect" else period - 1) - places)
    return data.index_select(axis, places)


@shape_of("_np_reshape")
@of_one
def _reshaped_shape(shape: Shape, params: Params) -> Shape | None:
    try:
        return plain_shape(shape, params["newshape"])
    except OpShapeError:
        return None  # the operator says what is wrong


@shape_of("_npx_reshape")
@of_one
def _recoded_shape(shape: Shape, params: Params) -> Shape | None:
    try:
        return coded_shape(shape, params["newshape"], params["reverse"])
    except OpShapeError:
        return None


@shape_of("_np_transpose")
@of_one
def _transposed_shape(shape: Shape, params: Params) -> Shape | None:
    if params["axes"] is None:
        return shape[::-1]
    order = [axis_from_front(axis, len(shape)) for axis in params["axes"]]
    known = [axis for axis in order if axis is not None]
    return tuple(shape[axis] for axis in known) if sorted(known) == list(range(len(shape))) else None


@partial_shapes_of("_np_reshape", "_npx_reshape")
def _reshape_shapes(params: Params, inputs: PartialShapes, outputs: PartialShapes) -> PartialShapes:
    codes = () if params.get("reverse") else tuple(params["newshape"] or ())
    return reshaped(codes, -2, inputs[0], outputs[0])
