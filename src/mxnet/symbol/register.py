"""Front-end functions on symbols made from the operator registry."""

from collections.abc import Callable
from typing import Any

from ..ndarray.register import presented
from ..ops.registry import Operator
from .building import apply_operator
from .np_composing import outputs_in_list


def make_function(operator: Operator, called: str, is_numpy: bool = False) -> Callable[..., Any]:
    """The function `sym.<called>` of an operator, or `sym.np.<called>`."""

    def function(
        *args: Any, name: str | None = None, attr: dict[str, Any] | None = None, out: Any = None, **kwargs: Any
    ) -> Any:
        result = apply_operator(operator, called, args, kwargs, name, attr, is_numpy)
        return outputs_in_list(result) if is_numpy else result

    return presented(function, operator, called, "mxnet.symbol.op", ("name", "attr", "out"))
