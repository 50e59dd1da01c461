"""Puts the names of the table into the modules that had them in MXNet."""

import sys
import types
from typing import Any

import mxnet._former.c_types as c_types
import mxnet._former.values as values

from .foreign import MODULES
from .table import ALIASES, NAMES, SUBMODULES


def lend() -> None:
    """Applies the tables: modules under their old names, names in their old modules, what a star import brings."""
    for old, new in ALIASES.items():
        _alias(old, sys.modules[new])
    for name, module in list(sys.modules.items()):
        if name.partition(".")[0] == "mxnet" and "__path__" in vars(module) and "__all__" not in vars(module):
            _hide_submodules(module)
    for name, row in NAMES.items():
        _lend_to(sys.modules[name], row)


def _alias(old: str, module: types.ModuleType) -> None:
    sys.modules[old] = module
    owner, _, name = old.rpartition(".")
    setattr(sys.modules[owner], name, module)


def _hide_submodules(package: types.ModuleType) -> None:
    """Star imports of a package bring the submodules they brought in MXNet, not those its code is in here."""
    kept = SUBMODULES.get(package.__name__, "").split()
    vars(package)["__all__"] = [
        name
        for name, value in vars(package).items()
        if not name.startswith("_") and (name in kept or not isinstance(value, types.ModuleType))
    ]


def _lend_to(module: types.ModuleType, row: str) -> None:
    """Fills one row in.

    A row is read as imports are: `os np=numpy; mxnet.base: MXNetError` stands for `import os`, `import numpy as np` and
    `from mxnet.base import MXNetError`. One that begins with `*` belongs to a module whose star import brings them too.
    """
    own = vars(module)
    shared = row.startswith("*")
    for part in row.removeprefix("*").split(";"):
        source, colon, names = part.rpartition(":")
        for text in names.split():
            name, _, other = text.partition("=")
            if name not in own:
                own[name] = _from(source.strip(), other or name) if colon else _module(other or name)
            if shared and not name.startswith("_") and name not in own.get("__all__", [name]):
                own["__all__"].append(name)


def _module(path: str) -> types.ModuleType | None:
    return MODULES[path] if path in MODULES else sys.modules[path]


def _from(source: str, name: str) -> Any:
    if source == "C":
        return c_types.HANDLES[name] if name in c_types.HANDLES else getattr(c_types, name)
    if source == "values":
        return getattr(values, name)
    return getattr(_module(source), name)
