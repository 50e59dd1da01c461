"""The order in which compilers start, and the estimate of the time that is left."""

import heapq

import pytest

from regluon.native import compiling
from regluon.native.schedule import Schedule, job_order

BATCHES = [*compiling.batches_of(compiling.KERNELS), *compiling.batches_of(compiling.RUNNER)]
# Measured CPU seconds of each batch. GCC's beside a busy process are those of a machine whose cores share their caches.
MEASURED = {
    "GCC 12": {"images": 4.81, "matrices": 4.78, "rows": 4.21, "windows": 3.13, "runner": 19.07},
    "clang 14": {"images": 4.51, "matrices": 3.99, "rows": 3.69, "windows": 2.67, "runner": 13.44},
    "GCC 12, other processes": {"images": 7.9, "matrices": 7.2, "rows": 7.0, "windows": 4.6, "runner": 34.5},
}


class Clock:
    """The time of a simulated build."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def simulate(weights: list[float], seconds: list[float], workers: int) -> tuple[float, list[float]]:
    """Run jobs in their order; return the total duration, and the estimates of it after each job but the last."""
    clock = Clock()
    schedule = Schedule(weights, workers, clock)
    running: list[tuple[float, int]] = []
    estimates = []
    waiting = list(range(len(weights)))
    while waiting or running:
        while waiting and len(running) < workers:
            job = waiting.pop(0)
            schedule.start(job)
            heapq.heappush(running, (clock.now + seconds[job], job))
        clock.now, job = heapq.heappop(running)
        schedule.finish(job)
        if waiting or running:
            estimates.append(schedule.elapsed + schedule.remaining())
    return clock.now, estimates


@pytest.mark.parametrize("workers", [1, 2, 4])
@pytest.mark.parametrize("machine", MEASURED)
def test_estimates_are_within_a_factor_of_one_and_a_half(machine: str, workers: int) -> None:
    order = [BATCHES[number] for number in job_order([batch.weight for batch in BATCHES])]
    total, estimates = simulate(
        [batch.weight for batch in order], [MEASURED[machine][batch.name] for batch in order], workers
    )
    assert len(estimates) == len(BATCHES) - 1
    assert all(total / 1.5 < estimate < total * 1.5 for estimate in estimates), (total, estimates)


def test_the_shortest_job_comes_first_then_the_longest() -> None:
    assert job_order([2.0, 9.0, 1.0, 5.0]) == [2, 1, 3, 0]
    assert job_order([3.0]) == [0]
    assert job_order([]) == []


@pytest.mark.parametrize(
    ("workers", "remaining"),
    [
        (1, 1.5 * (2 + 4 + 6)),
        (2, 1.5 * (2 + 6)),  # one worker has 2 and then 6, the other one 4
        (3, 1.5 * 6),
        (8, 1.5 * 6),
    ],
)
def test_waiting_jobs_are_distributed(workers: int, remaining: float) -> None:
    clock = Clock()
    schedule = Schedule([1.0, 2.0, 4.0, 6.0], workers, clock)
    schedule.start(0)
    clock.now = 1.5
    schedule.finish(0)
    assert schedule.remaining() == pytest.approx(remaining)
    assert str(schedule) == f"2 s, about {remaining:.0f} s left"


def test_running_jobs_count_from_their_start() -> None:
    clock = Clock()
    schedule = Schedule([1.0, 10.0], 2, clock)
    schedule.start(0)
    schedule.start(1)
    clock.now = 2.0
    schedule.finish(0)
    assert schedule.remaining() == pytest.approx(18.0)
    clock.now = 12.0
    assert schedule.remaining() == pytest.approx(8.0)
    clock.now = 25.0  # longer than estimated
    assert schedule.remaining() == 0
    schedule.finish(1)
    assert str(schedule) == "25 s"
