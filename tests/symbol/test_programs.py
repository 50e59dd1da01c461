"""Short Symbol programs give what a real MXNet gave: names, lists, saved text, shapes, dtypes, values, exceptions.

The programs stand in `tools/oracle/symbols`, the recorded results in `tests/fixtures/symbols`.
"""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import mxnet as mx

pytest.importorskip("mxnet.symbol")

ROOT = Path(__file__).resolve().parents[2]
FIXTURES = ROOT / "tests" / "fixtures" / "symbols"
OLD_FILES = json.loads((FIXTURES / "old_files.json").read_text(encoding="utf-8"))
TOLERANCE = 1e-4

# Program -> why ours differs on purpose.
DELIBERATE: dict[str, str] = {}

# What only a file's record carries; a graph has no use for it.
_ONLY_RECORDED = {"controls", "versions"}


def _load_evaluate() -> ModuleType:
    """The recorder's own evaluation, found by its file: tests do not depend on the folder they are started in."""
    path = ROOT / "tools" / "oracle" / "symbols" / "evaluate.py"
    spec = importlib.util.spec_from_file_location("symbols_evaluate", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


_evaluate = _load_evaluate()


def _cases() -> list[Any]:
    cases = []
    for path in sorted(FIXTURES.glob("*.json")):
        if path.stem == "old_files":
            continue
        for row in json.loads(path.read_text(encoding="utf-8")):
            name = f"{path.stem}-{row['name']}"
            reason = DELIBERATE.get(name)
            marks = [pytest.mark.xfail(strict=True, reason=reason)] if reason else []
            cases.append(pytest.param(row, id=name, marks=marks))
    return cases


@pytest.mark.parametrize("row", _cases())
def test_program(row: dict[str, Any]) -> None:
    actual = _evaluate.evaluate(mx, row["setup"], row["expression"])
    where = f"{row['setup']}\n>>> {row['expression']}"
    if "crash" in row:
        return  # ended the real MXNet's process: ours need only survive
    if "error" in row:
        assert "error" in actual, f"{where}\ngave {actual['value']}, expected {row['error']}"
        accepted = {row["error"], "MXNetError", "TypeError", "ValueError", "AttributeError"}
        assert accepted & set(actual["classes"]), f"{where}\nraised {actual['error']}, expected {row['error']}"
        return
    assert "value" in actual, f"{where}\nraised {actual.get('error')}: {actual.get('text')}, expected {row['value']}"
    _compare(row["value"], actual["value"], where)


def _compare(expected: Any, actual: Any, where: str) -> None:
    if isinstance(expected, dict) and isinstance(actual, dict):
        assert list(actual) == list(expected), f"{where}\ngave {actual}, expected {expected}"
        for key, value in expected.items():
            if key in ("array", "numpy", "scalar"):
                _compare_numbers(value, actual[key], where)
            else:
                _compare(value, actual[key], where)
    elif isinstance(expected, list) and isinstance(actual, list):
        assert len(actual) == len(expected), f"{where}\ngave {actual}, expected {expected}"
        for one, other in zip(expected, actual):
            _compare(one, other, where)
    elif isinstance(expected, float) and isinstance(actual, (int, float)):
        assert actual == pytest.approx(expected, rel=TOLERANCE, abs=TOLERANCE), where
    else:
        assert actual == expected, f"{where}\ngave\n{actual}\nexpected\n{expected}"
        assert type(actual) is type(expected), where


def _compare_numbers(expected: Any, actual: Any, where: str) -> None:
    expected, actual = np.array(expected, dtype="float64"), np.array(actual, dtype="float64")
    assert actual.shape == expected.shape, where
    np.testing.assert_allclose(actual, expected, rtol=TOLERANCE, atol=TOLERANCE, err_msg=where)


@pytest.mark.parametrize("name", sorted(OLD_FILES.keys() - _ONLY_RECORDED))
def test_old_file(name: str) -> None:
    about = OLD_FILES[name]
    symbol = mx.sym.load(str(FIXTURES / "old" / f"{name}.json"))
    assert symbol.list_arguments() == about["arguments"]
    assert symbol.list_auxiliary_states() == about["auxiliary_states"]
    assert symbol.list_outputs() == about["outputs"]
    assert _without_versions(symbol.tojson()) == _without_versions(about["json"])


def _without_versions(text: str) -> dict[str, Any]:
    """The graph without the counts of writes: MXNet keeps those of the file, ours counts anew."""
    graph: dict[str, Any] = json.loads(text)
    for node in graph["nodes"]:
        node["inputs"] = [entry[:2] for entry in node["inputs"]]
    graph["heads"] = [entry[:2] for entry in graph["heads"]]
    return graph
