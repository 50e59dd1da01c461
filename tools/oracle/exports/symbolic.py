"""Networks put together with symbols, saved as `Module` programs saved them."""

from __future__ import annotations

from typing import Any

import mxnet as mx
from tools.oracle.case import array, integers, uniform
from tools.oracle.exports.network import symbol

sym = mx.sym


def classifier() -> Any:
    """The network of MXNet's first tutorials: all parameters are made by composing."""
    net = sym.Variable("data")
    net = sym.FullyConnected(net, name="fc1", num_hidden=6)
    net = sym.Activation(net, name="relu1", act_type="relu")
    net = sym.FullyConnected(net, name="fc2", num_hidden=3)
    return sym.SoftmaxOutput(net, name="softmax")


def convolutional() -> Any:
    net = sym.Convolution(sym.Variable("data"), kernel=(3, 3), num_filter=4, pad=(1, 1), no_bias=True, name="conv0")
    net = sym.BatchNorm(net, fix_gamma=False, eps=2e-5, momentum=0.9, name="bn0")
    net = sym.LeakyReLU(net, act_type="prelu", name="prelu0")
    net = sym.Pooling(net, kernel=(2, 2), stride=(2, 2), pool_type="max", pooling_convention="full", name="pool0")
    net = sym.BatchNorm(net, name="fixed")
    net = sym.Dropout(net, p=0.4)
    net = sym.Flatten(net)
    net = sym.FullyConnected(net, num_hidden=5, name="pre_fc1")
    return sym.L2Normalization(net, mode="instance")


def regressions() -> Any:
    net, label = sym.FullyConnected(sym.var("data"), num_hidden=2, name="fc"), sym.var("label")
    return sym.Group(
        [
            sym.LinearRegressionOutput(net, label, grad_scale=0.5, name="linear"),
            sym.LogisticRegressionOutput(net, label, name="logistic"),
            sym.MAERegressionOutput(net, label, name="absolute"),
        ]
    )


def made_loss() -> Any:
    data, label = sym.var("data"), sym.var("label")
    shares = sym.log_softmax(sym.FullyConnected(data, num_hidden=4, name="scores"))
    loss = -sym.sum(shares * sym.one_hot(label, depth=4), axis=1)
    return sym.Group([sym.MakeLoss(loss, name="loss"), sym.BlockGrad(shares, name="shares")])


def several_ends() -> Any:
    """Multi-task: two losses over one trunk, an inner result next to them."""
    trunk = sym.Activation(sym.FullyConnected(sym.var("data"), num_hidden=4, name="trunk"), act_type="tanh")
    one = sym.SoftmaxOutput(sym.FullyConnected(trunk, num_hidden=3, name="one"), name="softmax1", grad_scale=2)
    other = sym.SoftmaxOutput(
        *(sym.FullyConnected(trunk, num_hidden=2, name="other"), sym.var("second_label")),
        name="softmax2",
        use_ignore=True,
        ignore_label=-1,
        normalization="valid",
    )
    return sym.Group([one, other, trunk])


def attributes() -> Any:
    """Variables with shapes, initializers, multipliers and attributes of the user's; a shared weight."""
    with mx.AttrScope(ctx_group="stage1", __mood__="calm"):
        data = sym.var("data")
        weight = sym.var("weight", shape=(4, 4), lr_mult=0.5, wd_mult=0, init=mx.init.Uniform(0.1), dtype="float32")
        net = sym.FullyConnected(data, weight, num_hidden=4, no_bias=True, name="first")
    net = sym.FullyConnected(net, weight, num_hidden=4, no_bias=True, attr={"__mine__": "yes"}, name="second")
    return sym.broadcast_add(net, sym.var("shift", shape=(1, 4)), name="shifted")


def arithmetic() -> Any:
    """Names that nobody gave."""
    x, y = sym.var("x"), sym.var("y")
    z = (x + y) * 2 - 1 / (x * x + 1) + (3 - y) ** 2
    both = sym.concat(z, -y, sym.maximum(x, y) > 0.5, dim=1)
    parts = sym.SliceChannel(both, num_outputs=3, name="parts")
    return sym.Group([parts[1], parts[2], parts[0] + sym.zeros((2, 3)), sym.sqrt(sym.abs(x)).sum(axis=1)])


def fused_recurrent() -> Any:
    """The fused operator with its one long parameter, as mx.rnn.FusedRNNCell makes it."""
    data = sym.var("data")
    words = sym.Embedding(data, input_dim=7, output_dim=3, name="embed")
    states = [sym.var("lstm_state"), sym.var("lstm_cell")]
    out = sym.RNN(
        *(words, sym.var("lstm_parameters"), *states),
        state_size=2,
        num_layers=1,
        mode="lstm",
        state_outputs=True,
        name="lstm",
    )
    score = sym.FullyConnected(sym.Reshape(out[0], shape=(-1, 2)), num_hidden=7, name="pred")
    return sym.Group([sym.softmax(score), out[1], out[2]])


def proposals() -> Any:
    """What detection networks of the Module era were built from."""
    data, rois = sym.var("data"), sym.var("rois")
    rpn = sym.Convolution(data, kernel=(3, 3), pad=(1, 1), num_filter=4, name="rpn_conv")
    scores = sym.Reshape(rpn, shape=(0, 2, -1, 0), name="rpn_reshape")
    shares = sym.SoftmaxActivation(scores, mode="channel", name="rpn_prob")
    pooled = sym.ROIPooling(rpn, rois, pooled_size=(2, 2), spatial_scale=0.5, name="roi_pool")
    aligned = sym.contrib.ROIAlign(rpn, rois, pooled_size=(2, 2), spatial_scale=0.5, sample_ratio=2, name="roi_align")
    local = sym.LRN(data, nsize=3, name="lrn")
    return sym.Group([shares, pooled, aligned, local])


NETWORKS = {
    "sym_classifier": symbol(
        *(classifier, {"data": uniform(2, 4), "softmax_label": integers(2, high=3, dtype="float32")}),
        gradients="train",
    ),
    "sym_convolutional": symbol(convolutional, {"data": uniform(2, 3, 5, 5)}),
    "sym_regressions": symbol(
        regressions, {"data": uniform(3, 4), "label": integers(3, 2, high=2, dtype="float32")}, gradients="train"
    ),
    "sym_made_loss": symbol(
        made_loss, {"data": uniform(3, 5), "label": integers(3, high=4, dtype="float32")}, gradients="train"
    ),
    "sym_several_ends": symbol(
        several_ends,
        {
            "data": uniform(3, 5),
            "softmax1_label": integers(3, high=3, dtype="float32"),
            "second_label": integers(3, low=-1, high=2, dtype="float32"),
        },
        gradients="train",
    ),
    "sym_attributes": symbol(attributes, {"data": uniform(2, 4)}, gradients="train"),
    "sym_arithmetic": symbol(arithmetic, {"x": uniform(2, 3), "y": uniform(2, 3)}),
    "sym_fused_recurrent": symbol(
        fused_recurrent,
        {
            "data": integers(4, 2, high=7, dtype="float32"),
            "lstm_state": uniform(1, 2, 2),
            "lstm_cell": uniform(1, 2, 2),
        },
        gradients="train",
    ),
    "sym_proposals": symbol(
        proposals, {"data": uniform(1, 3, 8, 8), "rois": array([[0, 1, 1, 9, 11], [0, 2, 0, 14, 7]])}
    ),
}
