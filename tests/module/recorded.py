"""Runs the programs of tools/oracle and compares with what the real MXNet gave."""

import builtins
import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tools.oracle.record_modules import run

FIXTURES = Path(__file__).resolve().parents[1] / "fixtures" / "modules"
FILES = FIXTURES / "files"


def expected(group: str) -> dict[str, Any]:
    return json.loads((FIXTURES / f"{group}.json").read_text())


def check(group: str, name: str, program: str, folder: Path) -> None:
    """A program gives the same result and logs the same lines."""
    found, wanted = run(program, str(folder)), expected(group)[name]
    assert_same(found["result"], wanted["result"])
    assert_same([_parts(line) for line in found["log"]], [_parts(line) for line in wanted["log"]])


def check_refused(group: str, name: str, program: str, text: str) -> None:
    """Check that a program raises the recorded class, with a text that begins with the given one."""
    with pytest.raises(getattr(builtins, expected(group)[name]), match=f"^{re.escape(text)}"):
        run(program, "")


def _parts(line: str) -> list[Any]:
    """A line as texts and numbers, which may differ in their last digits."""
    parts = re.split(r"(\d+\.\d+(?:e-?\d+)?)", line)
    return [float(part) if place % 2 else part for place, part in enumerate(parts)]


def assert_same(found: Any, wanted: Any, where: str = "result") -> None:
    """Numbers must be close, everything else equal."""
    if isinstance(wanted, dict):
        assert sorted(found) == sorted(wanted), where
        for key in wanted:
            assert_same(found[key], wanted[key], f"{where}[{key!r}]")
    elif isinstance(wanted, float) or (wanted and isinstance(wanted, list) and all(type(x) is float for x in wanted)):
        np.testing.assert_allclose(found, wanted, rtol=2e-4, atol=2e-5, err_msg=where)
    elif isinstance(wanted, list):
        assert len(found) == len(wanted), where
        for place, (one, other) in enumerate(zip(found, wanted)):
            assert_same(one, other, f"{where}[{place}]")
    else:
        assert found == wanted, where
