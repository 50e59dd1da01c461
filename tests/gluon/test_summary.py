"""The table that `Block.summary` prints."""

from typing import Any

import pytest

import mxnet as mx
from mxnet.gluon import nn
from tests.gluon.nn.base import load, make


def lines(capsys: pytest.CaptureFixture[str]) -> list[str]:
    return capsys.readouterr().out.splitlines()


@pytest.mark.parametrize("recorded", load("summaries"), ids=lambda each: each["make"])
def test_prints_what_mxnet_prints(recorded: dict[str, Any], capsys: pytest.CaptureFixture[str]) -> None:
    network = make(recorded["make"])
    network.initialize()
    network.summary(*(mx.nd.ones(shape) for shape in recorded["shapes"]))
    assert capsys.readouterr().out == recorded["printed"]


def test_a_layer_in_two_places_counts_once(capsys: pytest.CaptureFixture[str]) -> None:
    net, layer = nn.HybridSequential(), nn.Dense(4, in_units=4)
    net.add(layer, layer)
    net.initialize()
    net.summary(mx.nd.ones((2, 4)))
    printed = lines(capsys)
    assert sum("Dense-" in line for line in printed) == 2
    assert "   Total params: 40" in printed
    assert "Shared params in forward computation graph: 20" in printed
    assert "Unique parameters in model: 20" in printed


def test_hooks_do_not_remain() -> None:
    net = nn.HybridSequential()
    net.add(nn.Dense(2), nn.Dense(3, in_units=7))
    net.initialize()
    with pytest.raises(mx.base.MXNetError):
        net.summary(mx.nd.ones((2, 4)))
    net.apply(check_no_hooks)


def check_no_hooks(block: Any) -> None:
    assert not block._forward_hooks


def test_works_when_hybridized(capsys: pytest.CaptureFixture[str]) -> None:
    net = nn.HybridSequential()
    net.add(nn.Dense(2, activation="relu"), nn.BatchNorm())
    net.initialize()
    net.summary(mx.nd.ones((2, 4)))
    plain = capsys.readouterr().out
    net.hybridize()
    net.summary(mx.nd.ones((2, 4)))
    assert capsys.readouterr().out == plain


class Nested(nn.Block):
    """Takes and returns arrays in lists and dicts, and has a parameter of its own."""

    def __init__(self) -> None:
        super().__init__()
        self.scale = self.params.get("scale", shape=(1,))
        self.unused = self.params.get("unused", shape=(0, 3), allow_deferred_init=True)

    def forward(self, pair: Any, named: Any, number: int) -> Any:
        return [pair[0] * number, {"sum": pair[1] + named["x"]}, None]


def test_any_nesting_of_inputs(capsys: pytest.CaptureFixture[str]) -> None:
    net = Nested()
    net.initialize()
    net.summary((mx.nd.ones((2,)), mx.nd.ones((1, 3))), {"x": mx.nd.ones((1, 3))}, 5)
    printed = lines(capsys)
    assert printed[3].split(maxsplit=1) == ["Input", f"{'[(2,), (1, 3)], ' + str({'x': (1, 3)}) + ', 5'} {0:>15}"]
    assert "(2,), {'sum': (1, 3)}, None" in printed[4]
    assert "Unique parameters in model: 1" in printed


class Row(nn.HybridSequential):
    """A row of blocks with a parameter of its own."""

    def __init__(self) -> None:
        super().__init__()
        self.bias = self.params.get("bias", shape=(3,))

    def hybrid_forward(self, F: Any, x: Any, bias: Any) -> Any:
        return F.broadcast_add(super().hybrid_forward(F, x), bias)


def test_a_row_with_parameters_is_shown(capsys: pytest.CaptureFixture[str]) -> None:
    net = Row()
    net.add(nn.Dense(3))
    net.initialize()
    net.summary(mx.nd.ones((2, 4)))
    assert "Unique parameters in model: 18" in lines(capsys)


def test_training_is_not_disturbed() -> None:
    net = nn.BatchNorm()
    net.initialize()
    with mx.autograd.record():
        net.summary(mx.nd.ones((2, 4)))
    assert not net.running_mean.data().asnumpy().any()
