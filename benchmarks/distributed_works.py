"""What the ranks of both sides do alike: the works, each rank's share of the data, calls that are measured alone."""

import os
import time
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from workload import _busy, digest

RANK, SIZE = int(os.environ.get("RANK", "0")), int(os.environ.get("WORLD_SIZE", "1"))
MOMENTUM = 0.9
CHECKED = 3  # steps after each of which the weights of both sides are compared
NUM_PARAMETERS, NUM_ELEMENTS = 40, 25_000_000  # of the gradients of 100 MB


class Work(NamedTuple):
    """Training steps of a network.

    Args:
        loops: how many a measurement takes.
        settled: how many are taken before time counts, on our side, which tries kernels out.
        rate: learning rate.
        shape: of the data of one rank, the batch first.
    """

    loops: int
    settled: int
    rate: float
    shape: tuple[int, ...]


WORKS = {
    "mlp": Work(20, 80, 0.05, (64, 784)),
    "lenet": Work(10, 80, 0.02, (32, 1, 28, 28)),
    "resnet18": Work(2, 24, 0.001, (16, 3, 64, 64)),
}


def data(work: str) -> np.ndarray:
    """This rank's share of a batch."""
    return np.random.RandomState(100 + RANK).rand(*WORKS[work].shape).astype("float32")


def label(work: str) -> np.ndarray:
    """The classes of this rank's share."""
    return np.random.RandomState(200 + RANK).randint(0, 10, WORKS[work].shape[0])


def gradient_sizes() -> list[int]:
    """Numbers of elements of the parameters whose gradients have 100 MB together: few large ones, many small ones."""
    weights = np.geomspace(1, 200, NUM_PARAMETERS)
    sizes = (weights / weights.sum() * NUM_ELEMENTS).astype(int)
    sizes[-1] += NUM_ELEMENTS - sizes.sum()
    return [int(size) for size in np.random.RandomState(0).permutation(sizes)]


def gradient_values() -> np.ndarray:
    """What this rank's gradients are, one after the other."""
    return np.random.RandomState(RANK).rand(NUM_ELEMENTS).astype("float32")


class Call:
    """A call that is measured alone, after work that is not: what a Job of workload.py has, besides.

    Args:
        prepare: has all ranks ready for the call.
        run: the call.
        results: arrays to compare, after the first call.
    """

    def __init__(self, prepare: Callable[[], None], run: Callable[[], Any], results: Callable[[], Sequence]) -> None:
        self._prepare, self._run = prepare, run
        self.first = self.measure()[0]
        self.outcome = digest(results())
        for _ in range(3):
            self.measure()

    def measure(self) -> tuple[float, float]:
        """Seconds of the clock, and of the processor."""
        self._prepare()
        busy, start = _busy(), time.perf_counter()
        self._run()
        return time.perf_counter() - start, _busy() - busy
