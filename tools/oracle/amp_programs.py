"""Networks and calls for automatic mixed precision; they run with whichever library is installed."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import numpy as np

import mxnet as mx
from mxnet import autograd, gluon, sym
from mxnet.contrib import amp


def conv_net() -> Any:
    x = sym.Convolution(sym.var("data"), kernel=(3, 3), num_filter=4, name="conv1")
    x = sym.Activation(sym.BatchNorm(x, name="bn1"), act_type="relu", name="relu1")
    x = x + sym.Convolution(x, kernel=(1, 1), num_filter=4, name="conv2")
    x = sym.Activation(sym.Pooling(x, kernel=(2, 2), pool_type="max", name="pool1"), act_type="softrelu", name="act1")
    return sym.SoftmaxOutput(sym.FullyConnected(x, num_hidden=3, name="fc1"), name="softmax")


def dense_net() -> Any:
    data = sym.var("data")
    x = sym.Dropout(sym.relu(sym.FullyConnected(data, num_hidden=8, name="fc1"), name="relu1"), name="drop1")
    x = sym.LayerNorm(x * 0.5, name="norm1")
    side = sym.exp(sym.FullyConnected(data, num_hidden=8, name="fc2"), name="exp1")
    return sym.FullyConnected(sym.concat(x, side, name="concat1"), num_hidden=2, name="fc3")


def recurrent_net() -> Any:
    states = [sym.var("state"), sym.var("cell")]
    embedded = sym.Embedding(sym.var("data"), sym.var("table"), input_dim=9, output_dim=4, name="embed")
    out = sym.RNN(
        embedded,
        sym.var("rnn_params"),
        *states,
        mode="lstm",
        state_size=3,
        num_layers=1,
        state_outputs=True,
        name="rnn",
    )
    scores = sym.FullyConnected(out[0], num_hidden=9, flatten=False, name="fc")
    return sym.Group([sym.log_softmax(scores, name="scores"), out[1], out[2]])


def mixed_net() -> Any:
    data, other = sym.var("data"), sym.var("other")
    low = sym.FullyConnected(data, num_hidden=3, no_bias=True, name="fc")
    unknown = sym.relu(other, name="relu")
    parts = sym.SliceChannel(sym.broadcast_add(low, other, name="sum1"), num_outputs=3, name="parts")
    return sym.Group(
        [
            sym.add_n(low, sym.exp(other, name="exp"), name="sum2"),
            sym.broadcast_mul(low, unknown, name="product"),
            sym.slice_like(low, unknown, name="cut"),
            sym.exp(parts[1], name="exp2"),
            sym.cast(low, dtype="float32", name="cast"),
            data,
        ]
    )


NETWORKS: dict[str, Callable[[], Any]] = {
    "conv": conv_net,
    "dense": dense_net,
    "recurrent": recurrent_net,
    "mixed": mixed_net,
}
DATA = {
    "conv": ["data", "softmax_label"],
    "dense": ["data"],
    "recurrent": ["data", "state", "cell"],
    "mixed": ["data", "other"],
}
# Arguments of convert_symbol beside the network.
WAYS: dict[str, dict[str, Any]] = {
    "float16": {},
    "bfloat16": {"target_dtype": "bfloat16"},
    "params": {"cast_optional_params": True},
    "own lists": {
        "target_dtype_ops": ["FullyConnected", "Pooling"],
        "fp32_ops": ["RNN", "relu"],
        "conditional_fp32_ops": [("Activation", "act_type", ["relu"])],
        "excluded_sym_names": ["fc1", "fc"],
    },
}


def conversions() -> dict[str, tuple[str, dict[str, Any]]]:
    """Networks and arguments by name."""
    found = {
        f"{name}, {way}": (name, {**given, "data_names": DATA[name]})
        for name in NETWORKS
        for way, given in WAYS.items()
    }
    return {**found, **{f"{name}, all data": (name, {}) for name in ("conv", "dense")}}


def graph(symbol: Any) -> dict[str, Any]:
    """The nodes of a graph: operator, name, what it says of dtypes, and its inputs by name; and its outputs."""
    text = json.loads(symbol.tojson(remove_amp_cast=False))
    nodes = text["nodes"]

    def named(entry: list[int]) -> list[Any]:
        return [nodes[entry[0]]["name"], entry[1]]

    listed = [
        [
            node["op"],
            node["name"],
            {key: node["attrs"][key] for key in ("dtype", "__dtype__", "num_outputs") if key in node.get("attrs", {})},
            [named(entry) for entry in node["inputs"]],
        ]
        for node in nodes
    ]
    return {"nodes": listed, "heads": [named(entry) for entry in text["heads"]]}


def converted(name: str, given: dict[str, Any]) -> dict[str, Any]:
    with mx.name.NameManager():
        return graph(amp.convert_symbol(NETWORKS[name](), **given))


def composed(name: str) -> dict[str, Any]:
    """The graph that a network's own code makes once `amp.init` was called."""
    with mx.name.NameManager():
        return graph(NETWORKS[name]())


def scaler_history() -> list[list[Any]]:
    """What a scaler answers to gradients, some of which overflow, and where it stands after each."""
    parameter = gluon.Parameter("weight", shape=(2,))
    parameter.initialize(ctx=mx.cpu())
    scaler = amp.loss_scaler.LossScaler()
    scaler._scale_seq_len = 3
    history = []
    for value in (1, 1, 1, 1, np.inf, 1, np.nan, np.inf, 1, 1, 1, 1):
        parameter.grad()[:] = value
        answer = scaler.has_overflow([parameter])
        history.append([answer, scaler.loss_scale, scaler._next_loss_scale, scaler._unskipped])
    return history


def training_history() -> list[list[float]]:
    """The weights of a trainer after each step, the scale of its gradients, and their gradients; one step overflows."""
    parameter = gluon.Parameter("weight", shape=(3,), init="ones")
    parameter.initialize(ctx=mx.cpu())
    trainer = gluon.Trainer([parameter], "sgd", {"learning_rate": 0.5, "momentum": 0.5})
    amp.init_trainer(trainer)
    history = []
    for number, factor in enumerate((1.0, 2.0, 1e36, 3.0, -1.0)):
        with autograd.record():
            loss = (parameter.data() * mx.nd.array([1.0, factor, 0.25])).sum()
            with amp.scale_loss(loss, trainer) as scaled:
                autograd.backward(scaled)
        if number == 3:
            amp.unscale(trainer)
        gradient = parameter.grad().asnumpy().tolist()
        trainer.step(2)
        history.append([*parameter.data().asnumpy().tolist(), trainer._scale, *gradient])
    return history
