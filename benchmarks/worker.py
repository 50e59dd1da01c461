"""Serve the tasks of one side in a process of its own, and time them; the same code for every library.

The runner (sides.py) writes one request per line, and the worker answers with a line of JSON:

    <task> <argument>            seconds of the clock and of the processor, or the value that the task returns
    outcome <task> <argument>    numbers that describe the first results, to compare them with those of other sides
    first <task> <argument>      seconds of the first call

A task is a function of its argument, or a `Timed` function that returns a `Job` or `Call` to measure.
"""

import functools
import json
import resource
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

_SAMPLES = 64
# Seconds of a measurement below which the job runs once before it: while the other sides ran, threads have gone to
# sleep, and waking them may take longer than a short measurement.
_SHORT = 0.05


def _numbers(result) -> np.ndarray:
    """Return an array of any library as a vector in float64."""
    if hasattr(result, "asnumpy"):
        result = result.asnumpy()
    elif hasattr(result, "detach"):
        result = result.detach().numpy()
    return np.asarray(result, dtype="float64").reshape(-1)


def digest(results: Sequence) -> list[list[float]]:
    """Return size, mean, mean absolute value and some elements of each array."""
    found = []
    for result in results:
        x = _numbers(result)
        some = x[np.linspace(0, x.size - 1, min(_SAMPLES, x.size)).astype(int)]
        found.append([x.size, x.mean(), np.abs(x).mean(), *some])
    return found


class Job:
    """Measure a function that can be called again and again.

    The constructor makes the warm-up calls.

    Args:
        run: returns its results.
        wait: returns when all asynchronous work is done.
        loops: calls per measurement.
        warm_up: calls before the first measurement.
        results: converts the results of `run` to a list of arrays.
        share: number of items per call; seconds are divided by it.
        checked: number of warm-up calls whose results form the outcome; None for all.
        is_shared: whether other processes take part, so that all have to make equally many calls.
    """

    def __init__(
        self,
        run: Callable[[], Any],
        wait: Callable[[], Any] = lambda: None,
        loops: int = 1,
        warm_up: int = 1,
        results: Callable[[Any], Sequence] = list,
        share: int = 1,
        checked: int | None = None,
        is_shared: bool = False,
    ) -> None:
        self._run, self._wait, self._count, self._share = run, wait, loops, share
        start = time.perf_counter()
        found = run()
        wait()
        self.first = time.perf_counter() - start
        self.outcome = digest(results(found))
        latest = self.first
        for number in range(1, warm_up):
            start = time.perf_counter()
            found = run()
            latest = time.perf_counter() - start
            if checked is None or number < checked:
                self.outcome += digest(results(found))
        self._is_short = latest * loops < _SHORT and not is_shared
        self._is_cold = True  # the other sides warm up before the first measurement, which takes long

    def measure(self) -> tuple[float, float]:
        """Return seconds of the clock, and of the processor over all threads of this process, per item."""
        if self._is_short or self._is_cold:
            self._run()
            self._is_cold = False
        self._wait()
        busy, start = _busy(), time.perf_counter()
        for _ in range(self._count):
            self._run()
        self._wait()
        share = self._count * self._share
        return (time.perf_counter() - start) / share, (_busy() - busy) / share


class Call:
    """Measure a single call after untimed preparation; the counterpart of Job.

    Args:
        prepare: makes all ranks ready for the call.
        run: the timed call.
        results: returns arrays to compare after the first call.
    """

    def __init__(self, prepare: Callable[[], None], run: Callable[[], Any], results: Callable[[], Sequence]) -> None:
        self._prepare, self._run = prepare, run
        self.first = self.measure()[0]
        self.outcome = digest(results())
        for _ in range(3):
            self.measure()

    def measure(self) -> tuple[float, float]:
        """Return seconds of the clock and of the processor."""
        self._prepare()
        busy, start = _busy(), time.perf_counter()
        self._run()
        return time.perf_counter() - start, _busy() - busy


class Timed:
    """Task whose job is made, with its data, at the first request for an argument."""

    def __init__(self, make: Callable[[str], Any]) -> None:
        self._made = functools.cache(make)

    def __call__(self, argument: str) -> tuple[float, float]:
        return self._made(argument).measure()

    def outcome(self, argument: str) -> list[list[float]]:
        return self._made(argument).outcome

    def first(self, argument: str) -> float:
        return self._made(argument).first


Task = Callable[[str], Any]


def _busy() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_utime


def peak_memory(argument: str) -> float:
    """Return the largest memory of this process so far in megabytes."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def serve(version: str, tasks: Mapping[str, Task]) -> None:
    """Answer requests until the input ends."""
    tasks = {"peak_memory": peak_memory, "tasks": lambda argument: sorted(tasks), **tasks}
    answers, sys.stdout = sys.stdout, sys.stderr  # what a library prints is no answer
    print(json.dumps({"version": version}), file=answers, flush=True)
    for line in sys.stdin:
        name, _, argument = line.strip().partition(" ")
        if name in ("outcome", "first"):
            task, _, argument = argument.partition(" ")
            found = getattr(tasks[task], name)(argument)
        else:
            found = tasks[name](argument)
        print(json.dumps(found), file=answers, flush=True)
