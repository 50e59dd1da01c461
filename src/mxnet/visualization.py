"""Networks as text and as pictures.

`print_summary` writes what MXNet writes, with two differences in the numbers. MXNet guesses the parameters of a layer
from the channels before it, and only for four operators; here they are the sizes of its weights, whatever the operator.
And a weight that several layers share counts once in the total.
"""

import re
import warnings
from collections import Counter
from collections.abc import Mapping, Sequence
from math import prod
from typing import Any

from .graph.inference import Inference
from .graph.node import Entry, Node, in_order, variables
from .graph.records import from_json
from .ops.partial_shapes import Shape
from .symbol import Symbol

__all__ = ["plot_network", "print_summary"]

_TITLES = ("Layer (type)", "Output Shape", "Param #", "Previous Layer")
# What operators call inputs that are not learned.
_GIVEN = {"data", "label", "index", "indices", "rois", "sequence_length", "state", "state_cell"}

_WEIGHT_ENDINGS = (
    *("_weight", "_bias", "_beta", "_gamma"),
    *("_moving_var", "_moving_mean", "_running_var", "_running_mean"),
)
_BOX = {"shape": "box", "fixedsize": "true", "width": "1.3", "height": "0.8034", "style": "filled"}
_ARROW = {"dir": "back", "arrowtail": "open"}
_INPUT_COLOR, _OTHER_COLOR = "#8dd3c7", "#fccde5"
_COLORS = {
    "Convolution": "#fb8072",
    "FullyConnected": "#fb8072",
    "Activation": "#ffffb3",
    "LeakyReLU": "#ffffb3",
    "BatchNorm": "#bebada",
    "Pooling": "#80b1d3",
    "Concat": "#fdb462",
    "Flatten": "#fdb462",
    "Reshape": "#fdb462",
    "Softmax": "#b3de69",
}


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
    inference = _inferred(heads, shape) if shape is not None else None
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
        return _joined(self._inference.shape(Entry(node))) if self._inference is not None else ""

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


def _inferred(heads: Sequence[Entry], shape: Mapping[str, Sequence[int]]) -> Inference:
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


def _joined(shape: Shape | None) -> str:
    return "x".join(str(length) for length in (shape or ())[1:])


def plot_network(
    symbol: Symbol,
    title: str = "plot",
    save_format: str = "pdf",
    shape: Mapping[str, Sequence[int]] | None = None,
    dtype: Mapping[str, Any] | None = None,
    node_attrs: Mapping[str, str] = {},
    hide_weights: bool = True,
) -> Any:
    """Draws a network.

    Args:
        symbol: the network.
        title: name of the graph, and of the file that `render()` and `view()` write.
        save_format: kind of that file: 'pdf', 'png', 'svg'.
        shape: shapes of the inputs by name; the arrows then show the shapes of what passes along them.
        dtype: dtypes of the inputs by name, shown in the same way.
        node_attrs: Graphviz attributes of the boxes, such as `{"shape": "oval", "fixedsize": "false"}`.
        hide_weights: leave out variables that are weights by their names.

    Returns:
        A `graphviz.Digraph`. The package draws it with the program `dot`, which is installed with Graphviz.

    Example:
        >>> mx.viz.plot_network(net, shape={"data": (1, 3, 224, 224)}, save_format="png").view()
    """
    graphviz = _graphviz()
    if not isinstance(symbol, Symbol):
        raise TypeError(f"[plot_network] symbol must be a Symbol; received {type(symbol).__name__}.")
    heads = from_json(symbol.tojson())
    order = in_order(heads)
    _warn_of_repeated(order)
    label = _ArrowLabel(heads, shape, dtype)
    picture = graphviz.Digraph(name=title, format=save_format)
    hidden = set()
    for node in order:
        if node.is_variable and node.name.endswith(_WEIGHT_ENDINGS):
            if hide_weights:
                hidden.add(node.name)
            continue  # a weight that is not hidden is drawn by its arrow, as a plain oval
        picture.node(name=node.name, label=_label(node), **{**_BOX, **node_attrs, **_looks(node)})
    for node in order:
        # The second input of a resizing only tells its size.
        sources = node.inputs[:1] if node.op_name == "_contrib_BilinearResize2D" else node.inputs
        for source in sources:
            if source.node.name not in hidden:
                picture.edge(tail_name=node.name, head_name=source.node.name, label=label(source), **_ARROW)
    return picture


def _graphviz() -> Any:
    try:
        import graphviz
    except ImportError:
        raise ImportError(
            "[plot_network] Draw network requires graphviz library: `pip install 'regluon[viz]'`, and the Graphviz "
            "programs (graphviz.org) to make files of the picture."
        ) from None
    return graphviz


def _warn_of_repeated(order: Sequence[Node]) -> None:
    repeated = [name for name, count in Counter(node.name for node in order).items() if count > 1]
    if repeated:
        warnings.warn(
            "There are multiple variables with the same name in your graph, this may result in cyclic graph. Repeated "
            f"names: {','.join(repeated)}",
            RuntimeWarning,
            stacklevel=3,
        )


class _ArrowLabel:
    """What is written beside an arrow: the shape and the dtype of what passes along it."""

    def __init__(self, heads: Sequence[Entry], shape: Mapping[str, Any] | None, dtype: Mapping[str, Any] | None):
        self._shapes = _inferred(heads, shape) if shape is not None else None
        self._dtypes = _dtypes(heads, dtype) if dtype is not None else None

    def __call__(self, source: Entry) -> str:
        text = "" if self._shapes is None else _joined(self._shapes.shape(source))
        return text if self._dtypes is None else f"{text}({self._dtypes[id(source.node), source.index]})"


def _dtypes(heads: Sequence[Entry], dtype: Mapping[str, Any]) -> dict[tuple[int, int], str]:
    """The names of the dtypes of everything in a graph."""
    entries = [Entry(node, index) for node in in_order(heads) for index in range(node.num_outputs)]
    _, found, _ = Symbol(entries).infer_type(**dtype)
    if found is None:
        raise ValueError(
            f"Input type is incomplete: received dtypes of {', '.join(dtype) or 'nothing'}, from which not all others "
            "follow. Give the dtypes of all inputs."
        )
    return {(id(entry.node), entry.index): kind.__name__ for entry, kind in zip(entries, found, strict=True)}


def _looks(node: Node) -> dict[str, str]:
    if node.is_variable:
        return {"shape": "oval", "fillcolor": _INPUT_COLOR}
    return {"fillcolor": _COLORS.get(node.op_name, _OTHER_COLOR)}


def _label(node: Node) -> str:
    """What stands in a box: the name, or the operator with its most telling parameters."""
    attrs = node.attrs
    if node.op_name == "Convolution":
        return f"Convolution\n{_sizes(attrs, 'kernel', '')}/{_sizes(attrs, 'stride', '1')}, {attrs['num_filter']}"
    if node.op_name == "FullyConnected":
        return f"FullyConnected\n{attrs['num_hidden']}"
    if node.op_name == "Activation":
        return f"Activation\n{attrs['act_type']}"
    if node.op_name == "LeakyReLU":
        return f"LeakyReLU\n{attrs.get('act_type', 'Leaky')}"
    if node.op_name == "Pooling":
        kind = attrs.get("pool_type", "max")
        return f"Pooling\n{kind}, {_sizes(attrs, 'kernel', '[]')}/{_sizes(attrs, 'stride', '1')}"
    return attrs["op_type"] if node.op_name == "Custom" else node.name


def _sizes(attrs: Mapping[str, str], key: str, otherwise: str) -> str:
    return "x".join(re.findall(r"\d+", attrs[key])) if key in attrs else otherwise
