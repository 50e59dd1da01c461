"""Batch normalization by moving averages is a linear map: in prediction it becomes part of the layer before it."""

from collections import Counter
from collections.abc import Sequence

from ..graph.node import Entry, Node, in_order, node_of, rewritten

_CHANNELS_LAST = ("NWC", "NHWC", "NDHWC")


def fold_batch_norms(heads: Sequence[Entry]) -> tuple[Entry, ...]:
    """The graph with batch normalizations folded into the convolutions and dense layers they follow.

    Only where nobody else reads the layer's result, and the normalization is along its filters. What is computed from
    parameters alone is computed once, not in every call: see Program.
    """
    order = in_order(heads)
    uses = Counter(id(source.node) for node in order for source in node.inputs)
    uses.update(id(head.node) for head in heads)
    return rewritten(heads, order, {id(node): _folded(node) for node in order if _can_fold(node, uses)})


def _can_fold(node: Node, uses: Counter[int]) -> bool:
    if node.op_name != "BatchNorm" or node.num_outputs != 1:
        return False
    layer = node.inputs[0].node
    if (
        node.inputs[0].index
        or uses[id(layer)] != 1
        or layer.operator is None
        or any(s.node.is_variable is False for s in node.inputs[1:])
    ):
        return False
    axis = node.operator.full_params(node.params)["axis"] if node.operator else 1
    params = layer.operator.full_params(layer.params)
    if layer.op_name == "Convolution":
        last = len(params["kernel"]) + 1
        return axis in ((last, -1) if params["layout"] in _CHANNELS_LAST else (1,))
    return layer.op_name == "FullyConnected" and (axis == 1 if params["flatten"] else axis == -1)


def _folded(node: Node) -> Node:
    assert node.operator is not None
    layer = node.inputs[0].node
    data, weight, *bias = layer.inputs
    gamma, beta, mean, var = node.inputs[1:]
    full = node.operator.full_params(node.params)
    params = {"eps": repr(full["eps"]), "fix_gamma": str(full["fix_gamma"])}
    new_weight = node_of("_folded_weight", f"{node.name}_weight", params, (weight, gamma, var))
    new_bias = node_of("_folded_bias", f"{node.name}_bias", params, (gamma, beta, mean, var, *bias))
    attrs = {**layer.attrs, "no_bias": "False"}
    return Node(layer.operator, node.name, attrs, (data, Entry(new_weight), Entry(new_bias)))
