"""Common subexpressions: what is computed twice from the same inputs is computed once."""

from collections.abc import Sequence
from typing import Any

from ...config import read
from ...graph.node import Entry, Node, in_order, node_of
from ...graph.placement import PLACE


def merge_equal(heads: Sequence[Entry]) -> tuple[Entry, ...]:
    """The graph with equal operators on equal inputs merged; those that draw numbers or update states stay apart."""
    kept: dict[int, Node] = {}  # by the identity of a node of the given graph, what stands for it now
    known: dict[tuple[Any, ...], Node] = {}
    for node in in_order(heads):
        if node.is_variable:
            kept[id(node)] = node
            continue
        inputs = tuple(Entry(kept[id(source.node)], source.index) for source in node.inputs)
        moved = any(new.node is not old.node for new, old in zip(inputs, node.inputs, strict=True))
        current = Node(node.operator, node.name, node.attrs, inputs, node.subgraphs) if moved else node
        kept[id(node)] = known.setdefault(_key(current), current) if _is_repeatable(current) else current
    return tuple(Entry(kept[id(head.node)], head.index) for head in heads)


def apart(heads: Sequence[Entry]) -> tuple[Entry, ...]:
    """The heads, a copy in place of one that stands there twice: each has memory of its own."""
    seen: set[tuple[int, int]] = set()
    found = []
    for head in heads:
        if (id(head.node), head.index) in seen:
            head = Entry(node_of("_copy", f"{head.node.name}_{head.index}_copy", {}, (head,)))
        seen.add((id(head.node), head.index))
        found.append(head)
    return tuple(found)


def merges_equal() -> bool:
    """Whether equal operators are merged at all."""
    return read("MXNET_ELIMINATE_COMMON_EXPR") != "0"


def _is_repeatable(node: Node) -> bool:
    operator = node.operator
    return operator is not None and not (operator.needs_rng or operator.auxiliary or node.subgraphs)


def _key(node: Node) -> tuple[Any, ...]:
    params = tuple(sorted((name, str(value)) for name, value in node.params.items()))
    return (
        id(node.operator),
        node.attrs.get(PLACE),
        params,
        tuple((id(source.node), source.index) for source in node.inputs),
    )
