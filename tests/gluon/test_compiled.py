"""Networks that make parts of themselves while they are traced."""

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
