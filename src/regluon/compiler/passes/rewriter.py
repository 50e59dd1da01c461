"""One rewriter for all passes: patterns, tried node by node in one traversal, over one count of uses."""

from collections import Counter
from collections.abc import Callable, Sequence
from typing import NamedTuple

from ...graph.node import Entry, Node, in_order


class Pattern(NamedTuple):
    """A rewrite of nodes of certain operators.

    Attributes:
        operators: names of the operators whose nodes it looks at.
        function: from a node, whose inputs have been rewritten already, to what replaces it; None if it does not match.
    """

    operators: tuple[str, ...]
    function: "Callable[[Node, Rewriter], Node | None]"


def pattern(*operators: str) -> "Callable[[Callable[[Node, Rewriter], Node | None]], Pattern]":
    """Declares the decorated function as a pattern for nodes of these operators."""

    def declare(function: "Callable[[Node, Rewriter], Node | None]") -> Pattern:
        return Pattern(operators, function)

    return declare


class Rewriter:
    """A graph on its way through patterns.

    Args:
        heads: the graph.
    """

    def __init__(self, heads: Sequence[Entry]) -> None:
        self._heads, self._order = tuple(heads), in_order(heads)
        self._uses = Counter(id(source.node) for node in self._order for source in node.inputs)
        self._uses.update(id(head.node) for head in heads)
        self._originals: dict[int, tuple[Node, Node]] = {}  # by the identity of a new node: itself, and the original
        self._patterns: dict[str, list[Pattern]] = {}

    def original(self, node: Node) -> Node:
        """The node of the given graph that computes what this one computes."""
        return self._originals.get(id(node), (node, node))[1]

    def is_used_once(self, node: Node) -> bool:
        """Whether a node's results have a single use; of nodes that a pattern has put between others this holds."""
        return self._uses.get(id(self.original(node)), 1) == 1

    def is_read_by_one(self, node: Node, reader: Node) -> bool:
        """Whether nobody but one node reads the results of another, all its outputs taken together."""
        reads = sum(source.node is node for source in reader.inputs)
        return self._uses.get(id(self.original(node)), reads) == reads

    def apply(self, node: Node) -> Node:
        """What the patterns make of a node; patterns call it for nodes that they put between others."""
        for each in self._patterns.get(node.op_name, ()):
            found = each.function(node, self)
            if found is not None:
                self._originals[id(found)] = found, self.original(node)
                # What it became may match patterns for other operators.
                return found if found.op_name == node.op_name else self.apply(found)
        return node

    def run(self, patterns: Sequence[Pattern]) -> tuple[Entry, ...]:
        """The graph with every match of a pattern replaced, inputs first; the first pattern that matches is taken."""
        self._patterns = {}
        for each in patterns:
            for operator in each.operators:
                self._patterns.setdefault(operator, []).append(each)
        current: dict[int, Node] = {}
        for node in self._order:
            inputs = tuple(Entry(current[id(source.node)], source.index) for source in node.inputs)
            if any(new.node is not old.node for new, old in zip(inputs, node.inputs, strict=True)):
                renewed = Node(node.operator, node.name, node.attrs, inputs, node.subgraphs)
                self._originals[id(renewed)] = renewed, node
            else:
                renewed = node
            current[id(node)] = self.apply(renewed)
        return tuple(Entry(current[id(head.node)], head.index) for head in self._heads)


def rewrite(heads: Sequence[Entry], patterns: Sequence[Pattern]) -> tuple[Entry, ...]:
    """The graph with every match of a pattern replaced."""
    return Rewriter(heads).run(patterns)


def has(node: Node, **expected: object) -> bool:
    """Whether a node has parameters of these values."""
    assert node.operator is not None
    params = node.operator.full_params(node.params)
    return all(params[name] == value for name, value in expected.items())
