"""Checks that a real MXNet 1.9.1 runs what this library exports: same results, same gradients.

`make oracle-check` runs both commands, the first with this library, the second in the environment of the real MXNet:

    python -m tools.oracle.check_exports write DIRECTORY    # builds and exports every network
    python -m tools.oracle.check_exports read DIRECTORY     # loads and runs the files, prints a table

Either takes names of networks after the directory. The second returns 1 if a file is refused or a number differs.
"""

from __future__ import annotations

import json
import os
import sys
import warnings
from pathlib import Path

import numpy as np

from tools.oracle.export_networks import (
    NETWORKS,
    Arrays,
    Built,
    compare,
    gradients,
    graph_file,
    parameter_file,
    run_bound,
    run_imported,
)

LAYOUT = "{:22} {:>6} {:>9}  {:>10} {:>10} {:>10}  {}"


def write(directory: Path, names: list[str]) -> int:
    directory.mkdir(parents=True, exist_ok=True)
    for name in names:
        built = Built(name)
        built.save(directory)
        content = built.content()
        if NETWORKS[name].gradients:
            content.update(gradients(name, directory))
        np.savez(directory / f"{name}.npz", **content)
    return 0


def read(directory: Path, names: list[str]) -> int:
    print(LAYOUT.format("network", "nodes", "bytes", "imports", "bind", "gradients", "").rstrip())
    failed = [name for name in names if not check(directory, name)]
    print(f"{len(names) - len(failed)} of {len(names)} networks agree.", *(["Not:", *failed] if failed else []))
    return int(bool(failed))


def check(directory: Path, name: str) -> bool:
    """Compares one network, and prints its line of the table: the largest differences."""
    with np.load(directory / f"{name}.npz") as file:
        written = dict(file)
    nodes = len(json.loads(graph_file(directory, name).read_text())["nodes"])
    size = parameter_file(directory, name).stat().st_size
    found, problem = ["", "", ""], ""
    try:
        outputs = recorded(written, "output:")
        for place, run in enumerate((run_imported, run_bound)):
            found[place] = f"{compare(run(name, directory), list(outputs.values()), NETWORKS[name].dtype):.1e}"
        if NETWORKS[name].gradients:
            found[2] = f"{compare_gradients(name, gradients(name, directory), written):.1e}"
    except Exception as error:  # whatever MXNet refuses is a line of the table, and a failure
        problem = f"{type(error).__name__}: {error}".strip().splitlines()[-1]
    print(LAYOUT.format(name, nodes, size, *found, problem).rstrip(), flush=True)
    return not problem


def recorded(content: Arrays, prefix: str) -> Arrays:
    return {key: each for key, each in content.items() if key.startswith(prefix)}


def compare_gradients(name: str, found: Arrays, content: Arrays) -> float:
    expected = recorded(content, "gradient:")
    if sorted(found) != sorted(expected):
        raise AssertionError(f"gradients of {sorted(found)}; expected {sorted(expected)}")
    return compare([found[key] for key in expected], list(expected.values()), NETWORKS[name].dtype)


def main(arguments: list[str]) -> int:
    warnings.simplefilter("ignore")  # MXNet warns of types that it infers later
    os.environ.setdefault("MXNET_SUBGRAPH_VERBOSE", "0")
    command, directory, *names = arguments
    return {"write": write, "read": read}[command](Path(directory), names or list(NETWORKS))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
