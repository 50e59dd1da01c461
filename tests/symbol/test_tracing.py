"""Tracing: what symbols know of their shapes while a network's code runs."""

import numpy as np
import pytest

import mxnet as mx
from mxnet import gluon, nd
from regluon.graph.inference import Inference


class Steps(gluon.HybridBlock):
    """A recurrent network, step by step from zeros without a batch size, whose code broadcasts."""

    def __init__(self, steps: int) -> None:
        super().__init__()
        self.steps = steps
        with self.name_scope():
            self.cell = gluon.rnn.LSTMCell(4, input_size=4)

    def hybrid_forward(self, F, x):
        states = self.cell.begin_state(func=F.zeros, batch_size=0 if F is mx.sym else x.shape[0])
        total = 0
        for step in range(self.steps):
            out, states = self.cell(F.slice_axis(x, axis=1, begin=step, end=step + 1).reshape((0, -1)), states)
            total = total + out * F.mean(out, axis=1, keepdims=True)
        return total


@pytest.fixture
def inferred(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The numbers of nodes whose shapes were inferred together."""
    counts: list[int] = []
    run = Inference.run

    def counting(self: Inference) -> None:
        counts.append(len(self.order))
        run(self)

    monkeypatch.setattr(Inference, "run", counting)
    return counts


def test_unknown_batch_sizes_are_inferred_once(inferred: list[int]) -> None:
    totals = []
    for steps in (5, 20):
        net = Steps(steps)
        net.initialize(mx.init.Uniform(0.5))
        x = nd.random.uniform(shape=(3, steps, 4))
        expected = net(x).asnumpy()
        net.hybridize()
        inferred.clear()
        np.testing.assert_allclose(net(x).asnumpy(), expected, rtol=1e-5, atol=1e-6)
        totals.append(sum(inferred))
    assert totals[1] < 5 * totals[0]  # four times the steps


def test_symbols_made_before_their_shapes_were_known() -> None:
    class Late(gluon.HybridBlock):
        def hybrid_forward(self, F, x):
            zeros = F.zeros((0, 3)) if F is mx.sym else F.zeros((2, 3))
            early = zeros + 2  # nothing tells its shape yet
            late = F.elemwise_add(x, zeros)
            seen.append((late.shape, early.shape))
            return early * F.sum(x, axis=0, keepdims=True) + late

    seen: list[tuple[tuple[int, ...], ...]] = []
    net, x = Late(), nd.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
    net.hybridize()
    np.testing.assert_array_equal(net(x).asnumpy(), 2 * np.array([[5.0, 7.0, 9.0]]) + x.asnumpy())
    assert seen == [((2, 3), (2, 3))]
