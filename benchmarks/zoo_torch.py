"""The models of the zoo for plain PyTorch: each operator of their graph becomes the layer that one would write for it.

What comes out is the Python that torch.fx writes from it: a line for each layer, nothing else.
"""

import ast
import json
import operator
from collections import Counter
from pathlib import Path

import inputs
import numpy as np
import torch
from networks import CHECKED, WARM_UP
from networks_torch import Network
from steps_torch import inference
from torch import fx, nn
from workload import Job, Timed
from zoo import LOOPS, asked, side_of

FIXED = -1  # in place of the number of a parameter: one that is 1, whatever value it is given


def _values(node: dict) -> dict:
    """The attributes of an operator, numbers and tuples as such."""
    found = {}
    for name, text in node.get("attrs", {}).items():
        try:
            found[name] = ast.literal_eval(text)
        except ValueError:
            found[name] = text
    return found


def _pooling(kind: str, values: dict) -> nn.Module:
    if values["global_pool"]:
        return nn.AdaptiveAvgPool2d(1) if kind == "avg" else nn.AdaptiveMaxPool2d(1)
    where = {"stride": values["stride"], "padding": values["pad"]}
    where["ceil_mode"] = values["pooling_convention"] == "full"
    if kind == "max":
        return nn.MaxPool2d(values["kernel"], **where)
    return nn.AvgPool2d(values["kernel"], **where, count_include_pad=values["count_include_pad"])


class _Rewrite:
    """A module of torch from the graph of a model.

    Args:
        nodes: of the graph.
        shapes: of the parameters, in Gluon's order.
    """

    def __init__(self, nodes: list[dict], shapes: dict[str, list[int]]) -> None:
        self._nodes, self._shapes = nodes, shapes
        self._numbers = {name: number for number, name in enumerate(shapes)}
        self._readers = Counter(source for node in nodes for source, *_ in node["inputs"])
        self._graph, self._layers = fx.Graph(), nn.Module()
        self.order: list[int] = []  # Gluon's numbers of the parameters, as torch meets them

    def module(self, head: int) -> nn.Module:
        """The module whose result is that of the node `head`."""
        values: dict[int, fx.Node] = {}
        for number, node in enumerate(self._nodes):
            if node["op"] == "null":
                if node["name"] not in self._shapes:
                    values[number] = self._graph.placeholder(node["name"])
                continue
            sources = [source for source, *_ in node["inputs"]]
            parameters = [self._nodes[source]["name"] for source in sources if source not in values]
            arguments = [values[source] for source in sources if source in values]
            values[number] = self._call(node, sources[0], arguments, parameters)
        self._graph.output(values[head])
        return fx.GraphModule(self._layers, self._graph)

    def _call(self, node: dict, source: int, arguments: list[fx.Node], parameters: list[str]) -> fx.Node:
        if node["op"] == "elemwise_add":
            return self._graph.call_function(operator.add, tuple(arguments))
        if node["op"] == "Concat":
            return self._graph.call_function(torch.cat, (arguments, _values(node)["dim"]))
        self.order += [self._numbers[name] for name in parameters]
        x = arguments[0]
        for place, layer in enumerate(self._written(node, source, parameters)):
            name = f"{node['name'].replace('.', '_')}_{place}"
            self._layers.add_module(name, layer)
            x = self._graph.call_module(name, (x,))
        return x

    def _written(self, node: dict, source: int, parameters: list[str]) -> list[nn.Module]:
        """The layers that stand for an operator."""
        values = _values(node)
        shape = self._shapes[parameters[0]] if parameters else []
        match node["op"]:
            case "Convolution":
                groups, where = values["num_group"], (values["kernel"], values["stride"], values["pad"])
                bias = not values["no_bias"]
                return [nn.Conv2d(shape[1] * groups, shape[0], *where, values["dilate"], groups, bias=bias)]
            case "BatchNorm":
                if values["fix_gamma"]:
                    self.order[-len(parameters)] = FIXED
                return [nn.BatchNorm2d(shape[0], values["eps"])]
            case "FullyConnected":
                return [nn.Flatten(), nn.Linear(shape[1], shape[0], bias=not values["no_bias"])]
            case "Pooling":
                return [_pooling(values["pool_type"], values)]
            case "Activation" if values["act_type"] == "relu":
                return [nn.ReLU(inplace=self._is_read_once(source))]
            case "clip" if (values["a_min"], values["a_max"]) == (0, 6):
                return [nn.ReLU6(inplace=self._is_read_once(source))]
            case "Flatten":
                return [nn.Flatten()]
            case "Dropout":
                return [nn.Dropout(values["p"])]
        raise ValueError(f"no layer for {node['op']} with {values}")

    def _is_read_once(self, source: int) -> bool:
        """Whether what is read may be written over."""
        return self._readers[source] == 1 and self._nodes[source]["op"] != "null"

    def fill(self, number: int, shape, kind: str) -> np.ndarray:
        """What a parameter begins with, by its number among torch's."""
        place = self.order[number]
        return np.ones(shape, "float32") if place == FIXED else inputs.parameter(place, shape, kind)


def network(model: str, path: str) -> Network:
    """A model, from the file with its graph."""
    found = json.loads(Path(path).read_text(encoding="utf-8"))
    graph = json.loads(found["graph"])
    rewrite = _Rewrite(graph["nodes"], found["shapes"])
    module = rewrite.module(graph["heads"][0][0])
    side = side_of(model)
    return Network(module, [torch.tensor(inputs.images(1, 3, side, side))], fill=rewrite.fill)


def _job(argument: str) -> Job:
    model, mode, path = asked(argument)
    return Job(inference(network(model, path), mode), loops=LOOPS, warm_up=WARM_UP, checked=CHECKED)


WORKLOADS = {"zoo": Timed(_job)}
