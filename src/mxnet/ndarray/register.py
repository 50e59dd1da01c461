"""Front-end functions made from the operator registry."""

import inspect
from collections.abc import Callable
from functools import lru_cache
from typing import Any

from ..base import _Null
from ..ops.registry import REQUIRED, Operator, absent
from .handle import Handle
from .invoke import invoke

# Hundreds of functions share their arguments: fewer objects to make at import.
_argument = lru_cache(maxsize=None, typed=True)(
    lambda name, kind, default: inspect.Parameter(name, kind, default=default)
)
_BY_POSITION, _BY_NAME = inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY


def signature(operator: Operator, last: tuple[str, ...] = ("out", "name")) -> inspect.Signature:
    """The signature users see: inputs, parameters, then the `last` arguments, which are None by default."""
    after = _BY_NAME if operator.variadic else _BY_POSITION
    if operator.variadic:
        *single, several = operator.inputs
        only_by_position = inspect.Parameter.POSITIONAL_ONLY
        parts = [inspect.Parameter(name, only_by_position) for name in single]
        parts.append(inspect.Parameter(several, inspect.Parameter.VAR_POSITIONAL))
    else:
        parts = [_argument(name, _BY_POSITION, None) for name in operator.inputs]
    for param in operator.params.values():
        parts.append(_argument(param.name, after, _Null if param.default is REQUIRED else param.default))
    parts += [_argument(name, after, None) for name in last if name not in operator.params]
    return inspect.Signature(parts)


def presented(function: Any, operator: Operator, name: str, module: str, last: tuple[str, ...]) -> Callable[..., Any]:
    """A function under the name, documentation and signature that users see."""
    function.__name__ = function.__qualname__ = name
    function.__doc__ = operator.doc
    function.__module__ = module
    function.__signature__ = signature(operator, last)
    return function


def make_function(operator: Operator, name: str, array_type: type[Handle] | None) -> Callable[..., Any]:
    """The function `nd.<name>` of an operator; `array_type` may be None where the first input always tells it."""

    def function(*args: Any, out: Any = None, name: str | None = None, **kwargs: Any) -> Any:
        inputs, params = operator.bind(args, kwargs)
        return invoke(operator, inputs, params, out, array_type)

    return presented(function, operator, name, "mxnet.ndarray.op", ("out", "name"))


def refusing(name: str) -> Callable[..., Any]:
    """The function of an operator that MXNet has and we have not: it says what to do instead."""

    def function(*args: Any, **kwargs: Any) -> Any:
        raise absent(name)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"Refused: {absent(name)}"
    return function
