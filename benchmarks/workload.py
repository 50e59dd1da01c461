"""What a side of the benchmark is made of; the same lines for every library.

A side reads one request a line, and answers with a line of JSON:

    <workload> <argument>            seconds, or what the workload measures
    outcome <workload> <argument>    numbers that describe the results, to be compared with those of the other sides
"""

import functools
import json
import resource
import sys
import time

import numpy as np

_SAMPLES = 64


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
        warm_up: how often it is done before; the results of these times are the outcome.
        results: a list of arrays from what `run` found.
        share: a measurement counts for so many things: its seconds are divided by it.
    """

    def __init__(self, run, wait=lambda: None, loops=1, warm_up=1, results=list, share=1) -> None:
        self._run, self._wait, self._loops, self._share = run, wait, loops, share
        self.outcome = [numbers for _ in range(warm_up) for numbers in digest(results(run()))]

    def measure(self) -> float:
        self._wait()
        start = time.perf_counter()
        for _ in range(self._loops):
            self._run()
        self._wait()
        return (time.perf_counter() - start) / (self._loops * self._share)


class Timed:
    """A workload that is made, with its data, when it is first asked for."""

    def __init__(self, make) -> None:
        self._made = functools.cache(make)

    def __call__(self, argument: str) -> float:
        return self._made(argument).measure()

    def outcome(self, argument: str) -> list[list[float]]:
        return self._made(argument).outcome


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
        if name == "outcome":
            name, _, argument = argument.partition(" ")
            found = workloads[name].outcome(argument)
        else:
            found = workloads[name](argument)
        print(json.dumps(found), file=answers, flush=True)
