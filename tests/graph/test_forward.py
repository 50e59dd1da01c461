"""One pass forward finds what the full inference finds, or says that it does not know."""

import mxnet as mx
from regluon.graph.inference import Forward, Inference
from regluon.graph.node import Entry, in_order

sym = mx.sym


def _network() -> mx.sym.Symbol:
    x = sym.Convolution(sym.var("data"), kernel=(3, 3), num_filter=4, pad=(1, 1), name="conv")
    parts = sym.split(sym.BatchNorm(x, name="norm"), num_outputs=2, axis=1)
    return sym.FullyConnected(sym.Concat(parts[0], sym.relu(parts[1]), dim=1), num_hidden=3, name="dense")


def _shapes(net: mx.sym.Symbol) -> dict[str, tuple[int, ...]]:
    arguments, _, states = net.infer_shape(data=(2, 3, 6, 6))
    names = net.list_arguments() + net.list_auxiliary_states()
    return dict(zip(names, arguments + states, strict=True))


def test_finds_the_same() -> None:
    net = _network()
    order, shapes = in_order(net._heads), _shapes(net)
    forward, inference = Forward(order, shapes), Inference(net._heads, shapes)
    inference.run()
    assert forward.is_complete
    entries = [Entry(node, index) for node in order for index in range(node.num_outputs)]
    assert [forward.shape(entry) for entry in entries] == [inference.shape(entry) for entry in entries]


def test_leaves_unknown_and_wrong_shapes_to_the_inference() -> None:
    net = _network()
    order, shapes = in_order(net._heads), _shapes(net)
    assert not Forward(order, {**shapes, "data": (0, 3, 6, 6)}).is_complete
    assert not Forward(order, {**shapes, "conv_weight": (4, 5, 3, 3)}).is_complete
    del shapes["norm_gamma"]
    assert not Forward(order, shapes).is_complete


def test_leaves_what_only_data_tell_to_the_inference() -> None:
    net = sym.contrib.boolean_mask(sym.var("data"), sym.var("index")) * 2
    assert not Forward(in_order(net._heads), {"data": (4, 3), "index": (4,)}).is_complete
