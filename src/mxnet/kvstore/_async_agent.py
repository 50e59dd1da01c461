"""Remote procedure calls between the ranks of a `dist_async` store, over `torch.distributed.rpc`."""

import atexit
import logging
import os
import socket
import sys
import warnings
from collections.abc import Iterator
from datetime import timedelta
from ipaddress import ip_address
from typing import Any

import torch.distributed as dist
from torch.distributed import rpc

from regluon.distributed import ProcessGroup, WorkerLostError, report_lost_ranks, world
from regluon.distributed.environment import Launch, require_launch
from regluon.distributed.failures import START_TIMEOUT, client, format_ranks
from regluon.distributed.group import timeout_seconds

from ..base import MXNetError
from ._parameter_server import serve, share

__all__ = ["Agent", "Reply", "agent", "has_failed"]

_log = logging.getLogger(__name__)
_SCHEME = "mxnet-rpc"
_NUM_THREADS = 8  # that serve calls; a call is short and never waits for another call
_POLL_INTERVAL = timedelta(seconds=1)  # between two checks of the heartbeats at the end
_LONGEST_SILENCE = 60.0  # seconds without a heartbeat after which the other ranks end without a rank


class Reply:
    """The result of a call, which may still be in flight."""

    def __init__(self, owner: int, what: str, group: ProcessGroup, future: Any = None, value: Any = None) -> None:
        self._owner, self._what, self._group = owner, what, group
        self._future, self._value = future, value

    def wait(self) -> Any:
        """Block until the result is there and return it; raise the error of the call or WorkerLostError."""
        if self._future is None:
            return self._value
        try:
            value, failure = self._future.wait()
        except RuntimeError as error:
            raise lost(self._owner, self._what, self._group, error) from error
        if failure is None:
            return value
        if failure.kind is not None:
            raise failure.kind(failure.text)
        raise MXNetError(f"[{self._what}] rank {self._owner}, which keeps the value, failed with {failure.text}")


class Agent:
    """Sends calls to the other ranks and serves theirs. A process has one agent.

    Args:
        group: the process group.
        launch: the rank of this process and the address of the rendezvous store.
    """

    def __init__(self, group: ProcessGroup, launch: Launch) -> None:
        self.group, self.num_stores = group, 0
        self.timeout: float = timeout_seconds()
        group.barrier("kvstore.create")  # its error names a rank that does not call; init_rpc's would not
        self._connect = client(launch.address, launch.port, f"{group.prefix}/rpc")
        _choose_interface(launch.address)

        def meet(_url: str, **_kwargs: Any) -> Iterator[tuple[Any, int, int]]:
            yield self._connect(START_TIMEOUT), group.rank, group.size

        dist.register_rendezvous_handler(_SCHEME, meet)
        options = rpc.TensorPipeRpcBackendOptions(
            num_worker_threads=_NUM_THREADS, rpc_timeout=self.timeout, init_method=f"{_SCHEME}://"
        )
        with warnings.catch_warnings():  # about a call that torch makes itself
            warnings.filterwarnings("ignore", "You are using a Backend", UserWarning)
            rpc.init_rpc(_name(group.rank), rank=group.rank, world_size=group.size, rpc_backend_options=options)
        atexit.register(self.close)  # registered after that of the group, hence called first

    def ask(self, owner: int, what: str, store: int, method: str, *args: Any) -> Reply:
        """Start a call of a method of `Share` on a rank. If it is this rank, make the call before returning.

        Args:
            owner: the rank to call.
            what: the name of the public call, for error messages.
            store: the number of the store.
            method: the name of the method.
            args: its arguments. The caller must not write to their arrays until the reply is there.
        """
        if owner == self.group.rank:
            return Reply(owner, what, self.group, value=getattr(share(store), method)(*args))
        try:
            future = rpc.rpc_async(_name(owner), serve, (store, method, args), timeout=self.timeout)
        except RuntimeError as error:
            raise lost(owner, what, self.group, error) from error
        return Reply(owner, what, self.group, future)

    def close(self) -> None:
        """Serve calls until all ranks have called `close` or are lost, then shut down."""
        is_complete = not has_failed() and self._wait_for_all()
        try:
            rpc.shutdown(graceful=is_complete, timeout=_LONGEST_SILENCE)
        except RuntimeError as error:
            _log.warning("[kvstore] rank %s left before others had: %s", self.group.rank, error)

    def _wait_for_all(self) -> bool:
        """Block until all ranks are done or without a heartbeat; return whether all are done."""
        size = self.group.size
        keys = [f"done/{rank}" for rank in range(size)]
        silence = min(self.timeout, _LONGEST_SILENCE)
        try:
            store = self._connect()
            store.set(keys[self.group.rank], "1")
            while True:
                try:
                    store.wait(keys, _POLL_INTERVAL)
                    return True
                except dist.DistStoreError:
                    num_done = sum(store.check([key]) for key in keys)
                    if num_done + self.group.num_dead(silence) >= size:
                        return num_done == size
        except RuntimeError:
            return False  # the process that hosts the store has ended


def has_failed() -> bool:
    """Return whether an uncaught error ends the program.

    Such a program ends at once, so that the launcher can restart all ranks.
    """
    return getattr(sys, "last_value", None) is not None and not hasattr(sys, "ps1")


def lost(owner: int, what: str, group: ProcessGroup, cause: BaseException) -> WorkerLostError:
    """Return the error to raise when the rank that keeps a key does not answer."""
    reason = (
        f"{format_ranks([owner], group.size)}, which keeps a share of the keys, does not answer: killed, stopped, or "
        "cut off"
    )
    return report_lost_ranks(group.launch, what, [owner], reason, cause)


def _name(rank: int) -> str:
    return f"worker{rank}"


def _choose_interface(address: str) -> None:
    """Set TensorPipe's interface to that of gloo, or to the loopback device if the store has a loopback address.

    By default TensorPipe resolves the host name of the machine, which may fail.
    """
    chosen = os.environ.get("GLOO_SOCKET_IFNAME", "").partition(",")[0]
    if not chosen and _is_loopback(address):
        chosen = next((name for _, name in socket.if_nameindex() if name in ("lo", "lo0")), "")
    if chosen:
        os.environ.setdefault("TP_SOCKET_IFNAME", chosen)


def _is_loopback(address: str) -> bool:
    try:
        return ip_address(address).is_loopback
    except ValueError:
        return address == "localhost"


_agents: list[Agent] = []


def agent(who: str) -> Agent:
    """Return the agent of this process. The first call creates it and blocks until all ranks have called.

    Args:
        who: the call that needs the agent, for error messages.
    """
    if not rpc.is_available():
        raise MXNetError(f"[{who}] torch was built without torch.distributed.rpc, which it needs; use 'dist_sync'.")
    if not _agents:
        _agents.append(Agent(world(who), require_launch(who)))
    return _agents[0]
