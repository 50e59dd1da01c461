"""The table of fused operators."""

from collections.abc import Callable, Sequence
from typing import Any

from ...graph.node import Entry, Node
from ...ops.registry import Operator

OPERATORS: dict[str, Operator] = {}


def fused(name: str, **traits: Any) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Declares the decorated function as a fused operator; see Operator for the traits."""

    def declare(function: Callable[..., Any]) -> Callable[..., Any]:
        assert name not in OPERATORS, f"{name} is declared twice"
        OPERATORS[name] = Operator(name, (), function, **traits)
        return function

    return declare


def fused_node(operator: str, name: str, attrs: dict[str, str], inputs: Sequence[Entry]) -> Node:
    """A node of a fused operator."""
    return Node(OPERATORS[operator], name, attrs, inputs)
