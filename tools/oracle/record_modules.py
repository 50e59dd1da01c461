"""Records what programs with modules and recurrent cells give, and the files they save, with a real MXNet 1.9.1.

Run from the repository's root, in the environment of the real MXNet:

    python -m tools.oracle.record_modules                   # writes tests/fixtures/modules/

Checkpoints must pass the other way too. The first command saves with whichever library is installed, the second loads
such a directory with whichever is installed, and compares:

    python -m tools.oracle.record_modules write DIRECTORY   # here
    python -m tools.oracle.record_modules check DIRECTORY   # in the environment of the real MXNet
"""

from __future__ import annotations

import json
import logging
import re
import shutil
import sys
import tempfile
import warnings
from pathlib import Path
from typing import Any

import numpy as np

import mxnet as mx
from mxnet import nd, sym
from tools.oracle import cell_programs
from tools.oracle.module_programs import GROUPS, MODULES, REFUSED, SETUP

FIXTURES = Path(__file__).resolve().parents[2] / "tests" / "fixtures" / "modules"
# Files that programs save, which the tests load.
KEPT = ("mlp", "two_contexts_local", "two_contexts_none", "buckets")


class Notes(logging.Handler):
    """Collects log lines; what depends on the time of day is left out."""

    def __init__(self, folder: str) -> None:
        super().__init__(logging.INFO)
        self.lines: list[str] = []
        self._folder = folder

    def emit(self, record: logging.LogRecord) -> None:
        text = record.getMessage().replace(self._folder, "")
        self.lines.append(re.sub(r"Time cost=\d+\.\d{3}$", "Time cost=", text))


def run(program: str, folder: str) -> dict[str, Any]:
    """What a program found, and what it logged."""
    space: dict[str, Any] = {"mx": mx, "nd": nd, "sym": sym, "np": np, "folder": folder, "seen": []}
    notes, root, clock = Notes(folder), logging.getLogger(), mx.callback.time
    level = root.level
    root.addHandler(notes)
    root.setLevel(logging.INFO)
    try:
        with mx.name.NameManager(), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            exec(SETUP + cell_programs.SETUP + program, space)
    finally:
        root.removeHandler(notes)
        root.setLevel(level)
        mx.callback.time = clock
    timed = "Speedometer" in program and "clock" not in program
    lines = [re.sub(r"Speed: [\d.]+", "Speed:", line) for line in notes.lines] if timed else notes.lines
    return {"result": plain(space.get("result")), "log": lines}


def plain(value: Any) -> Any:
    """Arrays and tuples as lists, keys as texts: what JSON holds."""
    if isinstance(value, nd.NDArray):
        value = value.asnumpy()
    if isinstance(value, np.ndarray):
        return [float(f"{number:.7g}") for number in value.ravel()] if value.dtype.kind == "f" else value.tolist()
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float):
        return float(f"{value:.7g}")
    if isinstance(value, dict):
        return {str(key): plain(each) for key, each in sorted(value.items())}
    return [plain(each) for each in value] if isinstance(value, (list, tuple)) else value


def caught_as(error: BaseException) -> str:
    """The most special of Python's own classes that catches an error."""
    return next(kind.__name__ for kind in type(error).__mro__ if kind.__module__ == "builtins")


def refusals(programs: dict[str, str]) -> dict[str, str]:
    recorded = {}
    for name, program in programs.items():
        try:
            run(program, "")
        except Exception as error:
            recorded[name] = caught_as(error)
        else:
            raise SystemExit(f"{name}: MXNet does not refuse it")
    return recorded


def record() -> None:
    shutil.rmtree(FIXTURES, ignore_errors=True)
    (FIXTURES / "files").mkdir(parents=True)
    for group, programs in {**GROUPS, "cells": cell_programs.CELLS}.items():
        found = {}
        for name, program in programs.items():
            with tempfile.TemporaryDirectory() as folder:
                found[name] = run(program, folder)
                if name in KEPT:
                    for path in sorted(Path(folder).iterdir()):
                        shutil.copyfile(path, FIXTURES / "files" / path.name)
        write_json(FIXTURES / f"{group}.json", found)
    write_json(FIXTURES / "refused.json", refusals(REFUSED))
    write_json(FIXTURES / "refused_cells.json", refusals(cell_programs.REFUSED_CELLS))


def write_json(path: Path, found: dict[str, Any]) -> None:
    rows = ",\n".join(f"{json.dumps(name)}: {json.dumps(each)}" for name, each in found.items())
    path.write_text(f"{{\n{rows}\n}}\n")


def write(directory: Path) -> None:
    """Saves the networks of the kept programs, with what they predict."""
    directory.mkdir(parents=True, exist_ok=True)
    for name in KEPT:
        found = run(MODULES[name], str(directory))
        (directory / f"{name}.expected.json").write_text(json.dumps(found["result"]))


def check(directory: Path) -> None:
    """Loads what `write` saved and compares the parameters with those written down."""
    prefixes = {"mlp": "mlp", "two_contexts_local": "two_local", "two_contexts_none": "two_none"}
    for name, prefix in prefixes.items():
        expected = json.loads((directory / f"{name}.expected.json").read_text())["params"]
        epoch = 2 if name == "mlp" else 1
        _, arg_params, aux_params = mx.model.load_checkpoint(str(directory / prefix), epoch)
        found = plain({**arg_params, **aux_params})
        if found != expected:
            raise SystemExit(f"{name}: the parameters differ")
        print(f"{name}: {len(found)} arrays are the same")


if __name__ == "__main__":
    if len(sys.argv) > 2:
        {"write": write, "check": check}[sys.argv[1]](Path(sys.argv[2]))
    else:
        record()
