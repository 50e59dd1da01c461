"""The shapes that `np.reshape` and `npx.reshape` ask for."""

from math import prod

from ...errors import OpShapeError

Shape = tuple[int, ...]


def plain_shape(source: Shape, newshape: Shape) -> Shape:
    """A shape in which one length may be -1, with that one worked out."""
    if any(length < -1 for length in newshape):
        raise OpShapeError(f"newshape={newshape}; expected lengths, one of which may be -1")
    return _worked_out(source, newshape, newshape)


def coded_shape(source: Shape, newshape: Shape, reverse: bool = False) -> Shape:
    """A shape with codes for what becomes of the axes; see the operator `_npx_reshape`."""
    lengths = _decoded(source[::-1], newshape[::-1])[::-1] if reverse else _decoded(source, newshape)
    return _worked_out(source, lengths, newshape)


def _worked_out(source: Shape, lengths: Shape, codes: Shape) -> Shape:
    """Puts in the length that is -1, and refuses lengths that do not hold all elements."""
    size, known = prod(source), prod(n for n in lengths if n != -1)
    if lengths.count(-1) > 1:
        raise OpShapeError(f"newshape={codes} leaves more than one length to be worked out")
    if -1 in lengths:
        if not known or size % known:
            raise OpShapeError(f"cannot reshape {size} elements of shape {source} to {codes}")
        return tuple(size // known if n == -1 else n for n in lengths)
    if known != size:
        raise OpShapeError(f"cannot reshape {size} elements of shape {source} to {codes}")
    return lengths


def _decoded(source: Shape, codes: Shape) -> Shape:
    result: list[int] = []
    at = position = 0  # the current source axis, and the current code
    while position < len(codes):
        code = codes[position]
        position += 1
        if code >= -1:
            result.append(code)
            at += 1
        elif code == -2:
            result.append(_source_axis(source, at, codes))
            at += 1
        elif code == -3:
            if _source_axis(source, at, codes) != 1:
                raise OpShapeError(f"the code -3 in {codes} drops an axis of length 1, but got length {source[at]}")
            at += 1
        elif code == -4:
            result.extend(source[at:])
            at = len(source)
        elif code == -5:
            result.append(_source_axis(source, at, codes) * _source_axis(source, at + 1, codes))
            at += 2
        elif code == -6:
            result.extend(_split(_source_axis(source, at, codes), codes[position : position + 2], codes))
            position += 2
            at += 1
        else:
            raise OpShapeError(f"the code {code} in {codes} has no meaning; codes are -1 to -6")
    return tuple(result)


def _source_axis(source: Shape, axis: int, codes: Shape) -> int:
    if axis >= len(source):
        raise OpShapeError(f"the codes {codes} ask for more axes than the {len(source)} there are")
    return source[axis]


def _split(length: int, parts: Shape, codes: Shape) -> Shape:
    if len(parts) < 2 or min(parts) < -1 or max(parts) == -1:
        raise OpShapeError(f"after -6 the codes {codes} need two lengths, one of which may be -1")
    first, second = parts
    if first == -1:
        first = length // max(second, 1)
    if second == -1:
        second = length // max(first, 1)
    if first * second != length:
        raise OpShapeError(f"the codes {codes} split an axis of length {length} into {first} x {second}")
    return first, second
