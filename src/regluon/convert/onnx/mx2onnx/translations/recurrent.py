"""Recurrent networks: one ONNX node for each layer."""

from typing import Any

import numpy as np

from .....kernels.recurrent_layout import parameter_layout
from ..call import Call
from ..table import Untranslatable, translates

# ONNX's order of the gates, as places in MXNet's.
_GATES = {"lstm": (0, 3, 1, 2), "gru": (1, 0, 2), "rnn_tanh": (0,), "rnn_relu": (0,)}
_OPERATORS = {"lstm": "LSTM", "gru": "GRU", "rnn_tanh": "RNN", "rnn_relu": "RNN"}


@translates("RNN")
def rnn(call: Call) -> list[str]:
    """LSTM, GRU or RNN, layer by layer; ONNX joins directions on an axis of their own."""
    params, mode = call.params, call.params["mode"]
    if params["projection_size"] or params["lstm_state_clip_min"] is not None:
        raise Untranslatable("projection_size and lstm_state_clip_min have no counterpart")
    weights = _weights(call)
    data = call.x
    lengths = call.input("sequence_length")
    steps = call.cast(lengths, "int32") if lengths else ""
    last: list[list[str]] = []
    for layer in range(params["num_layers"]):
        states = [_initial(call, name, layer) for name in (("state", "state_cell") if mode == "lstm" else ("state",))]
        outputs, *after = call.ops(
            _OPERATORS[mode], 3 if mode == "lstm" else 2, data, *weights[layer], steps, *states, **_attrs(params)
        )
        last.append(after)
        # (time, directions, batch, size) to (time, batch, directions * size)
        data = call.op("Reshape", call.op("Transpose", outputs, perm=[0, 2, 1, 3]), call.ints(0, 0, -1))
    finals = [call.op("Concat", *each, axis=0) if len(each) > 1 else each[0] for each in zip(*last, strict=True)]
    return [data, *finals][: call.node.num_outputs]


def _attrs(params: dict[str, Any]) -> dict[str, Any]:
    sides = 2 if params["bidirectional"] else 1
    attrs: dict[str, Any] = {
        "hidden_size": params["state_size"],
        "direction": "bidirectional" if sides == 2 else "forward",
    }
    if params["mode"] == "gru":
        attrs["linear_before_reset"] = 1
    elif params["mode"] != "lstm":
        attrs["activations"] = ["Relu" if params["mode"] == "rnn_relu" else "Tanh"] * sides
    return attrs


def _weights(call: Call) -> list[list[str]]:
    """Of each layer the weights for the input, those for the state, and the biases, as ONNX orders them."""
    params, mode = call.params, call.params["mode"]
    vector = call.value(call.inputs[1])
    if vector is None:
        raise Untranslatable("has parameters that are computed; expected constants")
    size, sides = params["state_size"], "lr" if params["bidirectional"] else "l"
    layout = parameter_layout(mode, call.length(2), size, params["num_layers"], params["bidirectional"])
    pieces = {
        piece.name: vector[piece.offset : piece.offset + int(np.prod(piece.shape))].reshape(piece.shape)
        for piece in layout
    }

    def ordered(name: str) -> np.ndarray:
        rows = pieces[name]
        return np.concatenate([rows[gate * size : (gate + 1) * size] for gate in _GATES[mode]])

    layers = []
    for layer in range(params["num_layers"]):
        names = [f"{side}{layer}" for side in sides]
        inputs = np.stack([ordered(f"{name}_i2h_weight") for name in names])
        states = np.stack([ordered(f"{name}_h2h_weight") for name in names])
        both = [np.concatenate([ordered(f"{name}_i2h_bias"), ordered(f"{name}_h2h_bias")]) for name in names]
        layers.append([call.constant(each) for each in (inputs, states, np.stack(both))])
    return layers


def _initial(call: Call, name: str, layer: int) -> str:
    """The state before the first step; nothing where it is zero."""
    place = call.node.input_names.index(name)
    source = call.node.inputs[place].node
    if source.op_name in ("_zeros", "zeros_like"):
        return ""
    sides = 2 if call.params["bidirectional"] else 1
    begin, end = call.ints(layer * sides), call.ints((layer + 1) * sides)
    return call.op("Slice", call.inputs[place], begin, end, call.ints(0))
