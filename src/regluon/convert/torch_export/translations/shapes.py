"""Other shapes and orders of axes."""

from typing import Any

import regluon.symbol

from ..node import AtenNode
from ..table import translates

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
