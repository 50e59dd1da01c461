"""Fused layers in 8 bits give what the operators they stand for give."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import mxnet as mx
from mxnet.contrib import quantization
from mxnet.symbol import Symbol
from regluon.compiler.passes.quantized import fuse_quantized
from regluon.graph.node import in_order

sym = mx.sym
LAYER, REAL = "_quantized_layer", "_quantized_layer_to_real"


def _conv(x: Any, name: str = "conv", **params: Any) -> Any:
    return sym.Convolution(x, kernel=(3, 3), num_filter=4, pad=(1, 1), no_bias=True, name=name, **params)


def _norm(x: Any, name: str = "norm") -> Any:
    return sym.BatchNorm(x, fix_gamma=False, name=name)


def _relu(x: Any) -> Any:
    return sym.Activation(x, act_type="relu")


def _residual(x: Any) -> Any:
    x = _relu(_norm(_conv(x, "a"), "norm_a"))
    return _relu(sym.elemwise_add(_norm(_conv(x, "b"), "norm_b"), x))


NETWORKS: dict[str, tuple[Callable[[Any], Any], list[str]]] = {
    "alone": (_conv, [REAL]),
    "bias": (lambda x: sym.Convolution(x, kernel=(3, 3), num_filter=4, name="conv"), [REAL]),
    "groups": (lambda x: _conv(x, num_group=4), [REAL]),
    "normalized": (lambda x: _norm(_conv(x)), [REAL]),
    "relu": (lambda x: _conv(_relu(_norm(_conv(x, "a"))), "b"), [LAYER, REAL]),
    "relu6": (lambda x: _conv(sym.clip(_norm(_conv(x, "a")), 0, 6), "b"), [LAYER, REAL]),
    "residual": (_residual, [LAYER, LAYER, "_contrib_dequantize"]),
    "read twice": (lambda x: sym.Group([_relu(c := _conv(x)), c]), [LAYER, "_contrib_quantized_act"]),
    "pooled": (
        lambda x: _conv(sym.Pooling(_relu(_conv(x, "a")), kernel=(2, 2), stride=(2, 2)), "b"),
        [LAYER, "_contrib_quantized_pooling", REAL],
    ),
    "dense": (
        lambda x: sym.FullyConnected(_relu(sym.FullyConnected(x, num_hidden=6, name="a")), num_hidden=3, name="b"),
        ["_quantized_rows", LAYER, "_quantized_rows", REAL],
    ),
    "channels last": (lambda x: sym.FullyConnected(x, num_hidden=3, flatten=False, name="a"), ["_contrib_requantize"]),
}


def _quantized(
    make: Callable[[Any], Any], calib_mode: str = "naive"
) -> tuple[Any, dict[str, Any], dict[str, Any], Any]:
    net, rng = make(sym.var("data")), np.random.default_rng(0)
    shapes, _, state_shapes = net.infer_shape(data=(8, 4, 8, 8))
    args = {
        name: mx.nd.array(rng.normal(size=shape) * 0.5)
        for name, shape in zip(net.list_arguments(), shapes, strict=True)
        if name != "data"
    }
    states = zip(net.list_auxiliary_states(), state_shapes, strict=True)
    auxs = {name: mx.nd.array(rng.uniform(0.5, 1.5, shape)) for name, shape in states}
    data = rng.normal(size=(8, 4, 8, 8)).astype(np.float32)
    batches = mx.io.NDArrayIter(data, batch_size=8)
    qsym, qargs, qauxs = quantization.quantize_model(
        net, args, auxs, label_names=None, calib_data=batches, calib_mode=calib_mode, quantize_mode="full"
    )
    return qsym, {**qargs, "data": mx.nd.array(data)}, qauxs, net


def _run(net: Any, args: dict[str, Any], auxs: dict[str, Any]) -> list[np.ndarray[Any, Any]]:
    return [each.asnumpy() for each in net.bind(mx.cpu(), args, aux_states=auxs, grad_req="null").forward()]


@pytest.mark.parametrize("name", NETWORKS)
def test_gives_the_same(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    make, expected = NETWORKS[name]
    qsym, args, auxs, _ = _quantized(make)
    heads = fuse_quantized(qsym._heads)
    ops = [node.op_name for node in in_order(heads) if not node.is_variable]
    ops = [op for op in ops if op not in ("_packed_quantized_layer", "_contrib_quantize_v2")]
    assert [op for op in ops if op in expected] == expected
    if "channels last" not in name:
        assert not {"_contrib_quantized_conv", "_contrib_quantized_fully_connected"} & set(ops)
    found = _run(qsym, args, auxs)
    monkeypatch.setenv("MXNET_USE_FUSION", "0")
    single = _run(Symbol(qsym._heads), args, auxs)
    for one, other in zip(found, single, strict=True):
        level = np.abs(other).max() / 127
        # One level for each rounding that the other way does in between.
        assert np.abs(one - other).max() <= (1 if name in ("alone", "bias", "groups") else 4) * level
        assert np.abs(one - other).mean() <= 0.6 * level


def test_layers_without_calibration_stay() -> None:
    qsym, args, auxs, _ = _quantized(lambda x: _relu(_conv(x)), "none")
    assert fuse_quantized(qsym._heads) == qsym._heads
    assert _run(qsym, args, auxs)[0].shape == (8, 4, 8, 8)


def test_fusing_can_be_switched_off(monkeypatch: pytest.MonkeyPatch) -> None:
    qsym, *_ = _quantized(_conv)
    monkeypatch.setenv("MXNET_USE_FUSION", "0")
    assert fuse_quantized(qsym._heads) == qsym._heads
