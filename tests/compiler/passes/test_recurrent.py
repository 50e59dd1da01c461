"""Recurrent networks in graphs that gradients are asked of."""

import numpy as np
import pytest

import mxnet as mx
from mxnet import autograd, gluon, nd
from mxnet.gluon import nn, rnn
from regluon.compiler.passes.rewriter import rewrite
from regluon.compiler.passes.training import part_parameters
from regluon.graph.node import in_order

sym = mx.sym
HOW = {"state_size": 2, "num_layers": 1, "mode": "gru"}


def _network(pieces: list, **params):
    vector = sym._internal._rnn_param_concat(*pieces, dim=0)
    return sym.RNN(sym.var("data"), vector, sym.var("state"), **{**HOW, **params})


def _ops(network) -> list[str]:
    return [node.op_name for node in in_order(rewrite(network._heads, [part_parameters])) if not node.is_variable]


FLAT = [sym.reshape(sym.var(name), shape=(-1,)) for name in "abcd"]
LENGTHS = {"sequence_length": sym.var("lengths"), "use_sequence_length": True}


def test_takes_the_parameters_apart() -> None:
    assert _ops(_network(FLAT)) == ["_rnn_by_parts"]
    assert _ops(_network([sym.var("a"), *FLAT[1:]])) == ["_rnn_by_parts"]
    assert _ops(_network([sym.reshape(sym.var("a"), shape=(6, -1)), *FLAT[1:]])) == ["Reshape", "_rnn_by_parts"]


def test_leaves_what_only_the_operator_can_do() -> None:
    assert _ops(_network(FLAT, **LENGTHS))[-1] == "RNN"
    assert _ops(sym.RNN(sym.var("data"), sym.var("vector"), sym.var("state"), **HOW)) == ["RNN"]


def test_a_vector_that_is_joined_in_other_places() -> None:
    """Nothing says that its pieces are the weights."""
    network = _network([sym.var("head"), sym.var("tail")])
    names = ["data", "head", "tail", "state"]
    block = gluon.SymbolBlock(network, [sym.var(name) for name in names])
    draw = np.random.RandomState(0)
    inputs = [nd.array(draw.randn(*shape)) for shape in [(3, 2, 2), (5,), (31,), (1, 2, 2)]]
    for each in inputs:
        each.attach_grad()
    with autograd.record():
        block(*inputs).sum().backward()
    gradient = inputs[2].grad.asnumpy()
    with autograd.record():
        total = nd.RNN(inputs[0], nd.concat(*inputs[1:3], dim=0), inputs[3], **HOW).sum()
    total.backward()
    np.testing.assert_allclose(gradient, inputs[2].grad.asnumpy(), rtol=1e-5, atol=1e-6)


@pytest.mark.filterwarnings("ignore:.* is outside 0..")  # words beyond the vocabulary are clipped
@pytest.mark.parametrize("layer", [rnn.LSTM, rnn.GRU, rnn.RNN])
def test_a_language_model_learns_the_same_compiled(layer) -> None:
    gradients = []
    for compiled in (False, True):
        mx.random.seed(0)
        net = nn.HybridSequential()
        net.add(nn.Embedding(7, 4), layer(5, num_layers=2, input_size=4), nn.Dense(7, flatten=False, in_units=5))
        net.initialize(mx.init.Uniform(0.5))
        loss_of = gluon.loss.SoftmaxCrossEntropyLoss()
        if compiled:
            net.hybridize()
            loss_of.hybridize()
        words = nd.array(np.random.RandomState(1).randint(-1, 9, (6, 3)))
        with autograd.record():
            loss = loss_of(net(words), words)
        loss.backward()
        gradients.append([parameter.grad().asnumpy() for parameter in net.collect_params().values()])
    for eager, compiled_one in zip(*gradients, strict=True):
        np.testing.assert_allclose(compiled_one, eager, rtol=1e-4, atol=1e-6)


def test_a_compiled_embedding_refuses_what_does_not_fit() -> None:
    block = gluon.SymbolBlock(
        sym.Embedding(sym.var("data"), sym.var("weight"), input_dim=4, output_dim=3),
        [sym.var("data"), sym.var("weight")],
    )
    weight = nd.ones((4, 2))
    weight.attach_grad()
    with autograd.record(), pytest.raises(mx.MXNetError, match="weight"):
        block(nd.array([0, 1]), weight)
