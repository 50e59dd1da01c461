"""Networks whose summaries and pictures are compared; built the same way with either library."""

from __future__ import annotations

from typing import Any

import mxnet as mx

Network = tuple[Any, "dict[str, tuple[int, ...]] | None"]


def mlp() -> Network:
    net = mx.sym.FullyConnected(mx.sym.var("data"), num_hidden=128, name="fc1")
    net = mx.sym.Activation(net, act_type="relu", name="relu1")
    net = mx.sym.FullyConnected(net, num_hidden=10, no_bias=True, name="fc2")
    return mx.sym.SoftmaxOutput(net, name="softmax"), {"data": (100, 200)}


def mlp_without_shapes() -> Network:
    return mlp()[0], None


def lenet() -> Network:
    net = mx.sym.Convolution(mx.sym.var("data"), kernel=(5, 5), num_filter=20, name="conv1")
    net = mx.sym.BatchNorm(net, name="bn1")
    net = mx.sym.LeakyReLU(net, name="leaky1")
    net = mx.sym.Pooling(net, pool_type="max", kernel=(2, 2), stride=(2, 2), name="pool1")
    net = mx.sym.Convolution(net, kernel=(3, 3), stride=(2, 2), num_filter=50, no_bias=True, num_group=2, name="conv2")
    net = mx.sym.Activation(net, act_type="tanh", name="tanh2")
    net = mx.sym.Pooling(net, pool_type="avg", global_pool=True, name="pool2")
    net = mx.sym.Flatten(net, name="flatten")
    net = mx.sym.FullyConnected(net, num_hidden=500, name="fc1")
    return mx.sym.SoftmaxOutput(net, name="softmax"), {"data": (2, 1, 28, 28)}


def branches() -> Network:
    data = mx.sym.var("data")
    left = mx.sym.Convolution(data, kernel=(1, 1), num_filter=8, name="left")
    right = mx.sym.Convolution(data, kernel=(3, 3), pad=(1, 1), num_filter=8, name="a_very_long_name_for_a_layer" * 3)
    both = mx.sym.Concat(left, right, name="both")
    net = mx.sym.elemwise_add(both, both * 2, name="sum")
    net = mx.sym.Convolution(net, kernel=(1, 1), num_filter=4, name="last")
    return mx.sym.Reshape(net, shape=(0, -1), name="flat"), {"data": (1, 3, 8, 8)}


def embedding() -> Network:
    net = mx.sym.Embedding(mx.sym.var("data"), input_dim=1000, output_dim=16, name="embed")
    net = mx.sym.mean(net, axis=1, name="mean")
    net = mx.sym.FullyConnected(net, num_hidden=2, name="fc")
    return mx.sym.softmax(net, name="out"), {"data": (4, 7)}


def split() -> Network:
    parts = mx.sym.SliceChannel(mx.sym.var("data"), num_outputs=2, name="parts")
    return mx.sym.elemwise_mul(parts[0], parts[1], name="gated"), {"data": (4, 6, 2)}


def two_inputs() -> Network:
    net = mx.sym.FullyConnected(mx.sym.var("data"), num_hidden=4, name="fc")
    return mx.sym.broadcast_add(net, mx.sym.var("more"), name="sum"), {"data": (2, 3), "more": (1, 4)}


NETWORKS = {build.__name__: build for build in (mlp, mlp_without_shapes, lenet, branches, embedding, split, two_inputs)}
# Ways to draw a network, beside the plain one.
PICTURES: dict[str, tuple[str, dict[str, Any]]] = {
    **{name: (name, {}) for name in NETWORKS},
    "mlp with everything": ("mlp", {"hide_weights": False, "title": "mlp", "save_format": "svg"}),
    "lenet in ovals": ("lenet", {"node_attrs": {"shape": "oval", "fixedsize": "false"}}),
    "lenet with dtypes": ("lenet", {"dtype": {"data": "float32"}}),
}
