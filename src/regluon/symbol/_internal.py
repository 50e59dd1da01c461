"""Operators with names that begin with an underscore, as functions on symbols, made when they are first asked for."""

from collections.abc import Callable
from typing import Any

from ..array.register import FunctionsOnDemand, internal_names
from .register import make_function
from .symbol import Symbol, load_json

# On symbols there is nowhere to copy to: `_copyto` is the copy itself.
_functions = FunctionsOnDemand({**internal_names(), "_copyto": "_copy"}, make_function)


def _CachedOp(*args: Symbol, subgraph: str, name: str | None = None) -> Symbol:
    """A graph applied to symbols. MXNet keeps it as one node; here its nodes join those of the symbols.

    Args:
        args: what takes the place of the graph's variables, in the order of `list_inputs()`.
        subgraph: the graph as JSON text.
        name: a name for the result, if the graph has one output.
    """
    found: Symbol = load_json(subgraph)(*args, name=name)
    return found


def __getattr__(name: str) -> Callable[..., Any]:
    return _functions.get(name, __name__)


def __dir__() -> list[str]:
    return sorted([*_functions.names(), _CachedOp.__name__])
