"""Layers of boxes: arrows lead upward, boxes do not overlap, circles do no harm."""

import random

import pytest

from mxnet.visualization._layout import place


def overlaps(widths: dict[str, float], centers: dict[str, tuple[float, float]]) -> list[tuple[str, str]]:
    names = list(widths)
    return [
        (a, b)
        for i, a in enumerate(names)
        for b in names[i + 1 :]
        if centers[a][1] == centers[b][1] and abs(centers[a][0] - centers[b][0]) < (widths[a] + widths[b]) / 2
    ]


def test_a_chain_is_straight():
    layout = place(dict.fromkeys("abcd", 50.0), [("a", "b"), ("b", "c"), ("c", "d")])
    assert len({x for x, _ in layout.centers.values()}) == 1
    assert [layout.centers[name][1] for name in "abcd"] == sorted((y for _, y in layout.centers.values()), reverse=True)


def test_a_shortcut_passes_beside():
    layout = place(dict.fromkeys("abc", 50.0), [("a", "b"), ("b", "c"), ("a", "c")])
    route = layout.routes["a", "c"]
    assert len(route) == 3
    assert abs(route[1][0] - layout.centers["b"][0]) > 25


def test_an_input_stands_below_its_user():
    layout = place(dict.fromkeys(["x", "y", "z", "label"], 50.0), [("x", "y"), ("y", "z"), ("label", "z")])
    assert layout.centers["label"][1] == layout.centers["y"][1]


@pytest.mark.parametrize("seed", range(5))
def test_random_graphs(seed: int):
    draw = random.Random(seed)
    names = [f"n{i}" for i in range(40)]
    edges = [(names[draw.randrange(i)], names[i]) for i in range(1, 40) for _ in range(2)]
    widths = {name: draw.uniform(40, 120) for name in names}
    layout = place(widths, edges)
    assert not overlaps(widths, layout.centers)
    for source, target in edges:
        assert layout.centers[source][1] > layout.centers[target][1]
    assert all(0 < x < layout.width and 0 < y < layout.height for x, y in layout.centers.values())


def test_circles_and_nothing():
    layout = place(dict.fromkeys("ab", 50.0), [("a", "b"), ("b", "a"), ("a", "a")])
    assert set(layout.routes) == {("a", "b"), ("b", "a")}
    assert place({}, []).centers == {}
