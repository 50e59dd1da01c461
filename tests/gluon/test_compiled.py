"""Networks that make parts of themselves while they are traced."""

import json

import pytest

import mxnet as mx
from mxnet import nd
from mxnet.gluon import HybridBlock, nn


class Shifted(HybridBlock):
    """Adds a constant, then a layer whose input size is given or not."""

    def __init__(self, in_units: int) -> None:
        super().__init__()
        self.shift = self.params.get_constant("shift", (1.0, 2.0, 3.0))
        self.layer = nn.Dense(2, in_units=in_units)

    def hybrid_forward(self, F, x, shift):
        return self.layer(F.broadcast_add(x, shift.reshape((1, -1))))


class MadeLate(HybridBlock):
    """Makes and initializes a part of itself when it is first asked for."""

    def __init__(self, in_units: int) -> None:
        super().__init__()
        self.first, self._late, self.in_units = nn.Dense(3, in_units=in_units), None, in_units

    def hybrid_forward(self, F, x):
        if self._late is None:
            self._late = Shifted(self.in_units and 3)
            self._late.initialize(mx.init.One())
        return self._late(self.first(x))


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("in_units", [4, 0])
def test_a_part_made_in_the_first_call_is_compiled_too(in_units: int):
    net = MadeLate(in_units)
    net.initialize(mx.init.One())
    net.hybridize()
    for _ in range(2):
        assert net(nd.ones((2, 4))).asnumpy().tolist() == [[18, 18], [18, 18]]
    net._late.layer.weight.set_data(nd.zeros((2, 3)))
    assert net(nd.ones((2, 4))).asnumpy().max() == 0


class Counted(HybridBlock):
    """Adds numbers, as many as it is given."""

    def hybrid_forward(self, F, x):
        y = x + F.arange(start=2, stop=None, step=3, infer_range=True)
        return y * y


@pytest.mark.filterwarnings("error")
def test_a_range_whose_end_its_use_tells_is_traced(tmp_path):
    """As MXNet; as written, the block cannot run at all: no array has an open end."""
    net = Counted()
    net.hybridize()
    for length in (3, 5):
        x = nd.ones((length,))
        x.attach_grad()
        with mx.autograd.record():
            y = net(x)
        y.backward()
        assert y.asnumpy().tolist() == [9, 36, 81, 144, 225][:length]
        assert x.grad.asnumpy().tolist() == [6, 12, 18, 24, 30][:length]
    net.export(str(tmp_path / "net"))
    loaded = mx.gluon.SymbolBlock.imports(str(tmp_path / "net-symbol.json"), ["data"])
    assert loaded(nd.zeros((4,))).asnumpy().tolist() == [4, 25, 64, 121]


class CountedLike(HybridBlock):
    """Numbers its columns, and its rows twice each."""

    def hybrid_forward(self, F, x):
        columns = F.contrib.arange_like(x, axis=1).reshape((1, -1))
        return F.broadcast_add(x, columns), F.contrib.arange_like(x, axis=0, repeat=2, start=3, step=2)


@pytest.mark.filterwarnings("error")
def test_ranges_like_an_array_are_traced():
    net = CountedLike()
    net.hybridize()
    for rows in (2, 5):
        result, numbers = net(nd.zeros((rows, 3)))
        assert result.asnumpy().tolist() == [[0, 1, 2]] * rows
        assert numbers.asnumpy().tolist() == [3, 3, 5, 5, 7][:rows]
    assert sorted(node["op"] for node in _nodes(net) if "arange" in node["op"]) == ["_contrib_arange_like"] * 2


def _nodes(net):
    return json.loads(net._cached_graph[1].tojson())["nodes"]
