"""The order in which compilers start, and the estimate of the time that is left.

A job's weight is its duration relative to the other jobs, roughly CPU seconds on the machine where it was measured. The
machine at hand is slower or faster, and other processes use its cores. So the first finished job gives the duration of
a unit of weight, and every further one improves it.
"""

import heapq
import math
import time
from collections.abc import Callable, Sequence


def job_order(weights: Sequence[float]) -> list[int]:
    """Return the indices of jobs in the order to start them: the shortest job, then the others, the longest first.

    The shortest one gives the first estimate early. After it the longest ones start, so that none of them runs alone at
    the end.

    Args:
        weights: the weight of each job.
    """
    order = sorted(range(len(weights)), key=lambda job: -weights[job])
    return order[-1:] + order[:-1]


class Schedule:
    """Estimate the remaining time of jobs that run on several workers. It has no lock: callers serialize their calls.

    Args:
        weights: the weight of each job, in the order in which the jobs start.
        workers: how many jobs run at a time.
        clock: returns the time in seconds.
    """

    def __init__(self, weights: Sequence[float], workers: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._weights = list(weights)
        self._workers = workers
        self._clock = clock
        self._began = clock()
        self._starts: dict[int, float] = {}  # of running jobs
        self._waiting = list(range(len(self._weights)))
        self._finished_weight = 0.0
        self._finished_seconds = 0.0

    def start(self, job: int) -> None:
        """Note that a job starts now.

        Args:
            job: its index in `weights`.
        """
        self._waiting.remove(job)
        self._starts[job] = self._clock()

    def finish(self, job: int) -> None:
        """Note that a running job ends now."""
        self._finished_seconds += self._clock() - self._starts.pop(job)
        self._finished_weight += self._weights[job]

    @property
    def elapsed(self) -> float:
        """Seconds since the schedule was made."""
        return self._clock() - self._began

    def remaining(self) -> float:
        """Return the estimated seconds until the last job ends; infinity until a job has finished.

        A job takes its weight times the seconds per unit of weight of all finished jobs. One that has run longer than
        that counts as finished. Each waiting job goes to the worker that is free first.
        """
        if not self._finished_weight:
            return math.inf
        scale, now = self._finished_seconds / self._finished_weight, self._clock()
        free = [max(start + self._weights[job] * scale - now, 0.0) for job, start in self._starts.items()]
        free += [0.0] * (self._workers - len(free))
        heapq.heapify(free)
        for job in self._waiting:
            heapq.heapreplace(free, free[0] + self._weights[job] * scale)
        return max(free)

    def __str__(self) -> str:
        """Return the elapsed time and the estimate, which is omitted while it is unknown and after the last job."""
        is_known = bool(self._finished_weight) and bool(self._starts or self._waiting)
        return f"{self.elapsed:.0f} s" + (f", about {self.remaining():.0f} s left" if is_known else "")
