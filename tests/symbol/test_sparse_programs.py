"""Graphs with sparse arrays give what a real MXNet gave: storage types, values, gradients, trained modules.

The programs stand in `tools/oracle/sparse_graph_programs.py`, the recorded results in `tests/fixtures/sparse`.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import mxnet as mx
from tests.ndarray.sparse.test_programs import check, programs
from tools.oracle.sparse_graph_programs import evaluate_graph

ROOT = Path(__file__).resolve().parents[2]
ROWS = json.loads((ROOT / "tests" / "fixtures" / "sparse" / "graphs.json").read_text())

# What MXNet refuses for want of a kernel, and works here.
WORKS_HERE = {"added", "module_reshape"}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row['topic']}-{row['program']}")
@pytest.mark.sample(one_in=4)
def test_program(row: dict[str, Any]) -> None:
    given = programs.prepare(mx)
    if "error" in row and row["program"] not in WORKS_HERE:
        with pytest.raises(Exception) as caught:  # noqa: PT011 - the recorded class is checked below
            evaluate_graph(given, row["topic"], row["program"])
        assert {kind.__name__ for kind in type(caught.value).__mro__} & {row["error"], "MXNetError"}
        return
    found = evaluate_graph(given, row["topic"], row["program"])
    if row["topic"] == "stypes":
        assert found == row["result"]
    elif row["program"] not in WORKS_HERE:
        check(row["result"], programs.describe(found), row["program"])
