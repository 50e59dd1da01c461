"""Front-end functions made from the operator registry."""

import inspect
from collections.abc import Callable
from typing import Any

from ..base import _Null
from ..ops.registry import REQUIRED, Operator
from .handle import Handle
from .invoke import invoke


def signature(operator: Operator) -> inspect.Signature:
    """The signature users see: inputs, parameters, then `out` and `name`."""
    make, kinds = inspect.Parameter, inspect._ParameterKind
    if operator.variadic:
        parts = [make(operator.inputs[0], kinds.VAR_POSITIONAL)]
        after = kinds.KEYWORD_ONLY
    else:
        parts = [make(name, kinds.POSITIONAL_OR_KEYWORD, default=None) for name in operator.inputs]
        after = kinds.POSITIONAL_OR_KEYWORD
    for param in operator.params.values():
        default = _Null if param.default is REQUIRED else param.default
        parts.append(make(param.name, after, default=default))
    parts += [make(name, after, default=None) for name in ("out", "name") if name not in operator.params]
    return inspect.Signature(parts)


def make_function(operator: Operator, name: str, array_type: type[Handle]) -> Callable[..., Any]:
    """The function `nd.<name>` of an operator."""

    def function(*args: Any, out: Any = None, name: str | None = None, **kwargs: Any) -> Any:
        inputs, params = operator.bind(args, kwargs)
        return invoke(operator, inputs, params, out, array_type)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = operator.doc
    function.__module__ = "mxnet.ndarray.op"
    function.__signature__ = signature(operator)  # type: ignore[attr-defined]
    return function
