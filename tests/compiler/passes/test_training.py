"""Passes over graphs that gradients are asked of."""

import numpy as np
import pytest

import mxnet as mx
from regluon.compiler import autodiff
from regluon.compiler.passes.rewriter import rewrite
from regluon.compiler.passes.training import activate_dense, fuse_cross_entropy, pool_before_activation
from regluon.graph.node import in_order

sym = mx.sym


def _ops(heads) -> list[str]:
    return [node.op_name for node in in_order(heads) if not node.is_variable]


def _pool(x, **params):
    return sym.Pooling(x, kernel=(2, 2), stride=(2, 2), **{"pool_type": "max", **params})


x, label = sym.var("x"), sym.var("label")
dense = sym.FullyConnected(x, num_hidden=3, name="dense")

POOLS = {
    "relu": (_pool(sym.relu(x)), ["Pooling", "relu"]),
    "activation": (_pool(sym.Activation(x, act_type="relu")), ["Pooling", "Activation"]),
    "twice": (_pool(sym.relu(_pool(sym.relu(x * 2)))), ["_mul_scalar", "Pooling", "Pooling", "relu", "relu"]),
    "mean": (_pool(sym.relu(x), pool_type="avg"), ["relu", "Pooling"]),
    "tanh": (_pool(sym.tanh(x)), ["tanh", "Pooling"]),
    "read twice": (sym.Group([_pool(y := sym.relu(x)), y]), ["relu", "Pooling"]),
    "rounded up": (_pool(sym.relu(x), pooling_convention="full"), ["Pooling", "relu"]),
    # The last windows hold nothing but the least number there is, also in MXNet.
    "windows outside": (
        sym.Pooling(sym.relu(x), kernel=(1, 1), stride=(2, 2), pool_type="max", pooling_convention="full"),
        ["relu", "Pooling"],
    ),
}


def test_windows_of_which_the_operator_takes_part_are_left_alone() -> None:
    net = sym.Pooling(sym.relu(x), kernel=(3,), pad=(0, 0, 0), pool_type="max", pooling_convention="same")
    assert _ops(rewrite(net._heads, [pool_before_activation])) == ["relu", "Pooling"]


@pytest.mark.parametrize("name", POOLS)
def test_pools_first(name: str) -> None:
    net, expected = POOLS[name]
    assert _ops(rewrite(net._heads, [pool_before_activation])) == expected


DENSES = {
    "relu": (sym.relu(dense), ["_fully_connected_activated"]),
    "activation": (sym.Activation(dense, act_type="tanh"), ["_fully_connected_activated"]),
    "softrelu": (sym.Activation(dense, act_type="softrelu"), ["FullyConnected", "Activation"]),
    "read twice": (sym.Group([sym.relu(dense), dense]), ["FullyConnected", "relu"]),
}


@pytest.mark.parametrize("name", DENSES)
def test_activates_dense_layers(name: str) -> None:
    net, expected = DENSES[name]
    assert _ops(rewrite(net._heads, [activate_dense])) == expected


LOSSES = {
    "loss": (-sym.pick(sym.log_softmax(x), label, keepdims=True), ["_cross_entropy"]),
    "dropped axis": (-sym.pick(sym.log_softmax(x), label), ["log_softmax", "pick", "_mul_scalar"]),
    "temperature": (
        -sym.pick(sym.log_softmax(x, temperature=2.0), label, keepdims=True),
        ["log_softmax", "pick", "_mul_scalar"],
    ),
    "another axis": (
        -sym.pick(sym.log_softmax(x, axis=0), label, axis=0, keepdims=True),
        ["log_softmax", "pick", "_mul_scalar"],
    ),
    "read twice": (
        sym.Group([-sym.pick(y := sym.log_softmax(x), label, keepdims=True), y]),
        ["log_softmax", "pick", "_mul_scalar"],
    ),
}


@pytest.mark.parametrize("name", LOSSES)
def test_fuses_cross_entropy(name: str) -> None:
    net, expected = LOSSES[name]
    assert _ops(rewrite(net._heads, [fuse_cross_entropy])) == expected


def _gradients(net: mx.sym.Symbol, arrays: dict[str, np.ndarray], compiled: bool) -> list[np.ndarray]:
    given = {name: mx.nd.array(value) for name, value in arrays.items()}
    for name, array in given.items():
        if name != "label":
            array.attach_grad()
    op = mx.nd.CachedOp(net)
    if not compiled:
        op.watch_with(lambda *_: None, False)  # a watched graph runs as it is
    with mx.autograd.record():
        results = op.run([given[name] for name in net.list_inputs()])
    mx.autograd.backward(results)
    return [
        *(result.asnumpy() for result in results),
        *(array.grad.asnumpy() for array in given.values() if array.grad is not None),
    ]


@pytest.mark.parametrize("least", [1, 100])  # steps from which on our own gradients are taken
@pytest.mark.parametrize("name", [*POOLS, *DENSES, *LOSSES])
def test_computes_the_same(name: str, least: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(autodiff, "_LEAST_WORTH", least)
    nets = {**POOLS, **DENSES, **LOSSES}
    net = nets[name][0]
    rng = np.random.default_rng(0)
    spatial = "Pooling" in _ops(net._heads)
    shapes = {"x": (2, 3, 8, 8) if spatial else (4, 5)}
    if "label" in net.list_inputs():
        shapes["label"] = (5,) if name == "another axis" else (4,)
    told = dict(zip(net.list_arguments(), net.infer_shape(**shapes)[0]))
    arrays = {key: rng.normal(size=shape) for key, shape in told.items()}
    if "label" in arrays:
        arrays["label"] = rng.integers(0, 4, shapes["label"])
    for found, expected in zip(_gradients(net, arrays, True), _gradients(net, arrays, False), strict=True):
        np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-6)


def test_labels_out_of_range_count_as_the_nearest() -> None:
    net = LOSSES["loss"][0]
    arrays = {"x": np.arange(6.0).reshape(2, 3), "label": np.array([-1, 7])}
    for found, expected in zip(_gradients(net, arrays, True), _gradients(net, arrays, False), strict=True):
        np.testing.assert_allclose(found, expected, rtol=1e-5)
