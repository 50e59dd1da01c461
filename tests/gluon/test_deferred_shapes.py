"""Parameters whose shapes only the data tell: found by tracing, in the trace that is compiled if there is one."""

import numpy as np
import pytest

import mxnet as mx
import regluon.dtypes
from mxnet import gluon, nd
from mxnet.gluon import nn
from regluon.symbol.tracer import Trace, infer_results, is_inferring


class Counting(nn.HybridBlock):
    """Counts the runs of its code, on arrays and on symbols."""

    def __init__(self, shape: tuple[int, ...]) -> None:
        super().__init__()
        self.on_arrays = self.on_symbols = 0
        with self.name_scope():
            self.weight = self.params.get("weight", shape=shape, allow_deferred_init=True)

    def hybrid_forward(self, F, x, weight):
        if F is nd:
            self.on_arrays += 1
        else:
            self.on_symbols += 1
        return F.FullyConnected(x, weight, num_hidden=4, no_bias=True)


def test_a_compiled_block_is_traced_once() -> None:
    block = Counting((4, 0))
    block.initialize()
    block.hybridize()
    x = nd.random.uniform(shape=(2, 3))
    np.testing.assert_allclose(block(x).asnumpy(), x.asnumpy() @ block.weight.data().asnumpy().T, rtol=1e-5)
    assert (block.on_arrays, block.on_symbols) == (0, 1)
    assert block.weight.shape == (4, 3)


def test_an_eager_block_is_traced_for_shapes_and_run() -> None:
    block = Counting((4, 0))
    block.initialize()
    for _ in range(2):
        assert block(nd.ones((2, 3))).shape == (2, 4)
    assert (block.on_arrays, block.on_symbols) == (2, 1)


@pytest.mark.parametrize("shape", [(5, 0), (0, 7), (4,)])
@pytest.mark.parametrize("is_compiled", [False, True])
def test_contradictions_are_refused(shape: tuple[int, ...], is_compiled: bool) -> None:
    block = Counting(shape if len(shape) == 2 else (0,))
    block.initialize()
    if is_compiled:
        block.hybridize()
    with pytest.raises(
        mx.MXNetError, match=r"\[FullyConnected\] parameter counting\d+_weight has shape .*; the data ask for"
    ):
        block(nd.ones((2, 3)))


def test_wrong_data_are_refused_by_the_operator() -> None:
    net = nn.HybridSequential()
    net.add(nn.Conv2D(3, kernel_size=3))
    net.initialize()
    with pytest.raises(mx.MXNetError, match=r"\[Convolution\] received"):
        net(nd.ones((2, 3)))


def test_finding_shapes_calls_no_hooks_and_keeps_no_state() -> None:
    calls = []
    cell = gluon.rnn.ZoneoutCell(gluon.rnn.RNNCell(4), zoneout_outputs=0.5)
    cell.base_cell.register_forward_hook(lambda *_: calls.append(is_inferring()))
    cell.initialize()
    cell.infer_shape(nd.ones((2, 3)), cell.begin_state(batch_size=2))
    assert cell._prev_output is None
    assert calls == []


def test_a_shape_is_known_while_code_runs() -> None:
    class Reading(nn.HybridBlock):
        def __init__(self) -> None:
            super().__init__()
            self.first, self.second = nn.Dense(6), nn.Dense(2)

        def hybrid_forward(self, F, x):
            hidden = self.first(x)
            return self.second(hidden.reshape((hidden.shape[0] * 2, -1)))

    for is_compiled in (False, True):
        net = Reading()
        net.initialize()
        if is_compiled:
            net.hybridize()
        assert net(nd.ones((2, 5))).shape == (4, 2)
        assert net.second.weight.shape == (2, 3)


def test_results_of_a_function_without_data() -> None:
    def function(x, y):
        return mx.nd.dot(x, y), mx.nd.sum(x, axis=1).astype("float16")

    specs = [((2, 3), regluon.dtypes.torch_dtype("float32")), ((3, 4), regluon.dtypes.torch_dtype("float32"))]
    found = infer_results(function, specs, mx.cpu(), False)
    assert [(shape, str(dtype)) for shape, dtype in found] == [((2, 4), "torch.float32"), ((2,), "torch.float16")]


def test_the_trace_ends_with_an_exception() -> None:
    with pytest.raises(KeyError), Trace(mx.cpu(), False, infers_only=True):
        raise KeyError
    assert not is_inferring()
