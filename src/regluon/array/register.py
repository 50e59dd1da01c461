"""Front-end functions made from the operator registry."""

import inspect
from collections.abc import Callable, Container, Mapping
from functools import lru_cache
from typing import Any

from ..base import _Null
from ..ops.registry import ABSENT, REQUIRED, Operator, absent, find, names
from ..runtime.handle import Handle
from ..runtime.invoke import invoke
from ..runtime.repeated import repeatable

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

    function = presented(function, operator, name, "mxnet.ndarray.op", ("out", "name"))
    return function if operator.needs_surroundings else repeatable(function)


def function_code(op_name: str, func_name: str, space: str, last: tuple[str, ...], signature_only: bool) -> str:
    """The source text of a function that calls an operator's own; see `_generate_ndarray_function_code`."""
    operator = find(op_name)
    params, others = list(operator.params), [name for name in last if name not in operator.params]
    taken = [f"{name}=_Null" for name in params] + [f"{name}=None" for name in others]
    if operator.variadic:
        *single, several = operator.inputs
        taken, given = [*single, f"*{several}", *taken], [*single, f"*{several}"]
    else:
        taken, given = [*(f"{name}=None" for name in operator.inputs), *taken], list(operator.inputs)
    given += [f"{name}={name}" for name in (*params, *others)]
    module = "_internal" if op_name.startswith("_") else "op"
    body = "(0,)" if signature_only else f"mxnet.{space}.{module}.{op_name}({', '.join([*given, '**kwargs'])})"
    return f"\ndef {func_name}({', '.join([*taken, '**kwargs'])}):\n    return {body}\n"


def _generate_ndarray_function_code(
    handle: Any, op_name: str, func_name: str, signature_only: bool = False
) -> tuple[str, str]:
    """The source text of the function of an operator, and its documentation.

    Args:
        handle: of the operator in MXNet's C library; not needed here.
        op_name: the operator's name.
        func_name: the function's.
        signature_only: leave the call of the operator out.

    Returns:
        The text, which refers to `mxnet` and `_Null` of `mxnet.base`, and the documentation.
    """
    return function_code(op_name, func_name, "ndarray", ("out", "name"), signature_only), find(op_name).doc


class FunctionsOnDemand:
    """Functions of operators, each made when it is first asked for; for the `__getattr__` and `__dir__` of a module.

    Args:
        named: from the names of the functions to those of their operators.
        make: from an operator and the name of its function to the function.
    """

    __module__ = "mxnet.ndarray.register"

    def __init__(self, named: Mapping[str, str], make: Callable[[Operator, str], Callable[..., Any]]) -> None:
        self._named, self._make = named, make
        self._made: dict[str, Callable[..., Any]] = {}

    def names(self) -> list[str]:
        """What there is."""
        return sorted(self._named)

    def get(self, name: str, module: str) -> Callable[..., Any]:
        """The function of a name."""
        made = self._made.get(name)
        if made is None:
            operator_name = self._named.get(name)
            if operator_name is None:
                raise AttributeError(f"module {module!r} has no attribute {name!r}")
            is_absent = operator_name in ABSENT
            made = refusing(operator_name) if is_absent else self._make(find(operator_name), name)
            self._made[name] = made
        return made


def internal_names() -> dict[str, str]:
    """Operators whose names begin with an underscore, those that say what to do instead among them."""
    return {name: name for name in (*dict(names()), *ABSENT) if name.startswith("_")}


def names_after(prefix: str, without: Container[str] = ()) -> dict[str, str]:
    """Operators whose names begin with a prefix, by the rest; rests that begin with `_` belong to another module."""
    rests = ((name[len(prefix) :], name) for name, _ in names() if name.startswith(prefix))
    return {rest: name for rest, name in rests if not rest.startswith("_") and rest not in without}


def refusing(name: str) -> Callable[..., Any]:
    """The function of an operator that MXNet has and we have not: it says what to do instead."""

    def function(*args: Any, **kwargs: Any) -> Any:
        raise absent(name)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"Refused: {absent(name)}"
    return function
