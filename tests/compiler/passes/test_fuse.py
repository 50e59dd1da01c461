"""Fused convolutions give what the operators they stand for give."""

import numpy as np
import pytest

import mxnet as mx
from regluon.compiler.passes.fuse import can_fuse, fuse_convolutions
from regluon.graph.node import in_order

pytestmark = pytest.mark.skipif(not can_fuse(), reason="this build of torch has no oneDNN")
sym = mx.sym


def _conv(x, name="conv", **params):
    return sym.Convolution(x, kernel=(3, 3), num_filter=4, pad=(1, 1), name=name, **params)


def _residual(x):
    return sym.Activation(_conv(sym.relu(_conv(x, "a")), "b") + x, act_type="relu")


NETWORKS = {
    "alone": (_conv, ["_fused_convolution"]),
    "no bias": (lambda x: _conv(x, no_bias=True), ["_fused_convolution"]),
    "strides, dilation, groups": (
        lambda x: _conv(x, stride=(2, 1), dilate=(2, 2), num_group=2),
        ["_fused_convolution"],
    ),
    "relu": (lambda x: sym.relu(_conv(x)), ["_fused_convolution"]),
    "clip": (lambda x: sym.clip(_conv(x), a_min=0, a_max=0.5), ["_fused_convolution"]),
    "sum": (lambda x: x + _conv(x), ["_fused_convolution"]),
    "sum and clip": (lambda x: sym.clip(x + _conv(x), a_min=-0.2, a_max=0.5), ["_fused_convolution"]),
    "two convolutions, a sum and relu": (
        lambda x: sym.relu(_conv(x, "a") + _conv(x, "b")),
        ["_fused_convolution", "_fused_convolution"],
    ),
    "residual": (_residual, ["_fused_convolution", "_fused_convolution"]),
    "sum of two": (lambda x: _conv(x, "a") + _conv(x, "b"), ["_fused_convolution", "_fused_convolution"]),
    "sum with itself": (lambda x: sym.Group([y := _conv(x), y + y])[1], ["_fused_convolution", "elemwise_add"]),
    "read twice": (lambda x: sym.Group([sym.relu(c := _conv(x)), c]), ["_fused_convolution", "relu"]),
    "another activation": (lambda x: sym.tanh(_conv(x)), ["_fused_convolution", "tanh"]),
    "pooled": (
        lambda x: sym.Pooling(sym.relu(_conv(x)), kernel=(2, 2), stride=(2, 2)),
        ["_fused_convolution", "Pooling"],
    ),
    "flattened": (lambda x: sym.Flatten(sym.relu(_conv(x))), ["_fused_convolution", "Flatten"]),
    "channels last": (lambda x: _conv(x, layout="NHWC"), ["Convolution"]),
}


@pytest.mark.parametrize("name", NETWORKS)
def test_gives_the_same(name):
    make, expected_ops = NETWORKS[name]
    net = make(sym.var("data"))
    heads = fuse_convolutions(net._heads)
    ops = [node.op_name for node in in_order(heads) if not node.is_variable and node.op_name != "_packed_weight"]
    assert ops == expected_ops
    rng = np.random.default_rng(0)
    shapes = net.infer_shape(data=(2, 4, 6, 6))[0]
    args = {name: mx.nd.array(rng.normal(size=shape)) for name, shape in zip(net.list_arguments(), shapes)}
    expected = mx.nd.CachedOp(net)(*[args[name] for name in net.list_inputs()])
    with mx.autograd.train_mode():  # in which nothing is rewritten
        plain = mx.nd.CachedOp(net)(*[args[name] for name in net.list_inputs()])
    for found, reference in zip(_listed(expected), _listed(plain)):
        np.testing.assert_allclose(found.asnumpy(), reference.asnumpy(), rtol=1e-4, atol=1e-5)


def _listed(value):
    return value if isinstance(value, list) else [value]


def test_it_can_be_switched_off(monkeypatch):
    monkeypatch.setenv("MXNET_USE_FUSION", "0")
    assert not can_fuse()
