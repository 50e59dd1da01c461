"""Documentation of functions on symbols, put together from the parts that MXNet kept of an operator."""

from collections.abc import Sequence
from typing import Any

from .base import build_param_doc
from .ndarray_doc import extra_text

__all__ = ["SymbolDoc"]


class SymbolDoc:
    """The docstring of a subclass `<name>Doc` is added to what `_build_doc` writes about the function `<name>`."""

    @staticmethod
    def get_output_shape(sym: Any, **input_shapes: tuple[int, ...]) -> dict[str, tuple[int, ...]]:
        """The shapes of a symbol's outputs by name.

        Args:
            sym: the symbol.
            input_shapes: shapes of its variables.
        """
        _, shapes, _ = sym.infer_shape(**input_shapes)
        return dict(zip(sym.list_outputs(), shapes, strict=True))


def _build_doc(
    func_name: str,
    desc: str,
    arg_names: Sequence[str],
    arg_types: Sequence[str],
    arg_desc: Sequence[str],
    key_var_num_args: str | None = None,
    ret_type: str | None = None,
) -> str:
    """The documentation of a function on symbols: what it does, its parameters, `name`, what it returns."""
    several = "\nThis function support variable length of positional input." if key_var_num_args else ""
    params = build_param_doc(arg_names, arg_types, arg_desc)
    name = "name : string, optional.\n    Name of the resulting symbol."
    returns = "Returns\n-------\nSymbol\n    The result symbol."
    text = f"{desc}{several}\n\n{params}\n{name}\n\n{returns}\n{extra_text(SymbolDoc, func_name)}"
    return text.replace("NDArray-or-Symbol", "Symbol")
