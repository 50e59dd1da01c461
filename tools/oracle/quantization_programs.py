"""Networks and calls for quantization; they run with whichever library is installed."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import numpy as np

import mxnet as mx
from mxnet import sym
from mxnet.contrib import quantization


def mlp() -> Any:
    x = sym.FullyConnected(sym.var("data"), num_hidden=16, name="fc1")
    x = sym.Activation(x, act_type="relu", name="relu1")
    x = sym.FullyConnected(sym.Dropout(x, name="drop1"), num_hidden=12, no_bias=True, name="fc2")
    x = sym.Activation(x, act_type="tanh", name="tanh2")
    return sym.SoftmaxOutput(sym.FullyConnected(x, num_hidden=4, name="fc3"), name="softmax")


def lenet() -> Any:
    x = sym.var("data")
    for layer, count in enumerate((6, 8), 1):
        x = sym.Convolution(x, kernel=(3, 3), num_filter=count, name=f"conv{layer}")
        x = sym.Activation(x, act_type="relu", name=f"relu{layer}")
        x = sym.Pooling(x, kernel=(2, 2), stride=(2, 2), pool_type="max", name=f"pool{layer}")
    x = sym.FullyConnected(sym.Flatten(x, name="flatten"), num_hidden=10, name="fc1")
    x = sym.FullyConnected(sym.Activation(x, act_type="relu", name="relu3"), num_hidden=4, name="fc2")
    return sym.SoftmaxOutput(x, name="softmax")


def _normalized(x: Any, count: int, name: str, relu: bool = True, **options: Any) -> Any:
    x = sym.Convolution(x, kernel=(3, 3), pad=(1, 1), num_filter=count, no_bias=True, name=f"{name}_conv", **options)
    x = sym.BatchNorm(x, fix_gamma=False, name=f"{name}_bn")
    return sym.Activation(x, act_type="relu", name=f"{name}_relu") if relu else x


def residual() -> Any:
    x = _normalized(sym.var("data"), 8, "stem")
    for block in range(2):
        inner = _normalized(_normalized(x, 8, f"block{block}_a"), 8, f"block{block}_b", relu=False)
        x = sym.Activation(sym.elemwise_add(x, inner, name=f"sum{block}"), act_type="relu", name=f"relu{block}")
    x = sym.Pooling(x, global_pool=True, pool_type="avg", kernel=(1, 1), name="pool")
    return sym.SoftmaxOutput(sym.FullyConnected(x, num_hidden=4, name="fc"), name="softmax")


def depthwise() -> Any:
    x = sym.clip(_normalized(sym.var("data"), 8, "stem", relu=False), 0, 6, name="relu6_0")
    x = sym.clip(_normalized(x, 8, "depth", relu=False, num_group=8), 0, 6, name="relu6_1")
    x = sym.Convolution(x, kernel=(1, 1), num_filter=4, name="point")
    x = sym.concat(x, sym.relu(x, name="relu"), dim=1, name="join")
    x = sym.Pooling(x, kernel=(2, 2), pool_type="avg", name="pool")
    return sym.SoftmaxOutput(sym.FullyConnected(x, num_hidden=4, name="fc"), name="softmax")


def mixed() -> Any:
    """Operators with several outputs, shared results, results that are also heads, parameters outside of layers."""
    data, weight = sym.var("data"), sym.var("shared_weight")
    parts = sym.SliceChannel(data, num_outputs=3, name="parts")
    left = sym.Convolution(parts[0], weight=weight, kernel=(3, 3), num_filter=4, no_bias=True, name="left")
    right = sym.Convolution(parts[2], weight=weight, kernel=(3, 3), num_filter=4, no_bias=True, name="right")
    product = sym.elemwise_mul(left, sym.Activation(right, act_type="relu", name="relu"), name="product")
    total = sym.elemwise_add(product, sym.exp(left, name="exp"), name="total")
    scores = sym.FullyConnected(
        sym.Pooling(total, kernel=(6, 6), pool_type="max", name="pool"), num_hidden=4, name="fc"
    )
    return sym.Group([sym.SoftmaxOutput(scores, name="softmax"), sym.BlockGrad(right, name="block")])


NETWORKS: dict[str, Callable[[], Any]] = {
    "mlp": mlp,
    "lenet": lenet,
    "residual": residual,
    "depthwise": depthwise,
    "mixed": mixed,
}
SHAPES = {"mlp": (4, 10)}
IMAGES = (4, 3, 10, 10)


def _numbers(shape: tuple[int, ...], seed: int) -> Any:
    """Thirds between -2 and 2: products and sums of so few digits are nearly the same in every order."""
    return (np.random.RandomState(seed).randint(-60, 61, shape) / 32).astype(np.float32)


def parameters(network: Any, shape: tuple[int, ...]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Parameters and states of a network, always the same."""
    shapes, _, state_shapes = network.infer_shape(data=shape)
    args = {
        name: mx.nd.array(_numbers(found, place) / 4)
        for place, (name, found) in enumerate(zip(network.list_arguments(), shapes))
        if name not in ("data", "softmax_label")
    }
    states = zip(network.list_auxiliary_states(), state_shapes)
    return args, {name: mx.nd.array(np.abs(_numbers(found, 90)) / 2 + 0.25) for name, found in states}


def graph(symbol: Any) -> Any:
    """Nodes of a graph with names, attributes and edges, and its heads."""
    saved = json.loads(symbol.tojson())
    nodes = [[each["op"], each["name"], each.get("attrs", {}), each["inputs"]] for each in saved["nodes"]]
    return {"nodes": nodes, "heads": saved["heads"]}


def quantized(name: str, **options: Any) -> dict[str, Any]:
    """What becomes of a network: its graph and its parameters."""
    network, shape = NETWORKS[name](), SHAPES.get(name, IMAGES)
    args, auxs = parameters(network, shape)
    data = _numbers((12, *shape[1:]), 77)
    batches = mx.io.NDArrayIter(data, np.zeros(12, np.float32), batch_size=4)
    qsym, qargs, qauxs = quantization.quantize_model(network, args, auxs, calib_data=batches, **options)
    return {
        "graph": graph(qsym),
        "params": {key: _digest(value) for key, value in sorted(qargs.items())},
        "states": sorted(qauxs),
    }


def _digest(array: Any) -> Any:
    """Dtype and shape of an array, and numbers that sum it up."""
    values = array.asnumpy()
    wide = values.astype(np.float64)
    return [str(values.dtype), list(values.shape), round(float(wide.sum()), 4), round(float(np.abs(wide).sum()), 4)]


def calls() -> dict[str, tuple[str, dict[str, Any]]]:
    """Networks to quantize, and how, by the name of the record."""
    found: dict[str, tuple[str, dict[str, Any]]] = {}
    for name in NETWORKS:
        found[f"{name} smart int8"] = name, {"calib_mode": "naive", "quantize_mode": "smart"}
        found[f"{name} full auto"] = (
            name,
            {
                "calib_mode": "naive",
                "quantize_mode": "full",
                "quantized_dtype": "auto",
            },
        )
    found["mlp entropy"] = "mlp", {"calib_mode": "entropy", "quantized_dtype": "auto"}
    found["lenet none uint8"] = "lenet", {"calib_mode": "none", "quantized_dtype": "uint8"}
    found["lenet excluded"] = (
        "lenet",
        {
            "calib_mode": "naive",
            "excluded_sym_names": ["conv1", "pool2"],
            "excluded_op_names": ["FullyConnected"],
            "quantize_mode": "full",
        },
    )
    found["residual few"] = "residual", {"calib_mode": "naive", "num_calib_examples": 5}
    found["mlp channels"] = "mlp", {"calib_mode": "naive", "quantize_granularity": "channel-wise"}
    return found


def predictions(name: str, **options: Any) -> list[Any]:
    """Results of a quantized network."""
    network, shape = NETWORKS[name](), SHAPES.get(name, IMAGES)
    args, auxs = parameters(network, shape)
    batches = mx.io.NDArrayIter(_numbers((12, *shape[1:]), 77), np.zeros(12, np.float32), batch_size=4)
    qsym, qargs, qauxs = quantization.quantize_model(network, args, auxs, calib_data=batches, **options)
    inputs = {"data": mx.nd.array(_numbers(shape, 78)), "softmax_label": mx.nd.zeros((shape[0],))}
    missing = [each for each in qsym.list_arguments() if each not in qargs and each not in inputs]
    assert not missing, missing
    executor = qsym.bind(mx.cpu(), {**qargs, **inputs}, aux_states=qauxs, grad_req="null")
    rows = executor.forward(is_train=False)[0].asnumpy().round(5)
    found: list[Any] = rows.tolist()
    return found


def runs() -> dict[str, dict[str, Any]]:
    """Networks to run, and how they are quantized. On a CPU a convolution of MXNet takes uint8 only."""
    return {
        "mlp": {"calib_mode": "naive", "quantized_dtype": "auto"},
        "lenet": {"calib_mode": "naive", "quantized_dtype": "uint8", "excluded_op_names": ["Activation"]},
    }


def histograms() -> list[Any]:
    """Sums of histograms, as they grow."""
    found = []
    arrays = [_numbers((50,), seed) * scale for seed, scale in ((1, 1), (2, 0.5), (3, 2.0), (4, 2.01))]
    counts, edges = np.histogram(arrays[0], bins=101, range=(-2, 2))
    state: Any = (counts, edges, arrays[0].min(), arrays[0].max(), 2)
    for array in arrays[1:]:
        reach = max(abs(array.min()), abs(array.max()))
        state = quantization.combine_histogram(state, array, array.min(), array.max(), reach)
        found.append([state[0].tolist(), [round(float(each), 5) for each in (state[1][0], *state[2:])]])
    return found
