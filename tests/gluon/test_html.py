"""Blocks in notebooks: a tree to open, with shapes and numbers of parameters, of safe text."""

from mxnet import nd
from mxnet.gluon import HybridBlock, nn


def network() -> nn.HybridSequential:
    net = nn.HybridSequential()
    net.add(nn.Conv2D(4, 3, activation="relu"), nn.Dense(10))
    net.initialize()
    return net


def test_before_the_first_call_shapes_are_unknown():
    html = network()._repr_html_()
    assert "<b>HybridSequential</b> <small>14 parameters, 2 of unknown shape until the first call</small>" in html
    assert "<td>weight</td><td>4x?x3x3</td><td>float32</td>" in html


def test_afterwards_all_is_told():
    net = network()
    net(nd.ones((1, 3, 8, 8)))
    html = net._repr_html_()
    assert "<small>1,562 parameters</small>" in html
    assert "<td>weight</td><td>10x144</td><td>float32</td>" in html
    assert "(1) <b>Dense(144 -&gt; 10, linear)</b> <small>1,450 parameters</small>" in html
    assert html.count("<details") == html.count("</details>") == 4
    assert html.count("<details open") == 1


def test_names_are_escaped():
    class Odd(HybridBlock):
        def __init__(self) -> None:
            super().__init__()
            setattr(self, "<script>", nn.Dense(1))

        def __repr__(self) -> str:
            return "<img onerror=x>"

    html = Odd()._repr_html_()
    assert "<script>" not in html
    assert "<img" not in html
    assert "(&lt;script&gt;) " in html


def test_shared_parameters_count_once():
    first = nn.Dense(3, in_units=3)
    net = nn.HybridSequential()
    net.add(first, nn.Dense(3, in_units=3, params=first.params))
    assert "<b>HybridSequential</b> <small>12 parameters</small>" in net._repr_html_()


def test_deep_networks_are_cut():
    net = nn.Sequential()
    for _ in range(400):
        net.add(nn.Dense(1))
    html = net._repr_html_()
    assert "<div>&hellip; 101 more blocks</div>" in html
    assert html.count("<details") == 300
