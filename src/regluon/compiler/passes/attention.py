"""Attention: products head by head without copies, where a graph splits arrays into heads and joins them again.

Programs write `reshape`, `transpose`, `reshape` before `batch_dot`, and the same behind it. These move every element;
the products can be had from where the elements are.
"""

from ...graph.node import Entry, Node
from ..fused.table import fused_node
from .rewriter import Rewriter, pattern

_JOINED = (((-3, 0, 0), False), ((-1, 0, 0), True))  # (batch, heads, ...) as (batch * heads, ...)


@pattern("batch_dot")
def multiply_queries(node: Node, graph: Rewriter) -> Node | None:
    """The products of queries and keys, from arrays that are not split into heads."""
    if _transposes(node) != (False, True):
        return None
    query, key = (_split(source.node) for source in node.inputs)
    if query is None or key is None or query[1] != key[1]:
        return None
    return fused_node("_head_scores", node.name, {"heads": str(key[1])}, (query[0], key[0]))


@pattern("Reshape")
def multiply_values(node: Node, graph: Rewriter) -> Node | None:
    """The products of weights and values, into an array that is not split into heads."""
    if _reshape(node) not in (((0, 0, -3), False), ((0, 0, -1), False)):
        return None
    swapped = node.inputs[0].node
    if not _swaps_heads(swapped) or not graph.is_used_once(swapped):
        return None
    parted = swapped.inputs[0].node
    match _reshape(parted):
        case ((-4, -1, count, 0, 0), False) | ((-1, count, 0, 0), True) if count > 0 and graph.is_used_once(parted):
            product = parted.inputs[0].node
        case _:
            return None
    if product.op_name != "batch_dot" or not graph.is_used_once(product) or _transposes(product) != (False, False):
        return None
    value = _split(product.inputs[1].node)
    if value is None or value[1] != count:
        return None
    return fused_node("_head_mix", node.name, {"heads": str(count)}, (product.inputs[0], value[0]))


ATTENTION = (multiply_queries, multiply_values)


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


def _transposes(product: Node) -> tuple[bool, bool]:
    return bool(product.params.get("transpose_a", False)), bool(product.params.get("transpose_b", False))
