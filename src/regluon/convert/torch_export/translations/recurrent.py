"""Recurrent layers."""

from typing import Any

import regluon.symbol

from ..node import AtenNode
from ..problems import NotConvertible
from ..table import translates

S: Any = regluon.symbol
_MODES = {"lstm": "lstm", "gru": "gru", "rnn_tanh": "rnn_tanh", "rnn_relu": "rnn_relu"}
_KINDS = 4  # of arrays of a layer: two weights, two biases


@translates(*(f"{name}.input" for name in _MODES))
def recurrent(node: AtenNode) -> Any:
    """RNN; the gates have the same order."""
    mode = _MODES[str(node.target).split(".")[1]]
    if node["train"] and node["dropout"]:
        raise NotConvertible("it drops elements, as in training; export after module.eval()")
    if len(node.lengths("input")) != 3:
        raise NotConvertible("its data have no batch; add one with unsqueeze before it")
    states = node.symbols("hx") if mode == "lstm" else [node.symbol("hx")]
    size = node["params"][1].meta["val"].shape[1]
    data = node.symbol("input")
    if node["batch_first"]:
        data = S.swapaxes(data, dim1=0, dim2=1)
    found = S.RNN(
        data,
        _packed(node),
        *states,
        state_size=int(size),
        num_layers=node["num_layers"],
        bidirectional=bool(node["bidirectional"]),
        mode=mode,
        state_outputs=True,
    )
    outputs = list(found)
    if node["batch_first"]:
        outputs[0] = S.swapaxes(outputs[0], dim1=0, dim2=1)
    return outputs


def _packed(node: AtenNode) -> Any:
    """All parameters as one row: the weights of all layers, then the biases."""
    params, symbols = node["params"], node.symbols("params")
    if not node["has_biases"]:
        raise NotConvertible("it has no biases, which MXNet's RNN cannot do without; make the layer with bias=True")
    count = node["num_layers"] * (2 if node["bidirectional"] else 1)
    if len(params) != _KINDS * count:
        raise NotConvertible("it projects its states; MXNet's RNN does that in another order")
    layers = [symbols[start : start + _KINDS] for start in range(0, len(symbols), _KINDS)]
    weights = [each for layer in layers for each in layer[:2]]
    biases = [each for layer in layers for each in layer[2:]]
    rows = [S.Reshape(each, shape=(-1,)) for each in weights]
    return S.Concat(*rows, *biases, dim=0)
