"""Translate shape, slicing, indexing and padding operators."""

from collections.abc import Sequence
from typing import Any

import torch

import regluon.symbol

from ..batch_axis import varies
from ..conversion_errors import NotConvertible
from ..node import AtenNode, translates

S: Any = regluon.symbol


@translates("view", "reshape", "_unsafe_view", "flatten.using_ints", "unflatten.int", "view_as", "reshape_as")
def reshape(node: AtenNode) -> Any:
    """Reshape, or Flatten."""
    return node.reshaped(node.symbol("self"), node.lengths("self"), node.result)


@translates("unsqueeze")
def unsqueeze(node: AtenNode) -> Any:
    """expand_dims."""
    rank = len(node.result)
    if rank == 1:
        return node.symbol("self")  # a number without axes is an array of one element here
    return S.expand_dims(node.symbol("self"), axis=node["dim"] % rank)


@translates("squeeze", "squeeze.dim", "squeeze.dims")
def squeeze(node: AtenNode) -> Any:
    """Without axes of length 1."""
    before = node.lengths("self")
    axes = node.axes("dim") if node.takes("dim") else range(len(before))
    chosen = tuple(axis for axis in axes if before and before[axis] == (1, 1))
    if not chosen or len(chosen) == len(before) == 1:
        return node.symbol("self")
    return S.squeeze(node.symbol("self"), axis=chosen)


@translates("permute")
def permute(node: AtenNode) -> Any:
    """Transpose."""
    return S.transpose(node.symbol("self"), axes=node.axes("dims"))


@translates("transpose.int")
def transpose(node: AtenNode) -> Any:
    """Two axes exchanged."""
    return S.swapaxes(node.symbol("self"), dim1=node.axis("dim0"), dim2=node.axis("dim1"))


@translates("t", "numpy_T", "mT")
def t(node: AtenNode) -> Any:
    """A matrix transposed."""
    rank = len(node.lengths("self"))
    if rank < 2:
        return node.symbol("self")
    return (
        S.swapaxes(node.symbol("self"), dim1=rank - 2, dim2=rank - 1) if rank > 2 else S.transpose(node.symbol("self"))
    )


@translates("expand", "expand_as")
def expand(node: AtenNode) -> Any:
    """Repeated along axes of length 1."""
    return node.expanded(node.symbol("self"), node.lengths("self"), node.result)


@translates("repeat", "tile")
def repeat(node: AtenNode) -> Any:
    """Tile."""
    return S.tile(node.symbol("self"), reps=tuple(node["repeats" if node.takes("repeats") else "dims"]))


@translates("repeat_interleave.self_int")
def repeat_interleave(node: AtenNode) -> Any:
    """Repeat."""
    axis = {"axis": node.axis("dim")} if node.has("dim") else {}
    return S.repeat(node.symbol("self"), repeats=node["repeats"], **axis)


@translates("flip")
def flip(node: AtenNode) -> Any:
    """Reverse."""
    return S.reverse(node.symbol("self"), axis=node.axes("dims"))


@translates("clone", "contiguous", "alias", "detach", "detach_", "lift_fresh_copy", "lift_fresh", "identity")
def unchanged(node: AtenNode) -> Any:
    """Nothing: graphs have no memory formats, and do not write to values."""
    return node.symbol("self" if node.takes("self") else "input")


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


@translates("index_select")
def index_select(node: AtenNode) -> Any:
    """Take."""
    return S.take(node.symbol("self"), node.symbol("index"), axis=node.axis("dim"))


@translates("gather")
def gather(node: AtenNode) -> Any:
    """Pick for one element of each row; for several ones, take from all rows as one."""
    axis = node.axis("dim")
    data, index = node.lengths("self"), node.lengths("index")
    if data[:axis] + data[axis + 1 :] != index[:axis] + index[axis + 1 :]:
        raise NotConvertible("its index has other lengths than the data besides the axis; cut the data before it")
    if index[axis] == (1, 1):
        return S.pick(node.symbol("self"), node.symbol("index"), axis=axis, keepdims=True)
    length = node.fixed(data[axis], "the length of the axis")
    last = len(data) - 1
    rows = S.Reshape(S.swapaxes(node.symbol("self"), dim1=axis, dim2=last), shape=(-1, length))
    turned = S.swapaxes(node.symbol("index"), dim1=axis, dim2=last)
    wanted = S.Reshape(turned, shape=(-1, node.fixed(index[axis], "the number of indices")))
    wanted = S.Cast(wanted, dtype="float64")  # counts the elements of all rows, beyond what float32 can
    starts = S.contrib.arange_like(S.slice_axis(wanted, axis=1, begin=0, end=1), step=float(length))
    places = S.broadcast_add(wanted, starts)
    found = S.reshape_like(S.take(S.Reshape(rows, shape=(-1,)), places), turned)
    return S.swapaxes(found, dim1=axis, dim2=last)


@translates("index.Tensor")
def index(node: AtenNode) -> Any:
    """Take along one axis; gather_nd for indices of the first axes."""
    given = [(axis, each) for axis, each in enumerate(node["indices"]) if each is not None]
    if any(each.meta["val"].dtype is torch.bool for _, each in given):
        raise NotConvertible("it chooses elements with a mask, so that the shape depends on data; use torch.where")
    if len(given) == 1:
        axis, wanted = given[0]
        return S.take(node.symbol("self"), node.symbol_of(wanted), axis=axis, mode="wrap")
    shapes = {node.lengths_of(each) for _, each in given}
    if [axis for axis, _ in given] != list(range(len(given))) or len(shapes) != 1:
        raise NotConvertible("it has several indices of different shapes, or not for the first axes")
    return S.gather_nd(node.symbol("self"), S.stack(*(node.symbol_of(each) for _, each in given), axis=0))


@translates("one_hot")
def one_hot(node: AtenNode) -> Any:
    """one_hot."""
    depth = node.fixed(node.result[-1], "the number of classes")
    return S.one_hot(node.symbol("self"), depth=depth, dtype="int64")


_MODES = {"constant": "constant", "reflect": "reflect", "replicate": "edge"}
_AXES = (4, 5)  # that MXNet's Pad takes, of which it leaves the first two alone


def padded(data: Any, widths: Sequence[tuple[int, int]], mode: str, value: float) -> Any:
    """Data with a border; negative widths cut off.

    Args:
        data: the symbol.
        widths: before and after, for each axis.
        mode: MXNet's.
        value: of a constant border.
    """
    for axis, (before, after) in enumerate(widths):
        if before < 0 or after < 0:
            data = S.slice_axis(data, axis=axis, begin=max(-before, 0), end=None if after >= 0 else after)
    widths = [(max(before, 0), max(after, 0)) for before, after in widths]
    if not any(before or after for before, after in widths):
        return data
    # Axes of length 1 in front, until the ones to pad are where MXNet's Pad pads.
    first = next(axis for axis, pair in enumerate(widths) if pair != (0, 0))
    more = max(2 - first, _AXES[0] - len(widths), 0)
    if len(widths) + more > _AXES[1]:
        raise NotConvertible(f"it pads axis {first} of {len(widths)}; MXNet's Pad reaches the last three at most")
    for _ in range(more):
        data = S.expand_dims(data, axis=0)
    flat = [width for pair in [(0, 0)] * more + list(widths) for width in pair]
    data = S.Pad(data, mode=mode, pad_width=tuple(flat), constant_value=value)
    return S.squeeze(data, axis=tuple(range(more))) if more else data


def _widths(node: AtenNode) -> list[tuple[int, int]]:
    """Pairs for all axes; torch tells those of the last axes, the last one first."""
    given = [int(width) for width in node["pad" if node.takes("pad") else "padding"]]
    pairs = list(zip(given[::2], given[1::2], strict=True))[::-1]
    return [(0, 0)] * (len(node.lengths("self")) - len(pairs)) + pairs


@translates("pad")
def pad(node: AtenNode) -> Any:
    """Pad."""
    if node["mode"] not in _MODES:
        raise NotConvertible(f"mode={node['mode']!r} has no counterpart")
    return padded(node.symbol("self"), _widths(node), _MODES[node["mode"]], float(node["value"] or 0))


@translates("constant_pad_nd")
def constant_pad(node: AtenNode) -> Any:
    """Pad with a number."""
    return padded(node.symbol("self"), _widths(node), "constant", float(node["value"] or 0))


@translates("reflection_pad1d", "reflection_pad2d", "reflection_pad3d")
def reflection_pad(node: AtenNode) -> Any:
    """Pad with the data backwards."""
    return padded(node.symbol("self"), _widths(node), "reflect", 0.0)


@translates("replication_pad1d", "replication_pad2d", "replication_pad3d")
def replication_pad(node: AtenNode) -> Any:
    """Pad with the outermost elements."""
    return padded(node.symbol("self"), _widths(node), "edge", 0.0)
