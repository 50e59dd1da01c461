"""Networks as text.

`print_summary` writes what MXNet writes, with two differences in the numbers. MXNet guesses the parameters of a layer
from the channels before it, and only for four operators; here they are the sizes of its weights, whatever the operator.
And a weight that several layers share counts once in the total.
"""

from collections.abc import Mapping, Sequence
from math import prod
from typing import Any

from regluon.graph.inference import Inference
from regluon.graph.node import Entry, Node, in_order, variables
from regluon.graph.records import from_json
from regluon.ops.partial_shapes import Shape

from ..symbol import Symbol

__all__ = ["print_summary"]

_TITLES = ("Layer (type)", "Output Shape", "Param #", "Previous Layer")
# What operators call inputs that are not learned.
_GIVEN = {"data", "label", "index", "indices", "rois", "sequence_length", "state", "state_cell"}


def print_summary(
    symbol: Symbol,
    shape: Mapping[str, Sequence[int]] | None = None,
    line_length: int = 120,
    positions: Sequence[float] = [0.44, 0.64, 0.74, 1.0],
) -> None:
    """Prints the layers of a network: their output shapes, their parameters, and what they follow.

    Args:
        symbol: the network.
        shape: shapes of the inputs by name. Without them only those parameters are counted that do not depend on the
            input, such as biases.
        line_length: length of the lines.
        positions: where the columns end, in characters or as parts of a line.

    Example:
        >>> mx.viz.print_summary(net, shape={"data": (1, 3, 224, 224)})
    """
    if not isinstance(symbol, Symbol):
        raise TypeError(f"[print_summary] symbol must be Symbol; received {type(symbol).__name__}.")
    heads = from_json(symbol.tojson())
    inference = inferred(heads, shape) if shape is not None else None
    ends = [int(line_length * part) for part in positions] if positions[-1] <= 1 else [int(end) for end in positions]
    table = _Table(heads, inference, shape or {})
    rows = [node for place, node in enumerate(table.order) if place == 0 or not node.is_variable]
    print("_" * line_length)
    print(_row(_TITLES, ends))
    print("=" * line_length)
    for number, node in enumerate(rows, 1):
        before = table.before(node) or [""]
        print(_row((f"{node.name}({node.op_name})", table.output(node), table.count(node), before[0]), ends))
        for name in before[1:]:
            print(_row(("", "", "", name), ends))
        print(("=" if number == len(rows) else "_") * line_length)
    print(f"Total params: {table.total()}")
    print("_" * line_length)


def _row(fields: Sequence[Any], ends: Sequence[int]) -> str:
    line = ""
    for field, end in zip(fields, ends, strict=False):
        line = (line + str(field))[:end].ljust(end)
    return line


class _Table:
    """What a summary says about the nodes of a graph."""

    def __init__(self, heads: Sequence[Entry], inference: Inference | None, given: Mapping[str, Any]) -> None:
        self.order = in_order(heads)
        self._inference = inference
        fed = {
            id(source.node)
            for node in self.order
            for name, source in zip(node.input_names, node.inputs, strict=False)
            if name in _GIVEN
        }
        self._learned = {
            id(node) for node in variables(heads).arguments if id(node) not in fed and node.name not in given
        }

    def output(self, node: Node) -> str:
        """The shape of a node's first output, without the batch."""
        return joined(self._inference.shape(Entry(node))) if self._inference is not None else ""

    def before(self, node: Node) -> list[str]:
        """Names of the layers whose outputs a node takes, and of the network's first input."""
        sources = [source.node for source in node.inputs]
        return [source.name for source in sources if not source.is_variable or source is self.order[0]]

    def count(self, node: Node) -> int:
        """How many numbers a layer learns."""
        if self._inference is None:
            return _count_without_shapes(node)
        return sum(self._sizes(node).values())

    def total(self) -> int:
        """How many numbers the network learns; shared weights count once."""
        if self._inference is None:
            return self._total_without_shapes()
        sizes: dict[int, int] = {}
        for node in self.order:
            sizes.update(self._sizes(node))
        return sum(sizes.values())

    def _sizes(self, node: Node) -> dict[int, int]:
        """The sizes of a layer's parameters, by the variables."""
        assert self._inference is not None
        learned = [source for source in node.inputs if id(source.node) in self._learned]
        return {id(source.node): prod(self._inference.shape(source) or (0,)) for source in learned}

    def _total_without_shapes(self) -> int:
        counted: set[int] = set()
        total = 0
        for node in self.order:
            own = {id(source.node) for source in node.inputs if source.node.is_variable}
            last = id(node.inputs[-1].node) if node.inputs else 0  # the bias, or the weight of an Embedding
            if not (own and last in counted):
                total += _count_without_shapes(node)
            counted |= own
        return total


def _count_without_shapes(node: Node) -> int:
    """The parameters of a layer whose number does not depend on its input."""
    params = node.params
    if node.op_name == "Embedding":
        return int(params["input_dim"] * params["output_dim"])
    if node.op_name in ("Convolution", "FullyConnected") and len(node.inputs) > 2:
        return int(params["num_filter" if node.op_name == "Convolution" else "num_hidden"])
    return 0


def inferred(heads: Sequence[Entry], shape: Mapping[str, Sequence[int]]) -> Inference:
    """The shapes of everything in a graph; a ValueError if those given do not suffice."""
    inference = Inference(heads, {name: tuple(lengths) for name, lengths in shape.items()})
    inference.run()
    entries = [Entry(node) for node in inference.order]
    missing = inference.missing(entries)
    if missing:
        shown = ", ".join(missing[:8])
        raise ValueError(
            f"Input shape is incomplete: received shapes of {', '.join(shape) or 'nothing'}; those of {shown} do not "
            "follow. Give the shapes of all inputs."
        )
    return inference


def joined(shape: Shape | None) -> str:
    """The lengths of a shape without the first, which is the batch."""
    return "x".join(str(length) for length in (shape or ())[1:])
