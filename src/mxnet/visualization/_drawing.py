"""A picture of a graph with the methods of `graphviz.Digraph`, for where Graphviz is not installed."""

import os
import re
import warnings
import webbrowser
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from ._svg import draw

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
