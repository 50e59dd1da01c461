"""What a side of the benchmark is made of; the same lines for every library.

A side reads one request a line, and answers with a line of JSON:

    <workload> <argument>            seconds of the clock and of the processor, or what the workload measures
    outcome <workload> <argument>    numbers that describe the results, to be compared with those of the other sides
    first <workload> <argument>      seconds that it took when it was done for the first time
"""

import functools
import json
import resource
import sys
import time

import numpy as np

_SAMPLES = 64
# Seconds of a measurement below which the work is done once before it: while the other sides were at work, threads have
# gone to sleep, and to wake them may take longer than all of a short measurement.
_SHORT = 0.05


def _numbers(result) -> np.ndarray:
    """A result of any library as a line of numbers."""
    if hasattr(result, "asnumpy"):
        result = result.asnumpy()
    elif hasattr(result, "detach"):
        result = result.detach().numpy()
    return np.asarray(result, dtype="float64").reshape(-1)


def digest(results) -> list[list[float]]:
    """Of each result: how many numbers it has, their mean and mean size, and some of them."""
    found = []
    for result in results:
        x = _numbers(result)
        some = x[np.linspace(0, x.size - 1, min(_SAMPLES, x.size)).astype(int)]
        found.append([x.size, x.mean(), np.abs(x).mean(), *some])
    return found


class Job:
    """Work that is done again and again.

    Args:
        run: does it once and returns what it found.
        wait: returns when everything that was begun is done.
        loops: how often a measurement does it.
        warm_up: how often it is done before.
        checked: the results of how many of these times are the outcome; all if not given.
        results: a list of arrays from what `run` found.
        share: a measurement counts for so many things: its seconds are divided by it.
        is_shared: whether other processes do it at the same time, so that all have to do it equally often.
    """

    def __init__(
        self, run, wait=lambda: None, loops=1, warm_up=1, results=list, share=1, checked=None, is_shared=False
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
        self._is_cold = True  # other sides are made ready before the first measurement, which takes long

    def measure(self) -> tuple[float, float]:
        """Seconds of the clock, and of the processor in the program itself: those of all threads together."""
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


class Timed:
    """A workload that is made, with its data, when it is first asked for."""

    def __init__(self, make) -> None:
        self._made = functools.cache(make)

    def __call__(self, argument: str) -> tuple[float, float]:
        return self._made(argument).measure()

    def outcome(self, argument: str) -> list[list[float]]:
        return self._made(argument).outcome

    def first(self, argument: str) -> float:
        return self._made(argument).first


def _busy() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_utime


def peak_memory(argument: str) -> float:
    """Megabytes that the process took at most so far."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def serve(version: str, workloads) -> None:
    """Answers requests until there are no more."""
    workloads = {"peak_memory": peak_memory, **workloads}
    answers, sys.stdout = sys.stdout, sys.stderr  # what a library prints is no answer
    print(json.dumps({"version": version}), file=answers, flush=True)
    for line in sys.stdin:
        name, _, argument = line.strip().partition(" ")
        if name in ("outcome", "first"):
            workload, _, argument = argument.partition(" ")
            found = getattr(workloads[workload], name)(argument)
        else:
            found = workloads[name](argument)
        print(json.dumps(found), file=answers, flush=True)
