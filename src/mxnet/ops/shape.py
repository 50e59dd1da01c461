"""Operators that change the shape of an array and leave its elements alone."""

from torch import Tensor

from ..error import OpShapeError
from .common import normal_axis, prod
from .params import Shape
from .registry import operator


def target_shape(source: Shape, codes: Shape, reverse: bool = False) -> Shape:
    """The shape that MXNet's reshape codes describe.

    0 keeps the length of the current source axis, -1 is worked out from the rest, -2 takes all remaining source axes,
    -3 joins two source axes, -4 splits one source axis into the two lengths that follow. With `reverse` the codes are
    read from the last axis backwards.
    """
    if reverse:
        return target_shape(source[::-1], _reversed_codes(codes))[::-1]
    result: list[int] = []
    at = 0  # the current source axis
    position = 0
    while position < len(codes):
        code = codes[position]
        position += 1
        if code > 0 or code == -1:
            result.append(code)
            at += 1
        elif code == 0:
            result.append(_source_axis(source, at, codes))
            at += 1
        elif code == -2:
            result.extend(source[at:])
            at = len(source)
        elif code == -3:
            result.append(_source_axis(source, at, codes) * _source_axis(source, at + 1, codes))
            at += 2
        elif code == -4:
            result.extend(_split(_source_axis(source, at, codes), codes[position : position + 2], codes))
            position += 2
            at += 1
        else:
            raise OpShapeError(f"the reshape code {code} in {codes} has no meaning; codes are 0, -1, -2, -3 and -4")
    return _worked_out(source, result, codes)


def _reversed_codes(codes: Shape) -> Shape:
    """The codes from last to first; the two lengths after a -4 follow it in this direction too."""
    result: list[int] = []
    position = 0
    while position < len(codes):
        if codes[position] == -4:
            result[:0] = [-4, *codes[position + 1 : position + 3][::-1]]
            position += 3
        else:
            result.insert(0, codes[position])
            position += 1
    return tuple(result)


def _source_axis(source: Shape, axis: int, codes: Shape) -> int:
    if axis >= len(source):
        raise OpShapeError(f"the reshape codes {codes} ask for axis {axis} of an array of shape {source}")
    return source[axis]


def _split(length: int, parts: Shape, codes: Shape) -> Shape:
    if len(parts) < 2 or (parts[0] == -1 and parts[1] == -1):
        raise OpShapeError(f"after -4 the reshape codes {codes} need two lengths, one of which may be -1")
    first, second = parts
    if first == -1:
        first = length // second
    if second == -1:
        second = length // first
    if first * second != length:
        raise OpShapeError(f"the reshape codes {codes} split an axis of length {length} into {first} x {second}")
    return first, second


def _worked_out(source: Shape, result: list[int], codes: Shape) -> Shape:
    size = prod(source)
    known = prod(n for n in result if n != -1)
    if result.count(-1) > 1:
        raise OpShapeError(f"the reshape codes {codes} leave more than one length to be worked out")
    if -1 in result and known and size % known == 0:
        result[result.index(-1)] = size // known
    if prod(result) != size or -1 in result:
        raise OpShapeError(f"cannot reshape {size} elements of shape {source} to {codes}")
    return tuple(result)


@operator("Reshape", "reshape", returns_view=True)
def reshape(
    data: Tensor, *, shape: Shape = (), reverse: bool = False, target_shape: Shape = (), keep_highest: bool = False
) -> Tensor:
    """Gives the elements another shape; see `NDArray.reshape` for the codes.

    `target_shape` and `keep_highest` are the parameters of graphs saved by very old versions: 0 is worked out there.
    """
    if shape or not target_shape:
        return data.reshape(_codes_to_shape(tuple(data.shape), shape, reverse))
    first = (data.shape[0],) if keep_highest else ()
    codes = tuple(-1 if n == 0 else n for n in target_shape[len(first) :])
    return data.reshape(_codes_to_shape(tuple(data.shape), first + codes, False))


_codes_to_shape = target_shape


@operator("Flatten", "flatten", "_npx_batch_flatten", returns_view=True)
def flatten(data: Tensor) -> Tensor:
    """Joins all axes but the first."""
    return data.reshape(data.shape[0], prod(data.shape[1:]))


@operator("expand_dims", "_npi_expand_dims", returns_view=True)
def expand_dims(data: Tensor, *, axis: int) -> Tensor:
    """Puts in a new axis of length 1."""
    return data.unsqueeze(normal_axis(axis, data.dim() + 1))


@operator("squeeze", returns_view=True)
def squeeze(data: Tensor, *, axis: Shape | None = None) -> Tensor:
    """Removes axes of length 1: all of them, or the given ones."""
    if axis is None:
        axes = [i for i, length in enumerate(data.shape) if length == 1]
    else:
        axes = [normal_axis(a, data.dim()) for a in axis]
        for a in axes:
            if data.shape[a] != 1:
                raise OpShapeError(f"cannot remove axis {a}, which has length {data.shape[a]}; expected 1")
    if len(axes) == data.dim():
        axes = axes[1:]  # an array keeps at least one axis
    return data.reshape([length for i, length in enumerate(data.shape) if i not in axes])


@operator("transpose", returns_view=True)
def transpose(data: Tensor, *, axes: Shape = ()) -> Tensor:
    """Puts the axes in another order, reversed if none is given."""
    order = [normal_axis(axis, data.dim()) for axis in axes] or list(range(data.dim()))[::-1]
    if sorted(order) != list(range(data.dim())):
        raise OpShapeError(f"axes={axes} is not an order of the {data.dim()} axes")
    return data.permute(order)
