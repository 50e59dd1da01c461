"""Signatures as data, for operators that are generated instead of written out."""

from collections.abc import Callable, Iterable
from inspect import Parameter, Signature
from typing import Any

from torch import Tensor

REQUIRED = Parameter.empty


def number(name: str, kind: Any, default: Any = REQUIRED) -> Parameter:
    """A parameter of an operator; `kind` is its annotation, see params.py."""
    return Parameter(name, Parameter.KEYWORD_ONLY, annotation=kind, default=default)


def signed(
    function: Callable[..., Any],
    name: str,
    doc: str,
    inputs: Iterable[str],
    numbers: Iterable[Parameter],
    *,
    optional: bool = False,
) -> Callable[..., Any]:
    """The function with a name, a docstring and a signature.

    Args:
        function: takes the inputs by position and the parameters by name.
        name: of the operator.
        doc: its documentation.
        inputs: names of the inputs; one that begins with `*` is a list of them.
        numbers: the parameters.
        optional: whether inputs may be left out.
    """
    arguments = []
    for each in inputs:
        if each.startswith("*"):
            arguments.append(Parameter(each[1:], Parameter.VAR_POSITIONAL, annotation=Tensor))
        else:
            default = None if optional else REQUIRED
            arguments.append(Parameter(each, Parameter.POSITIONAL_OR_KEYWORD, annotation=Tensor, default=default))
    function.__name__ = function.__qualname__ = name
    function.__doc__ = doc
    function.__signature__ = Signature([*arguments, *numbers])  # type: ignore[attr-defined]
    return function
