"""Build a PyTorch module from the graph of a Gluon network: each operator becomes the layer that one would write.

The result is a torch.fx.GraphModule, whose code has one line per layer.
"""

import ast
import json
import operator
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import inputs
import numpy as np
import torch
from torch import fx, nn

FIXED = -1  # instead of the number of a parameter that stays 1 (BatchNorm with fix_gamma)


def _values(node: dict) -> dict:
    """Return the attributes of an operator, with numbers and tuples parsed."""
    found = {}
    for name, text in node.get("attrs", {}).items():
        try:
            found[name] = ast.literal_eval(text)
        except ValueError:
            found[name] = text
    return found


CONVOLUTIONS = {1: nn.Conv1d, 2: nn.Conv2d}
TRANSPOSED = {1: nn.ConvTranspose1d, 2: nn.ConvTranspose2d}
GLOBAL_POOLING = {
    ("avg", 1): nn.AdaptiveAvgPool1d,
    ("avg", 2): nn.AdaptiveAvgPool2d,
    ("max", 1): nn.AdaptiveMaxPool1d,
    ("max", 2): nn.AdaptiveMaxPool2d,
}
POOLING = {
    ("avg", 1): nn.AvgPool1d,
    ("avg", 2): nn.AvgPool2d,
    ("max", 1): nn.MaxPool1d,
    ("max", 2): nn.MaxPool2d,
}
# Operators without a layer: functions of the inputs and of the operator's attributes.
FUNCTIONS: dict[str, Callable[[list[fx.Node], dict], tuple[Callable, tuple]]] = {
    "elemwise_add": lambda nodes, values: (operator.add, tuple(nodes)),
    "Concat": lambda nodes, values: (torch.cat, (nodes, values["dim"])),
    "SwapAxis": lambda nodes, values: (torch.transpose, (*nodes, values["dim1"], values["dim2"])),
    "mean": lambda nodes, values: (torch.mean, (*nodes, values["axis"])),
}


def _pooling(values: dict) -> nn.Module:
    kind = values["pool_type"], len(values["kernel"])
    if values["global_pool"]:
        return GLOBAL_POOLING[kind](1)
    where = {"stride": values["stride"], "padding": values["pad"]}
    where["ceil_mode"] = values["pooling_convention"] == "full"
    if kind[0] == "avg":
        where["count_include_pad"] = values["count_include_pad"]
    return POOLING[kind](values["kernel"], **where)


def _transposed(shape: list[int], values: dict) -> nn.Module:
    groups, bias = values["num_group"], not values["no_bias"]
    where = (values["kernel"], values["stride"], values["pad"], values["adj"], groups, bias, values["dilate"])
    return TRANSPOSED[len(values["kernel"])](shape[0], shape[1] * groups, *where)


def _recurrent(shape: list[int], values: dict) -> nn.Module:
    layer = {"gru": nn.GRU, "lstm": nn.LSTM}[values["mode"]]
    return layer(shape[1], values["state_size"], values["num_layers"], bidirectional=values["bidirectional"])


class _Rewrite:
    """Rewrite the graph of a network as a module.

    Args:
        nodes: operators of the graph.
        shapes: shapes of the parameters, in Gluon's order.
        is_image: whether the input has two dimensions besides batch and channels.
    """

    def __init__(self, nodes: list[dict], shapes: dict[str, list[int]], is_image: bool) -> None:
        self._nodes, self._shapes = nodes, shapes
        self._norm = nn.BatchNorm2d if is_image else nn.BatchNorm1d
        self._numbers = {name: number for number, name in enumerate(shapes)}
        self._readers = Counter(source for node in nodes for source, *_ in node["inputs"])
        self._graph, self._layers = fx.Graph(), nn.Module()
        self.order: list[int] = []  # Gluon's numbers of the parameters in torch's order

    def module(self, head: int) -> nn.Module:
        """Return the module whose output is that of the node `head`."""
        values: dict[int, fx.Node] = {}
        parameters: dict[int, list[str]] = {}  # names of the parameters of nodes that depend on parameters alone
        for number, node in enumerate(self._nodes):
            sources = [source for source, *_ in node["inputs"]]
            own = [name for source in sources for name in parameters.get(source, [])]
            if node["op"] == "null" and node["name"] not in self._shapes:
                values[number] = self._graph.placeholder(node["name"])
            elif node["op"] == "null":
                parameters[number] = [node["name"]]
            elif not any(source in values for source in sources):  # part of a layer of torch
                parameters[number] = own
            else:
                arguments = [values[source] for source in sources if source in values]
                values[number] = self._call(node, sources[0], arguments, own)
        self._graph.output(values[head])
        return fx.GraphModule(self._layers, self._graph)

    def _call(self, node: dict, source: int, arguments: list[fx.Node], parameters: list[str]) -> fx.Node:
        if node["op"] == "_copy":
            return arguments[0]
        if node["op"] in FUNCTIONS:
            return self._graph.call_function(*FUNCTIONS[node["op"]](arguments, _values(node)))
        # Sorted: an RNN reads all weights before all biases; Gluon and torch have them layer by layer.
        self.order += sorted(self._numbers[name] for name in parameters)
        x = arguments[0]
        for place, layer in enumerate(self._layers_for(node, source, parameters)):
            name = f"{node['name'].replace('.', '_')}_{place}"
            self._layers.add_module(name, layer)
            x = self._graph.call_module(name, (x,))
        return self._graph.call_function(operator.getitem, (x, 0)) if node["op"] == "RNN" else x

    def _layers_for(self, node: dict, source: int, parameters: list[str]) -> list[nn.Module]:
        """Return the layers that replace an operator."""
        values = _values(node)
        shape = self._shapes[parameters[0]] if parameters else []
        match node["op"]:
            case "Convolution":
                groups, where = values["num_group"], (values["kernel"], values["stride"], values["pad"])
                layer, bias = CONVOLUTIONS[len(values["kernel"])], not values["no_bias"]
                return [layer(shape[1] * groups, shape[0], *where, values["dilate"], groups, bias=bias)]
            case "Deconvolution":
                return [_transposed(shape, values)]
            case "RNN":
                return [_recurrent(shape, values)]
            case "Embedding":
                return [nn.Embedding(*shape)]
            case "BatchNorm":
                if values["fix_gamma"]:
                    self.order[-len(parameters)] = FIXED
                return [self._norm(shape[0], values["eps"])]
            case "FullyConnected":
                return [nn.Flatten(), nn.Linear(shape[1], shape[0], bias=not values["no_bias"])]
            case "Pooling":
                return [_pooling(values)]
            case "Activation" if values["act_type"] == "relu":
                return [nn.ReLU(inplace=self._is_read_once(source))]
            case "LeakyReLU" if values["act_type"] == "elu":
                return [nn.ELU(values["slope"])]
            case "clip" if (values["a_min"], values["a_max"]) == (0, 6):
                return [nn.ReLU6(inplace=self._is_read_once(source))]
            case "Flatten":
                return [nn.Flatten()]
            case "Dropout":
                return [nn.Dropout(values["p"])]
        raise ValueError(f"no layer for {node['op']} with {values}")

    def _is_read_once(self, source: int) -> bool:
        """Return whether a layer may overwrite its input."""
        return self._readers[source] == 1 and self._nodes[source]["op"] not in ("null", "_copy")

    def fill(self, number: int, shape, kind: str) -> np.ndarray:
        """Return the initial value of a parameter by its number in torch's order."""
        place = self.order[number]
        return np.ones(shape, "float32") if place == FIXED else inputs.uniform(place, shape, kind)


def load(path: str, is_image: bool) -> tuple[nn.Module, Callable[[int, tuple[int, ...], str], np.ndarray]]:
    """Return the network in a file of the task `graph`, and the function that fills its parameters.

    Args:
        path: the file.
        is_image: whether the input has two dimensions besides batch and channels.
    """
    found = json.loads(Path(path).read_text(encoding="utf-8"))
    graph = json.loads(found["graph"])
    rewrite = _Rewrite(graph["nodes"], found["shapes"], is_image)
    return rewrite.module(graph["heads"][0][0]), rewrite.fill
