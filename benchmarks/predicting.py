"""Python threads that call one network at the same time, for every library alike."""

import threading
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple


class Predicting(NamedTuple):
    """What threads call: a network of networks.py, and how often each thread calls it in a measurement."""

    network: str
    calls: int


NETWORKS = {"lenet": Predicting("batch_1", 100), "resnet18": Predicting("resnet18_infer_1", 4)}


class Team:
    """Threads that stay; each does its own work some times whenever the team is called.

    Args:
        works: of each thread what it does.
        times: how often.
    """

    def __init__(self, works, times: int) -> None:
        self._works, self._times = works, times
        self._pool, self._together = ThreadPoolExecutor(len(works)), threading.Barrier(len(works))

    def __call__(self) -> list:
        """Of each thread what it found last."""
        return list(self._pool.map(self._repeated, self._works))

    def _repeated(self, work):
        self._together.wait()  # for all: otherwise a thread that is early would do the work of another, too
        for _ in range(self._times - 1):
            work()
        return work()


def scaled(data, number: int):
    """The data of a thread: its own, so that results that go to another thread show."""
    return data * (1 - number / 20)
