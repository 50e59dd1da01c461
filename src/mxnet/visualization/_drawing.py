"""Draw networks as SVG and with graphviz."""

import os
import re
import shutil
import warnings
import webbrowser
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from html import escape
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

from regluon.graph.node import Entry, Node, in_order
from regluon.graph.records import from_json

from ..symbol import Symbol
from ._layout import Edge, Layout, Point, place
from ._summary import inferred, joined

if TYPE_CHECKING:
    import graphviz

__all__ = ["plot_network"]


_HEIGHT = 44.0
_LETTER = 7.0  # how wide a letter is, about
_LEAST_WIDTH, _MOST_WIDTH = 94.0, 260.0
_LINE = 15.0

Attributes = Mapping[str, str]


def draw(title: str, nodes: Mapping[str, Attributes], edges: Sequence[tuple[str, str, str]]) -> str:
    """The picture.

    Args:
        title: what a browser shows as the picture's name.
        nodes: Graphviz attributes of each box by its name: `label`, `shape` (oval or box), `fillcolor`.
        edges: where an arrow begins, where it ends, and what is written beside it.
    """
    labels = {name: _lines(name, attributes) for name, attributes in nodes.items()}
    widths = {name: _width(lines) for name, lines in labels.items()}
    layout = place(widths, [(source, target) for source, target, _ in edges])
    texts: dict[Edge, str] = {}
    for source, target, text in edges:
        texts.setdefault((source, target), text)
    parts = [_head(title, layout)]
    parts += [_arrow(route) for route in layout.routes.values()]
    parts += [_box(name, nodes[name], labels[name], layout.centers[name], widths[name]) for name in nodes]
    parts += [_beside(route, texts[edge]) for edge, route in layout.routes.items() if texts.get(edge)]
    return "\n".join([*parts, "</svg>", ""])


def _lines(name: str, attributes: Attributes) -> list[str]:
    most = int(_MOST_WIDTH / _LETTER)
    text = attributes.get("label", name)
    return [line if len(line) <= most else f"{line[: most - 1]}\u2026" for line in text.split("\n")]


def _width(lines: Sequence[str]) -> float:
    return max(_LEAST_WIDTH, max(len(line) for line in lines) * _LETTER + 16)


def _head(title: str, layout: Layout) -> str:
    width, height = f"{layout.width:.0f}", f"{layout.height:.0f}"
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}" '
        f'font-family="Helvetica, Arial, sans-serif" font-size="12">\n<title>{escape(title)}</title>\n'
        '<defs><marker id="arrow" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="8" markerHeight="8" '
        'orient="auto"><path d="M0,0 L10,5 L0,10 z" fill="#444"/></marker></defs>\n'
        f'<rect width="{width}" height="{height}" fill="white"/>'
    )


def _arrow(route: Sequence[Point]) -> str:
    """A curve through the points, upright where it leaves and enters boxes."""
    (x, y), *middle, (last_x, last_y) = route
    up = -1 if last_y < y else 1
    points = [(x, y + up * _HEIGHT / 2), *middle, (last_x, last_y - up * _HEIGHT / 2)]
    # At a bend the curve runs as from the point before to the one after; at boxes it is upright.
    slopes = [((c[0] - a[0]) / 6, (c[1] - a[1]) / 6) for a, c in zip(points, points[2:], strict=False)]
    ends = (0.0, (points[1][1] - points[0][1]) / 2), (0.0, (points[-1][1] - points[-2][1]) / 2)
    slopes = [ends[0], *slopes, ends[1]]
    path = [f"M{points[0][0]:.1f},{points[0][1]:.1f}"]
    for ((x0, y0), (u0, v0)), ((x1, y1), (u1, v1)) in pairwise(zip(points, slopes, strict=True)):
        path.append(f"C{x0 + u0:.1f},{y0 + v0:.1f} {x1 - u1:.1f},{y1 - v1:.1f} {x1:.1f},{y1:.1f}")
    return f'<path d="{" ".join(path)}" fill="none" stroke="#444" marker-end="url(#arrow)"/>'


def _box(name: str, attributes: Attributes, lines: Sequence[str], center: Point, width: float) -> str:
    x, y = center
    color = escape(attributes.get("fillcolor", "white"))
    if attributes.get("shape") in ("oval", "ellipse") or "shape" not in attributes:
        form = f'<ellipse cx="{x:.1f}" cy="{y:.1f}" rx="{width / 2:.1f}" ry="{_HEIGHT / 2:.1f}"'
    else:
        left, top = x - width / 2, y - _HEIGHT / 2
        form = f'<rect x="{left:.1f}" y="{top:.1f}" width="{width:.1f}" height="{_HEIGHT:.1f}" rx="3"'
    first = y - (len(lines) - 1) * _LINE / 2 + 4
    texts = [
        f'<text x="{x:.1f}" y="{first + number * _LINE:.1f}" text-anchor="middle">{escape(line)}</text>'
        for number, line in enumerate(lines)
    ]
    return f'<g><title>{escape(name)}</title>{form} fill="{color}" stroke="#444"/>{"".join(texts)}</g>'


def _beside(route: Sequence[Point], text: str) -> str:
    (x0, y0), (x1, y1) = route[0], route[1]
    x, y = (x0 + x1) / 2, (y0 + y1) / 2
    where = f'x="{x + 5:.1f}" y="{y + 4:.1f}" font-size="10"'
    # Twice: white and wide below, so that the arrow does not run through the letters.
    return f'<text {where} stroke="white" stroke-width="3">{escape(text)}</text><text {where}>{escape(text)}</text>'


_SVG = "image/svg+xml"
_PLAIN = re.compile(r"([A-Za-z_][A-Za-z_0-9]*|-?(\.\d+|\d+(\.\d*)?))\Z")
_RESERVED = {"node", "edge", "graph", "digraph", "subgraph", "strict"}


class Drawing:
    """Boxes and arrows that become SVG without any other program.

    It has the methods of `graphviz.Digraph` that programs use on networks. Graphviz writes PDF, PNG and more, and draws
    what `source` holds: `dot -Tpdf plot.gv`.

    Args:
        name: what the picture is called, also in file names.
        format: the kind of file that is wished for; SVG is written instead of any other.
    """

    def __init__(self, name: str = "plot", format: str = "svg") -> None:
        self.name = name
        self.format = format
        self.filename = f"{name}.gv"
        self.directory = ""
        self.body: list[str] = []
        self._nodes: dict[str, dict[str, str]] = {}
        self._edges: list[tuple[str, str, dict[str, str]]] = []

    def node(self, name: str, label: str | None = None, **attributes: Any) -> None:
        """Adds a box, with attributes of Graphviz."""
        given = {**({} if label is None else {"label": label}), **_texts(attributes)}
        self._nodes[name] = {**self._nodes.get(name, {}), **given}
        self.body.append(f"\t{_quoted(name)}{_listed(given)}\n")

    def edge(self, tail_name: str, head_name: str, label: str | None = None, **attributes: Any) -> None:
        """Adds an arrow, with attributes of Graphviz; `dir="back"` lets it point at its tail."""
        given = {**({} if label is None else {"label": label}), **_texts(attributes)}
        self._edges.append((tail_name, head_name, given))
        self.body.append(f"\t{_quoted(tail_name)} -> {_quoted(head_name)}{_listed(given)}\n")

    @property
    def source(self) -> str:
        """The graph in the language of Graphviz."""
        return f"digraph {_quoted(self.name)} {{\n{''.join(self.body)}}}\n"

    def __str__(self) -> str:
        return self.source

    def svg(self) -> str:
        """The picture as text of SVG."""
        edges = []
        for tail, head, attributes in self._edges:
            ends = (head, tail) if attributes.get("dir") == "back" else (tail, head)
            edges.append((*ends, attributes.get("label", "")))
        # What only arrows name is a plain oval, as in Graphviz.
        named: dict[str, dict[str, str]] = {name: {} for source, target, _ in edges for name in (source, target)}
        return draw(self.name, {**self._nodes, **{n: a for n, a in named.items() if n not in self._nodes}}, edges)

    def pipe(self, format: str | None = None, *, encoding: str | None = None, **_: Any) -> bytes | str:
        """The picture as bytes, or with an encoding as text; SVG only.

        Raises:
            ValueError: for another format, which Graphviz would write.
        """
        kind = format or self.format
        if kind != "svg":
            raise ValueError(
                f"[plot_network] pipe(format={kind!r}): expected 'svg'; other kinds of pictures are written by "
                "Graphviz' program `dot`, which is not here: install Graphviz (graphviz.org)."
            )
        return self.svg() if encoding else self.svg().encode()

    def save(self, filename: Any = None, directory: Any = None, **_: Any) -> str:
        """Writes `source` to a file, `<name>.gv` by default, and returns its path."""
        path = self._path(filename, directory)
        Path(path).write_text(self.source, encoding="utf-8")
        return path

    def render(
        self,
        filename: Any = None,
        directory: Any = None,
        view: bool = False,
        cleanup: bool = False,
        format: str | None = None,
        *,
        outfile: Any = None,
        **_: Any,
    ) -> str:
        """Writes `source`, and beside it the picture as SVG; returns the path of the picture.

        Args:
            filename: the file of `source`; the picture's name is that with `.svg` at its end.
            directory: the folder.
            view: open the picture in a browser.
            cleanup: do not keep the file of `source`.
            format: the kind of picture; another than 'svg' is warned about.
            outfile: the picture's own name.
        """
        kind = format or (Path(outfile).suffix[1:] if outfile else "") or self.format
        if kind != "svg":
            warnings.warn(
                f"[plot_network] format {kind!r} needs Graphviz' program `dot`, which is not installed "
                "(graphviz.org); the picture is written as SVG.",
                stacklevel=2,
            )
        if outfile is not None:
            path = str(Path(outfile).with_suffix(".svg"))
        else:
            source = self._path(filename, directory) if cleanup else self.save(filename, directory)
            path = f"{source}.svg"
        Path(path).parent.mkdir(parents=True, exist_ok=True)
        Path(path).write_text(self.svg(), encoding="utf-8")
        if view:
            webbrowser.open(Path(path).absolute().as_uri())
        return path

    def view(self, filename: Any = None, directory: Any = None, cleanup: bool = False, **_: Any) -> str:
        """Writes the picture as `render` does, and opens it in a browser."""
        return self.render(filename, directory, view=True, cleanup=cleanup)

    def _path(self, filename: Any, directory: Any) -> str:
        self.filename = os.fspath(filename) if filename is not None else self.filename
        self.directory = os.fspath(directory) if directory is not None else self.directory
        folder = Path(self.directory)
        folder.mkdir(parents=True, exist_ok=True)
        return str(folder / self.filename)

    def _repr_image_svg_xml(self) -> str:
        return self.svg()

    _repr_svg_ = _repr_image_svg_xml

    def _repr_mimebundle_(
        self, include: Iterable[str] | None = None, exclude: Iterable[str] | None = None, **_: Any
    ) -> Any:
        is_wanted = (include is None or _SVG in set(include)) and _SVG not in set(exclude or ())
        return {_SVG: self.svg()} if is_wanted else {}


def _texts(attributes: dict[str, Any]) -> dict[str, str]:
    return {key: str(value) for key, value in attributes.items()}


def _quoted(text: str) -> str:
    """A name in the language of Graphviz."""
    if _PLAIN.match(text) and text.lower() not in _RESERVED:
        return text
    return '"' + text.replace('"', '\\"') + '"'


def _listed(attributes: dict[str, str]) -> str:
    if not attributes:
        return ""
    return f" [{' '.join(f'{key}={_quoted(value)}' for key, value in attributes.items())}]"


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
