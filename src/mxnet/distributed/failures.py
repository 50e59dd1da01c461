"""Who is missing when a collective call fails.

Gloo says that a connection was closed or that time is up, not who is to blame. So each process counts its collective
calls and tells the count, once a second, to the store where all of them met. After a failure the others read there
who has stopped telling (killed, or stopped) and who goes on but has not come (hung, or busy with something else).
"""

import ctypes
import os
import re
import signal
import threading
import time
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import torch.distributed as dist

from ..base import MXNetError

_BEAT = 1.0  # seconds between two signs of life
_SILENCE = 5.0  # seconds without one after which a process counts as gone
_STORE_TIMEOUT = timedelta(seconds=5)


class WorkerLostError(MXNetError, ConnectionError):
    """A process that others wait for was killed, stopped, or does not come.

    Attributes:
        ranks: which ones, as far as is known.
    """

    def __init__(self, text: str, ranks: tuple[int, ...] = ()) -> None:
        super().__init__(text)
        self.ranks = ranks


class Heartbeat:
    """Signs of life of this process, and a look at those of the others.

    Args:
        connect: makes a connection to the store where the processes met; a thread and `inspect` need one each.
        rank: the number of this process.
        size: how many there are.
    """

    def __init__(self, connect: Callable[[], Any], rank: int, size: int) -> None:
        self._connect, self._rank, self._size = connect, rank, size
        self.calls = 0  # collective calls that this process has begun
        self._is_over = threading.Event()
        store = connect()
        store.set_timeout(_STORE_TIMEOUT)
        self._tell(store)
        self._thread = threading.Thread(target=self._run, args=(store,), name="mxnet-heartbeat", daemon=True)
        self._thread.start()

    def _tell(self, store: Any) -> None:
        store.set(f"alive/{self._rank}", f"{time.time_ns()} {self.calls}")

    def _run(self, store: Any) -> None:
        while not self._is_over.wait(_BEAT):
            try:
                self._tell(store)
            except RuntimeError:
                return  # the store is gone, and with it the process that kept it: the next collective call says so

    def close(self) -> None:
        """Ends the signs of life."""
        self._is_over.set()
        self._thread.join()

    def _read(self, store: Any) -> dict[int, tuple[str, int]]:
        keys = [f"alive/{rank}" for rank in range(self._size)]
        texts = [store.get(key).decode().split() if store.check([key]) else ("", "-1") for key in keys]
        return {rank: (beat, int(calls)) for rank, (beat, calls) in enumerate(texts)}

    def num_silent(self, seconds: float) -> int:
        """How many ranks gave no sign of life for so long, by the clocks of their machines."""
        now = time.time_ns()
        return sum(now - int(beat or 0) > seconds * 1e9 for beat, _ in self._read(self._connect()).values())

    def explain(self, what: str, cause: BaseException) -> WorkerLostError:
        """What to raise for a collective call that failed: the same on every rank, as far as the store still tells."""
        call = self.calls
        try:
            store = self._connect()
            store.set_timeout(_STORE_TIMEOUT)
            if not store.check(["lost"]):
                ranks, reason = self._find(store, call)
                store.compare_set("lost", "", f"{','.join(map(str, ranks))};{reason}")
            found, _, reason = store.get("lost").decode().partition(";")
            ranks = tuple(int(rank) for rank in found.split(",") if rank)
            self._wait_for_readers(store, self._size - len(ranks))
        except RuntimeError:
            ranks = () if self._rank == 0 else (0,)
            reason = "the store where all met cannot be reached: rank 0 or its launcher is gone, or the network is"
        text = (
            f"[{what}] failed on rank {self._rank} of {self._size}: {reason}. Training cannot go on; start all ranks "
            "again from the last checkpoint (`--max-restarts` of the launcher does it). "
            f"Torch said: {_first_line(cause)}"
        )
        return WorkerLostError(text, ranks)

    def _wait_for_readers(self, store: Any, count: int) -> None:
        """Rank 0 may be where the store is: it stays until the others know, within reason."""
        store.add("readers", 1)
        deadline = time.monotonic() + 2 * _SILENCE
        while self._rank == 0 and store.add("readers", 0) < count and time.monotonic() < deadline:
            time.sleep(0.05)

    def _find(self, store: Any, call: int) -> tuple[tuple[int, ...], str]:
        """Which ranks are missing, and how that is known."""
        before = self._read(store)
        time.sleep(_SILENCE)
        after = self._read(store)
        others = [rank for rank in range(self._size) if rank != self._rank]
        if gone := [rank for rank in others if before[rank][0] == after[rank][0]]:
            return tuple(gone), f"{_ranks(gone)} gave no sign of life for {_SILENCE:g} seconds: killed, or stopped"
        if late := [rank for rank in others if after[rank][1] < call]:
            return tuple(late), f"{_ranks(late)} lives, but did not come to this call in time: hung, or busy elsewhere"
        return (), (
            "all ranks live and have come: the network between them is too slow or loses too much, or they called with "
            "different shapes or in a different order"
        )


def _first_line(error: BaseException) -> str:
    """What an error of torch says, without the place in its sources and the stack."""
    return re.sub(r"^\[[^]]*\] ", "", str(error).partition("\n")[0]) or type(error).__name__


def _ranks(ranks: list[int]) -> str:
    return f"rank {ranks[0]}" if len(ranks) == 1 else f"ranks {', '.join(map(str, ranks))}"


def client(address: str, port: int, prefix: str) -> Callable[[], Any]:
    """Makes connections to the store at an address."""

    def connect() -> Any:
        store = dist.TCPStore(address, port, is_master=False, timeout=_STORE_TIMEOUT, wait_for_workers=False)
        return dist.PrefixStore(prefix, store)

    return connect


def end_with_parent() -> None:
    """Has the system end this process when the agent that started it dies, so that none is left behind (Linux)."""
    if os.name != "posix" or not os.path.exists("/proc/self"):
        return
    ctypes.CDLL(None).prctl(1, signal.SIGTERM)  # PR_SET_PDEATHSIG
