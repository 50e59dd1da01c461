"""The registry of workloads covers benchmarks/results.json, and each worker serves the requests of its side."""

import ast
import json
import subprocess
import sys
from pathlib import Path

import pytest

BENCHMARKS = Path(__file__).parents[1] / "benchmarks"
ORACLE = BENCHMARKS.parent / ".oracle" / "bin" / "python"
RESULTS = json.loads((BENCHMARKS / "results.json").read_text(encoding="utf-8"))
COMMANDS = {
    "ours": (sys.executable, "adapter_mxnet.py", "ours"),
    "torch": (sys.executable, "adapter_torch.py"),
    "MXNet": (str(ORACLE), "adapter_mxnet.py", "MXNet"),
}


def _run(command, text=""):
    done = subprocess.run(command, cwd=BENCHMARKS, input=text, capture_output=True, text=True, check=True)
    return done.stdout.splitlines()


def _registry():
    code = (
        "import dataclasses, json, workloads as w;"
        "rows = [{**dataclasses.asdict(each), 'keys': each.keys} for each in w.WORKLOADS];"
        "print(json.dumps({'rows': rows, 'groups': w.GROUPS, 'steps': list(w.STEPS)}))"
    )
    return json.loads(_run([sys.executable, "-c", code])[0])


REGISTRY = _registry()
ROWS, GROUPS = REGISTRY["rows"], REGISTRY["groups"]


def _tables(group):
    title = GROUPS[group]
    return [rows for name, rows in RESULTS["tables"].items() if name == title or name.startswith(f"{title}, ")]


def _requests(library):
    """Return the requests of the sides of a library that a single process answers."""
    return {
        request
        for row in ROWS
        if row["group"] != "distributed"
        for side, request in row["requests"].items()
        if side.partition(" ")[0] == library
    }


@pytest.mark.parametrize("group", GROUPS)
def test_a_group_has_a_workload_for_each_row_of_the_results(group):
    keys = [key for row in ROWS if row["group"] == group for key in row["keys"]]
    assert len(keys) == len(set(keys))
    assert set(keys) == {key for rows in _tables(group) for key in rows}


def test_curves_and_plots_of_the_results_have_workloads():
    names = {row["name"] for row in ROWS}
    (sums,) = (row for row in ROWS if row["name"] == "ranks_and_sizes")
    curves = {side.partition(" ")[2] for side in sums["requests"]}
    assert curves | {row["name"] for row in ROWS if row["name"].startswith(("depth_", "batch_"))} == set(
        RESULTS["curves"]
    )
    assert set(RESULTS["plots"]) <= names
    assert len(names) == len(ROWS)


@pytest.mark.parametrize("group", GROUPS)
def test_a_side_with_a_time_in_the_results_has_a_request(group):
    sides = {side for row in ROWS for side in row["requests"]}
    for row in ROWS:
        if row["group"] != group or not row["requests"]:
            continue
        columns = {column for rows in _tables(group) for key in row["keys"] for column in rows.get(key, ())}
        assert columns & sides <= set(row["requests"]), row["name"]


def test_steps_of_requests_exist():
    steps = [
        request.split()[1] for library in COMMANDS for request in _requests(library) if "network" in request.split()
    ]
    assert set(steps) <= set(REGISTRY["steps"])
    assert set(REGISTRY["steps"]) <= set(steps)


@pytest.mark.parametrize("library", COMMANDS)
def test_a_worker_serves_the_requests_of_its_side(library):
    if library == "MXNet" and not ORACLE.exists():
        pytest.skip("the real MXNet is not installed")
    tasks = json.loads(_run(COMMANDS[library], "tasks\n")[-1])
    assert {request.split()[0] for request in _requests(library)} <= set(tasks)


def _imports(module, seen):
    """Add the modules that a file of the benchmarks imports at the top, and those that these import."""
    for node in ast.parse((BENCHMARKS / f"{module}.py").read_text(encoding="utf-8")).body:
        names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
        names += [node.module] if isinstance(node, ast.ImportFrom) else []
        for name in names:
            if name not in seen:
                seen.add(name)
                if (BENCHMARKS / f"{name}.py").exists():
                    _imports(name, seen)
    return seen


def test_the_real_mxnet_needs_neither_torch_nor_this_engine():
    packages = {name.partition(".")[0] for name in _imports("adapter_mxnet", set())}
    assert {"mxnet", "numpy", "workloads", "tasks"} <= packages
    assert not {"torch", "regluon"} & packages


def test_the_list_of_workloads_has_all_requests():
    lines = _run([sys.executable, "run.py", "--list"])
    requests = [f"    {side}: {request}" for row in ROWS for side, request in row["requests"].items()]
    assert [line for line in lines if line.startswith("    ") and "results.json" not in line] == requests
