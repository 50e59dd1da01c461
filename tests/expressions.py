"""Asking ours what a real MXNet answered to short programs: kind, shape, dtype, values, printed text, exceptions.

The programs stand in `tools/oracle/expressions`, the recorded results in `tests/fixtures/expressions`.
"""

from __future__ import annotations

import importlib.util
import json
import re
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import mxnet as mx
from tests.expected import Difference, Gives, Raises

ROOT = Path(__file__).resolve().parents[1]
FIXTURES = sorted((ROOT / "tests" / "fixtures" / "expressions").glob("*.json"))
Differences = dict[str, list[Difference]]

# "npx" has GELU, where processors differ by three units in the last place of 1 + erf(x).
_TOLERANCES = {"autograd": 1e-5, "np_autograd": 1e-5, "np_linalg": 1e-5, "np_programs": 1e-4, "npx": 5e-6}
_HALF = 2e-3
# MXNet asserts on arguments that are no arrays, and looks up dtypes and contexts in a dict. Ours name the argument.
_REPLACED = {"AssertionError": "MXNetError", "KeyError": "MXNetError"}
# Our errors begin with the name of the function in brackets. These are parts of those of Python and NumPy.
_PYTHON_ERRORS = (
    *("bad operand type", "unsupported operand type", "unsupported format string", "returned NotImplemented from"),
    *(" object has no ", "' has no attribute ", "can't set attribute", "doesn't define __round__", "__delitem__"),
    *("got an unexpected keyword argument", "takes 1 positional argument", "int() argument must be"),
    *("slice step cannot be zero", "slice indices must be integers", "cannot be interpreted as an integer"),
    *("expected str, bytes or os.PathLike object", "assignment destination is read-only"),
    *("can only convert an array of size 1", "objects cannot be broadcast to a single shape"),
)
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
    """Return the recorded programs of some topics, each with its difference from MXNet, or None."""
    listed = {row[:3]: row for rows in differences.values() for row in rows}
    found = []
    for path in FIXTURES:
        if not wanted(path.stem):
            continue
        for index, row in enumerate(json.loads(path.read_text(encoding="utf-8"))):
            difference = listed.pop((path.stem, row["setup"], row["expression"]), None)
            found.append(pytest.param(path.stem, row, difference, id=f"{path.stem}-{index}"))
    assert not listed, f"no program was recorded for {list(listed)}"
    return found


def check(topic: str, row: dict[str, Any], difference: Difference | None) -> None:
    """Run one program and compare its result with MXNet's, or with the stated one where the two differ."""
    actual = _evaluate.evaluate(mx, row["setup"], row["expression"])
    where = f"{row['setup']}\n>>> {row['expression']}"
    tolerance = _TOLERANCES.get(topic, 1e-6)
    if difference is None:
        _check_recorded(row["result"], actual, where, exact=row.get("exact", True), tolerance=tolerance)
        return
    kind = "ndarray" if topic.startswith("np") else "NDArray"
    _check_stated(difference.ours, actual, where, kind, tolerance)
    _check_stated(difference.theirs, row["result"], f"MXNet: {where}", kind, tolerance)
    if isinstance(difference.ours, Gives) and isinstance(difference.ours.value, np.ndarray) and kind == "NDArray":
        _check_print(difference.ours.value, actual, where)
    if not difference.varies:
        with pytest.raises(AssertionError):
            _check_stated(difference.ours, row["result"], where, kind, tolerance)


def _check_stated(stated: Gives | Raises, found: dict[str, Any], where: str, kind: str, tolerance: float) -> None:
    """Compare a result, or an exception, with the stated one, including the signs of zeros."""
    if isinstance(stated, Raises):
        assert stated.error == found.get("error"), f"{where}\ngave {found}, expected {stated}"
        assert stated.text in found.get("text", ""), where
        return
    assert "error" not in found, f"{where}\nraised {found}, expected {stated}"
    expected = _described(stated.value, stated.kind or kind)
    _compare(expected, found, where, exact=False, tolerance=stated.tolerance or tolerance)
    if found["type"] == "NDArray" and found["dtype"].startswith("float"):
        np.testing.assert_array_equal(np.signbit(_numbers(found)), np.signbit(_numbers(expected)), err_msg=where)


def _described(value: Any, kind: str) -> dict[str, Any]:
    """Describe a value as the recorder does, with arrays of the given class."""
    if isinstance(value, np.ndarray) and value.dtype == object:  # of which the recorder describes arrays alone
        return {**_evaluate.describe(mx, value.astype("float32")), "dtype": "object"}
    described = _evaluate.describe(mx, value)
    if isinstance(value, np.ndarray) and kind != "numpy":
        return {**described, "type": "NDArray", "class": kind}
    if isinstance(value, (list, tuple)):
        return {**described, "items": [_described(item, kind) for item in value]}
    return described


def _check_print(expected: np.ndarray, actual: dict[str, Any], where: str) -> None:
    """Check the printed text of an array whose values are exactly the expected ones."""
    if np.array_equal(_numbers(actual).astype(expected.dtype), expected, equal_nan=expected.dtype.kind == "f"):
        shape = "x".join(map(str, expected.shape))
        assert actual["repr"] == f"\n{expected}\n<NDArray {shape} @cpu(0)>", where


def _check_recorded(
    expected: dict[str, Any], actual: dict[str, Any], where: str, *, exact: bool, tolerance: float
) -> None:
    if "error" in expected or "error" in actual:
        _check_error(expected, actual, where)
    else:
        _compare(expected, actual, where, exact=exact, tolerance=tolerance)


def _check_error(expected: dict[str, Any], actual: dict[str, Any], where: str) -> None:
    assert "error" in expected, f"{where}\nraised {actual['error']} ({actual['text']}), expected {expected}"
    assert "error" in actual, f"{where}\ngave {actual}, expected {expected['error']}"
    wanted = _REPLACED.get(expected["error"], expected["error"])
    assert wanted in actual["classes"], f"{where}\nraised {actual['error']}, expected {wanted}"
    is_ours = re.match(r"\[[^]]+\] ", actual["text"])
    assert is_ours or any(part in actual["text"] for part in _PYTHON_ERRORS), f"{where}\nraised {actual['text']!r}"


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
    if not expected["dtype"].startswith("float"):
        np.testing.assert_array_equal(_numbers(actual), _numbers(expected), err_msg=where)
        return
    rtol = _HALF if expected["dtype"] == "float16" else tolerance
    np.testing.assert_allclose(_numbers(actual), _numbers(expected), rtol=rtol, atol=rtol * 1e-3, err_msg=where)


def _numbers(described: dict[str, Any]) -> np.ndarray:
    """The values as an array; NaN and infinities were written as text."""
    kind = "float64" if described["dtype"].startswith("float") else "object" if described["dtype"] == "object" else None
    return np.array(described["values"], dtype=kind or described["dtype"])
