"""Asking ours what a real MXNet answered to short programs: kind, shape, dtype, values, printed text, exceptions.

The programs stand in `tools/oracle/expressions`, the recorded results in `tests/fixtures/expressions`.
"""

from __future__ import annotations

import importlib.util
import json
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import mxnet as mx

ROOT = Path(__file__).resolve().parents[1]
FIXTURES = sorted((ROOT / "tests" / "fixtures" / "expressions").glob("*.json"))
Differences = dict[str, list[tuple[str, str, str]]]

# "npx" has GELU, where processors differ by three units in the last place of 1 + erf(x).
_TOLERANCES = {"autograd": 1e-5, "np_autograd": 1e-5, "np_linalg": 1e-5, "np_programs": 1e-4, "npx": 5e-6}
_HALF = 2e-3
# Differences that depend on the versions of NumPy and torch.
_VARYING = ("a newer NumPy answers with another type", "the last digit differs: MXNet sums in another order")
_ARRAYS = ("NDArray", "numpy", "numpy scalar")


def _load_evaluate() -> ModuleType:
    """The recorder's own evaluation, found by its file: tests do not depend on the folder they are started in."""
    path = ROOT / "tools" / "oracle" / "expressions" / "evaluate.py"
    spec = importlib.util.spec_from_file_location("expressions_evaluate", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


_evaluate = _load_evaluate()


def cases(wanted: Callable[[str], bool], differences: Differences) -> list[Any]:
    """The recorded programs of some topics; those that differ on purpose, by reason, must keep differing.

    Where versions of NumPy and torch make the difference, they may differ.
    """
    deliberate = {row: reason for reason, rows in differences.items() for row in rows}
    found = []
    for path in FIXTURES:
        if not wanted(path.stem):
            continue
        for index, row in enumerate(json.loads(path.read_text(encoding="utf-8"))):
            if "crash" in row["result"]:
                continue
            reason = deliberate.get((path.stem, row["setup"], row["expression"]))
            marks = [pytest.mark.xfail(strict=reason not in _VARYING, reason=reason)] if reason else []
            found.append(pytest.param(path.stem, row, id=f"{path.stem}-{index}", marks=marks))
    return found


def check(topic: str, row: dict[str, Any]) -> None:
    """Runs one program and compares."""
    expected = row["result"]
    actual = _evaluate.evaluate(mx, row["setup"], row["expression"])
    where = f"{row['setup']}\n>>> {row['expression']}"
    if "error" in expected or "error" in actual:
        _check_error(expected, actual, where)
        return
    _compare(expected, actual, where, exact=row.get("exact", True), tolerance=_TOLERANCES.get(topic, 1e-6))


def _check_error(expected: dict[str, Any], actual: dict[str, Any], where: str) -> None:
    assert "error" in expected, f"{where}\nraised {actual['error']} ({actual['text']}), expected {expected}"
    assert "error" in actual, f"{where}\ngave {actual}, expected {expected['error']}"
    accepted = {expected["error"], "MXNetError"}
    assert accepted & set(actual["classes"]), f"{where}\nraised {actual['error']}, expected {expected['error']}"


def _compare(expected: dict[str, Any], actual: dict[str, Any], where: str, *, exact: bool, tolerance: float) -> None:
    assert actual["type"] == expected["type"], where
    if expected["type"] in _ARRAYS:
        _compare_arrays(expected, actual, where, tolerance)
        if exact and expected["type"] == "NDArray":
            assert actual["repr"] == expected["repr"], where
        return
    if "items" in expected:
        _compare_items(expected["items"], actual["items"], where, exact=exact, tolerance=tolerance)
        return
    if expected["type"] == "float":
        np.testing.assert_allclose(float(actual["value"]), float(expected["value"]), rtol=tolerance, err_msg=where)
        return
    assert actual.get("value") == expected.get("value"), where


def _compare_items(expected: Any, actual: Any, where: str, *, exact: bool, tolerance: float) -> None:
    assert len(actual) == len(expected), where
    if isinstance(expected, dict):
        assert list(actual) == list(expected), where
        expected, actual = list(expected.values()), list(actual.values())
    for expected_item, actual_item in zip(expected, actual, strict=True):
        _compare(expected_item, actual_item, where, exact=exact, tolerance=tolerance)


def _compare_arrays(expected: dict[str, Any], actual: dict[str, Any], where: str, tolerance: float) -> None:
    assert actual["shape"] == expected["shape"], where
    assert actual["dtype"] == expected["dtype"], where
    assert actual.get("class") == expected.get("class"), where
    rtol = _HALF if expected["dtype"] == "float16" else tolerance
    np.testing.assert_allclose(_numbers(actual), _numbers(expected), rtol=rtol, atol=rtol * 1e-3, err_msg=where)


def _numbers(described: dict[str, Any]) -> np.ndarray:
    """The values as an array; NaN and infinities were written as text."""
    kind = "float64" if described["dtype"].startswith("float") else "object" if described["dtype"] == "object" else None
    return np.array(described["values"], dtype=kind or described["dtype"])
