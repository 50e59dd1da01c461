"""Front-end functions on symbols made from the operator registry."""

import inspect
from collections.abc import Callable
from functools import lru_cache
from typing import Any

from ..base import _Null
from ..ops.registry import REQUIRED, Operator
from .building import apply_operator

_argument = lru_cache(maxsize=None, typed=True)(
    lambda name, kind, default: inspect.Parameter(name, kind, default=default)
)
_BY_POSITION, _BY_NAME = inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY


def signature(operator: Operator) -> inspect.Signature:
    """The signature users see: inputs, parameters, then `name`, `attr` and `out`."""
    after = _BY_NAME if operator.variadic else _BY_POSITION
    if operator.variadic:
        parts = [inspect.Parameter(operator.inputs[0], inspect.Parameter.VAR_POSITIONAL)]
    else:
        parts = [_argument(name, _BY_POSITION, None) for name in operator.inputs]
    for param in operator.params.values():
        parts.append(_argument(param.name, after, _Null if param.default is REQUIRED else param.default))
    parts += [_argument(name, after, None) for name in ("name", "attr", "out") if name not in operator.params]
    parts.append(inspect.Parameter("kwargs", inspect.Parameter.VAR_KEYWORD))
    return inspect.Signature(parts)


def make_function(operator: Operator, called: str) -> Callable[..., Any]:
    """The function `sym.<called>` of an operator."""

    def function(
        *args: Any, name: str | None = None, attr: dict[str, str] | None = None, out: Any = None, **kwargs: Any
    ) -> Any:
        return apply_operator(operator, called, args, kwargs, name, attr)

    function.__name__ = function.__qualname__ = called
    function.__doc__ = operator.doc
    function.__module__ = "mxnet.symbol.op"
    function.__signature__ = signature(operator)  # type: ignore[attr-defined]
    return function
