"""Records networks that a real MXNet 1.9.1 exported: graph, parameters, data, results, gradients.

Run from the repository's root, in the environment of the real MXNet:

    python -m tools.oracle.record_exports            # writes tests/fixtures/exports/
    python -m tools.oracle.record_exports lenet gru  # only these

Parameters follow from a formula of their names; those of large networks are not stored.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import numpy as np

import mxnet as mx
from tools.oracle.export_networks import (
    NETWORKS,
    Built,
    compare,
    gradients,
    graph_file,
    parameter_file,
    run_bound,
    run_imported,
)

FIXTURES = Path(__file__).resolve().parents[2] / "tests" / "fixtures" / "exports"


def record(name: str) -> None:
    built = Built(name)
    built.save(FIXTURES)
    text = graph_file(FIXTURES, name).read_text()
    if text != mx.sym.load(str(graph_file(FIXTURES, name))).tojson():
        print(f"{name}: tojson() of the loaded graph is another text")
    if not built.is_block:
        check_checkpoint(built)
    if not NETWORKS[name].keeps_parameters:
        parameter_file(FIXTURES, name).unlink()
    content = built.content()
    for run in (run_imported, run_bound):
        compare(run(name, FIXTURES), built.outputs, NETWORKS[name].dtype)
    if NETWORKS[name].gradients:
        content.update(gradients(name, FIXTURES))
    np.savez_compressed(FIXTURES / f"{name}.npz", **content)


def check_checkpoint(built: Built) -> None:
    """`save_checkpoint` writes what the shared code writes, so that the tests need not have it."""
    with tempfile.TemporaryDirectory() as folder:
        mx.model.save_checkpoint(f"{folder}/{built.name}", 0, built.net, built.arguments, built.states)
        for place in (graph_file, parameter_file):
            written = place(Path(folder), built.name).read_bytes()
            assert written == place(FIXTURES, built.name).read_bytes(), place


def main(names: list[str]) -> None:
    FIXTURES.mkdir(parents=True, exist_ok=True)
    for name in names or NETWORKS:
        record(name)


if __name__ == "__main__":
    main(sys.argv[1:])
