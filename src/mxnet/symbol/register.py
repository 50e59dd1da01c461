"""Front-end functions on symbols made from the operator registry."""

from collections.abc import Callable
from typing import Any

from ..ndarray.register import presented
from ..ops.registry import Operator
from .building import apply_operator


def make_function(operator: Operator, called: str) -> Callable[..., Any]:
    """The function `sym.<called>` of an operator."""

    def function(
        *args: Any, name: str | None = None, attr: dict[str, str] | None = None, out: Any = None, **kwargs: Any
    ) -> Any:
        return apply_operator(operator, called, args, kwargs, name, attr)

    return presented(function, operator, called, "mxnet.symbol.op", ("name", "attr", "out"))
