"""Passes for graphs that gradients are asked of."""

from collections import Counter
from collections.abc import Sequence

from ..graph.node import Entry, Node, in_order, node_of, transformed

_CONVOLUTION_PARAMS = ("kernel", "stride", "pad", "num_filter", "no_bias")
_FUNCTIONS = ("relu", "sigmoid", "tanh")  # all of them rise with their argument
_SMALLEST, _LARGEST = 2.0**-14, 65504.0  # numbers that every dtype holds, and their inverses


def pool_before_activation(heads: Sequence[Entry]) -> tuple[Entry, ...]:
    """The graph with `max_pool(relu(x))` as `relu(max_pool(x))`: the same numbers, from fewer applications of relu.

    The gradient is the same as well: it goes to the first largest element of a window, and where relu cuts a window
    off it is zero in either order. Windows that lie outside of the data altogether hold the least number there is,
    which relu would change: rounding up can make some.
    """
    order = in_order(heads)
    uses = uses_of(order, heads)

    def change(node: Node, before: Node) -> Node:
        if node.op_name != "Pooling" or node.params.get("pool_type", "max") != "max" or _may_miss_data(node):
            return node
        activation = node.inputs[0].node
        # Only relu: of the others, different arguments may round to one value, and the first of them would be taken.
        if _function(activation) != "relu" or uses[id(before.inputs[0].node)] != 1:
            return node
        pooled = Node(node.operator, f"{node.name}_pooled", node.attrs, activation.inputs)
        return Node(activation.operator, node.name, activation.attrs, (Entry(pooled),))

    return transformed(heads, order, change)


def pool_convolutions(heads: Sequence[Entry]) -> tuple[Entry, ...]:
    """The graph with convolutions of images and the max-pooling behind them as one step: most results go nowhere."""
    order = in_order(heads)
    uses = uses_of(order, heads)

    def change(node: Node, before: Node) -> Node:
        if not _is_usual_pooling(node) or uses[id(before.inputs[0].node)] != 1:
            return node
        inner = node.inputs[0].node
        if inner.op_name != "Convolution" or len(inner.params["kernel"]) != 2:
            return node
        if not _has(inner, num_group=1) or inner.params.get("layout") not in (None, "NCHW"):
            return node
        if any(step != 1 for step in inner.params.get("dilate", ())):
            return node
        attrs = {name: text for name, text in inner.attrs.items() if name in _CONVOLUTION_PARAMS}
        attrs |= {f"pool_{name}": node.attrs[name] for name in ("kernel", "stride", "pad") if name in node.attrs}
        attrs["pooling_convention"] = str(node.params.get("pooling_convention", "valid"))
        return node_of("_convolution_pooled", node.name, attrs, inner.inputs)

    return transformed(heads, order, change)


def activate_dense(heads: Sequence[Entry]) -> tuple[Entry, ...]:
    """The graph with dense layers and the activations behind them as one step."""
    order = in_order(heads)
    uses = uses_of(order, heads)

    def change(node: Node, before: Node) -> Node:
        kind = _function(node)
        if kind not in _FUNCTIONS:
            return node
        layer = node.inputs[0].node
        if layer.op_name != "FullyConnected" or uses[id(before.inputs[0].node)] != 1:
            return node
        return node_of("_fully_connected_activated", node.name, {**layer.attrs, "act_type": kind}, layer.inputs)

    return transformed(heads, order, change)


def fuse_cross_entropy(heads: Sequence[Entry]) -> tuple[Entry, ...]:
    """The graph with `-pick(log_softmax(scores), label, keepdims=True)` along the last axis as one step."""
    order = in_order(heads)
    uses = uses_of(order, heads)

    def change(node: Node, before: Node) -> Node:
        if not _is_negation(node) or uses[id(before.inputs[0].node)] != 1:
            return node
        chosen, was = node.inputs[0].node, before.inputs[0].node
        if chosen.op_name != "pick" or not _has(chosen, axis=-1, keepdims=True, mode="clip"):
            return node
        scores = chosen.inputs[0].node
        plain = _has(scores, axis=-1, temperature=None, dtype=None) if scores.op_name == "log_softmax" else False
        if not plain or uses[id(was.inputs[0].node)] != 1:
            return node
        return node_of("_cross_entropy", node.name, {}, (scores.inputs[0], chosen.inputs[1]))

    return transformed(heads, order, change)


def bias_into_gelu(heads: Sequence[Entry]) -> tuple[Entry, ...]:
    """The graph with the bias of a dense layer added by the GELU behind it."""
    order = in_order(heads)
    uses = uses_of(order, heads)

    def change(node: Node, before: Node) -> Node:
        if node.op_name != "LeakyReLU" or node.params.get("act_type") != "gelu":
            return node
        layer = node.inputs[0].node
        if not _is_dense(layer) or uses[id(before.inputs[0].node)] != 1:
            return node
        return node_of("_bias_gelu", node.name, {}, (Entry(_without_bias(layer)), layer.inputs[2]))

    return transformed(heads, order, change)


def sum_into_norm(heads: Sequence[Entry]) -> tuple[Entry, ...]:
    """The graph with `LayerNorm(x + y)` as one step, the bias of a dense layer that gives one of the two included."""
    order = in_order(heads)
    uses = uses_of(order, heads)

    def change(node: Node, before: Node) -> Node:
        if node.op_name != "LayerNorm" or not _has(node, axis=-1, output_mean_var=False):
            return node
        total, was = node.inputs[0].node, before.inputs[0].node
        if total.op_name != "elemwise_add" or uses[id(was)] != 1:
            return node
        attrs = {name: text for name, text in node.attrs.items() if name == "eps"}
        left, right = total.inputs
        for summand, other, source in ((right, left, was.inputs[1]), (left, right, was.inputs[0])):
            if _is_dense(summand.node) and uses[id(source.node)] == 1:
                inputs = Entry(_without_bias(summand.node)), other, *node.inputs[1:], summand.node.inputs[2]
                return node_of("_added_layer_norm", node.name, {**attrs, "has_bias": "True"}, inputs)
        return node_of("_added_layer_norm", node.name, attrs, (left, right, *node.inputs[1:]))

    return transformed(heads, order, change)


def scale_into_softmax(heads: Sequence[Entry]) -> tuple[Entry, ...]:
    """The graph with `softmax(x * number)` along the last axis as one step."""
    order = in_order(heads)
    uses = uses_of(order, heads)

    def change(node: Node, before: Node) -> Node:
        if node.op_name != "softmax" or not _has(node, axis=-1, temperature=None, dtype=None, use_length=False):
            return node
        scaled = node.inputs[0].node
        if scaled.op_name not in ("_mul_scalar", "_div_scalar") or uses[id(before.inputs[0].node)] != 1:
            return node
        number = float(scaled.params.get("scalar", 1.0))
        if not _SMALLEST <= abs(number) <= _LARGEST:
            return node
        scale = number if scaled.op_name == "_mul_scalar" else 1 / number
        return node_of("_scaled_softmax", node.name, {"scale": repr(scale)}, scaled.inputs)

    return transformed(heads, order, change)


def fuse_mean_square(heads: Sequence[Entry]) -> tuple[Entry, ...]:
    """The graph with the mean of `(x - y) ** 2 * number` over all axes but the first as one step."""
    order = in_order(heads)
    uses = uses_of(order, heads)

    def change(node: Node, before: Node) -> Node:
        if node.op_name != "mean" or not _has(node, axis=(0,), exclude=True, keepdims=False):
            return node
        scaled = node.inputs[0].node
        if scaled.op_name != "_mul_scalar":
            return node
        squared = scaled.inputs[0].node
        if squared.op_name != "square" or squared.inputs[0].node.op_name != "elemwise_sub":
            return node
        inner = before
        for _ in range(3):
            inner = inner.inputs[0].node
            if uses[id(inner)] != 1:
                return node
        attrs = {"scale": repr(float(scaled.params.get("scalar", 1.0)))}
        return node_of("_mean_square", node.name, attrs, squared.inputs[0].node.inputs)

    return transformed(heads, order, change)


def activate_batch_norm(heads: Sequence[Entry]) -> tuple[Entry, ...]:
    """The graph with `relu(BatchNorm(x))` and `relu(BatchNorm(x) + y)` as one step."""
    order = in_order(heads)
    uses = uses_of(order, heads)

    def change(node: Node, before: Node) -> Node:
        if _function(node) != "relu" or uses[id(before.inputs[0].node)] != 1:
            return node
        inner, was = node.inputs[0].node, before.inputs[0].node
        if _is_usual_batch_norm(inner):
            return node_of("_batch_norm_activated", node.name, _known_params(inner), inner.inputs)
        if inner.op_name != "elemwise_add":
            return node
        left, right = inner.inputs
        for summand, other, source in ((right, left, was.inputs[1]), (left, right, was.inputs[0])):
            if _is_usual_batch_norm(summand.node) and uses[id(source.node)] == 1:
                attrs = {**_known_params(summand.node), "has_other": "True"}
                return node_of("_batch_norm_activated", node.name, attrs, (*summand.node.inputs, other))
        return node

    return transformed(heads, order, change)


def for_training(heads: Sequence[Entry]) -> tuple[Entry, ...]:
    """The graph after all passes of this file."""
    for change in (
        pool_before_activation,
        pool_convolutions,
        activate_dense,
        activate_batch_norm,
        fuse_cross_entropy,
        fuse_mean_square,
        bias_into_gelu,
        sum_into_norm,
        scale_into_softmax,
    ):
        heads = change(heads)
    return tuple(heads)


def _may_miss_data(node: Node) -> bool:
    """Whether a window of a pooling can lie behind the end of the data."""
    params = node.params
    if params.get("global_pool") or params.get("pooling_convention", "valid") == "valid":
        return False
    kernel = params.get("kernel", ())
    strides, pads = params.get("stride") or (1,) * len(kernel), params.get("pad") or (0,) * len(kernel)
    return any(stride > size - pad for size, stride, pad in zip(kernel, strides, pads, strict=True))


def _is_usual_pooling(node: Node) -> bool:
    if node.op_name != "Pooling" or not _has(node, pool_type="max", global_pool=False, p_value=None):
        return False
    params = node.params
    is_plain = params.get("pooling_convention", "valid") != "same" and params.get("layout") in (None, "NCHW")
    return is_plain and len(params.get("kernel", ())) == 2


def _is_usual_batch_norm(node: Node) -> bool:
    return node.op_name == "BatchNorm" and _has(node, axis=1, output_mean_var=False, use_global_stats=False)


def _known_params(node: Node) -> dict[str, str]:
    """Of a batch normalization, what the one with an activation takes."""
    return {name: text for name, text in node.attrs.items() if name in ("eps", "momentum", "fix_gamma")}


def _is_dense(node: Node) -> bool:
    """Whether a node is a dense layer with a bias."""
    return node.op_name == "FullyConnected" and len(node.inputs) == 3


def _without_bias(layer: Node) -> Node:
    return node_of("FullyConnected", layer.name, {**layer.attrs, "no_bias": "True"}, layer.inputs[:2])


def _is_negation(node: Node) -> bool:
    return node.op_name == "negative" or (node.op_name == "_mul_scalar" and node.params.get("scalar") == -1)


def _has(node: Node, **expected: object) -> bool:
    """Whether a node has parameters of these values."""
    assert node.operator is not None
    params = node.operator.full_params(node.params)
    return all(params[name] == value for name, value in expected.items())


def uses_of(order: Sequence[Node], heads: Sequence[Entry]) -> Counter[int]:
    """How often each node's results are used, by its identity."""
    uses = Counter(id(source.node) for node in order for source in node.inputs)
    uses.update(id(head.node) for head in heads)
    return uses


def _function(node: Node) -> str:
    """Which activation function a node is; an empty text for none."""
    if node.op_name == "Activation":
        return str(node.params["act_type"])
    return node.op_name if node.op_name in _FUNCTIONS else ""
