"""How much memory the results inside a graph take."""

from collections.abc import Collection, Sequence

from ..ops.partial_shapes import is_known
from .inference import Inference
from .node import Entry, Node, in_order


def bytes_inside(heads: Sequence[Entry], inference: Inference, trained: Collection[int]) -> int:
    """Bytes of results: all that gradients pass through stay until `backward`, the others until their last user.

    Args:
        heads: the graph.
        inference: what is known of its shapes.
        trained: identities of the variables whose gradients are wanted.
    """
    order = [node for node in in_order(heads) if not node.is_variable]
    kept = _on_the_way(heads, order, trained)
    last = {id(source.node): place for place, node in enumerate(order) for source in node.inputs}
    for head in heads:
        last[id(head.node)] = len(order)
    live = most = 0
    ending: dict[int, int] = {}  # by place, how much is free after it
    for place, node in enumerate(order):
        size = _bytes(node, inference)
        live += size
        most = max(most, live)
        if id(node) not in kept:
            end = last.get(id(node), place)
            ending[end] = ending.get(end, 0) + size
        live -= ending.get(place, 0)
    return most


def _on_the_way(heads: Sequence[Entry], order: Sequence[Node], trained: Collection[int]) -> set[int]:
    """The nodes that a gradient passes on its way from a head to a variable."""
    leads = set(trained)
    for node in order:
        if not _stops(node) and any(id(source.node) in leads for source in node.inputs):
            leads.add(id(node))
    reached = {id(head.node) for head in heads}
    for node in reversed(order):
        if id(node) in reached and not _stops(node):
            reached.update(id(source.node) for source in node.inputs)
    return leads & reached


def _stops(node: Node) -> bool:
    return node.operator is not None and node.operator.zero_gradient


def _bytes(node: Node, inference: Inference) -> int:
    total = 0
    for index in range(node.num_outputs):
        shape, dtype = inference.shape(Entry(node, index)), inference.dtype(Entry(node, index))
        if is_known(shape) and shape is not None and dtype is not None:
            size = dtype.itemsize
            for length in shape:
                size *= length
            total += size
    return total
