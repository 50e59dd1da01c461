"""From a node to a symbol, plain or traced: the one place that knows both."""

import threading
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from ..array import NDArray
from ..graph.node import Entry, Node
from ..ops.registry import Operator
from .composition import apply


class Maker:
    """How symbols are made of heads: plainly, or by the trace of a network, which notes shapes as it goes."""

    def make(self, heads: tuple[Entry, ...], is_numpy: bool = False) -> Any:
        """A symbol, with NumPy's rules if asked for."""
        raise NotImplementedError

    def constant(self, array: NDArray) -> Any:
        """A symbol that stands for an array from outside."""
        raise NotImplementedError

    def know_like(self, node: Node, entry: Entry, shape_of: Callable[[Sequence[int]], Sequence[int]] | None) -> None:
        """Notes that a variable is like an output: of its shape, or of what `shape_of` makes of it."""
        raise NotImplementedError


class _Local(threading.local):
    """What makes symbols in a thread while a network is traced."""

    maker: Maker | None = None


local = _Local()
_PREFIXES = ("_npi_", "_npx_", "_np_")
# The classes of symbols made outside of any trace, which stand above this module: plain ones, and those of `mx.np`.
_classes: dict[bool, Callable[[tuple[Entry, ...]], Any]] = {}


def set_class(is_numpy: bool, symbol_class: Callable[[tuple[Entry, ...]], Any]) -> None:
    """Names the class of symbols made outside of any trace, with NumPy's rules or without."""
    _classes[is_numpy] = symbol_class


def symbol_of(heads: Sequence[Entry], is_numpy: bool = False) -> Any:
    """A symbol of these heads, with NumPy's rules if asked for."""
    if local.maker is not None:
        return local.maker.make(tuple(heads), is_numpy)
    return _classes[is_numpy](tuple(heads))


def follows_numpy(values: Iterable[Any]) -> bool:
    """Whether a symbol with NumPy's rules is among the arguments of an operator: its results are such, too."""
    return any(
        follows_numpy(value) if isinstance(value, (list, tuple)) else getattr(value, "_is_numpy", False)
        for value in values
    )


def outputs_of(node: Node) -> tuple[Entry, ...]:
    """All outputs of a node that can be used."""
    return tuple(Entry(node, index) for index in range(node.num_outputs))


def apply_operator(
    operator: Operator,
    called: str,
    args: Sequence[Any],
    kwargs: dict[str, Any],
    name: str | None = None,
    attr: dict[str, Any] | None = None,
    is_numpy: bool = False,
) -> Any:
    """The symbol of an operator on symbols, with NumPy's rules if asked for or if an input has; see compose.apply."""
    if local.maker is not None:
        args = _with_symbols(args, local.maker)
        kwargs = dict(zip(kwargs, _with_symbols(kwargs.values(), local.maker), strict=True))
    if not is_numpy and (follows_numpy(args) or follows_numpy(kwargs.values())):
        is_numpy, called = True, numpy_name(operator, called)
    return symbol_of(outputs_of(apply(operator, called, args, kwargs, name, attr)), is_numpy)


def _with_symbols(values: Iterable[Any], maker: Maker) -> list[Any]:
    """The same with symbols for the arrays among them: code that is traced mixes in what it made before."""
    return [
        maker.constant(value)
        if isinstance(value, NDArray)
        else _with_symbols(value, maker)
        if isinstance(value, list)
        else value
        for value in values
    ]


def numpy_name(operator: Operator, called: str) -> str:
    """The name by which `mx.np` or `mx.npx` has an operator, without the prefix; what it was called by if neither has.

    Automatic names of nodes show it.
    """
    names = (called, operator.name, *operator.aliases)
    found = next((name for name in names if name.startswith(_PREFIXES)), called)
    return short_name(found)


def short_name(name: str) -> str:
    """The name of an operator without the prefix that tells where its function stands."""
    for prefix in _PREFIXES:
        if name.startswith(prefix):
            return name.removeprefix(prefix)
    return name
