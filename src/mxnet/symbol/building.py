"""From a node to a symbol, plain or traced: the one place that knows both."""

import threading
from collections.abc import Callable, Sequence
from typing import Any

from ..graph.node import Entry, Node
from ..ops.registry import Operator
from .compose import apply


class Maker:
    """How symbols are made of heads: plainly, or by the trace of a network, which notes shapes as it goes."""

    def make(self, heads: tuple[Entry, ...]) -> Any:
        """A symbol."""
        raise NotImplementedError

    def know_like(self, node: Node, entry: Entry, shape_of: Callable[[Sequence[int]], Sequence[int]] | None) -> None:
        """Notes that a variable is like an output: of its shape, or of what `shape_of` makes of it."""
        raise NotImplementedError


class _Local(threading.local):
    """What makes symbols in a thread while a network is traced."""

    maker: Maker | None = None


local = _Local()
_plain: list[Callable[[tuple[Entry, ...]], Any]] = []  # the class Symbol, which stands above this module


def set_plain(symbol_class: Callable[[tuple[Entry, ...]], Any]) -> None:
    """Names the class of symbols made outside of any trace."""
    _plain[:] = [symbol_class]


def symbol_of(heads: Sequence[Entry]) -> Any:
    """A symbol of these heads."""
    if local.maker is not None:
        return local.maker.make(tuple(heads))
    return _plain[0](tuple(heads))


def outputs_of(node: Node) -> tuple[Entry, ...]:
    """All outputs of a node that can be used."""
    return tuple(Entry(node, index) for index in range(node.num_outputs))


def apply_operator(
    operator: Operator,
    called: str,
    args: Sequence[Any],
    kwargs: dict[str, Any],
    name: str | None = None,
    attr: dict[str, str] | None = None,
) -> Any:
    """The symbol of an operator on symbols; see compose.apply."""
    return symbol_of(outputs_of(apply(operator, called, args, kwargs, name, attr)))
