"""The stubs of the functions of `mx.np` that the official NumPy carries out: its signatures, and our results.

The modules say what a function returns by what makes it, `allclose = _test("allclose")`; NumPy says what it takes.
"""

import ast
import inspect
from collections.abc import Callable
from types import ModuleType
from typing import Any

HEAD = '''"""{title} Made by tools/stubs.py from NumPy's signatures; do not edit."""

from typing import Any, NoReturn

import numpy as onp

from .array import ndarray

'''
_TELLING = (bool, str)  # defaults that say what a parameter is; numbers may stand for arrays
_ARRAYS = ("where",)  # and so may these
_OLDER = dict.fromkeys(("nanpercentile", "nanquantile"), "interpolation: str | None = None")  # what we take beside


def _result_of(annotation: ast.expr | None) -> str:
    """What a `Callable[..., result]` returns, as it is written."""
    if not isinstance(annotation, ast.Subscript) or not isinstance(annotation.slice, ast.Tuple):
        raise ValueError(f"{ast.unparse(annotation) if annotation else None} does not say what is returned")
    return ast.unparse(annotation.slice.elts[1]).replace("'", "").replace('"', "")


def results(module: ModuleType) -> dict[str, str]:
    """By the name of each function that a module assigns, what it returns."""
    makers, found = {}, {}
    for node in ast.parse(inspect.getsource(module)).body:
        if isinstance(node, ast.FunctionDef) and node.returns is not None:
            makers[node.name] = node.returns
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            found[node.target.id] = _result_of(node.annotation)
        elif (
            isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name) and isinstance(node.value, ast.Call)
        ):
            found[node.targets[0].id] = _result_of(makers.get(ast.unparse(node.value.func)))
    return found


def _parameter(parameter: inspect.Parameter) -> str:
    star = {parameter.VAR_POSITIONAL: "*", parameter.VAR_KEYWORD: "**"}.get(parameter.kind, "")
    default = parameter.default
    is_told = isinstance(default, _TELLING) and parameter.name not in _ARRAYS
    kind = type(default).__name__ if is_told else "Any"
    if default is parameter.empty:
        return f"{star}{parameter.name}: Any"
    shown = repr(default) if default is None or isinstance(default, (bool, str, int, float)) else "..."
    return f"{parameter.name}: {kind} = {shown}"


def _parameters(function: Callable[..., Any]) -> list[str]:
    """Parameters as they are written, with the marks between those by position, by either, and by name."""
    try:
        taken = list(inspect.signature(function).parameters.values())
    except ValueError:  # NumPy before 2.4 does not tell those of its ufuncs
        return ["*args: Any", "**kwargs: Any"]
    written, has_star = [], False
    for position, parameter in enumerate(taken):
        if parameter.kind is parameter.KEYWORD_ONLY and not has_star:
            written.append("*")
        has_star |= parameter.kind in (parameter.KEYWORD_ONLY, parameter.VAR_POSITIONAL)
        written.append(_parameter(parameter))
        following = taken[position + 1].kind if position + 1 < len(taken) else None
        if parameter.kind is parameter.POSITIONAL_ONLY and following is not parameter.POSITIONAL_ONLY:
            written.append("/")
    return written


def _function(name: str, function: Callable[..., Any], result: str) -> str:
    taken = _parameters(function)
    if name in _OLDER and not any(part.startswith(_OLDER[name].partition(":")[0]) for part in taken):
        taken.append(_OLDER[name])
    doc = function.__doc__ if result == "NoReturn" else f"Carried out by NumPy: see numpy.{function.__name__} there."
    return f'def {name}({", ".join(taken)}) -> {result}:\n    """{doc}"""\n    ...'


def stub(module: ModuleType, title: str) -> str:
    """The text of a module's stub."""
    returned = results(module)
    parts = [_function(name, getattr(module, name), returned[name]) for name in sorted(module.__all__)]
    return "\n".join([HEAD.format(title=title) + "\n".join(parts), "", f"__all__ = {sorted(module.__all__)!r}", ""])
