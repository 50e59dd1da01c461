"""Short Symbol programs give what a real MXNet gave: names, lists, saved text, shapes, dtypes, values, exceptions.

The programs stand in `tools/oracle/symbols`, the recorded results in `tests/fixtures/symbols`.
"""

from __future__ import annotations

import importlib
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mxnet as mx
from mxnet.base import MXNetError
from tests.expected import Gives, Raises
from tests.symbol.differences import DIFFERENCES, Difference
from tests.symbol.refusals import CLASSES, TEXTS
from tools.oracle.symbols import TOPICS
from tools.oracle.symbols.evaluate import describe, evaluate

FIXTURES = Path(__file__).resolve().parents[1] / "fixtures" / "symbols"
OLD_FILES = json.loads((FIXTURES / "old_files.json").read_text(encoding="utf-8"))
TOLERANCE = 1e-4

# What only a file's record carries; a graph has no use for it.
_ONLY_RECORDED = {"controls", "versions"}
# MXNet loads it and fails when it runs.
_REFUSED = {"v090_no_states": r"node 3 \('bn', BatchNorm\): .*received 3 inputs; expected 5"}


def _cases() -> list[Any]:
    cases = []
    for path in sorted(FIXTURES.glob("*.json")):
        if path.stem == "old_files":
            continue
        for row in json.loads(path.read_text(encoding="utf-8")):
            name = f"{path.stem}-{row['name']}"
            cases.append(pytest.param(name, row, id=name))
    return cases


@pytest.mark.parametrize(("name", "row"), _cases())
@pytest.mark.sample(one_in=4, group=r"[\w-]+-")
def test_program(name: str, row: dict[str, Any]) -> None:
    actual = evaluate(mx, row["setup"], row["expression"])
    where = f"{row['setup']}\n>>> {row['expression']}"
    if name in DIFFERENCES:
        _check_difference(row, actual, DIFFERENCES[name], where)
        return
    if "error" in row:
        assert "error" in actual, f"{where}\ngave {actual['value']}, expected {row['error']}"
        expected = CLASSES.get(name, row["error"])
        assert expected in actual["classes"], f"{where}\nraised {actual['error']}, expected {expected}"
        assert TEXTS[name] in actual["text"], where
        return
    assert "value" in actual, f"{where}\nraised {actual.get('error')}: {actual.get('text')}, expected {row['value']}"
    _compare(row["value"], actual["value"], where)


def _check_difference(row: dict[str, Any], actual: dict[str, Any], difference: Difference, where: str) -> None:
    """Compare both results with the stated ones, and check that they differ from each other."""
    _check_stated(difference.ours, actual, where)
    _check_stated(difference.theirs, row, f"MXNet: {where}")
    with pytest.raises(AssertionError):
        _check_stated(difference.ours, row, where)


def _check_stated(stated: Gives | Raises, found: dict[str, Any], where: str) -> None:
    if isinstance(stated, Raises):
        assert stated.error == found.get("error"), f"{where}\ngave {found}, expected {stated}"
        assert stated.text in found.get("text", ""), where
    elif callable(stated.value):
        assert "value" in found, f"{where}\ngave {found}"
        assert stated.value(found["value"]), f"{where}\ngave {found}"
    else:
        assert "value" in found, f"{where}\ngave {found}, expected {stated}"
        _compare(describe(mx, stated.value), found["value"], where)


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


@pytest.mark.parametrize("topic", TOPICS)
def test_records_are_of_these_programs(topic: str) -> None:
    entries = importlib.import_module(f"tools.oracle.symbols.{topic}").ENTRIES
    rows = json.loads((FIXTURES / f"{topic}.json").read_text(encoding="utf-8"))
    recorded = [(row["name"], row["setup"], row["expression"]) for row in rows]
    assert recorded == [tuple(entry) for entry in entries], "Record anew: python -m tools.oracle.record_symbols"
    assert len({name for name, _, _ in recorded}) == len(recorded)


def test_stated_programs_are_recorded() -> None:
    recorded = {
        f"{topic}-{row['name']}": row
        for topic in TOPICS
        for row in json.loads((FIXTURES / f"{topic}.json").read_text(encoding="utf-8"))
    }
    assert DIFFERENCES.keys() <= recorded.keys()
    assert TEXTS.keys() == {name for name, row in recorded.items() if "error" in row} - DIFFERENCES.keys()
    assert CLASSES.keys() <= TEXTS.keys()
    assert not [name for name, kind in CLASSES.items() if kind == recorded[name]["error"]]


@pytest.mark.parametrize("name", sorted(OLD_FILES.keys() - _ONLY_RECORDED - _REFUSED.keys()))
def test_old_file(name: str) -> None:
    about = OLD_FILES[name]
    symbol = mx.sym.load(str(FIXTURES / "old" / f"{name}.json"))
    assert symbol.list_arguments() == about["arguments"]
    assert symbol.list_auxiliary_states() == about["auxiliary_states"]
    assert symbol.list_outputs() == about["outputs"]
    assert _without_versions(symbol.tojson()) == _without_versions(about["json"])


@pytest.mark.parametrize(("name", "problem"), _REFUSED.items())
def test_refused_file(name: str, problem: str) -> None:
    with pytest.raises(MXNetError, match=problem):
        mx.sym.load(str(FIXTURES / "old" / f"{name}.json"))


def _without_versions(text: str) -> dict[str, Any]:
    """The graph without the counts of writes: MXNet keeps those of the file, ours counts anew."""
    graph: dict[str, Any] = json.loads(text)
    for node in graph["nodes"]:
        node["inputs"] = [entry[:2] for entry in node["inputs"]]
    graph["heads"] = [entry[:2] for entry in graph["heads"]]
    return graph
