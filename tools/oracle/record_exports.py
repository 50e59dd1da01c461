"""Records networks that a real MXNet 1.9.1 exported: graph, parameters, data, results, gradients.

Run from the repository's root, in the environment of the real MXNet:

    python -m tools.oracle.record_exports            # writes tests/fixtures/exports/
    python -m tools.oracle.record_exports lenet gru  # only these

Parameters follow from a formula of their names; those of large networks are not stored.
"""

from __future__ import annotations

import os
import re
import sys
import warnings
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

# MXNet names the initializer of a constant by an address in memory.
ADDRESS = re.compile(r"(Constant_\w+)_\d+")


def record(name: str) -> None:
    built = Built(name)
    built.save(FIXTURES)
    text = graph_file(FIXTURES, name).read_text()
    assert text == mx.sym.load(str(graph_file(FIXTURES, name))).tojson()
    graph_file(FIXTURES, name).write_text(ADDRESS.sub(r"\1_0", text))
    if not NETWORKS[name].keeps_parameters:
        parameter_file(FIXTURES, name).unlink()
    content = built.content()
    for run in (run_imported, run_bound):
        compare(run(name, FIXTURES), built.outputs, NETWORKS[name].dtype)
    if NETWORKS[name].gradients:
        content.update(gradients(name, FIXTURES))
    np.savez_compressed(FIXTURES / f"{name}.npz", **content)


def main(names: list[str]) -> None:
    warnings.simplefilter("ignore")  # MXNet warns of types that it infers later
    os.environ.setdefault("MXNET_SUBGRAPH_VERBOSE", "0")
    FIXTURES.mkdir(parents=True, exist_ok=True)
    for name in names or NETWORKS:
        record(name)


if __name__ == "__main__":
    main(sys.argv[1:])
