"""Runs the programs of tools/oracle/module_programs.py and compares with what the real MXNet gave."""

import json
from pathlib import Path
from typing import Any

import numpy as np

FIXTURES = Path(__file__).resolve().parents[1] / "fixtures" / "modules"
FILES = FIXTURES / "files"


def expected(group: str) -> dict[str, Any]:
    return json.loads((FIXTURES / f"{group}.json").read_text())


def assert_same(found: Any, wanted: Any, where: str = "result") -> None:
    """Numbers must be close, everything else equal."""
    if isinstance(wanted, dict):
        assert sorted(found) == sorted(wanted), where
        for key in wanted:
            assert_same(found[key], wanted[key], f"{where}[{key!r}]")
    elif isinstance(wanted, list) and wanted and all(isinstance(each, float) for each in wanted):
        np.testing.assert_allclose(found, wanted, rtol=2e-4, atol=2e-5, err_msg=where)
    elif isinstance(wanted, list):
        assert len(found) == len(wanted), where
        for place, (one, other) in enumerate(zip(found, wanted)):
            assert_same(one, other, f"{where}[{place}]")
    elif isinstance(wanted, float):
        np.testing.assert_allclose(found, wanted, rtol=2e-4, atol=2e-5, err_msg=where)
    else:
        assert found == wanted, where
