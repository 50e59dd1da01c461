"""Pieces of data, and data put together."""

from typing import Any

import regluon.symbol

from ..lengths import varies
from ..node import AtenNode
from ..problems import NotConvertible
from ..table import translates

S: Any = regluon.symbol


@translates("slice.Tensor")
def slice_(node: AtenNode) -> Any:
    """slice_axis, or slice with a step."""
    axis, step = node.axis("dim"), node["step"]
    before, after = node.lengths("self")[axis], node.result[axis]
    if before == after and step == 1:
        return node.symbol("self")
    start = (node["start"] or 0) if node.has("start") else 0
    start = max(start + before[0], 0) if start < 0 and not varies(before) else start
    if varies(after) and step == 1 and start == 0:
        like, _ = node.with_length(after, axis)
        return S.slice_like(node.symbol("self"), like, axes=(axis,))
    end = _end(node, before, step)
    if step == 1:
        return S.slice_axis(node.symbol("self"), axis=axis, begin=start, end=end)
    lead = (None,) * axis
    return S.slice(node.symbol("self"), begin=(*lead, start), end=(*lead, end), step=(*lead, step))


def _end(node: AtenNode, before: tuple[int, int], step: int) -> int | None:
    """Where a slice ends; None for the end of the data."""
    end = node["end"]
    if end is None or end >= max(before):
        return None
    if end < 0 or not varies(before):
        return int(end)
    if varies(node.result[node.axis("dim")]):
        raise NotConvertible("it cuts a number of elements out of an axis whose length varies")
    return int(end)


@translates("select.int")
def select(node: AtenNode) -> Any:
    """One element of an axis."""
    axis, index = node.axis("dim"), node["index"]
    piece = S.slice_axis(node.symbol("self"), axis=axis, begin=index, end=None if index == -1 else index + 1)
    return S.squeeze(piece, axis=axis) if node.result else piece


@translates("cat", "concat", "concatenate")
def cat(node: AtenNode) -> Any:
    """Concat; torch ignores empty tensors of any shape."""
    shapes = [node.lengths("tensors", place) for place in range(len(node["tensors"]))]
    symbols = [
        node.cast(symbol, source.meta["val"].dtype, node.result_dtype)
        for symbol, source, shape in zip(node.symbols("tensors"), node["tensors"], shapes, strict=True)
        if shape != ((0, 0),)
    ]
    rank = len(node.result)
    return S.Concat(*symbols, dim=node["dim"] % rank) if len(symbols) > 1 else symbols[0]


@translates("stack")
def stack(node: AtenNode) -> Any:
    """Stack."""
    return S.stack(*node.symbols("tensors"), axis=node["dim"] % len(node.result))


@translates("split.Tensor", "split_with_sizes", "split.sizes", "chunk", "tensor_split.sections")
def split(node: AtenNode) -> Any:
    """SliceChannel if all pieces have one length, else slice_axis for each."""
    axis = node.axis("dim")
    lengths = [piece[axis] for piece in node.result]
    if len(lengths) == 1:
        return [node.symbol("self")]
    if len(set(lengths)) == 1:
        return list(S.SliceChannel(node.symbol("self"), num_outputs=len(lengths), axis=axis))
    found, begin = [], 0
    for length in lengths:
        end = begin + node.fixed(length, "the length of a piece")
        found.append(S.slice_axis(node.symbol("self"), axis=axis, begin=begin, end=end))
        begin = end
    return found


@translates("unbind.int")
def unbind(node: AtenNode) -> Any:
    """SliceChannel without the axis."""
    axis, count = node.axis("dim"), len(node.result)
    if count == 1:
        return [S.squeeze(node.symbol("self"), axis=axis)]
    return list(S.SliceChannel(node.symbol("self"), num_outputs=count, axis=axis, squeeze_axis=True))


@translates("roll")
def roll(node: AtenNode) -> Any:
    """The last elements of an axis in front."""
    if not node["dims"]:
        raise NotConvertible("it rolls all axes as one; give dims")
    data = node.symbol("self")
    for shift, axis in zip(node["shifts"], node.axes("dims"), strict=True):
        length = node.fixed(node.lengths("self")[axis], "the length of a rolled axis")
        cut = (length - shift) % length
        if cut:
            parts = [(cut, None), (0, cut)]
            data = S.Concat(*(S.slice_axis(data, axis=axis, begin=a, end=b) for a, b in parts), dim=axis)
    return data
