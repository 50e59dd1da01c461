"""Inspect and edit the graph behind a symbol."""

from typing import TYPE_CHECKING, Any

from ..base import MXNetError
from ..graph.node import Entry, Node, Writes, in_order, replaced, variable
from ..ops.registry import find
from .graph_builder import apply_operator, outputs_of, symbol_of

if TYPE_CHECKING:
    from .symbol import Symbol

__all__ = ["Structure"]


class Structure:
    """The part of Symbol that takes graphs apart and joins them."""

    __slots__ = ()

    _heads: tuple[Entry, ...]
    _is_numpy: bool

    def get_internals(self) -> "Symbol":
        """A group of all outputs inside, variables included: choose one by name to cut a network."""
        order = in_order(self._heads)
        writes = Writes()
        for node in order:
            writes.note(node)
        return symbol_of([writes.versioned(entry) for node in order for entry in outputs_of(node)])

    def get_children(self) -> "Symbol | None":
        """A group of the inputs of its nodes; None for variables."""
        nodes = list({id(head.node): head.node for head in self._heads}.values())
        writes = Writes()
        for node in in_order(self._heads):
            writes.note(node)
        inputs = [writes.versioned(source) for node in nodes for source in node.inputs]
        return symbol_of(inputs) if inputs else None

    def __call__(self, *args: Any, name: str | None = None, **kwargs: Any) -> "Symbol":
        """The same graph on other symbols in place of its variables.

        Args:
            args: what takes the place of the arguments, in order.
            name: a name for the result.
            kwargs: the same by name.
        """
        if args and kwargs:
            raise TypeError("[Symbol] received symbols by position and by name; expected one way or the other.")
        arguments = [node for node in in_order(self._heads) if node.is_variable]
        if len(args) > len(arguments):
            raise TypeError(f"[Symbol] received {len(args)} symbols; it has {len(arguments)} variables.")
        given = dict(zip([node.name for node in arguments], args, strict=False)) or kwargs
        for key, value in given.items():
            if not isinstance(value, Structure) or len(value._heads) != 1:
                raise TypeError(f"[Symbol] {key}: received {value!r}; expected a Symbol with one output.")
        unknown = sorted(given.keys() - {node.name for node in arguments})
        if unknown:
            names = ", ".join(node.name for node in arguments)
            raise MXNetError(f"[Symbol] received {', '.join(unknown)}; its variables are {names}.")
        instead = {id(node): given[node.name]._heads[0] for node in arguments if node.name in given}
        heads = replaced(self._heads, instead)
        if name is not None and len(heads) == 1 and not heads[0].node.is_variable:
            old = heads[0].node
            heads = (Entry(Node(old.operator, name, old.attrs, old.inputs, old.subgraphs), heads[0].index),)
        return symbol_of(heads, self._is_numpy)

    def _compose(self, *args: Any, name: str | None = None, **kwargs: Any) -> None:
        """Puts other symbols in place of its variables, in this symbol itself: see `__call__`."""
        self._heads = self(*args, name=name, **kwargs)._heads  # type: ignore[misc]  # a slot of the subclass

    def _gen_atomic_symbol(self) -> Any:
        """Its operator alone, on new variables that are named after the operator's inputs."""
        node = self._heads[0].node
        if node.is_variable:
            raise MXNetError(f"[Symbol] {node.name} is a variable; expected the result of an operator.")
        names = node.input_names or [f"arg{place}" for place in range(len(node.inputs))]
        inputs = [Entry(variable(name)) for name in names]
        return symbol_of(outputs_of(Node(node.operator, node.name, node.attrs, inputs, node.subgraphs)), self._is_numpy)

    def _apply_function(self, function: Any, inputs: Any) -> Any:
        """What an `autograd.Function` gives on symbols: the operators of its `forward`, and their gradients."""
        return function.forward(*inputs)


class Shaping:
    """Methods for shape and dtype."""

    __slots__ = ()

    def squeeze(self, axis: Any = None, **kwargs: Any) -> "Symbol":
        """Leaves out axes of length 1."""
        return apply_operator(find("squeeze"), "squeeze", (self,), {"axis": axis, **_unnamed(kwargs)}, **_named(kwargs))

    def astype(self, dtype: Any, **kwargs: Any) -> "Symbol":
        """Converts the dtype."""
        return apply_operator(find("Cast"), "cast", (self,), {"dtype": dtype}, **_named(kwargs))

    def split_v2(self, indices_or_sections: Any, axis: int = 0, squeeze_axis: bool = False) -> "Symbol":
        """Cuts along an axis; see `sym.split_v2`."""
        return split_v2(self, indices_or_sections, axis, squeeze_axis)


def split_v2(ary: Any, indices_or_sections: Any, axis: int = 0, squeeze_axis: bool = False) -> "Symbol":
    """Cuts a symbol along an axis.

    Args:
        ary: what to cut.
        indices_or_sections: into how many equal pieces, or the places of the cuts.
        axis: which axis.
        squeeze_axis: whether to leave out the axis where the pieces have length 1.
    """
    if isinstance(indices_or_sections, int):
        indices, sections = [], indices_or_sections
    elif isinstance(indices_or_sections, (tuple, list)):
        indices, sections = [0, *indices_or_sections], 0
    else:
        raise ValueError(
            f"[split_v2] indices_or_sections: received {indices_or_sections!r}; expected a number of pieces, or a "
            "tuple of places."
        )
    params = {"indices": indices, "axis": axis, "squeeze_axis": squeeze_axis, "sections": sections}
    return apply_operator(find("_split_v2"), "_split_v2", (ary,), params)


def _named(kwargs: dict[str, Any]) -> dict[str, Any]:
    return {key: kwargs[key] for key in ("name", "attr") if key in kwargs}


def _unnamed(kwargs: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in kwargs.items() if key not in ("name", "attr", "out")}
