"""Records what a real MXNet answers to `sparse_programs.py` and `sparse_graph_programs.py`, and files of sparse arrays.

Run from the repository's root, in the environment of the real MXNet: `python -m tools.oracle.record_sparse`.
"""

from __future__ import annotations

import json
import os
import warnings
from multiprocessing import TimeoutError, get_context
from pathlib import Path
from typing import Any

os.environ.setdefault("MXNET_STORAGE_FALLBACK_LOG_VERBOSE", "0")

import mxnet as mx
from tools.oracle.sparse_graph_programs import PROGRAMS as GRAPH_PROGRAMS
from tools.oracle.sparse_graph_programs import STYPES, evaluate_graph
from tools.oracle.sparse_programs import (
    EXPRESSIONS,
    GRADIENTS,
    OPTIMIZERS,
    PROGRAMS,
    describe,
    evaluate,
    prepare,
    trained,
)

FIXTURES = Path(__file__).resolve().parents[2] / "tests" / "fixtures" / "sparse"


def answer(topic: str, program: str) -> dict[str, Any]:
    """One row: the program, and its result or the class of its error."""
    row: dict[str, Any] = {"topic": topic, "program": program}
    try:
        return {**row, "result": evaluate(mx, topic, program)}
    except Exception as error:
        return {**row, "error": type(error).__name__}


def rows() -> list[dict[str, Any]]:
    listed = [(topic, program) for topic, programs in EXPRESSIONS.items() for program in programs]
    listed += [("gradients", name) for name in GRADIENTS] + [("programs", name) for name in PROGRAMS]
    return [answer(topic, program) for topic, program in listed]


def graph_row(topic: str, program: str) -> dict[str, Any]:
    """One row of the fixture of graphs."""
    row: dict[str, Any] = {"topic": topic, "program": program}
    try:
        found = evaluate_graph(prepare(mx), topic, program)
        return {**row, "result": found if topic == "stypes" else describe(found)}
    except Exception as error:
        return {**row, "error": type(error).__name__}


def graph_rows() -> list[dict[str, Any]]:
    """All programs on graphs, each in a process of its own: some end MXNet's."""
    listed = [("stypes", program) for program in STYPES] + [("programs", program) for program in GRAPH_PROGRAMS]
    answers = []
    for topic, program in listed:
        with get_context("fork").Pool(1) as pool:
            asked = pool.apply_async(graph_row, (topic, program))
            try:
                answers.append(asked.get(timeout=30))
            except TimeoutError:
                print(f"{topic} {program}: no answer, MXNet may have crashed")
    return answers


def optimizers() -> list[dict[str, Any]]:
    return [
        {"name": name, "params": params, "stype": stype, "weight": describe(trained(mx, name, params, stype))}
        for stype in ("default", "row_sparse")
        for name, params in OPTIMIZERS
        # MXNet's own fallback for this one updates the dense copy of a sparse weight twice over.
        if (stype, name, "momentum" in params) != ("row_sparse", "nag", True)
    ]


def files() -> None:
    """Arrays saved with and without names; nothing in them has undefined bytes."""
    given = prepare(mx)
    nd = mx.nd
    nd.save(str(FIXTURES / "list.params"), [given["c"], given["d"], given["r"]])
    empty = {"csr": nd.sparse.zeros("csr", (2, 3)), "rows": nd.sparse.zeros("row_sparse", (2, 3))}
    nd.save(str(FIXTURES / "dict.params"), {"half": given["r"].astype("float16"), **empty})


def main() -> None:
    """Writes the fixtures."""
    FIXTURES.mkdir(parents=True, exist_ok=True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        on_graphs = graph_rows()
        answers = rows()
        steps = optimizers()
        files()
    for name, content in (("programs", answers), ("graphs", on_graphs), ("optimizers", steps)):
        lines = ",\n".join(json.dumps(row) for row in content)
        (FIXTURES / f"{name}.json").write_text(f"[\n{lines}\n]\n", encoding="utf-8")
    refused = [row["program"] for row in answers if "error" in row and row["topic"] != "refused"]
    print(f"{len(answers)} programs, {len(refused)} of them refused by MXNet: {refused}")
    print("refused on graphs:", [row["program"] for row in on_graphs if "error" in row])
    print("not refused:", [row["program"] for row in answers if row["topic"] == "refused" and "error" not in row])


if __name__ == "__main__":
    main()
