"""The libraries that are compared, each in a process of its own, and samples taken from them in turn."""

import contextlib
import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

HERE = Path(__file__).parent
ORACLE = HERE.parent / ".oracle" / "bin" / "python"
COMMANDS = {
    "ours": (sys.executable, str(HERE / "worker_mxnet.py")),
    "torch": (sys.executable, str(HERE / "worker_torch.py")),
    "MXNet": (str(ORACLE), str(HERE / "worker_mxnet.py")),
}
# Byte code is written, as it is when packages are installed: without it, what was edited is compiled at every import.
ENVIRONMENT = {"PYTHONWARNINGS": "ignore", "PYTHONDONTWRITEBYTECODE": ""}
OUR_ENVIRONMENT: dict[str, str] = {}  # of this library's side only
PASSIVE = "OMP_WAIT_POLICY"  # "passive": threads sleep while they wait for each other


class Sample(NamedTuple):
    """Seconds that something took: of the clock, and of the processor in all threads of the program."""

    clock: float
    processor: float


Samples = dict[str, list[Sample]]


def threads(count: int) -> dict[str, str]:
    """The variables that say how many threads a side may use for one operator."""
    return dict.fromkeys(("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS"), str(count))


def use_threads(count: int) -> None:
    """How many threads each side may use for one operator."""
    ENVIRONMENT.update(threads(count))


@contextlib.contextmanager
def environment(variables: Mapping[str, str]) -> Iterator[None]:
    """Gives these variables to all sides that are started meanwhile."""
    before = dict(ENVIRONMENT)
    ENVIRONMENT.update(variables)
    try:
        yield
    finally:
        ENVIRONMENT.clear()
        ENVIRONMENT.update(before)


class Side:
    """One library in a process of its own.

    Args:
        name: begins with the name of the library; more words may tell sides of one library from each other.
    """

    def __init__(self, name: str) -> None:
        self.name = name
        library = name.partition(" ")[0]
        own = OUR_ENVIRONMENT if library == "ours" else {}
        env = {**os.environ, **ENVIRONMENT, **own}
        self._process = subprocess.Popen(
            COMMANDS[library], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=env
        )

    def ready(self) -> None:
        """Waits until everything is imported."""
        self.version = self._answer()["version"]

    def _answer(self):
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            raise SystemExit(f"the {self.name} side ended; its error stands above")
        return json.loads(line)

    def close(self) -> None:
        """Ends the process, and with it the workers that it started."""
        assert self._process.stdin is not None
        self._process.stdin.close()
        try:
            self._process.wait(20)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def ask(self, request: str):
        """The answer to a request; workload.py lists them."""
        assert self._process.stdin is not None
        self._process.stdin.write(f"{request}\n")
        self._process.stdin.flush()
        return self._answer()


@contextlib.contextmanager
def started(*names: str) -> Iterator[dict[str, Side]]:
    """These sides by their names, without MXNet if it is not installed."""
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


def interleaved(requests: Mapping[str, tuple[Side, str]], rounds: int) -> Samples:
    """Samples of requests to sides, taken in turn, so that a busy moment of the machine hits all alike."""
    samples: Samples = {name: [] for name in requests}
    for _ in range(rounds):
        for name, (side, request) in requests.items():
            time.sleep(0.05)  # threads of the side before spin on for a moment, on cores this one needs
            samples[name].append(Sample(*side.ask(request)))
    return samples


def agreed(requests: Mapping[str, tuple[Side, str]], tolerance: float = 1e-3) -> None:
    """Ends the run if sides that should compute the same do not."""
    outcomes = {name: side.ask(f"outcome {request}") for name, (side, request) in requests.items()}
    first, *others = outcomes
    for other in others:
        _expect_same(first, outcomes[first], other, outcomes[other], tolerance, requests[first][1])


def compared(requests: Mapping[str, tuple[Side, str]], rounds: int, tolerance: float = 1e-3) -> Samples:
    """`interleaved` for sides that compute the same: their results are compared before time counts."""
    agreed(requests, tolerance)
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
