"""Graphs with sparse arrays give what a real MXNet gave: storage types, values, gradients, trained modules.

The programs stand in `tools/oracle/sparse_graph_programs.py`, the recorded results in `tests/fixtures/sparse`.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mxnet as mx
from tests.ndarray.sparse.test_programs import check, programs
from tools.oracle.sparse_graph_programs import evaluate_graph

ROOT = Path(__file__).resolve().parents[2]
ROWS = json.loads((ROOT / "tests" / "fixtures" / "sparse" / "graphs.json").read_text())

# Programs that MXNet refuses for want of a kernel and that work here: tested below.
WORKS_HERE = {"added", "module_reshape"}

# Program that both refuse -> our class and a part of the text.
ERRORS: dict[str, tuple[type[Exception], str]] = {
    "custom_unaware": (mx.MXNetError, r"^\[Custom\] .* Plain.infer_storage_type raised AssertionError"),
    "refused_stype": (mx.MXNetError, r"^\[var\] stype: received 'coo'; expected one of"),
    "refused_shape": (mx.MXNetError, r"^\[dot\] .* equal lengths, got 3 and 2 for shapes"),
    "refused_name": (TypeError, r"^\[Executor\] there is no argument 'z'; there are x"),
    "refused_assignment": (TypeError, r"^\[copyto\] received a csr array; expected a dense or row_sparse array"),
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    "row", [row for row in ROWS if row["program"] not in WORKS_HERE], ids=lambda row: f"{row['topic']}-{row['program']}"
)
@pytest.mark.sample(one_in=4)
def test_program(row: dict[str, Any]) -> None:
    given = programs.prepare(mx)
    if "error" in row:
        kind, text = ERRORS[row["program"]]
        with pytest.raises(kind, match=text):
            evaluate_graph(given, row["topic"], row["program"])
        return
    found = evaluate_graph(given, row["topic"], row["program"])
    if row["topic"] == "stypes":
        assert found == row["result"]
    else:
        check(row["result"], programs.describe(found), row["program"])


def test_programs_that_work_here_are_refused_by_mxnet() -> None:
    refused = {row["program"]: row.get("error") for row in ROWS if row["program"] in WORKS_HERE}
    assert refused == dict.fromkeys(WORKS_HERE, "MXNetError")


def test_row_sparse_gradients_are_added() -> None:
    """`added` runs backward twice on dot(x, u) with grad_req='add': the gradient is twice x^T head."""
    given = programs.prepare(mx)
    x, head = given["c"].asnumpy(), given["w"].asnumpy()
    (gradient,) = evaluate_graph(given, "programs", "added")
    np.testing.assert_allclose(gradient.asnumpy(), 2 * x.T @ head, rtol=1e-6)


@pytest.mark.filterwarnings("ignore")
def test_a_module_takes_a_sparse_batch_of_another_size() -> None:
    """`module_reshape` trains on batches of 8 rows, then on one of 3: each step is SGD on the gradient of softmax."""
    found = [array.asnumpy() for array in evaluate_graph(programs.prepare(mx), "programs", "module_reshape")]
    numbers = np.random.RandomState(0)
    rows = (numbers.rand(24, 6) * (numbers.rand(24, 6) < 0.4)).astype("float32")
    labels = (rows[:, 0] + rows[:, 3] > rows[:, 5]).astype(int)
    weight, bias = np.full((6, 2), 0.1), np.zeros(2)
    epoch = [slice(0, 8), slice(8, 16), slice(16, 24)]
    for part in [*epoch, *epoch, slice(0, 3)]:
        scores = np.exp(rows[part] @ weight + bias)
        output = scores / scores.sum(axis=1, keepdims=True)
        head = (output - np.eye(2)[labels[part]]) * 0.1 * 0.125
        weight, bias = weight - rows[part].T @ head, bias - head.sum(axis=0)
    for one, other in zip(found, (output, bias, weight), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-4, atol=1e-6)
