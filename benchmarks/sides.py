"""Start each side of the comparison in a process of its own, and take samples of all sides in turn."""

import contextlib
import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from workloads import COMPILED, Workload

HERE = Path(__file__).parent
ORACLE = HERE.parent / ".oracle" / "bin" / "python"
COMMANDS = {
    "ours": (sys.executable, str(HERE / "adapter_mxnet.py"), "ours"),
    "torch": (sys.executable, str(HERE / "adapter_torch.py")),
    "MXNet": (str(ORACLE), str(HERE / "adapter_mxnet.py"), "MXNet"),
}
# Byte code is written, as it is when packages are installed; otherwise edited files are compiled at every import.
ENVIRONMENT = {"PYTHONWARNINGS": "ignore", "PYTHONDONTWRITEBYTECODE": ""}
OUR_ENVIRONMENT: dict[str, str] = {}  # of this project's side only
PASSIVE = "OMP_WAIT_POLICY"  # "passive": threads sleep while they wait for each other


class Sample(NamedTuple):
    """Seconds of the clock, and of the processor over all threads of the process."""

    clock: float
    processor: float


Samples = dict[str, list[Sample]]  # by side, one per round


@dataclass
class Options:
    """Options of a run.

    Args:
        rounds: samples of each workload and side.
        chosen: workloads to measure; empty for all.
        sides: sides to measure networks on, besides ours hybridized; empty for all.
        compile: whether torch.compile is measured.
        file_megabytes: size of the file that `load_large` loads.
        plots: filled by groups: by workload and library, our ratio and the goal.
        curves: filled by groups: by workload and side, seconds.
    """

    rounds: int
    chosen: Sequence[str] = ()
    sides: Sequence[str] = ()
    compile: bool = True
    file_megabytes: int = 2000
    plots: dict[str, dict[str, Any]] = field(default_factory=dict)
    curves: dict[str, dict[str, float]] = field(default_factory=dict)

    def select(self, workloads: Mapping[str, Workload]) -> dict[str, Workload]:
        """Return the chosen workloads."""
        return {name: each for name, each in workloads.items() if not self.chosen or name in self.chosen}

    def select_sides(self, names: Sequence[str], needed: str) -> list[str]:
        """Return the chosen sides, and the one that the report needs."""
        wanted = [name for name in names if not self.sides or name in self.sides or name == needed]
        return [name for name in wanted if self.compile or name != COMPILED]

    def fewer(self, divisor: int, least: int = 3) -> int:
        """Return the rounds of a workload whose samples take long."""
        return min(self.rounds, max(least, self.rounds // divisor))


def thread_variables(count: int) -> dict[str, str]:
    """Return the environment that limits a side to so many threads per operator."""
    return dict.fromkeys(("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS"), str(count))


@contextlib.contextmanager
def environment(variables: Mapping[str, str]) -> Iterator[None]:
    """Add variables to the environment of the sides that are started in the context."""
    previous = dict(ENVIRONMENT)
    ENVIRONMENT.update(variables)
    try:
        yield
    finally:
        ENVIRONMENT.clear()
        ENVIRONMENT.update(previous)


class Side:
    """One library in a process of its own.

    Args:
        name: the library; further words distinguish sides of one library.
    """

    def __init__(self, name: str) -> None:
        library = name.partition(" ")[0]
        self._start(name, library, COMMANDS[library], {})

    def _start(self, name: str, library: str, command: Sequence[str], variables: Mapping[str, str]) -> None:
        self.name = name
        env = {**os.environ, **ENVIRONMENT, **(OUR_ENVIRONMENT if library == "ours" else {}), **variables}
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=env)

    def ready(self) -> None:
        """Wait until everything is imported."""
        self.version = self.receive()["version"]

    def send(self, request: str) -> None:
        """Send a request without waiting for the answer."""
        assert self._process.stdin is not None
        self._process.stdin.write(f"{request}\n")
        self._process.stdin.flush()

    def receive(self) -> Any:
        """Wait for the next answer."""
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            raise SystemExit(f"the {self.name} side ended; its error stands above")
        return json.loads(line)

    def ask(self, request: str) -> Any:
        """Return the answer to a request; see worker.py."""
        self.send(request)
        return self.receive()

    def end_input(self) -> None:
        """Tell the process to end."""
        assert self._process.stdin is not None
        self._process.stdin.close()

    def close(self) -> None:
        """End the process, and with it the workers that it started."""
        self.end_input()
        try:
            self._process.wait(20)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()


@contextlib.contextmanager
def started(*names: str) -> Iterator[dict[str, Side]]:
    """Start sides and yield them by name, without MXNet if it is not installed."""
    sides: dict[str, Side] = {}
    try:
        for name in names:
            if not name.startswith("MXNet") or ORACLE.exists():
                sides[name] = Side(name)
        for side in sides.values():
            side.ready()
        yield sides
    finally:
        for side in sides.values():
            side.close()


Requests = dict[str, tuple[Side, str]]  # by column of the report


def requests_of(workload: Workload, sides: Mapping[str, Side], path: object = "") -> Requests:
    """Return the requests of a workload to the started sides."""
    return {
        name: (side, workload.requests[name].format(path=path))
        for name, side in sides.items()
        if name in workload.requests
    }


def interleaved(requests: Mapping[str, tuple[Side, str]], rounds: int) -> Samples:
    """Take samples of all requests in turn, so that a busy moment of the machine affects all sides alike."""
    samples: Samples = {name: [] for name in requests}
    for _ in range(rounds):
        for name, (side, request) in requests.items():
            time.sleep(0.05)  # threads of the previous side spin for a moment, on cores that this side needs
            samples[name].append(Sample(*side.ask(request)))
    return samples


def check_agreement(requests: Mapping[str, tuple[Side, str]], tolerance: float = 1e-3) -> None:
    """End the run if the first results of the sides differ."""
    outcomes = {name: side.ask(f"outcome {request}") for name, (side, request) in requests.items()}
    first, *others = outcomes
    for other in others:
        _expect_same(first, outcomes[first], other, outcomes[other], tolerance, requests[first][1])


def compared(requests: Mapping[str, tuple[Side, str]], rounds: int, tolerance: float = 1e-3) -> Samples:
    """Check that the sides agree, then take samples."""
    check_agreement(requests, tolerance)
    return interleaved(requests, rounds)


def _expect_same(
    mine: str, my_outcome: Sequence, other: str, other_outcome: Sequence, tolerance: float, request: str
) -> None:
    for place, (a, b) in enumerate(zip(my_outcome, other_outcome, strict=True)):
        scale = max(abs(a[2]), abs(b[2]))
        if len(a) != len(b) or not np.allclose(a, b, rtol=tolerance, atol=tolerance * scale):
            raise SystemExit(
                f"{request}: result {place} of {mine} differs from that of {other} by more than {tolerance}:\n{a}\n{b}"
            )
