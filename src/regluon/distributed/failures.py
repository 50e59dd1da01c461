"""Detection and reports of lost ranks.

When a collective call fails, gloo reports a closed connection or a timeout, but not the rank that caused it. Therefore
each rank numbers its collective calls and writes a heartbeat with the number of its latest call to the rendezvous store
once a second. A rank whose call fails reads all heartbeats twice and looks for ranks without a new heartbeat, then for
ranks that have not begun the failed call. The first result is stored, and all ranks raise it.

Each rank also writes the result to the error file of torch's elastic agent, where the launcher reads it.
"""

import ctypes
import json
import os
import re
import signal
import threading
import time
from collections.abc import Callable, Sequence
from datetime import timedelta
from typing import Any

import torch.distributed as dist

from ..base import MXNetError
from .environment import Launch

_HEARTBEAT_INTERVAL = 1.0  # seconds
_HEARTBEAT_TIMEOUT = 3.0  # seconds without a new heartbeat after which a rank is lost
_STORE_TIMEOUT = timedelta(seconds=5)
# Torch resolves names while it connects: a lost reply of the name server takes 5 seconds.
_CONNECT_TIMEOUT = timedelta(seconds=8)
START_TIMEOUT = timedelta(seconds=60)  # of the first connection, while the machine is busy starting other ranks


class WorkerLostError(MXNetError, ConnectionError):
    """A rank that this rank waits for hung, was stopped, or ended.

    Attributes:
        ranks: the lost ranks in ascending order; empty if they are unknown.
    """

    def __init__(self, text: str, ranks: tuple[int, ...] = ()) -> None:
        super().__init__(text)
        self.ranks = ranks


def report_lost_ranks(
    launch: Launch, what: str, ranks: Sequence[int], reason: str, cause: BaseException | None = None
) -> WorkerLostError:
    """Write a report for the launcher and return the error to raise.

    Under torch's elastic agent, the report is a JSON object in the error file of this worker. The agent shows its
    `message` in the table of failures; `mxnet.launch` prints it in its last line. The report has no effect if this
    process ends with exit code 0.

    Args:
        launch: the rank and the number of ranks of this process.
        what: the call in which this rank waited, such as "kvstore.push".
        ranks: the lost ranks.
        reason: a clause that names the lost ranks and the symptom.
        cause: torch's error.
    """
    if path := os.environ.get("TORCHELASTIC_ERROR_FILE"):
        message = f"{reason}; rank {launch.rank} waited in {what}"
        report = {"message": message, "timestamp": int(time.time()), "lost_ranks": list(ranks)}
        with open(f"{path}.new", "w", encoding="utf-8") as stream:
            json.dump(report, stream)
        os.replace(stream.name, path)  # in one step: the agent may kill this process at any time
    text = (
        f"[{what}] failed on rank {launch.rank} of {launch.size}: {reason}. Training cannot go on; start all ranks "
        "again from the last checkpoint (`--max-restarts` of the launcher does it)."
    )
    return WorkerLostError(text if cause is None else f"{text} Torch said: {_first_line(cause)}", tuple(ranks))


class Heartbeat:
    """A thread that writes this rank's heartbeat to the store, and a reader of all heartbeats.

    Args:
        connect: opens a new connection to the store. The thread and each reader need one of their own.
        launch: the rank and the number of ranks of this process.
    """

    def __init__(self, connect: Callable[..., Any], launch: Launch) -> None:
        self._connect, self._launch = connect, launch
        self.num_calls = 0  # collective calls that this rank has begun; the number of the latest one
        self._is_closed = threading.Event()
        store = connect(START_TIMEOUT)
        self._write(store)
        self._thread = threading.Thread(target=self._run, args=(store,), name="mxnet-heartbeat", daemon=True)
        self._thread.start()

    def _write(self, store: Any) -> None:
        store.set(f"alive/{self._launch.rank}", f"{time.time_ns()} {self.num_calls}")

    def _run(self, store: Any) -> None:
        while not self._is_closed.wait(_HEARTBEAT_INTERVAL):
            try:
                self._write(store)
            except RuntimeError:
                return  # the process that hosts the store has ended: the next collective call reports it

    def close(self) -> None:
        """Stop the thread."""
        self._is_closed.set()
        self._thread.join()

    def _read(self, store: Any) -> list[tuple[str, int]]:
        """Return the time of the latest heartbeat (in ns, empty if there is none) and the number of calls by rank."""
        keys = [f"alive/{rank}" for rank in range(self._launch.size)]
        texts = [store.get(key).decode().split() if store.check([key]) else ("", "-1") for key in keys]
        return [(beat, int(num_calls)) for beat, num_calls in texts]

    def num_silent(self, seconds: float) -> int:
        """Return the number of ranks whose latest heartbeat is older than `seconds` by the clocks of their machines."""
        now = time.time_ns()
        return sum(now - int(beat or 0) > seconds * 1e9 for beat, _ in self._read(self._connect()))

    def explain(self, what: str, call: int, cause: BaseException) -> WorkerLostError:
        """Return the error to raise for a failed collective call: the same ranks and reason on all ranks.

        Args:
            what: the name of the call, such as "kvstore.push".
            call: its number on this rank. Later calls may be in flight.
            cause: torch's error.
        """
        try:
            store = self._connect()
            if not store.check(["lost"]):
                lost, reason = self._find_lost_ranks(store, what, call)
                store.compare_set("lost", "", f"{','.join(map(str, lost))};{reason}")  # the first writer wins
            names, _, reason = store.get("lost").decode().partition(";")
            lost = [int(rank) for rank in names.split(",") if rank]
            self._wait_for_readers(store, self._launch.size - len(lost))
        except RuntimeError:
            lost = [] if self._launch.rank == 0 else [0]
            reason = "the rendezvous store cannot be reached: rank 0 or its launcher ended, or the network failed"
        return report_lost_ranks(self._launch, what, lost, reason, cause)

    def _wait_for_readers(self, store: Any, count: int) -> None:
        """Keep rank 0, whose process may host the store, until `count` ranks have read the result, or 6 seconds."""
        store.add("readers", 1)
        deadline = time.monotonic() + 2 * _HEARTBEAT_TIMEOUT
        while self._launch.rank == 0 and store.add("readers", 0) < count and time.monotonic() < deadline:
            time.sleep(0.05)

    def _find_lost_ranks(self, store: Any, what: str, call: int) -> tuple[list[int], str]:
        """Return the lost ranks and the reason. This takes `_HEARTBEAT_TIMEOUT` seconds."""
        before = self._read(store)
        time.sleep(_HEARTBEAT_TIMEOUT)
        after = self._read(store)
        size = self._launch.size
        others = [rank for rank in range(size) if rank != self._launch.rank]
        if silent := [rank for rank in others if before[rank][0] == after[rank][0]]:
            return (
                silent,
                f"{format_ranks(silent, size)} hung or ended: no heartbeat for {_HEARTBEAT_TIMEOUT:g} seconds",
            )
        if behind := [rank for rank in others if after[rank][1] < call]:
            return behind, f"{format_ranks(behind, size)} hung: its process runs, but did not reach {what}"
        return [], (
            f"all ranks run and reached {what}: the network between them is too slow or loses packets, or they "
            "passed different shapes or called in a different order"
        )


def _first_line(error: BaseException) -> str:
    """Return the first line of a torch error without the source location in brackets."""
    return re.sub(r"^\[[^]]*\] ", "", str(error).partition("\n")[0]) or type(error).__name__


def format_ranks(ranks: Sequence[int], size: int) -> str:
    """Return "rank 1 of 4" or "ranks 1, 2 of 4"."""
    return f"rank{'s' if len(ranks) > 1 else ''} {', '.join(map(str, ranks))} of {size}"


def client(address: str, port: int, prefix: str) -> Callable[..., Any]:
    """Return a function that opens a connection to the rendezvous store, with `prefix` before all keys.

    The function takes the time limit of connecting, by default 8 seconds. Calls on the connection have 5 seconds.
    """

    def connect(timeout: timedelta = _CONNECT_TIMEOUT) -> Any:
        store = dist.TCPStore(address, port, is_master=False, timeout=timeout, wait_for_workers=False)
        store.set_timeout(_STORE_TIMEOUT)
        return dist.PrefixStore(prefix, store)

    return connect


def end_with_parent() -> None:
    """Request SIGTERM for this process when its parent, the elastic agent, ends (Linux only)."""
    if os.name != "posix" or not os.path.exists("/proc/self"):
        return
    ctypes.CDLL(None).prctl(1, signal.SIGTERM)  # PR_SET_PDEATHSIG
