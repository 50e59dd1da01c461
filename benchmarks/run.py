"""Measures this library, PyTorch and the real MXNet 1.9.1 in one interleaved run and prints ratios.

    make bench                     all of it, into benchmarks/RESULTS.md
    python benchmarks/run.py --rounds 5 --dry    quickly, without writing

Each side is a process of its own; every round asks each for one sample of each workload, in turn, so that a busy
moment of the machine hits all alike. Figures are medians over the rounds; ratios are medians of the rounds' ratios.
"""

import argparse
import json
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from datetime import date
from pathlib import Path

HERE = Path(__file__).parent
ORACLE = HERE.parent / ".oracle" / "bin" / "python"
STEPS = ("mlp_step", "lenet_step", "lstm_step")
DISPATCH = ("add", "add_scalar", "recorded_add", "operator_call", "backward_step")
SOUGHT = {  # workload: (most times torch, most times MXNet)
    "add": (1.8, 1 / 6),
    "recorded_add": (2.0, None),
    "open_params": (None, 0.5),
    "mlp_step": (1.15, 0.4),
    "lenet_step": (1.15, 0.7),
    "lstm_step": (1.1, 0.8),
}


class Side:
    """One library in a process of its own."""

    def __init__(self, name: str, command: Sequence[str]) -> None:
        self.name = name
        env = {**os.environ, "OMP_NUM_THREADS": "2", "PYTHONWARNINGS": "ignore"}
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=env, bufsize=1
        )
        self.version = self._answer()["version"]

    def _answer(self):
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            raise SystemExit(f"the {self.name} side ended; run its worker by hand to see why")
        return json.loads(line)

    def close(self) -> None:
        """Ends the process."""
        self._process.kill()
        self._process.wait()

    def measure(self, workload: str, argument: str = "") -> float:
        """One sample of one workload."""
        assert self._process.stdin is not None
        self._process.stdin.write(f"{workload} {argument}\n")
        self._process.stdin.flush()
        return self._answer()


def interleaved(sides: Sequence[Side], workload: str, rounds: int, argument: str = "") -> dict[str, list[float]]:
    """Samples of one workload from every side, taken in turn."""
    samples: dict[str, list[float]] = {side.name: [] for side in sides}
    for _ in range(rounds):
        for side in sides:
            time.sleep(0.05)  # threads of the side before spin on for a moment, on cores this one needs
            samples[side.name].append(side.measure(workload, argument))
    return samples


def import_cost(rounds: int) -> tuple[float, float]:
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


def peak_memory(commands: dict[str, list[str]], step: str) -> dict[str, float]:
    """Megabytes a fresh process takes at most for a few training steps, its imports included."""
    found = {}
    for name, command in commands.items():
        side = Side(name, command)
        side.measure(step)
        found[name] = side.measure("peak_memory")
        side.close()
    return found


def _ratio(mine: Sequence[float], other: Sequence[float]) -> str:
    ratios = sorted(a / b for a, b in zip(mine, other, strict=True))
    low, high = ratios[len(ratios) // 10], ratios[-1 - len(ratios) // 10]
    return f"{statistics.median(ratios):.2f} ({low:.2f}-{high:.2f})"


def _time(seconds: float) -> str:
    return f"{seconds * 1e6:.2f} us" if seconds < 1e-3 else f"{seconds * 1e3:.1f} ms"


def _row(workload: str, samples: dict[str, list[float]]) -> str:
    times = [_time(statistics.median(samples[name])) if name in samples else "-" for name in ("ours", "torch", "mxnet")]
    ratios = [_ratio(samples["ours"], samples[name]) if name in samples else "-" for name in ("torch", "mxnet")]
    sought = SOUGHT.get(workload, (None, None))
    goals = [f"<= {goal:.2f}" if goal else "" for goal in sought]
    return f"| {workload} | {' | '.join(times)} | {ratios[0]} | {goals[0]} | {ratios[1]} | {goals[1]} |"


def report(rounds: int) -> str:
    """Runs everything and returns the report as Markdown."""
    torch_import, extra = import_cost(7)  # first: no other process is there yet to disturb it
    commands = {
        "ours": [sys.executable, str(HERE / "worker_mxnet.py")],
        "torch": [sys.executable, str(HERE / "worker_torch.py")],
    }
    ours, torch = (Side(name, command) for name, command in commands.items())
    mxnet = Side("mxnet", [str(ORACLE), str(HERE / "worker_mxnet.py")]) if ORACLE.exists() else None
    mx_sides = [ours, mxnet] if mxnet else [ours]
    rows = [_row(name, interleaved([ours, torch, *mx_sides[1:]], name, rounds)) for name in DISPATCH]
    rows += [_row(name, interleaved([ours, torch, *mx_sides[1:]], name, max(5, rounds // 2))) for name in STEPS]
    with tempfile.TemporaryDirectory() as folder:
        path = str(Path(folder) / "model.params")
        ours.measure("save_params", path)
        rows.append(_row("open_params", interleaved(mx_sides, "open_params", max(5, rounds // 3), path)))
    growth = {side.name: side.measure("memory_growth", "100000") for side in mx_sides}
    peaks = {step: peak_memory(commands, step) for step in STEPS}
    lines = [
        f"Measured {date.today()}, {platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}, "
        f"torch {torch.version}, MXNet {mxnet.version if mxnet else 'not installed: run `make oracle-env`'}; "
        f"{rounds} interleaved rounds, medians, in brackets the 10th and 90th percentile of the rounds' ratios.",
        "",
        "| work | ours | torch | MXNet 1.9.1 | ours / torch | sought | ours / MXNet | sought |",
        "|---|---|---|---|---|---|---|---|",
        *rows,
        "",
        f"- `import mxnet` adds {extra:.2f} s to the {torch_import:.2f} s of `import torch`; sought: at most 0.3 s.",
        f"- 100,000 recorded steps with their losses added up: the process grows by {growth['ours']:.1f} MB"
        + (f" (MXNet: {growth['mxnet']:.1f} MB)" if mxnet else "")
        + "; sought: flat.",
        "- Peak memory of a process that takes training steps, against torch: "
        + ", ".join(f"{step} {peak['ours'] / peak['torch']:.2f}" for step, peak in peaks.items())
        + "; sought: at most 1.1.",
    ]
    return "\n".join(lines)


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=30)
    parser.add_argument("--dry", action="store_true", help="print only")
    options = parser.parse_args()
    started = time.time()
    text = report(options.rounds)
    print(text)
    print(f"\n{time.time() - started:.0f} s")
    if not options.dry:
        head = "# Benchmark results\n\nMade by `make bench`; run.py says how.\n\n## Eager path, files, import\n\n"
        (HERE / "RESULTS.md").write_text(head + text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
