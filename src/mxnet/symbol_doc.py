"""Documentation of functions on symbols, put together from the parts that MXNet kept of an operator."""

from collections.abc import Sequence
from typing import Any

from .ndarray_doc import composed

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
    """The documentation of a function on symbols."""
    arguments = (arg_names, arg_types, arg_desc)
    name = "name : str, optional\n    The name of the new node."
    text = composed(SymbolDoc, func_name, desc, arguments, bool(key_var_num_args), name, "Symbol")
    return text.replace("NDArray-or-Symbol", "Symbol")
