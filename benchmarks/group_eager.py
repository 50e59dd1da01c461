"""Eager calls, training steps, opening a file, importing, memory."""

import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from sides import Samples, Side, compared, interleaved, started
from tables import table

TITLE = "Eager path, files, import"
STEPS = ("mlp_step", "lenet_step", "lstm_step")
DISPATCH = ("add", "add_scalar", "recorded_add", "operator_call", "backward_step")
GOALS = {  # ours / torch, ours / MXNet
    "add": (1.8, 1 / 6),
    "recorded_add": (2.0, None),
    "open_params": (None, 0.5),
    "mlp_step": (1.15, 0.4),
    "lenet_step": (1.15, 0.7),
    "lstm_step": (1.1, 0.8),
}


def _import_cost(rounds: int) -> tuple[float, float]:
    """Median seconds of `import torch`, and of `import mxnet` after it, in fresh processes."""
    code = (
        "import time; a = time.perf_counter(); import torch; b = time.perf_counter(); import mxnet; "
        "c = time.perf_counter(); print(b - a, c - b)"
    )
    samples = []
    for _ in range(rounds):
        child = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
        samples.append([float(seconds) for seconds in child.stdout.split()])
    torch_seconds, extra = zip(*samples, strict=True)
    return statistics.median(torch_seconds), statistics.median(extra)


def _growth() -> dict[str, float]:
    """Megabytes that fresh processes grow by; in one that took more before, its peak would hide it."""
    found = {}
    for name in ("ours", "MXNet"):
        with started(name) as sides:
            found |= {name: side.ask("memory_growth 100000") for name, side in sides.items()}
    return found


def _peak_memory(step: str) -> float:
    """What a fresh process of ours takes at most for a few training steps, its imports included, against torch."""
    found = {}
    for name in ("ours", "torch"):
        with started(name) as sides:
            sides[name].ask(step)
            found[name] = sides[name].ask("peak_memory")
    return found["ours"] / found["torch"]


def _open_params(sides: dict[str, Side], rounds: int) -> Samples:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.params"
        sides["ours"].ask(f"save_params {path}")
        requests = {name: (side, f"open_params {path}") for name, side in sides.items() if name != "torch"}
        return interleaved(requests, rounds)


def report(rounds: int) -> list[str]:
    """Runs the group; its report as lines of Markdown."""
    torch_import, extra = _import_cost(7)  # first: no other process is there yet to disturb it
    with started("ours", "torch", "MXNet") as sides:

        def asked(workload: str):
            return {name: (side, workload) for name, side in sides.items()}

        rows = {workload: interleaved(asked(workload), rounds) for workload in DISPATCH}
        rows |= {workload: compared(asked(workload), max(5, rounds // 2)) for workload in STEPS}
        rows["open_params"] = _open_params(sides, max(5, rounds // 3))
    growth = _growth()
    peaks = {step: _peak_memory(step) for step in STEPS}
    return [
        *table(rows, ("ours", "torch", "MXNet"), (("ours", "torch"), ("ours", "MXNet")), GOALS),
        "",
        f"- `import mxnet` adds {extra:.2f} s to the {torch_import:.2f} s of `import torch`; sought: at most 0.3 s.",
        "- 100,000 recorded steps with their losses added up; the process grows by "
        + ", ".join(f"{size:.1f} MB ({name})" for name, size in growth.items())
        + "; sought: flat.",
        "- Peak memory of a process that takes training steps, against torch: "
        + ", ".join(f"{step} {peak:.2f}" for step, peak in peaks.items())
        + "; sought: at most 1.1.",
    ]
