"""Passes for graphs that gradients are asked of."""

from collections import Counter
from collections.abc import Sequence

from ..graph.node import Entry, Node, in_order, node_of, transformed

_FUNCTIONS = ("relu", "sigmoid", "tanh")  # all of them rise with their argument


def pool_before_activation(heads: Sequence[Entry]) -> tuple[Entry, ...]:
    """The graph with `max_pool(relu(x))` as `relu(max_pool(x))`: the same numbers, from fewer applications of relu.

    The gradient is the same as well: it goes to the first largest element of a window, and where relu cuts a window
    off it is zero in either order.
    """
    order = in_order(heads)
    uses = _uses(order, heads)

    def change(node: Node, before: Node) -> Node:
        if node.op_name != "Pooling" or node.params.get("pool_type", "max") != "max":
            return node
        activation = node.inputs[0].node
        # Only relu: of the others, different arguments may round to one value, and the first of them would be taken.
        if _function(activation) != "relu" or uses[id(before.inputs[0].node)] != 1:
            return node
        pooled = Node(node.operator, f"{node.name}_pooled", node.attrs, activation.inputs)
        return Node(activation.operator, node.name, activation.attrs, (Entry(pooled),))

    return transformed(heads, order, change)


def activate_dense(heads: Sequence[Entry]) -> tuple[Entry, ...]:
    """The graph with dense layers and the activations behind them as one step."""
    order = in_order(heads)
    uses = _uses(order, heads)

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
    uses = _uses(order, heads)

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


def _is_negation(node: Node) -> bool:
    return node.op_name == "negative" or (node.op_name == "_mul_scalar" and node.params.get("scalar") == -1)


def _has(node: Node, **expected: object) -> bool:
    """Whether a node has parameters of these values."""
    assert node.operator is not None
    params = node.operator.full_params(node.params)
    return all(params[name] == value for name, value in expected.items())


def _uses(order: Sequence[Node], heads: Sequence[Entry]) -> Counter[int]:
    uses = Counter(id(source.node) for node in order for source in node.inputs)
    uses.update(id(head.node) for head in heads)
    return uses


def _function(node: Node) -> str:
    """Which activation function a node is; an empty text for none."""
    if node.op_name == "Activation":
        return str(node.params["act_type"])
    return node.op_name if node.op_name in _FUNCTIONS else ""
