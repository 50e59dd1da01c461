"""Attention: products head by head without copies, where a graph splits arrays into heads and joins them again.

Programs write `reshape`, `transpose`, `reshape` before `batch_dot`, and the same behind it. These move every element;
the products can be had from where the elements are.
"""

from collections.abc import Sequence

from ..graph.node import Entry, Node, in_order, node_of, transformed
from .training import uses_of

_JOINED = (((-3, 0, 0), False), ((-1, 0, 0), True))  # (batch, heads, ...) as (batch * heads, ...)


def multiply_by_heads(heads: Sequence[Entry]) -> tuple[Entry, ...]:
    """The graph with the products of attention as steps on arrays that are not split into heads."""
    order = in_order(heads)
    uses = uses_of(order, heads)

    def change(node: Node, before: Node) -> Node:
        if node.op_name == "batch_dot":
            return _scores(node) or node
        if _reshape(node) not in (((0, 0, -3), False), ((0, 0, -1), False)):
            return node
        inner, was = node.inputs[0].node, before.inputs[0].node
        if not _swaps_heads(inner) or uses[id(was)] != 1 or uses[id(was.inputs[0].node)] != 1:
            return node
        return _mixed(node, inner.inputs[0].node, uses[id(was.inputs[0].node.inputs[0].node)]) or node

    return transformed(heads, order, change)


def _scores(product: Node) -> Node | None:
    if _turned(product) != (False, True):
        return None
    query, key = (_split(source.node) for source in product.inputs)
    if query is None or key is None or query[1] != key[1]:
        return None
    return node_of("_head_scores", product.name, {"heads": str(key[1])}, (query[0], key[0]))


def _mixed(node: Node, parted: Node, product_uses: int) -> Node | None:
    """What a joining node becomes, behind a swap of axes, behind a reshape that parts batch and heads."""
    match _reshape(parted):
        case ((-4, -1, count, 0, 0), False) | ((-1, count, 0, 0), True) if count > 0:
            pass
        case _:
            return None
    product = parted.inputs[0].node
    if product.op_name != "batch_dot" or product_uses != 1 or _turned(product) != (False, False):
        return None
    value = _split(product.inputs[1].node)
    if value is None or value[1] != count:
        return None
    return node_of("_head_mix", node.name, {"heads": str(count)}, (product.inputs[0], value[0]))


def _split(node: Node) -> tuple[Entry, int] | None:
    """What a node splits into heads, and how many, if that is what it does."""
    if _reshape(node) not in _JOINED or not _swaps_heads(node.inputs[0].node):
        return None
    parted = node.inputs[0].node.inputs[0].node
    match _reshape(parted):
        case ((0, 0, count, -1), False) if count > 0:
            return parted.inputs[0], count
    return None


def _reshape(node: Node) -> tuple[tuple[int, ...], bool] | None:
    """The shape, in codes, that a node gives, and whether it is read from behind; None if it gives none."""
    if node.op_name != "Reshape" or not node.params.get("shape"):
        return None
    return tuple(node.params["shape"]), bool(node.params.get("reverse", False))


def _swaps_heads(node: Node) -> bool:
    return node.op_name == "transpose" and tuple(node.params.get("axes", ())) == (0, 2, 1, 3)


def _turned(product: Node) -> tuple[bool, bool]:
    return bool(product.params.get("transpose_a", False)), bool(product.params.get("transpose_b", False))
