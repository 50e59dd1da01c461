"""Networks as pictures."""

import re
import shutil
import warnings
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from regluon.graph.node import Entry, Node, in_order
from regluon.graph.records import from_json

from ..symbol import Symbol
from ._drawing import Drawing
from ._summary import inferred, joined

if TYPE_CHECKING:
    import graphviz

__all__ = ["plot_network"]

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


def plot_network(
    symbol: Symbol,
    title: str = "plot",
    save_format: str = "pdf",
    shape: Mapping[str, Sequence[int]] | None = None,
    dtype: Mapping[str, Any] | None = None,
    node_attrs: Mapping[str, str] = {},
    hide_weights: bool = True,
) -> "Drawing | graphviz.Digraph":
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
        A `graphviz.Digraph`, if the package and Graphviz' program `dot` are installed. Else a `Drawing` with the same
        methods (`render`, `save`, `view`, `pipe`, `source`), which writes SVG by itself. Notebooks show both.

    Example:
        >>> mx.viz.plot_network(net, shape={"data": (1, 3, 224, 224)}, save_format="png").view()
    """
    if not isinstance(symbol, Symbol):
        raise TypeError(f"[plot_network] symbol must be a Symbol; received {type(symbol).__name__}.")
    heads = from_json(symbol.tojson())
    order = in_order(heads)
    _warn_of_repeated(order)
    label = _ArrowLabel(heads, shape, dtype)
    picture = _digraph(title, save_format)
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


def _digraph(title: str, save_format: str) -> "Drawing | graphviz.Digraph":
    """Graphviz' own graph if its package and its program are there; else ours, which draws SVG without them."""
    if shutil.which("dot") is not None:
        try:
            import graphviz
        except ImportError:
            return Drawing(name=title, format=save_format)
        return graphviz.Digraph(name=title, format=save_format)
    return Drawing(name=title, format=save_format)


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
        self._shapes = inferred(heads, shape) if shape is not None else None
        self._dtypes = _dtypes(heads, dtype) if dtype is not None else None

    def __call__(self, source: Entry) -> str:
        text = "" if self._shapes is None else joined(self._shapes.shape(source))
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
