"""Batch normalization by moving averages is a linear map: in prediction it becomes part of the layer before it."""

from ...graph.node import Entry, Node
from ..fused.table import fused_node
from .rewriter import Rewriter, pattern

_CHANNELS_LAST = ("NWC", "NHWC", "NDHWC")


@pattern("BatchNorm")
def fold_batch_norm(node: Node, graph: Rewriter) -> Node | None:
    """A batch normalization in the weights of the convolution or dense layer it follows.

    Only where nobody else reads the layer's result, and the normalization is along its filters. What is computed from
    parameters alone is computed once, not in every call: see constants.py.
    """
    assert node.operator is not None
    layer = node.inputs[0].node
    if node.num_outputs != 1 or not graph.is_used_once(layer) or not all(s.node.is_variable for s in node.inputs[1:]):
        return None
    full = node.operator.full_params(node.params)
    if not _is_along_filters(layer, full["axis"]):
        return None
    data, weight, *bias = layer.inputs
    gamma, beta, mean, var = node.inputs[1:]
    params = {"eps": repr(full["eps"]), "fix_gamma": str(full["fix_gamma"])}
    new_weight = fused_node("_folded_weight", f"{node.name}_weight", params, (weight, gamma, var))
    new_bias = fused_node("_folded_bias", f"{node.name}_bias", params, (gamma, beta, mean, var, *bias))
    attrs = {**layer.attrs, "no_bias": "False"}
    return Node(layer.operator, node.name, attrs, (data, Entry(new_weight), Entry(new_bias)))


def _is_along_filters(layer: Node, axis: int) -> bool:
    if layer.operator is None or layer.op_name not in ("Convolution", "FullyConnected"):
        return False
    params = layer.operator.full_params(layer.params)
    if layer.op_name == "FullyConnected":
        return axis == 1 if params["flatten"] else axis == -1
    last = len(params["kernel"]) + 1
    return axis in ((last, -1) if params["layout"] in _CHANNELS_LAST else (1,))
