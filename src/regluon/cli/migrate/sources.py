"""Python files and notebooks as syntax trees. Nothing of them is run or imported."""

import ast
import fnmatch
import json
import os
import re
import warnings
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

SUFFIXES = (".py", ".ipynb")
_NOT_PROGRAMS = {"__pycache__", "node_modules", "site-packages"}

# A file without any of these words uses nothing of MXNet, so it need not be parsed.
_WORDS = (b"mxnet", b"hybrid_forward")

# Magics of a cell that leave Python behind them; the other ones (`%%bash`) stand before another language.
_PYTHON_CELLS = {"time", "timeit", "capture", "prun", "python", "python3", "pypy", "debug", "d2l"}
# `% x` with a space is the operator, on the second line of an expression.
_MAGIC = re.compile(r"(\s*)(?:%%?[A-Za-z_]|[!?]|[\w.]+\?{1,2}\s*$)")
_ASSIGNED_MAGIC = re.compile(r"(\s*[\w.,\s]+=\s*)(?:%[A-Za-z_]|!)")


class Piece(NamedTuple):
    """A file, or a cell of a notebook, that was parsed: cells count from 1, and 0 stands for a file."""

    tree: ast.Module
    cell: int


class Problem(NamedTuple):
    """A file or cell that could not be read."""

    path: str
    line: int
    cell: int
    text: str


class Source(NamedTuple):
    """A file: what could be parsed of it, in order, and what could not."""

    path: str
    pieces: list[Piece]
    problems: list[Problem]


def find_files(paths: Sequence[str], exclude: Sequence[str] = ()) -> list[str]:
    """The programs and notebooks in files and folders, each once.

    Args:
        paths: files, which may have any name, and folders.
        exclude: patterns; a path that one of them matches, as a whole or by a part, is left out.
    """
    found: dict[str, None] = {}
    for path in paths:
        for each in sorted(_programs_in(path)) if os.path.isdir(path) else [path]:
            if not any(_matches(each, pattern) for pattern in exclude):
                found.setdefault(each)
    return list(found)


def _matches(path: str, pattern: str) -> bool:
    return fnmatch.fnmatch(path, pattern) or any(fnmatch.fnmatch(part, pattern) for part in Path(path).parts)


def _programs_in(folder: str) -> Iterator[str]:
    for place, folders, files in os.walk(folder):
        folders[:] = [name for name in folders if not _is_foreign(os.path.join(place, name))]
        yield from (os.path.join(place, name) for name in files if name.endswith(SUFFIXES))


def _is_foreign(folder: str) -> bool:
    """Whether a folder is hidden, made by a tool, or an environment with other people's packages."""
    name = os.path.basename(folder)
    return name.startswith(".") or name in _NOT_PROGRAMS or os.path.exists(os.path.join(folder, "pyvenv.cfg"))


def read(path: str) -> Source:
    """Parses a file; what is wrong with it is told, not raised."""
    try:
        content = Path(path).read_bytes()
    except OSError as error:
        return Source(path, [], [Problem(path, 0, 0, f"cannot be read: {error.strerror or error}")])
    if not any(word in content for word in _WORDS):
        return Source(path, [], [])
    if path.endswith(".ipynb"):
        return _read_notebook(path, content)
    result = _parsed(path, content, 0)
    return Source(path, [], [result]) if isinstance(result, Problem) else Source(path, [result], [])


def _parsed(path: str, code: str | bytes, cell: int) -> Piece | Problem:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # doubtful escapes in the program are no concern of this command
            return Piece(ast.parse(code, path), cell)
    except SyntaxError as error:
        hint = " (Python 2?)" if "print" in f"{error.msg}" else ""
        return Problem(path, error.lineno or 0, cell, f"is not Python 3: {error.msg}{hint}")
    except (ValueError, RecursionError, MemoryError) as error:
        return Problem(path, 0, cell, f"cannot be parsed: {error or type(error).__name__}")


def _read_notebook(path: str, content: bytes) -> Source:
    source = Source(path, [], [])
    try:
        cells = _code_cells(json.loads(content))
    except (ValueError, TypeError, AttributeError, KeyError, RecursionError) as error:
        source.problems.append(Problem(path, 0, 0, f"is not a notebook: {error}"))
        return source
    for number, code in enumerate(cells, 1):
        result = _parsed(path, without_magics(code), number)
        if isinstance(result, Problem):
            source.problems.append(result)
        else:
            source.pieces.append(result)
    return source


def _code_cells(notebook: Any) -> list[str]:
    """The texts of code cells; versions before 4 keep them in worksheets, as `input`."""
    sheets = [notebook] if "cells" in notebook else notebook["worksheets"]
    cells = [cell for sheet in sheets for cell in sheet["cells"] if cell["cell_type"] == "code"]
    return ["".join(cell["source"] if "source" in cell else cell["input"]) for cell in cells]


def without_magics(code: str) -> str:
    """The Python of a cell, on the lines where it stands: commands of IPython become `pass` or None."""
    lines = code.split("\n")
    first = next((line for line in lines if line.strip()), "")
    if first.startswith("%%") and first[2:].split(" ")[0].strip() not in _PYTHON_CELLS:
        return ""
    kept: list[str] = []
    continues = False
    for line in lines:
        magic, assigned = _MAGIC.match(line), _ASSIGNED_MAGIC.match(line)
        if continues:
            kept.append("")
        elif magic:
            kept.append(f"{magic[1]}pass")
        else:
            kept.append(f"{assigned[1]}None" if assigned else line)
        continues = line.endswith("\\") and (continues or bool(magic or assigned))
    return "\n".join(kept)
