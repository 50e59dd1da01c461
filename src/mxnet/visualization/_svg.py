"""A graph of boxes and arrows as SVG."""

from collections.abc import Mapping, Sequence
from html import escape
from itertools import pairwise

from ._layout import Edge, Layout, Point, place

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
