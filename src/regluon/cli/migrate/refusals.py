"""What is there only to say what to do instead, and what it says."""

import ast
import inspect
import re
import textwrap
import types
from typing import Any, NoReturn

from .syntax import PACKAGES

_MARK = "Refused: "  # how docstrings of such functions begin


def refusal(value: Any) -> str:
    """What a function, class or placeholder says when it is used; nothing, if it does something.

    The library marks what refuses with the annotation NoReturn, so that nothing has to be called to find out.
    """
    if isinstance(value, property):
        value = value.fget
    document = inspect.getdoc(value) if isinstance(value, types.FunctionType) else None
    if document and document.startswith(_MARK):
        return _plain(document.removeprefix(_MARK).partition("\n")[0])
    if isinstance(value, types.FunctionType):
        return _text(value) if _never_returns(value) else ""
    if isinstance(value, type):
        return _text_of_class(value)
    return _text_of_placeholder(value)


def _text_of_class(value: type) -> str:
    """A class refuses if its constructor hands over to a function that does."""
    constructor = vars(value).get("__init__")
    if not isinstance(constructor, types.FunctionType) or not value.__module__.startswith(PACKAGES):
        return ""
    called = [constructor.__globals__.get(name) for name in constructor.__code__.co_names]
    return next((_text(each) for each in called if isinstance(each, types.FunctionType) and _never_returns(each)), "")


def _text_of_placeholder(value: Any) -> str:
    """The handle of the C library, and the types of its pointers, refuse to be called or looked into."""
    if not type(value).__module__.startswith(PACKAGES):
        return ""
    methods = (vars(type(value)).get(name) for name in ("__call__", "__getattr__"))
    return next((_text(each) for each in methods if isinstance(each, types.FunctionType) and _never_returns(each)), "")


def _never_returns(function: types.FunctionType) -> bool:
    return function.__annotations__.get("return") in (NoReturn, "NoReturn")


def _text(function: types.FunctionType) -> str:
    """The text of the error that a function raises in the end, read off its source."""
    try:
        tree = ast.parse(textwrap.dedent(inspect.getsource(function)))
    except (OSError, TypeError, SyntaxError):
        return _plain(inspect.getdoc(function) or "it is refused")
    match tree.body:
        case [ast.FunctionDef(body=[*_, ast.Raise(exc=ast.Call(args=[text, *_]))])]:
            return _plain(_rendered(text))
    return _plain((inspect.getdoc(function) or "it is refused").partition("\n")[0])


def _rendered(node: ast.expr) -> str:
    match node:
        case ast.Constant(value=str(text)):
            return text
        case ast.JoinedStr(values=values):
            return "".join(map(_rendered, values))
        case ast.FormattedValue(value=value):
            return ast.unparse(value)
    return ast.unparse(node)


def _plain(text: str) -> str:
    """Without the name that error texts begin with: the report has it already."""
    return re.sub(r"^\[[^\]]*\] ", "", text)
