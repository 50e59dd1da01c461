"""Front-end functions on symbols made from the operator registry."""

from collections.abc import Callable
from typing import Any

from ..array.register import function_code, presented
from ..ops.registry import Operator, find
from .graph_builder import apply_operator
from .numpy_composition import outputs_in_list


def make_function(operator: Operator, called: str, is_numpy: bool = False) -> Callable[..., Any]:
    """The function `sym.<called>` of an operator, or `sym.np.<called>`."""

    def function(
        *args: Any, name: str | None = None, attr: dict[str, Any] | None = None, out: Any = None, **kwargs: Any
    ) -> Any:
        result = apply_operator(operator, called, args, kwargs, name, attr, is_numpy)
        return outputs_in_list(result) if is_numpy else result

    return presented(function, operator, called, "mxnet.symbol.op", ("name", "attr", "out"))


def _generate_symbol_function_code(
    handle: Any, op_name: str, func_name: str, signature_only: bool = False
) -> tuple[str, str]:
    """The source text of the function of an operator on symbols, and its documentation.

    Args:
        handle: of the operator in MXNet's C library; not needed here.
        op_name: the operator's name.
        func_name: the function's.
        signature_only: leave the call of the operator out.

    Returns:
        The text, which refers to `mxnet` and `_Null` of `mxnet.base`, and the documentation.
    """
    return function_code(op_name, func_name, "symbol", ("name", "attr"), signature_only), find(op_name).doc
