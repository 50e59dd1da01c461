"""Signatures as users read them: types in short, defaults as they are typed, lines that are not too long."""

import inspect
import re
import types
from collections.abc import Callable
from typing import Any, NamedTuple, NoReturn

import torch

from mxnet.base import _Null
from regluon.dtypes import NAME_OF_TORCH
from regluon.ops.registry import REQUIRED, Operator, Param

_WIDTH = 76  # what a page shows without scrolling
_EMPTY = inspect.Parameter.empty
_STARS = {inspect.Parameter.VAR_POSITIONAL: "*", inspect.Parameter.VAR_KEYWORD: "**"}
_WORDS = {
    "Shape": "tuple of int",
    "Floats": "tuple of float",
    "DTypeLike": "dtype",
    "Sequence[Shape]": "tuple of tuples",
}


class Argument(NamedTuple):
    """An argument of a function: texts of its type and default are empty where there is none."""

    name: str
    type: str = ""
    default: str = ""
    stars: str = ""

    def __str__(self) -> str:
        return f"{self.stars}{self.name}={self.default}" if self.default else f"{self.stars}{self.name}"


def default_text(value: Any) -> str:
    """A default as one would type it; nothing in it depends on the process."""
    if value is _Null or value is _EMPTY:
        return ""
    if isinstance(value, torch.dtype):
        return repr(NAME_OF_TORCH[value])
    if isinstance(value, (type, types.FunctionType, types.BuiltinFunctionType)):
        return value.__name__
    text = repr(value)
    return "..." if text.startswith("<") or " at 0x" in text or "\n" in text else text


def type_text(annotation: Any) -> str:
    """An annotation without the paths of its names; empty for one that says nothing."""
    if annotation is _EMPTY or annotation is Any:
        return ""
    text = annotation if isinstance(annotation, str) else inspect.formatannotation(annotation)
    text = re.sub(r"\b(?:[a-z_]\w*\.)+(?=\w)", "", text).replace("'", "")
    text = re.sub(r"ForwardRef\((\w+)\)", r"\1", text)
    return "" if text in ("Any", "Self", "NoneType") else text


def arguments_of(function: Callable[..., Any], *, is_method: bool = False) -> list[Argument]:
    """The arguments of a function or class. A method's first one is left out, and so is what is there to be refused."""
    try:
        given = list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError):
        return []
    if is_method:
        given = given[1:]
    return [
        Argument(each.name, type_text(each.annotation), default_text(each.default), _STARS.get(each.kind, ""))
        for each in given
        if each.annotation is not NoReturn and each.annotation != "NoReturn"
    ]


def result_of(function: Callable[..., Any]) -> str:
    """The type of what a function returns, empty if it is not said or None."""
    try:
        annotation = inspect.signature(function).return_annotation
    except (TypeError, ValueError):
        return ""
    return "" if annotation is None else type_text(annotation).replace("None", "", 1 if annotation == "None" else 0)


def param_type(param: Param) -> str:
    """The kind of an operator's parameter in words."""
    text = param.kind.stub
    is_optional = text.endswith(" | None")
    text = text.removesuffix(" | None")
    text = _WORDS.get(text, text)
    found = re.fullmatch(r"Literal\[(.*)\]", text)
    text = found[1].replace(", ", " | ") if found else text
    return f"{text} | None" if is_optional or (param.default is None and text != "Any") else text


def operator_arguments(operator: Operator) -> list[Argument]:
    """The arguments of an operator's functions: inputs, then parameters."""
    stars = "*" if operator.variadic else ""
    last = len(operator.inputs) - 1
    inputs = [
        Argument(
            name,
            "",
            "None" if position >= operator.num_required and not operator.variadic else "",
            stars * (position == last),
        )
        for position, name in enumerate(operator.inputs)
    ]
    return [
        *inputs,
        *(Argument(param.name, param_type(param), operator_default(param)) for param in operator.params.values()),
    ]


def operator_default(param: Param) -> str:
    """The default of an operator's parameter, empty if it must be given."""
    return "" if param.default is REQUIRED else default_text(param.default)


def call_text(name: str, arguments: list[Argument], *, result: str = "") -> str:
    """A call with all its arguments, broken into lines if it is long."""
    arrow = f" -> {result}" if result else ""
    line = f"{name}({', '.join(map(str, arguments))}){arrow}"
    if len(line) <= _WIDTH:
        return line
    lines, current = [], "   "
    for argument in arguments:
        piece = f" {argument},"
        if len(current) + len(piece) > _WIDTH:
            lines.append(current)
            current = "   "
        current += piece
    return "\n".join([f"{name}(", *lines, current, f"){arrow}"])
