"""Places for the boxes of a graph: in layers, so that every arrow leads upward, with few crossings."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

_SWEEPS = 8
_SHIFTS = 60
_STRAIGHT = 8.0  # how much more the pieces of a long arrow wish to be in line than boxes do
_LAYER_HEIGHT = 96.0
_GAP = 24.0
_BEND_WIDTH = 12.0  # room for an arrow that passes between the boxes of a layer

Edge = tuple[str, str]
Point = tuple[float, float]
# A box by its name; where an arrow passes a layer, the arrow and the layer's number.
Item = str | tuple[Edge, int]


class Layout(NamedTuple):
    """Where everything is, from the top left corner.

    Attributes:
        centers: the middles of the boxes.
        routes: the points that each arrow passes, from the middle of its first box to that of its last.
        width: of the whole picture.
        height: of the whole picture.
    """

    centers: dict[str, Point]
    routes: dict[Edge, list[Point]]
    width: float
    height: float


def place(widths: Mapping[str, float], edges: Iterable[Edge]) -> Layout:
    """Places boxes so that data pass from the bottom to the top, as in MXNet's pictures.

    Args:
        widths: the width of each box, in the order of the graph.
        edges: arrows from a box to a box; those that would close a circle are drawn, and do not count.
    """
    unique = list(dict.fromkeys(edge for edge in edges if edge[0] != edge[1]))
    forward = _without_circles(widths, unique)
    ranks = _ranks(widths, forward)
    layers, links = _layers(widths, forward, ranks)
    _order(layers, links)
    across = _across(layers, links, widths)
    most = max(ranks.values(), default=0)
    half = {item: (widths[item] if isinstance(item, str) else _BEND_WIDTH) / 2 for layer in layers for item in layer}
    left = min((across[item] - half[item] for item in across), default=0.0) - _GAP
    right = max((across[item] + half[item] for item in across), default=0.0) + _GAP

    def point(item: Item, rank: int) -> Point:
        return across[item] - left, (most - rank + 0.5) * _LAYER_HEIGHT

    centers = {name: point(name, ranks[name]) for name in widths}
    routes = {}
    for edge in unique:
        low, high = ranks[edge[0]], ranks[edge[1]]
        bends = [point((edge, rank), rank) for rank in range(low + 1, high)] if edge in forward else []
        routes[edge] = [centers[edge[0]], *bends, centers[edge[1]]]
    return Layout(centers, routes, right - left, (most + 1) * _LAYER_HEIGHT)


def _without_circles(names: Iterable[str], edges: Sequence[Edge]) -> set[Edge]:
    """The arrows without those that lead back to a box on the path to it; a walk without recursion, graphs are deep."""
    after: dict[str, list[str]] = {name: [] for name in names}
    for source, target in edges:
        after[source].append(target)
    on_path, done, kept = set[str](), set[str](), set[Edge]()
    for start, targets in after.items():
        stack = [] if start in done else [(start, iter(targets))]
        on_path.update(name for name, _ in stack)
        while stack:
            name, rest = stack[-1]
            following = next(rest, None)
            if following is None:
                stack.pop()
                on_path.discard(name)
                done.add(name)
            elif following not in on_path:
                kept.add((name, following))
                if following not in done:
                    on_path.add(following)
                    stack.append((following, iter(after[following])))
    return kept


def _ranks(names: Iterable[str], edges: set[Edge]) -> dict[str, int]:
    """The layer of each box: above all that lead to it; what nothing leads to stands right below its first user."""
    before: dict[str, list[str]] = {name: [] for name in names}
    after: dict[str, list[str]] = {name: [] for name in before}
    for source, target in edges:
        before[target].append(source)
        after[source].append(target)
    ranks = dict.fromkeys(before, 0)
    waiting = {name: len(sources) for name, sources in before.items()}
    ready = [name for name, count in waiting.items() if not count]
    while ready:
        name = ready.pop()
        for target in after[name]:
            ranks[target] = max(ranks[target], ranks[name] + 1)
            waiting[target] -= 1
            if not waiting[target]:
                ready.append(target)
    for name, sources in before.items():
        if not sources and after[name]:
            ranks[name] = min(ranks[target] for target in after[name]) - 1
    return ranks


def _layers(
    names: Iterable[str], edges: set[Edge], ranks: Mapping[str, int]
) -> tuple[list[list[Item]], list[list[tuple[Item, Item]]]]:
    """Boxes and bends by layer, and the pieces of arrows between each layer and the next."""
    count = max(ranks.values(), default=0) + 1
    layers: list[list[Item]] = [[] for _ in range(count)]
    links: list[list[tuple[Item, Item]]] = [[] for _ in range(count)]
    for name in names:
        layers[ranks[name]].append(name)
    for edge in sorted(edges):
        last: Item = edge[0]
        for rank in range(ranks[edge[0]] + 1, ranks[edge[1]]):
            bend = (edge, rank)
            layers[rank].append(bend)
            links[rank - 1].append((last, bend))
            last = bend
        links[ranks[edge[1]] - 1].append((last, edge[1]))
    return layers, links


def _order(layers: list[list[Item]], links: Sequence[Sequence[tuple[Item, Item]]]) -> None:
    """Sorts each layer by where its neighbours stand, up and down in turns; keeps the order with fewest crossings."""
    best, fewest = [list(layer) for layer in layers], _crossings(layers, links)
    for sweep in range(_SWEEPS):
        upward = sweep % 2 == 0
        for rank in range(1, len(layers)) if upward else range(len(layers) - 2, -1, -1):
            pieces = links[rank - 1] if upward else [(high, low) for low, high in links[rank]]
            places = {item: index for index, item in enumerate(layers[rank - 1 if upward else rank + 1])}
            near: dict[Item, list[int]] = {item: [] for item in layers[rank]}
            for fixed, moved in pieces:
                near[moved].append(places[fixed])
            here = {item: index for index, item in enumerate(layers[rank])}
            layers[rank].sort(key=lambda item: sum(near[item]) / len(near[item]) if near[item] else here[item])
        crossings = _crossings(layers, links)
        if crossings < fewest:
            best, fewest = [list(layer) for layer in layers], crossings
    layers[:] = best


def _crossings(layers: Sequence[Sequence[Item]], links: Sequence[Sequence[tuple[Item, Item]]]) -> int:
    total = 0
    for rank in range(len(layers) - 1):
        low = {item: index for index, item in enumerate(layers[rank])}
        high = {item: index for index, item in enumerate(layers[rank + 1])}
        pairs = sorted((low[a], high[b]) for a, b in links[rank])
        for index, (_, first) in enumerate(pairs):
            total += sum(second < first for _, second in pairs[index + 1 :])
    return total


def _across(
    layers: Sequence[Sequence[Item]], links: Sequence[Sequence[tuple[Item, Item]]], widths: Mapping[str, float]
) -> dict[Item, float]:
    """How far right everything stands: as close to its neighbours as the widths in its layer let it."""
    near: dict[Item, list[tuple[Item, float]]] = {item: [] for layer in layers for item in layer}
    leaves = set(near) - {high for pieces in links for _, high in pieces}
    for pieces in links:
        for low, high in pieces:
            bends = isinstance(low, tuple) + isinstance(high, tuple)
            weight = 1.0 if low in leaves else _STRAIGHT**bends * 2.0
            near[low].append((high, weight))
            near[high].append((low, weight))
    found: dict[Item, float] = dict.fromkeys(near, 0.0)
    for sweep in range(_SHIFTS):
        for layer in layers if sweep % 2 == 0 else reversed(layers):
            total = [sum(weight for _, weight in near[item]) for item in layer]
            wished = [
                sum(found[each] * weight for each, weight in near[item]) / (all_weights or 1.0)
                for item, all_weights in zip(layer, total, strict=True)
            ]
            sizes = [widths[item] if isinstance(item, str) else _BEND_WIDTH for item in layer]
            for item, x in zip(layer, _apart(wished, sizes, total), strict=True):
                found[item] = x
    return found


def _apart(wished: Sequence[float], sizes: Sequence[float], weights: Sequence[float]) -> list[float]:
    """Places in order, not overlapping, with the least weighted squares of distances to the wished ones."""
    offsets = [0.0]
    for before, size in pairwise(sizes):
        offsets.append(offsets[-1] + (before + size) / 2 + _GAP)
    # Less their offsets the places must only not fall: neighbours that would are joined in their mean.
    groups: list[tuple[float, float, int]] = []
    for wish, offset, weight in zip(wished, offsets, weights, strict=False):
        groups.append((wish - offset, weight or 1.0, 1))
        while len(groups) > 1 and groups[-2][0] > groups[-1][0]:
            (first, much, many), (second, more, others) = groups[-2:]
            groups[-2:] = [((first * much + second * more) / (much + more), much + more, many + others)]
    shifts = [value for value, _, count in groups for _ in range(count)]
    return [shift + offset for shift, offset in zip(shifts, offsets, strict=False)]
