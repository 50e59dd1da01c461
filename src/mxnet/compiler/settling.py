"""Arrays whose shape only their users tell: `zeros((0, 200))` for the first state of a recurrent network."""

from collections.abc import Mapping, Sequence

import torch

from ..error import OpShapeError
from ..graph.inference import Inference
from ..graph.node import Entry, Node, in_order, replaced
from ..graph.shapes import is_known, resolved


def open_nodes(heads: Sequence[Entry]) -> list[Node]:
    """The nodes that make arrays of a shape with unknown lengths."""
    return [
        node
        for node in in_order(heads)
        if node.operator is not None
        and not node.inputs
        and "shape" in node.operator.params
        and (
            node.params.get("shape") or not node.op_name.startswith("_np")
        )  # those of `mx.np` make arrays without axes
        and not is_known(resolved(node.params.get("shape") or ()))
    ]


def settle_shapes(
    heads: Sequence[Entry], shapes: Mapping[str, tuple[int, ...]], dtypes: Mapping[str, torch.dtype]
) -> tuple[Entry, ...]:
    """The graph with such shapes filled in, from those of its variables."""
    open_ones = open_nodes(heads)
    if not open_ones:
        return tuple(heads)
    inference = Inference(heads, shapes, dtypes)
    inference.run()
    instead = {}
    for node in open_ones:
        shape = inference.shape(Entry(node))
        if shape is None or not is_known(shape):
            raise OpShapeError(
                f"[{node.op_name}] node {node.name!r} has the shape {node.params.get('shape', ())}, and nothing in "
                "the graph tells its unknown lengths (0)."
            )
        settled = Node(node.operator, node.name, {**node.attrs, "shape": str(shape)})
        instead[id(node)] = Entry(settled)
    return replaced(heads, instead)
