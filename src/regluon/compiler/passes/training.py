"""Patterns for graphs that gradients are asked of."""

from ...graph.node import Entry, Node, node_of
from ..fused.table import fused_node
from .rewriter import Rewriter, has, pattern

_RECURRENT_PARAMS = ("state_size", "num_layers", "bidirectional", "mode", "p", "state_outputs")
_FUNCTIONS = ("relu", "sigmoid", "tanh")
_SMALLEST, _LARGEST = 2.0**-14, 65504.0  # numbers that every dtype holds, and their inverses


@pattern("Pooling")
def pool_before_activation(node: Node, graph: Rewriter) -> Node | None:
    """`max_pool(relu(x))` as `relu(max_pool(x))`: the same numbers, from fewer applications of relu.

    The gradient is the same as well: it goes to the first largest element of a window, and where relu cuts a window
    off it is zero in either order. Windows that lie outside of the data altogether hold the least number there is,
    which relu would change: rounding up can make some.
    """
    if node.params.get("pool_type", "max") != "max" or _may_miss_data(node):
        return None
    activation = node.inputs[0].node
    # Only relu: of the others, different arguments may round to one value, and the first of them would be taken.
    if _function(activation) != "relu" or not graph.is_used_once(activation):
        return None
    pooled = graph.apply(Node(node.operator, f"{node.name}_pooled", node.attrs, activation.inputs))
    return Node(activation.operator, node.name, activation.attrs, (Entry(pooled),))


@pattern("Activation", *_FUNCTIONS)
def activate_dense(node: Node, graph: Rewriter) -> Node | None:
    """A dense layer and the activation behind it."""
    kind, layer = _function(node), node.inputs[0].node
    if kind not in _FUNCTIONS or layer.op_name != "FullyConnected" or not graph.is_used_once(layer):
        return None
    return fused_node("_fully_connected_activated", node.name, {**layer.attrs, "act_type": kind}, layer.inputs)


@pattern("Activation", "relu")
def activate_batch_norm(node: Node, graph: Rewriter) -> Node | None:
    """`relu(BatchNorm(x))` and `relu(BatchNorm(x) + y)`."""
    inner = node.inputs[0].node
    if _function(node) != "relu" or not graph.is_used_once(inner):
        return None
    if _is_usual_batch_norm(inner):
        return fused_node("_batch_norm_activated", node.name, _batch_norm_params(inner), inner.inputs)
    if inner.op_name != "elemwise_add":
        return None
    left, right = inner.inputs
    for summand, other in ((right, left), (left, right)):
        if _is_usual_batch_norm(summand.node) and graph.is_used_once(summand.node):
            attrs = {**_batch_norm_params(summand.node), "has_other": "True"}
            return fused_node("_batch_norm_activated", node.name, attrs, (*summand.node.inputs, other))
    return None


@pattern("negative", "_mul_scalar")
def fuse_cross_entropy(node: Node, graph: Rewriter) -> Node | None:
    """`-pick(log_softmax(scores), label, keepdims=True)` along the last axis."""
    if node.op_name == "_mul_scalar" and node.params.get("scalar") != -1:
        return None
    chosen = node.inputs[0].node
    if chosen.op_name != "pick" or not has(chosen, axis=-1, keepdims=True, mode="clip"):
        return None
    scores = chosen.inputs[0].node
    if scores.op_name != "log_softmax" or not has(scores, axis=-1, temperature=None, dtype=None):
        return None
    if not graph.is_used_once(chosen) or not graph.is_used_once(scores):
        return None
    return fused_node("_cross_entropy", node.name, {}, (scores.inputs[0], chosen.inputs[1]))


@pattern("mean")
def fuse_mean_square(node: Node, graph: Rewriter) -> Node | None:
    """The mean of `(x - y) ** 2 * number` over all axes but the first."""
    if not has(node, axis=(0,), exclude=True, keepdims=False):
        return None
    inner, found = node, []
    for op_name in ("_mul_scalar", "square", "elemwise_sub"):
        inner = inner.inputs[0].node
        if inner.op_name != op_name or not graph.is_used_once(inner):
            return None
        found.append(inner)
    attrs = {"scale": repr(float(found[0].params.get("scalar", 1.0)))}
    return fused_node("_mean_square", node.name, attrs, inner.inputs)


@pattern("LeakyReLU")
def bias_into_gelu(node: Node, graph: Rewriter) -> Node | None:
    """GELU behind a dense layer, whose bias it adds."""
    layer = node.inputs[0].node
    if node.params.get("act_type") != "gelu" or not _has_bias(layer) or not graph.is_used_once(layer):
        return None
    return fused_node("_bias_gelu", node.name, {}, (Entry(_without_bias(layer)), layer.inputs[2]))


@pattern("LayerNorm")
def sum_into_norm(node: Node, graph: Rewriter) -> Node | None:
    """`LayerNorm(x + y)`, with the bias of a dense layer that gives one of the two."""
    total = node.inputs[0].node
    if total.op_name != "elemwise_add" or not graph.is_used_once(total):
        return None
    if not has(node, axis=-1, output_mean_var=False):
        return None
    attrs = {name: text for name, text in node.attrs.items() if name == "eps"}
    left, right = total.inputs
    for summand, other in ((right, left), (left, right)):
        layer = summand.node
        if _has_bias(layer) and graph.is_used_once(layer):
            inputs = Entry(_without_bias(layer)), other, *node.inputs[1:], layer.inputs[2]
            return fused_node("_added_layer_norm", node.name, {**attrs, "has_bias": "True"}, inputs)
    return fused_node("_added_layer_norm", node.name, attrs, (left, right, *node.inputs[1:]))


@pattern("softmax")
def scale_into_softmax(node: Node, graph: Rewriter) -> Node | None:
    """`softmax(x * number)` along the last axis."""
    scaled = node.inputs[0].node
    if scaled.op_name not in ("_mul_scalar", "_div_scalar") or not graph.is_used_once(scaled):
        return None
    if not has(node, axis=-1, temperature=None, dtype=None, use_length=False):
        return None
    number = float(scaled.params.get("scalar", 1.0))
    if not _SMALLEST <= abs(number) <= _LARGEST:
        return None
    scale = number if scaled.op_name == "_mul_scalar" else 1 / number
    return fused_node("_scaled_softmax", node.name, {"scale": repr(scale)}, scaled.inputs)


@pattern("RNN")
def part_parameters(node: Node, graph: Rewriter) -> Node | None:
    """A recurrent network whose vector of parameters is joined in the graph: neither it nor its gradient is made."""
    vector = node.inputs[1].node
    special = {"use_sequence_length": False, "projection_size": None}
    special |= dict.fromkeys(("lstm_state_clip_min", "lstm_state_clip_max"))
    if vector.op_name != "_rnn_param_concat" or not has(node, **special):
        return None
    pieces = [_unflattened(entry) for entry in vector.inputs]
    attrs = {name: text for name, text in node.attrs.items() if name in _RECURRENT_PARAMS}
    return fused_node("_rnn_by_parts", node.name, attrs, (node.inputs[0], *node.inputs[2:], *pieces))


TRAINING = (
    pool_before_activation,
    activate_dense,
    activate_batch_norm,
    fuse_cross_entropy,
    fuse_mean_square,
    bias_into_gelu,
    sum_into_norm,
    scale_into_softmax,
    part_parameters,
)


def _unflattened(entry: Entry) -> Entry:
    """What was made flat for a vector of parameters."""
    node = entry.node
    return node.inputs[0] if node.op_name == "Reshape" and node.params.get("shape") == (-1,) else entry


def _may_miss_data(node: Node) -> bool:
    """Whether a window of a pooling can lie behind the end of the data."""
    params = node.params
    if params.get("global_pool") or params.get("pooling_convention", "valid") == "valid":
        return False
    kernel = params.get("kernel", ())
    strides, pads = params.get("stride") or (1,) * len(kernel), params.get("pad") or (0,) * len(kernel)
    if not len(kernel) == len(strides) == len(pads):  # the operator takes some of these, and refuses others
        return True
    return any(stride > size - pad for size, stride, pad in zip(kernel, strides, pads, strict=True))


def _is_usual_batch_norm(node: Node) -> bool:
    return node.op_name == "BatchNorm" and has(node, axis=1, output_mean_var=False, use_global_stats=False)


def _batch_norm_params(node: Node) -> dict[str, str]:
    return {name: text for name, text in node.attrs.items() if name in ("eps", "momentum", "fix_gamma")}


def _has_bias(node: Node) -> bool:
    return node.op_name == "FullyConnected" and len(node.inputs) == 3


def _without_bias(layer: Node) -> Node:
    return node_of("FullyConnected", layer.name, {**layer.attrs, "no_bias": "True"}, layer.inputs[:2])


def _function(node: Node) -> str:
    """Which activation function a node is; an empty text for none."""
    if node.op_name == "Activation":
        return str(node.params["act_type"])
    return node.op_name if node.op_name in _FUNCTIONS else ""
