"""Graphs that are called like operators: how many programs are kept for one."""

import pytest

import mxnet as mx
from mxnet import nd
from mxnet.gluon import nn


def _network() -> nn.HybridBlock:
    net = nn.HybridSequential()
    net.add(nn.Dense(3, in_units=4, activation="relu"), nn.BatchNorm(in_channels=3))
    net.initialize()
    net.hybridize()
    return net


def test_oldest_programs_are_dropped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MXNET_PROGRAM_LIMIT", "3")
    net = _network()
    for length in (1, 2, 3, 4, 5, 1, 5):
        x = nd.random.uniform(shape=(length, 4))
        compiled = net(x).asnumpy()
        net.hybridize(False, clear=False)
        assert (net(x).asnumpy() == compiled).all()
        net.hybridize(clear=False)
        assert len(net._cached_op._programs) <= 3
    assert len(net._cached_op._programs) == 3


@pytest.mark.parametrize("text", ["0", "-1", "many"])
def test_limit_that_is_no_number(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MXNET_PROGRAM_LIMIT", text)
    with pytest.raises(mx.MXNetError, match=rf"MXNET_PROGRAM_LIMIT={text}; expected a number from 1"):
        _network()(nd.zeros((2, 4)))
