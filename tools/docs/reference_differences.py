"""The tables of docs/DIFFERENCES.md as rows, and the names of the library that each row is about."""

import re
from pathlib import Path
from typing import NamedTuple

from .reference_names import ROOT, Entry, Names

PAGE = ROOT / "docs" / "DIFFERENCES.md"
_CELLS = re.compile(r"(?<!\\)\|")
_CODE = re.compile(r"`([^`]+)`")
_NAME = re.compile(r"(?:mx\.|mxnet\.)?([A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*)(?:\(.*\))?")
_CLASS = re.compile(r"\b[A-Z][a-z0-9]+[A-Za-z0-9]*\b")  # a class or operator that stands without backticks

# Where a name without a module is looked up, by words in the heading of the section.
_NEAR = {
    "Arrays": ("nd", "nd.contrib", "nd.NDArray", "operator", "autograd"),
    "Gradients": ("nd", "nd.NDArray", "autograd"),
    "Gluon": ("gluon", "gluon.nn", "gluon.contrib.nn", "gluon.utils", "gluon.Block", "gluon.HybridBlock", "util"),
    "Symbols": (
        *("executor.Executor", "sym", "sym.contrib", "mod", "executor", "monitor", "viz", "contrib.tensorboard"),
        *("contrib.svrg_optimization.svrg_module",),
    ),
    "mx.np": ("np", "np.linalg", "np.random", "gluon.utils"),
    "Files": ("nd", "io", "image", "gluon", "util"),
}
# Steps of every program: a row that names something else as well is not about them.
_STEPS = {"backward", "forward", "record", "initialize", "hybridize", "export"}


class Row(NamedTuple):
    """A difference: what MXNet does, what happens here, and the reason. All are Markdown."""

    section: str
    theirs: str
    ours: str
    why: str


def rows_of(text: str) -> list[Row]:
    """The rows of all tables of a page, with the heading of their section."""
    found, section = [], ""
    for line in text.splitlines():
        if line.startswith("#"):
            section = line.lstrip("# ").strip()
        elif line.startswith("|"):
            cells = [cell.strip() for cell in _CELLS.split(line.strip())[1:-1]]
            is_head = set("".join(cells)) <= set("-: ") or cells[0].startswith("MXNet 1.")
            if len(cells) == 3 and not is_head:
                found.append(Row(section, *cells))
    return found


def read_rows(page: Path = PAGE) -> list[Row]:
    """The rows of DIFFERENCES.md."""
    return rows_of(page.read_text(encoding="utf-8"))


def named_in(row: Row, names: Names) -> list[Entry]:
    """The entries that a row is about: named in backticks, or a class or operator with a capital letter."""
    text = f"{row.theirs} {row.ours}"
    near = next((modules for word, modules in _NEAR.items() if word in row.section), ())
    found: dict[str, Entry] = {}
    for written in _CODE.findall(text):
        match = _NAME.fullmatch(written)
        entry = match and _find(match[1], near, names)
        if entry:
            found[entry.path] = entry
    for word in _CLASS.findall(_CODE.sub(" ", text)):
        entry = _find(word, near, names)
        if entry and entry.kind in ("operator", "class") and entry.name == word:
            found[entry.path] = entry
    subjects = [entry for entry in found.values() if entry.name not in _STEPS]
    return subjects or list(found.values())


def _find(name: str, near: tuple[str, ...], names: Names) -> Entry | None:
    if "." in name:
        return names.find(f"mxnet.{name}") or names.find(f"mxnet.gluon.{name}")
    return next(filter(None, (names.find(f"mxnet.{module}.{name}") for module in near)), None)


def differences(names: Names, rows: list[Row] | None = None) -> dict[str, list[Row]]:
    """The rows that are about an entry, by its path."""
    found: dict[str, list[Row]] = {}
    for row in read_rows() if rows is None else rows:
        for entry in named_in(row, names):
            found.setdefault(entry.path, []).append(row)
    return found
