"""Cutting the body of a loop or branch out of the graph that its code was run on."""

from collections.abc import Collection, Sequence
from typing import NamedTuple

from ..base import MXNetError
from .node import Entry, Node, Writes, in_order, variable

MARK = "__subgraph_name__"  # the attribute that every node made by a body's code carries


class Body(NamedTuple):
    """A graph of its own.

    Attributes:
        heads: its outputs.
        sources: for each of its variables in order, what it stands for outside: an entry of the outer graph, or its
            own variable for one that belongs to the loop.
        variables: its variables in order.
    """

    heads: tuple[Entry, ...]
    sources: list[Entry]
    variables: list[Node]


def is_inside(node: Node, name: str) -> bool:
    """Whether a node was made by the code of the body of this name."""
    return node.attrs.get(MARK) == name


def cut(heads: Sequence[Entry], name: str, own: Collection[Node]) -> Body:
    """The body of this name as a graph of its own; what it reads from outside becomes variables.

    Args:
        heads: what the body's code returned; all of them made by it.
        name: the name of the body.
        own: the variables of the loop, which stay.
    """
    kept = {id(node) for node in own}
    writes = Writes()
    made: dict[int, Node] = {}
    sources: dict[int, Entry] = {}  # by the identity of a variable of the body
    seen: dict[tuple[int, int], Node] = {}

    def outer(entry: Entry) -> Node:
        """The variable of the body that stands for an output of a node outside."""
        found = seen.get((id(entry.node), entry.index))
        if found is None:
            found = variable(entry.node.output_name(entry.index))
            seen[id(entry.node), entry.index] = found
            sources[id(found)] = entry
        return found

    for node in in_order(heads):
        if not is_inside(node, name):
            continue
        if node.is_variable:
            # One that the code made, such as a weight: the outer graph keeps it, the body gets its likeness.
            made[id(node)] = node if id(node) in kept else variable(node.name, dict(node.attrs))
            sources[id(made[id(node)])] = Entry(node)
            continue
        writes.note(node)
        inputs = [
            source._replace(node=made[id(source.node)]) if id(source.node) in made else Entry(outer(source))
            for source in node.inputs
        ]
        made[id(node)] = Node(node.operator, node.name, node.attrs, inputs, node.subgraphs)
    body = tuple(head._replace(node=made[id(head.node)]) for head in heads)
    inside = [node for node in in_order(body) if node.is_variable]
    _check_names([node.name for node in inside])
    return Body(body, [writes.versioned(sources[id(node)]) for node in inside], inside)


def _check_names(names: Sequence[str]) -> None:
    repeated = sorted({name for name in names if names.count(name) > 1})
    if repeated:
        raise MXNetError(
            f"[contrib] several inputs of the body are named {', '.join(repeated)}; expected different names. Use "
            "identity(x) for an array that is given twice."
        )
