"""Batch normalization in prediction becomes part of the layer before it, where that is the same computation."""

import numpy as np
import pytest

import mxnet as mx
from regluon.compiler.passes.fold import fold_batch_norm
from regluon.compiler.passes.rewriter import rewrite
from regluon.graph.node import in_order

sym = mx.sym


def _ops(heads) -> list[str]:
    return [node.op_name for node in in_order(heads) if not node.is_variable]


def _conv(x, **params):
    return sym.Convolution(x, kernel=(3, 3), num_filter=4, name="conv", **params)


LAYERS = {
    "convolution": (lambda x: sym.BatchNorm(_conv(x), fix_gamma=False), (2, 3, 6, 6)),
    "fixed gamma": (lambda x: sym.BatchNorm(_conv(x), fix_gamma=True, eps=0.1), (2, 3, 6, 6)),
    "no bias": (lambda x: sym.BatchNorm(_conv(x, no_bias=True), fix_gamma=False), (2, 3, 6, 6)),
    "groups": (lambda x: sym.BatchNorm(_conv(x, num_group=2), fix_gamma=False), (2, 4, 6, 6)),
    "channels last": (lambda x: sym.BatchNorm(_conv(x, layout="NHWC"), axis=3, fix_gamma=False), (2, 6, 6, 3)),
    "dense": (lambda x: sym.BatchNorm(sym.FullyConnected(x, num_hidden=5), fix_gamma=False), (3, 4)),
}


@pytest.mark.parametrize("name", LAYERS)
def test_gives_the_same(name):
    make, shape = LAYERS[name]
    net = make(sym.var("data"))
    folded = sym.Symbol(rewrite(net._heads, [fold_batch_norm]))
    assert "BatchNorm" not in _ops(folded._heads)
    rng = np.random.default_rng(0)
    arg_shapes, _, aux_shapes = net.infer_shape(data=shape)
    args = {n: mx.nd.array(rng.normal(size=s)) for n, s in zip(net.list_arguments(), arg_shapes)}
    aux = {n: mx.nd.array(rng.uniform(0.5, 2, size=s)) for n, s in zip(net.list_auxiliary_states(), aux_shapes)}
    expected = net.bind(mx.cpu(), args, aux_states=aux).forward()[0].asnumpy()
    found = folded.bind(mx.cpu(), {**args, **aux}).forward()[0].asnumpy()
    np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize(
    "make",
    [
        lambda x: sym.Group([sym.BatchNorm(c := _conv(x)), sym.relu(c)]),
        lambda x: sym.BatchNorm(_conv(x), axis=2),
        lambda x: sym.BatchNorm(sym.relu(_conv(x))),
        lambda x: sym.BatchNorm(_conv(x), output_mean_var=True)[0],
    ],
    ids=["read elsewhere", "another axis", "an activation between", "statistics asked for"],
)
def test_is_left_alone(make):
    heads = make(sym.var("data"))._heads
    assert "BatchNorm" in _ops(rewrite(heads, [fold_batch_norm]))


def test_a_network_follows_its_parameters():
    net = mx.gluon.nn.HybridSequential()
    net.add(mx.gluon.nn.Conv2D(4, 3, in_channels=3), mx.gluon.nn.BatchNorm(in_channels=4))
    net.initialize()
    data = mx.nd.random.normal(shape=(2, 3, 5, 5))
    net.hybridize()
    for change in (
        lambda: net[1].running_mean.set_data(mx.nd.array([1, 2, 3, 4])),
        lambda: net[0].weight.set_data(net[0].weight.data() * 2),
        lambda: net[1].gamma.data()[:].__imul__(3),
        lambda: _train(net, data),
    ):
        change()
        found = net(data).asnumpy()
        net.hybridize(False)
        np.testing.assert_allclose(found, net(data).asnumpy(), rtol=1e-4, atol=1e-5)
        net.hybridize()
        net(data)


def _train(net, data):
    trainer = mx.gluon.Trainer(net.collect_params(), "adam", {"learning_rate": 0.1})
    with mx.autograd.record():
        loss = (net(data) ** 2).sum()
    loss.backward()
    trainer.step(2)
