"""Arrays whose shape only their users tell: `zeros((0, 200))`, the first state of a recurrent network; open ranges."""

from collections.abc import Mapping, Sequence

import torch

from ...errors import OpShapeError
from ...graph.inference import Inference
from ...graph.node import Entry, Node, in_order, replaced
from ...ops.partial_shapes import is_known, is_open_range, resolved


def nodes_of_unknown_shape(heads: Sequence[Entry]) -> list[Node]:
    """The nodes that make arrays of a shape with unknown lengths."""
    return [
        node
        for node in in_order(heads)
        if node.operator is not None and not node.inputs and (is_open_range(node.params) or _has_open_shape(node))
    ]


def _has_open_shape(node: Node) -> bool:
    assert node.operator is not None
    shape = node.params.get("shape")
    if "shape" not in node.operator.params or (not shape and node.op_name.startswith("_np")):
        return False  # without a shape, those of `mx.np` make arrays without axes
    return not is_known(resolved(shape or ()))


def _closed(node: Node, shape: tuple[int, ...]) -> dict[str, str]:
    """The texts of the parameters that make an array of this shape."""
    if not is_open_range(node.params):
        return {**node.attrs, "shape": str(shape)}
    start, step = float(node.params["start"]), float(node.params.get("step", 1.0))
    count = -(-shape[0] // int(node.params.get("repeat", 1)))
    # Half a step before the end: fractions of steps add up to more or less.
    return {**node.attrs, "stop": repr(start + step * (count - 0.5)), "infer_range": "False"}


def fill_unknown_shapes(
    heads: Sequence[Entry], shapes: Mapping[str, tuple[int, ...]], dtypes: Mapping[str, torch.dtype]
) -> tuple[Entry, ...]:
    """The graph with such shapes filled in, from those of its variables."""
    open_ones = nodes_of_unknown_shape(heads)
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
        completed = Node(node.operator, node.name, _closed(node, shape))
        instead[id(node)] = Entry(completed)
    return replaced(heads, instead)
