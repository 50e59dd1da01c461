"""What operators there are, and what they take."""

from typing import Any, NamedTuple

import numpy as np

from regluon.dtypes import TORCH_OF_NAME
from regluon.ops.params import Choice, Kind, Maybe
from regluon.ops.registry import REQUIRED, Param, find, names

__all__ = ["OperatorArguments", "get_all_registered_operators", "get_operator_arguments"]


class OperatorArguments(NamedTuple):
    """The arguments of an operator: their number, names, and types in words."""

    narg: int
    names: list[str]
    types: list[str]


OperatorArguments.__module__ = "mxnet.operator"


def get_all_registered_operators() -> list[str]:
    """The names of all operators, in alphabetic order; further names of an operator are listed too."""
    return sorted(name for name, _ in names())


def get_operator_arguments(op_name: str) -> OperatorArguments:
    """What an operator takes: inputs, then parameters."""
    operator = find(op_name)
    array = "NDArray-or-Symbol[]" if operator.variadic else "NDArray-or-Symbol"
    found = [(name, array) for name in operator.inputs]
    if operator.count_param:
        found.append((operator.count_param, "int, required"))
    found += [(param.name, _words(param)) for param in operator.params.values()]
    return OperatorArguments(len(found), [name for name, _ in found], [words for _, words in found])


_WORDS = {
    "int": "int",
    "float": "float",
    "bool": "boolean",
    "str": "string",
    "Shape": "Shape(tuple)",
    "Floats": "tuple of <float>",
    "Sequence[Shape]": "tuple of <Shape(tuple)>",
    "DTypeLike": "{" + ", ".join(map(repr, sorted(TORCH_OF_NAME))) + "}",
    "Context | str": "string",
}


def _words(param: Param) -> str:
    """A parameter's type and default as MXNet's documents write them."""
    kind = _kind_words(param.kind)
    if param.default is REQUIRED:
        return kind if kind == "string" else f"{kind}, required"
    return f"{kind}, optional, default={_default_words(param.kind, param.default)}"


def _kind_words(kind: Kind) -> str:
    if isinstance(kind, Maybe):
        return f"{_kind_words(kind.kind)} or None"
    if isinstance(kind, Choice):
        return "{" + ", ".join(map(repr, sorted(kind.texts))) + "}"
    return _WORDS[kind.stub]


def _default_words(kind: Kind, default: Any) -> str:
    if default is None:
        return "None"
    if isinstance(default, bool):
        return str(int(default))
    if isinstance(default, float):
        return kind.format(float(np.float32(default)))  # MXNet holds them in single precision
    if isinstance(default, tuple):
        return str(list(default))
    return repr(kind.format(default))
