"""Importing, opening a model, memory over many steps."""

import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

import goals
from options import Options
from sides import ENVIRONMENT, ORACLE, OUR_ENVIRONMENT, Samples, compared, started
from tables import best, goal_text, markdown, table

TITLE = "Import, files, memory over time"
NAMES = ("import", "open_params", "memory_growth")
STEPS = 20000
IMPORTS = {
    "torch": (sys.executable, "import torch", ""),
    "ours after torch": (sys.executable, "import mxnet", "import torch"),
    "ours": (sys.executable, "import mxnet", ""),
    "MXNet": (str(ORACLE), "import mxnet", ""),
}


def _import_times(rounds: int) -> dict[str, float]:
    """Median seconds in fresh processes."""
    samples: dict[str, list[float]] = {}
    for _ in range(rounds):
        for name, (python, statement, before) in IMPORTS.items():
            if not Path(python).exists():
                continue
            code = f"import time\n{before}\na = time.perf_counter()\n{statement}\nprint(time.perf_counter() - a)"
            own = OUR_ENVIRONMENT if name.startswith("ours") else {}
            child = subprocess.run(
                [python, "-c", code],
                capture_output=True,
                text=True,
                check=True,
                env={**os.environ, **ENVIRONMENT, **own},
            )
            samples.setdefault(name, []).append(float(child.stdout))
    return {name: statistics.median(seconds) for name, seconds in samples.items()}


def _import_report(rounds: int) -> list[str]:
    seconds = _import_times(rounds)
    extra = seconds["ours after torch"]
    return [
        *markdown(
            ["import", *seconds, "sought after torch"],
            [["seconds", *(f"{s:.2f}" for s in seconds.values()), goal_text(extra, goals.IMPORT_EXTRA)]],
        ),
        "",
    ]


def _open_params(rounds: int) -> Samples:
    """Each library opens the file that it writes itself."""
    with tempfile.TemporaryDirectory() as folder, started("ours", "torch", "MXNet") as sides:
        requests = {}
        for name, side in sides.items():
            path = Path(folder) / ("torch.pt" if name == "torch" else f"{name}.params")
            side.ask(f"save_params {path}")
            requests[name] = (side, f"open_params {path}")
            if name == "torch":
                requests["torch mapped"] = (side, f"open_params_mapped {path}")
        return compared(requests, rounds)


def _open_report(rounds: int) -> list[str]:
    samples = _open_params(rounds)
    other = best(samples, ("torch", "torch mapped"))
    columns = ("ours", "torch", "torch mapped", "MXNet")
    ratios = (("ours", other), ("ours", "MXNet"))
    return [*table({"open_params": samples}, columns, ratios, {"open_params": goals.OPEN_PARAMS}), ""]


def _growth_report() -> list[str]:
    """Of fresh processes: in one that took more before, its peak would hide it."""
    found = {}
    for name in ("ours", "MXNet"):
        with started(name) as sides:
            found |= {name: side.ask(f"memory_growth {STEPS}") for name, side in sides.items()}
    grown = ", ".join(f"{size:.1f} MB ({name})" for name, size in found.items())
    return [f"- {STEPS:,} recorded steps with their losses added up; the process grows by {grown}; sought: flat."]


def report(options: Options) -> list[str]:
    """Runs the group; its report as lines of Markdown."""
    works, lines = options.works(NAMES), []
    if "import" in works:  # first: no other process is there yet to disturb it
        lines += _import_report(options.fewer(5))
    if "open_params" in works:
        lines += _open_report(options.fewer(3))
        lines += ["- A model of 100 MB is opened, and one element of each of its 100 arrays read."]
    if "memory_growth" in works:
        lines += _growth_report()
    return lines
