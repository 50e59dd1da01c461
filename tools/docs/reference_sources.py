"""Where things are defined: links to files and lines of the repository."""

import ast
import functools
import inspect
import sys
from pathlib import Path
from typing import Any

import mxnet

from . import REPOSITORY
from .reference_names import Entry

SOURCES = Path(mxnet.__file__).parents[1]


@functools.cache
def _classes(file: str) -> dict[str, int]:
    """The lines at which the classes of a file begin, by qualified name."""
    lines: dict[str, int] = {}

    def visit(node: ast.AST, prefix: str) -> None:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.ClassDef):
                lines[prefix + child.name] = child.lineno
                visit(child, f"{prefix}{child.name}.")
            elif isinstance(child, (ast.If, ast.Try)):
                visit(child, prefix)

    visit(ast.parse(Path(file).read_text(encoding="utf-8")), "")
    return lines


def _place(value: Any) -> tuple[str, int] | None:
    """File and line of a function or class."""
    if isinstance(value, property):
        value = value.fget
    if isinstance(value, functools.cached_property):
        value = value.func
    if isinstance(value, type):
        files = [getattr(sys.modules.get(value.__module__), "__file__", None)]
        files += [member.__code__.co_filename for member in vars(value).values() if inspect.isfunction(member)]
        for file in filter(None, files):
            line = _classes(file).get(value.__qualname__) if Path(file).suffix == ".py" else None
            if line:
                return file, line
        return None
    # Functions of NumPy are wrapped too: then it is the wrapper that is ours.
    for function in (inspect.unwrap(value), value):
        code = getattr(function, "__code__", None)
        if code and Path(code.co_filename).is_relative_to(SOURCES):
            return code.co_filename, code.co_firstlineno
    return None


def source_of(entry: Entry) -> str | None:
    """The address of the line where an entry is defined; None for what Python does not know the place of."""
    place = _place(entry.operator.function if entry.operator else entry.value)
    if place is None or not Path(place[0]).is_relative_to(SOURCES):
        return None
    return f"{REPOSITORY}/blob/main/src/{Path(place[0]).relative_to(SOURCES).as_posix()}#L{place[1]}"
