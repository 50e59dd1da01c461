"""Programs: what is kept from call to call, what is written over, and who owns the results."""

import numpy as np
import pytest
import torch

import mxnet as mx
from mxnet import autograd, gluon, nd
from regluon.compiler.exported import mark_exported
from regluon.compiler.lowering import lower
from regluon.compiler.program import Program
from regluon.graph.node import in_order

sym = mx.sym


def _inputs(symbol):
    return [node for node in in_order(symbol._heads) if node.is_variable]


def _run(program, *tensors):
    return program.run(tensors, mx.cpu(), False)[0]


def test_heads_own_their_memory():
    x = sym.var("x")
    net = sym.Group([x, sym.reshape(x, shape=(-1,)), sym.identity(x)])
    data = torch.arange(6.0).reshape(2, 3)
    heads = _run(lower(net._heads, _inputs(net), False, False), data)
    addresses = {head.data_ptr() for head in heads} | {data.data_ptr()}
    assert len(addresses) == 4


def test_what_rests_on_parameters_is_computed_when_they_change():
    x, w = sym.var("x"), sym.var("w")
    net = sym.broadcast_add(x, sym.exp(w) * 2)
    program = Program(net._heads, _inputs(net), False, parameters=[1])
    assert [step.node.op_name for step in program.steps] == ["broadcast_add"]
    data, weight = torch.zeros(2, 2), torch.tensor([0.0, 1.0])
    first = _run(program, data, weight)[0]
    np.testing.assert_allclose(first[0], [2, 2 * np.e], rtol=1e-6)
    weight.add_(1)
    np.testing.assert_allclose(_run(program, data, weight)[0][0], [2 * np.e, 2 * np.e**2], rtol=1e-6)
    other = torch.tensor([0.0, 0.0])
    np.testing.assert_allclose(_run(program, data, other)[0][0], [2, 2], rtol=1e-6)


def test_memory_that_numpy_shares_is_never_trusted():
    x, w = sym.var("x"), sym.var("w")
    net = x + sym.exp(w)
    program = Program(net._heads, _inputs(net), False, parameters=[1])
    array = np.zeros(2, np.float32)
    weight, data = mark_exported(torch.from_numpy(array)), torch.zeros(2)
    assert _run(program, data, weight)[0].tolist() == [1, 1]
    array[:] = 1
    np.testing.assert_allclose(_run(program, data, weight)[0], np.exp([1, 1]), rtol=1e-6)


def test_kept_results_are_not_handed_out():
    w = sym.var("w")
    net = sym.Group([sym.exp(w), sym.reshape(sym.exp(w) * 1, shape=(2, 1))])
    program = Program(net._heads, _inputs(net), False, parameters=[0])
    weight = torch.zeros(2)
    for _ in range(2):
        heads = _run(program, weight)
        assert [head.flatten().tolist() for head in heads] == [[1, 1], [1, 1]]
        for head in heads:
            head.fill_(7)


def test_nothing_is_written_over_that_is_still_read():
    x = sym.var("x")
    y = x * 2
    net = sym.Group([sym.relu(y), y, sym.reshape(y, shape=(-1,)), sym.tanh(x)])
    data = torch.tensor([[-1.0, 2.0]])
    heads = _run(lower(net._heads, _inputs(net), False, False), data)
    assert [head.flatten().tolist() for head in heads[:3]] == [[0, 4], [-2, 4], [-2, 4]]
    assert data.tolist() == [[-1, 2]]


def test_temporary_results_are_written_over():
    x = sym.var("x")
    net = sym.relu(x * 2)
    program = lower(net._heads, _inputs(net), False, False)
    assert program.steps[-1].function is not program.steps[-1].operator.function
    assert _run(program, torch.tensor([-1.0, 1.0]))[0].tolist() == [0, 2]
    assert _run(program, torch.tensor([-1, 1]))[0].tolist() == [0, 2]  # integers take the ordinary way


def test_errors_name_the_node():
    net = sym.FullyConnected(sym.var("x"), num_hidden=2, no_bias=True, name="fc7")
    program = lower(net._heads, _inputs(net), False, False)
    with pytest.raises(mx.MXNetError, match=r"\[FullyConnected\] received .* In the graph this is node 'fc7'"):
        _run(program, torch.zeros(2, 3), torch.zeros(2, 4))


def test_heads_have_the_order_of_arrays():
    """Whatever order the kernels of a compiled network leave them in: views of them are taken for granted."""
    data = mx.sym.var("data")
    net = mx.sym.Convolution(data, kernel=(3, 3), num_filter=4, no_bias=True, name="conv")
    op = mx.nd.CachedOp(net, parameters=["conv_weight"])
    arrays = [mx.nd.random.normal(shape=(2, 3, 6, 6)), mx.nd.random.normal(shape=(4, 3, 3, 3))]
    result = op(*arrays)
    assert result.as_torch().is_contiguous()
    result.reshape((-1,))[:] = 0
    assert not result.asnumpy().any()


class _Siamese(gluon.HybridBlock):
    """One layer on two inputs, and on its own result."""

    def __init__(self) -> None:
        super().__init__(prefix="siamese_")
        with self.name_scope():
            self.norm = gluon.nn.BatchNorm(in_channels=3, momentum=0.6)

    def hybrid_forward(self, F, left, right):
        return self.norm(left) + self.norm(self.norm(right) * 2 + 1)


@pytest.mark.parametrize("is_recorded", [False, True])
def test_a_layer_that_is_called_several_times_moves_its_averages_each_time(is_recorded: bool) -> None:
    found = []
    for hybridized in (False, True):
        net = _Siamese()
        net.initialize()
        if hybridized:
            net.hybridize()
        draw = np.random.RandomState(0)
        for _ in range(8):  # the native runner takes over in between
            left, right = (nd.array(draw.randn(4, 3) * 3 + 2) for _ in range(2))
            left.attach_grad()
            with autograd.record() if is_recorded else autograd.train_mode():
                result = net(left, right)
            if is_recorded:
                result.backward()
        found.append([net.norm.running_mean.data().asnumpy(), net.norm.running_var.data().asnumpy()])
        if is_recorded:
            found[-1].append(left.grad.asnumpy())
    for eager, compiled in zip(*found, strict=True):
        np.testing.assert_allclose(compiled, eager, rtol=1e-5, atol=1e-5)
