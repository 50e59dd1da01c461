"""Networks in a form that 8 bits suit: biases and scales of convolutions moved into batch normalization.

A plain quantized convolution has one range for all its filters, and adds the levels of its bias as they are, whatever
these stand for; MXNet's does the same. Behind it, quantized batch normalization has a factor and a shift for each
channel. So filters are brought to one magnitude here, and the factors and all shifts are left to the normalization.
"""

from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np

from regluon.graph.node import Entry, Node, in_order, node_of, variable

from ...ndarray import NDArray, array
from ...symbol import Symbol
from ._graph import as_text

Params = dict[str, NDArray]
_Numbers = np.ndarray[Any, np.dtype[np.float32]]
_EPS = 1e-5


class Equalization:
    """A graph and its parameters on the way to that form; what they compute stays the same.

    Args:
        sym: the graph.
        args: its parameters.
        auxs: its auxiliary states.
        excluded: names of nodes to leave alone.
        excluded_operators: names of operators that stay in float32; without convolutions nothing is to be done.
    """

    def __init__(
        self,
        sym: Symbol,
        args: Params,
        auxs: Params,
        excluded: Sequence[str] = (),
        excluded_operators: Sequence[str] = (),
    ) -> None:
        self._is_wanted = "Convolution" not in excluded_operators
        self.args, self.auxs = dict(args), dict(auxs)
        self._heads, self._excluded = sym._heads, frozenset(excluded)
        self._order = in_order(self._heads)
        self._uses = Counter(id(source.node) for node in self._order for source in node.inputs)
        self._uses.update(id(head.node) for head in self._heads)

    def run(self) -> Symbol:
        """The graph; `args` and `auxs` have its parameters then."""
        made: dict[int, Node] = {}
        users = {id(node.inputs[0].node): node for node in self._order if node.inputs}
        for node in self._order:
            inputs = [source._replace(node=made[id(source.node)]) for source in node.inputs]
            if self._is_convolution(node):
                follower = users.get(id(node))
                is_normalized = follower is not None and self._normalizes(follower, node)
                made[id(node)] = self._bare(node, inputs) if is_normalized else self._shifted(node, inputs)
                continue
            if node.inputs and self._normalizes(node, node.inputs[0].node):
                self._take_over(node)
            is_same = all(new.node is old.node for new, old in zip(inputs, node.inputs, strict=True))
            made[id(node)] = node if is_same else Node(node.operator, node.name, node.attrs, inputs, node.subgraphs)
        return Symbol(tuple(head._replace(node=made[id(head.node)]) for head in self._heads))

    def _is_own(self, entry: Entry) -> bool:
        """Whether an input is a parameter that no other node reads."""
        name = entry.node.name
        return entry.node.is_variable and self._uses[id(entry.node)] == 1 and (name in self.args or name in self.auxs)

    def _is_convolution(self, node: Node) -> bool:
        if node.op_name != "Convolution" or node.operator is None or not self._is_wanted:
            return False
        if node.name in self._excluded:
            return False
        full = node.operator.full_params(node.params)
        return full["layout"] in (None, "NCHW") and len(full["kernel"]) == 2 and all(map(self._is_own, node.inputs[1:]))

    def _normalizes(self, node: Node, layer: Node) -> bool:
        """Whether a node is the batch normalization of a convolution's result, which nobody else reads."""
        if node.op_name != "BatchNorm" or node.operator is None or node.name in self._excluded:
            return False
        full = node.operator.full_params(node.params)
        is_plain = full["axis"] == 1 and not full["output_mean_var"] and all(map(self._is_own, node.inputs[1:]))
        return is_plain and self._is_convolution(layer) and self._uses[id(layer)] == 1

    def _numbers(self, entry: Entry) -> _Numbers:
        name = entry.node.name
        found: _Numbers = (self.args if name in self.args else self.auxs)[name].asnumpy()
        return found

    def _bare(self, node: Node, inputs: Sequence[Entry]) -> Node:
        """A convolution without bias; its batch normalization has that."""
        return Node(node.operator, node.name, {**node.attrs, "no_bias": "True"}, inputs[:2])

    def _take_over(self, node: Node) -> None:
        """Moves bias and scale of a convolution into the parameters of its batch normalization."""
        assert node.operator is not None
        full, layer = node.operator.full_params(node.params), node.inputs[0].node
        gamma, beta, mean, var = (self._numbers(source) for source in node.inputs[1:])
        factor = (1.0 if full["fix_gamma"] else gamma) / np.sqrt(var + full["eps"])
        bias = self._numbers(layer.inputs[2]) if len(layer.inputs) == 3 else 0.0
        shift = beta + (bias - mean) * factor
        names = [source.node.name for source in node.inputs[1:]]
        self._set(names, layer, factor, shift, full["eps"])

    def _shifted(self, node: Node, inputs: Sequence[Entry]) -> Node:
        """A convolution that no batch normalization follows, with one that adds its bias."""
        name = f"{node.name}_shift"
        names = [f"{name}_{each}" for each in ("gamma", "beta", "moving_mean", "moving_var")]
        count = len(self._numbers(node.inputs[1]))
        bias = self._numbers(node.inputs[2]) if len(inputs) == 3 else np.zeros(count, np.float32)
        self._set(names, node, np.ones_like(bias), bias, _EPS)
        attrs = {"eps": repr(_EPS), "fix_gamma": "False"}
        inner = Node(node.operator, node.name, {**node.attrs, "no_bias": "True"}, inputs[:2])
        return node_of("BatchNorm", name, attrs, (Entry(inner), *(Entry(variable(each)) for each in names)))

    def _set(self, names: Sequence[str], layer: Node, factor: _Numbers, shift: _Numbers, eps: float) -> None:
        """New parameters: results are those of the layer times a factor, plus a shift."""
        source = layer.inputs[1]
        weight = self._numbers(source)
        rows = weight.reshape(len(weight), -1)
        size = np.abs(rows).max(1)
        scale = np.where(size > 0, 1 / np.where(size > 0, size, 1), 1).astype(np.float32)
        self.args[source.node.name] = array(weight * scale.reshape(-1, *(1,) * (weight.ndim - 1)))
        if len(layer.inputs) == 3:
            self.args.pop(layer.inputs[2].node.name)
        gamma, beta, mean, var = names
        self.args[gamma] = array(factor / scale * np.float32(np.sqrt(1 + eps)))
        self.args[beta] = array(shift)
        self.auxs[mean], self.auxs[var] = array(np.zeros_like(shift)), array(np.ones_like(shift))


def _levels(entry: Entry) -> float:
    """How many levels stand for the largest magnitude of an array in 8 bits."""
    node = entry.node
    while node.op_name in ("_contrib_quantized_act", "_contrib_quantized_pooling", "_contrib_quantized_flatten"):
        node = node.inputs[0].node
    is_unsigned = node.params.get("out_type") == "uint8" or (
        node.params.get("out_type") == "auto" and node.params.get("min_calib_range", -1.0) >= 0
    )
    most = 255.0 if is_unsigned else 127.0
    return most if node.op_name == "_contrib_requantize" else most + 0.5


def compensate(qsym: Symbol, params: Params) -> Symbol:
    """A calibrated graph whose convolutions give what they should whatever their data are quantized to.

    A plain quantized convolution takes 127 levels for the magnitude of its data, although these may have 127.5, 255 or
    255.5; MXNet's does the same. The batch normalization behind it makes up for that, and the range in between.

    Args:
        qsym: the graph, made from one in the form above.
        params: its parameters, of which some are replaced.
    """
    made: dict[int, Node] = {}
    changed: dict[int, float] = {}  # by the identity of a new requantizing node: how much too large its numbers are
    for node in in_order(qsym._heads):
        inputs = tuple(source._replace(node=made[id(source.node)]) for source in node.inputs)
        attrs = node.attrs
        excess = 1.0
        if node.op_name == "_contrib_requantize" and node.inputs[0].node.op_name == "_contrib_quantized_conv":
            excess = _levels(node.inputs[0].node.inputs[0]) / 127.5
            limits = {name: attrs[name] for name in ("min_calib_range", "max_calib_range") if name in attrs}
            attrs = {**attrs, **{name: as_text(float(value) * excess) for name, value in limits.items()}}
        elif node.op_name == "_contrib_quantized_batch_norm" and id(inputs[0].node) in changed:
            gamma = inputs[1].node.name
            params[gamma] = params[gamma] / changed[id(inputs[0].node)]
        is_same = attrs == node.attrs and all(a.node is b.node for a, b in zip(inputs, node.inputs, strict=True))
        made[id(node)] = node if is_same else Node(node.operator, node.name, attrs, inputs, node.subgraphs)
        if excess != 1:
            changed[id(made[id(node)])] = excess
    return Symbol(tuple(head._replace(node=made[id(head.node)]) for head in qsym._heads))
