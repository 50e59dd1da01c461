"""Programs on sparse arrays give what a real MXNet gave: storage type, shape, dtype, stored rows, values, exceptions.

The programs stand in `tools/oracle/sparse_programs.py`, the recorded results in `tests/fixtures/sparse`.
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

ROOT = Path(__file__).resolve().parents[3]
FIXTURES = ROOT / "tests" / "fixtures" / "sparse"
ROWS = json.loads((FIXTURES / "programs.json").read_text())
STEPS = json.loads((FIXTURES / "optimizers.json").read_text())


def _load_programs() -> ModuleType:
    """The recorder's programs, found by their file: tests do not depend on the folder they are started in."""
    path = ROOT / "tools" / "oracle" / "sparse_programs.py"
    spec = importlib.util.spec_from_file_location("sparse_programs", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


programs = _load_programs()

_OURS = r"^\[[\w.]+\] "
# Recorded class -> ours, which is a ValueError where MXNet raises a plain Exception, and a pattern of the text.
ERRORS: dict[str, tuple[type[Exception], str]] = {
    "AssertionError": (AssertionError, _OURS),
    "Exception": (ValueError, _OURS),
    "MXNetError": (mx.MXNetError, _OURS),
    "NotImplementedError": (NotImplementedError, _OURS),
    "NotSupportedForSparseNDArray": (mx.base.NotSupportedForSparseNDArray, "is not available for sparse NDArray"),
    "TypeError": (TypeError, _OURS),
    "ValueError": (ValueError, _OURS),
}


def _numbers(described: dict[str, Any]) -> np.ndarray:
    return np.array([float(number) for number in described["values"]]).reshape(described["shape"])


def check(expected: Any, actual: Any, where: str) -> None:
    if isinstance(expected, list):
        assert len(actual) == len(expected), where
        for one, other in zip(expected, actual, strict=True):
            check(one, other, where)
        return
    if "value" in expected:
        assert actual == expected, where
        return
    for key in ("stype", "shape", "dtype", "rows"):
        assert actual.get(key) == expected.get(key), f"{where}: {key}"
    np.testing.assert_allclose(_numbers(actual), _numbers(expected), rtol=2e-5, atol=1e-6, err_msg=where)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row['topic']}-{row['program']}")
@pytest.mark.sample(one_in=4, group=r"\w+")
def test_program(row: dict[str, Any]) -> None:
    if "error" in row:
        kind, text = ERRORS[row["error"]]
        with pytest.raises(kind, match=text):
            programs.evaluate(mx, row["topic"], row["program"])
        return
    check(row["result"], programs.evaluate(mx, row["topic"], row["program"]), row["program"])


@pytest.mark.parametrize("step", STEPS, ids=lambda step: f"{step['stype']}-{step['name']}-{step['params']}")
def test_optimizer(step: dict[str, Any]) -> None:
    weight = programs.trained(mx, step["name"], step["params"], step["stype"])
    check(step["weight"], programs.describe(weight), step["name"])


@pytest.mark.parametrize("name", ["list", "dict"])
def test_files_are_the_same_byte_for_byte(tmp_path: Path, name: str) -> None:
    original = FIXTURES / f"{name}.params"
    loaded = mx.nd.load(original)
    mx.nd.save(tmp_path / "again.params", loaded)
    assert (tmp_path / "again.params").read_bytes() == original.read_bytes()
    given = programs.prepare(mx)
    made: Any = [given["c"], given["d"], given["r"]]
    if name == "dict":
        zeros = mx.nd.sparse.zeros
        made = {"half": given["r"].astype("float16"), "csr": zeros("csr", (2, 3)), "rows": zeros("row_sparse", (2, 3))}
    mx.nd.save(tmp_path / "made.params", made)
    assert (tmp_path / "made.params").read_bytes() == original.read_bytes()
    stypes = ["csr", "default", "row_sparse"] if name == "list" else ["row_sparse", "csr", "row_sparse"]
    assert [array.stype for array in (loaded.values() if name == "dict" else loaded)] == stypes
