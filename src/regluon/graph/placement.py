"""Where the nodes of a graph run: groups of nodes, named by the attribute `ctx_group`, on contexts of their own."""

from collections.abc import Mapping, Sequence

from ..base import MXNetError
from ..context import Context
from .node import Entry, Node, in_order, node_of

GROUP = "__ctx_group__"  # the attribute that names a node's group
PLACE = "__place__"  # the attribute of a placed node: the context it runs on


def contexts_of(
    heads: Sequence[Entry], groups: Mapping[str, Context], default: Context, given: Mapping[int, Context] | None = None
) -> dict[int, Context]:
    """The contexts of all nodes by identity, by MXNet's rule.

    A node of a group is where the group is. An operator without one is where the first of its inputs is that is placed;
    then, from the results back, what is not placed is where its first user is; the rest is at the default.

    Args:
        heads: the graph.
        groups: contexts by the names of groups.
        default: where everything else is.
        given: contexts of variables that have arrays already, by identity.
    """
    order = in_order(heads)
    found: dict[int, Context] = dict(given or {})
    for node in order:
        group = node.attrs.get(GROUP)
        if id(node) in found:
            continue
        if group is not None:
            if group not in groups:
                raise MXNetError(
                    f"[group2ctx] node {node.name!r} belongs to the group {group!r}, for which there is no context; "
                    f"there are {', '.join(map(repr, groups))}."
                )
            found[id(node)] = groups[group]
        elif not node.is_variable:
            placed = (found[id(source.node)] for source in node.inputs if id(source.node) in found)
            if (first := next(placed, None)) is not None:
                found[id(node)] = first
    for node in reversed(order):
        context = found.setdefault(id(node), default) if not node.is_variable else found.get(id(node))
        if context is not None:
            for source in node.inputs:
                found.setdefault(id(source.node), context)
    return {id(node): found.get(id(node), default) for node in order}


def with_copies(heads: Sequence[Entry], contexts: Mapping[int, Context], marked: bool = True) -> tuple[Entry, ...]:
    """The graph with a copy wherever a node reads from another context.

    Args:
        heads: the graph.
        contexts: of all its nodes, by identity.
        marked: whether each node says in an attribute where it runs.
    """
    current: dict[int, Node] = {}
    copies: dict[tuple[int, int, Context], Node] = {}

    def arriving(source: Entry, context: Context) -> Entry:
        node = current[id(source.node)]
        if contexts[id(source.node)] == context:
            return Entry(node, source.index)
        key = (id(source.node), source.index, context)
        if key not in copies:
            name = f"{source.node.name}_{source.index}_copy"
            copies[key] = node_of("_CrossDeviceCopy", name, {"to": str(context)}, (Entry(node, source.index),))
        return Entry(copies[key])

    for node in in_order(heads):
        if node.is_variable:
            current[id(node)] = node
            continue
        context = contexts[id(node)]
        states = set(node.auxiliary)
        inputs = [
            Entry(current[id(source.node)], source.index) if place in states else arriving(source, context)
            for place, source in enumerate(node.inputs)
        ]
        attrs = {**node.attrs, PLACE: str(context)} if marked else node.attrs
        current[id(node)] = Node(node.operator, node.name, attrs, inputs, node.subgraphs)
    return tuple(Entry(current[id(head.node)], head.index) for head in heads)
