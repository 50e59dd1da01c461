"""Runs a function in several processes that train together."""

import atexit
import multiprocessing
import os
import time
import traceback
from collections.abc import Callable, Mapping
from datetime import timedelta
from multiprocessing.connection import Connection
from typing import Any, NamedTuple

import torch
import torch.distributed as dist

# Processes are forked from one that has imported everything and started no thread: real ones, in milliseconds.
_context = multiprocessing.get_context("forkserver")


def preload() -> None:
    """Has the process that others are forked from import everything."""
    _context.set_forkserver_preload(["torch", "mxnet"])


preload()


class Outcome(NamedTuple):
    """How a rank ended: with a result, with an error (its type and text), or by a signal (a negative exit code)."""

    result: Any
    error: str
    exitcode: int | None


def start_ranks(function: Callable[..., Any], size: int, *args: Any, env: Mapping[str, str] | None = None) -> "Ranks":
    """Starts a function of a module in `size` processes; it may call `regluon.distributed.world()`."""
    return Ranks(function, size, args, env or {})


def run_ranks(
    function: Callable[..., Any],
    size: int,
    *args: Any,
    env: Mapping[str, str] | None = None,
    timeout: float = 120,
) -> list[Any]:
    """The results of a function in `size` processes; raises what one of them raised."""
    outcomes = start_ranks(function, size, *args, env=env).outcomes(timeout)
    for rank, outcome in enumerate(outcomes):
        if outcome.error or outcome.exitcode != 0:
            raise AssertionError(f"rank {rank} ended with {outcome.exitcode}: {outcome.error}")
    return [outcome.result for outcome in outcomes]


class Ranks:
    """Processes under way. They meet at a store that this process keeps, on a port that the system chooses."""

    def __init__(self, function: Callable[..., Any], size: int, args: tuple[Any, ...], env: Mapping[str, str]) -> None:
        self._store = dist.TCPStore("127.0.0.1", 0, is_master=True, timeout=timedelta(60), wait_for_workers=False)
        self.processes, self._ends = [], []
        for rank in range(size):
            facts = {
                "RANK": rank,
                "WORLD_SIZE": size,
                "LOCAL_RANK": rank,
                "LOCAL_WORLD_SIZE": size,
                "MASTER_ADDR": "127.0.0.1",
                "MASTER_PORT": self._store.port,
                "MXNET_KVSTORE_TIMEOUT": 60,
                "TORCHELASTIC_USE_AGENT_STORE": "True",
                "OMP_NUM_THREADS": 1,
                "GLOO_SOCKET_IFNAME": "lo",
                **env,
            }
            mine, theirs = _context.Pipe(duplex=False)
            process = _context.Process(target=_run, args=(theirs, facts, function, args), daemon=True)
            process.start()
            theirs.close()
            self.processes.append(process)
            self._ends.append(mine)

    def outcomes(self, timeout: float = 120) -> list[Outcome]:
        """How all of them ended; whoever has not in time is killed, and that is an error."""
        deadline = time.monotonic() + timeout
        found = [self._outcome(rank, deadline) for rank in range(len(self.processes))]
        self.kill()
        return found

    def _outcome(self, rank: int, deadline: float) -> Outcome:
        result, error = None, ""
        try:
            if self._ends[rank].poll(max(deadline - time.monotonic(), 0)):
                result, error = self._ends[rank].recv()
            else:
                error = "did not end in time"
        except EOFError:
            pass  # killed before it could tell: its exit code says so
        process = self.processes[rank]
        process.join(max(deadline - time.monotonic(), 5))
        return Outcome(result, error, process.exitcode)

    def kill(self) -> None:
        """Ends all of them, whatever they do."""
        for process in self.processes:
            if process.is_alive():
                process.kill()
            process.join()


def _run(end: Connection, env: Mapping[str, Any], function: Callable[..., Any], args: tuple[Any, ...]) -> None:
    os.environ.update({name: str(value) for name, value in env.items()})
    torch.set_num_threads(1)
    try:
        result = function(*args)
    except BaseException as error:
        end.send((None, f"{type(error).__name__}: {error}\n{traceback.format_exc()}"))
        raise SystemExit(1) from None
    end.send((result, ""))
    end.close()
    atexit._run_exitfuncs()  # which processes of multiprocessing do not, and programs do
