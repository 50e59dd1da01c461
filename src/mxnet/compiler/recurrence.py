"""Recurrent networks whose parameters are joined for them: done without joining."""

from collections.abc import Sequence

from ..graph.node import Entry, Node, in_order, node_of, transformed

_KEPT = ("state_size", "num_layers", "bidirectional", "mode", "p", "state_outputs")


def part_parameters(heads: Sequence[Entry]) -> tuple[Entry, ...]:
    """The graph with recurrent networks that take each weight by itself, where their vector is joined in the graph.

    Neither the vector nor its gradient is made then.
    """

    def change(node: Node, before: Node) -> Node:
        if node.op_name != "RNN" or node.operator is None:
            return node
        params = node.operator.full_params(node.params)
        special = ("use_sequence_length", "projection_size", "lstm_state_clip_min", "lstm_state_clip_max")
        vector = node.inputs[1].node
        if vector.op_name != "_rnn_param_concat" or any(params[name] not in (None, False) for name in special):
            return node
        pieces = [_unflattened(entry) for entry in vector.inputs]
        attrs = {name: text for name, text in node.attrs.items() if name in _KEPT}
        return node_of("_rnn_by_parts", node.name, attrs, (node.inputs[0], *node.inputs[2:], *pieces))

    return transformed(heads, in_order(heads), change)


def _unflattened(entry: Entry) -> Entry:
    """What was made flat for the vector."""
    node = entry.node
    return node.inputs[0] if node.op_name == "Reshape" and node.params.get("shape") == (-1,) else entry
