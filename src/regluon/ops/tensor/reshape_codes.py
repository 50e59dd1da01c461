"""The codes of MXNet's reshape: what zeros and negative numbers in a shape mean."""

from ...errors import OpShapeError
from ..common import prod
from ..params import Shape


def target_shape(source: Shape, codes: Shape, reverse: bool = False) -> Shape:
    """The shape that MXNet's reshape codes describe.

    0 keeps the length of the current source axis, -1 is worked out from the rest, -2 takes all remaining source axes,
    -3 joins two source axes, -4 splits one source axis into the two lengths that follow. With `reverse` the codes are
    read from the last one backwards, so that the lengths of a -4 stand before it.
    """
    if reverse:
        return target_shape(source[::-1], codes[::-1])[::-1]
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


def _source_axis(source: Shape, axis: int, codes: Shape) -> int:
    if axis >= len(source):
        raise OpShapeError(f"the reshape codes {codes} ask for axis {axis} of an array of shape {source}")
    return source[axis]


def _split(length: int, parts: Shape, codes: Shape) -> Shape:
    if len(parts) < 2 or (parts[0] == -1 and parts[1] == -1):
        raise OpShapeError(f"after -4 the reshape codes {codes} need two lengths, one of which may be -1")
    first, second = parts
    if first == -1 and second:
        first = length // second
    if second == -1 and first:
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
