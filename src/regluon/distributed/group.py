"""The process group of a launch and its collective calls. A process has one group and joins it at its first use."""

import atexit
import os
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import torch
import torch.distributed as dist
from torch import Tensor

from ..base import MXNetError
from ..config import api_range, read
from .environment import Launch, require_launch
from .failures import Heartbeat, client, end_with_parent
from .rendezvous import meet


class Pending:
    """A collective call in flight."""

    __slots__ = ("_call", "_heartbeat", "_what", "_work")

    def __init__(self, work: Any, what: str, call: int, heartbeat: Heartbeat) -> None:
        self._work, self._what, self._call, self._heartbeat = work, what, call, heartbeat

    def wait(self) -> None:
        """Block until the call is complete; raise WorkerLostError if it failed."""
        try:
            with api_range(f"{self._what} (wait)"):
                self._work.wait()
        except RuntimeError as error:
            raise self._heartbeat.explain(self._what, self._call, error) from error


class ProcessGroup:
    """All ranks of a launch.

    Every method that communicates is collective: all ranks call it, in the same order. If a rank does not call within
    MXNET_KVSTORE_TIMEOUT seconds, the other ranks raise WorkerLostError, which names it.

    Args:
        launch: the rank of this process and the address of the rendezvous store.
        who: the call that joins the group, for error messages.

    Attributes:
        prefix: the prefix of this group's keys in the rendezvous store.
        bytes_sent: the number of bytes that this rank sends with ring algorithms, including calls in flight.
    """

    def __init__(self, launch: Launch, who: str = "distributed") -> None:
        self.launch = launch
        self.rank, self.size, self.local_rank, self.local_size = launch[:4]
        self.bytes_sent = 0
        timeout = timedelta(seconds=timeout_seconds())
        store, self.prefix = meet(launch, timeout, who)
        self._heartbeat = Heartbeat(client(launch.address, launch.port, f"{self.prefix}/alive"), launch)
        try:
            backend = "cpu:gloo,cuda:nccl" if torch.cuda.is_available() and dist.is_nccl_available() else "gloo"
            self._is_own = not dist.is_initialized()
            if self._is_own:
                dist.init_process_group(backend, store=store, rank=self.rank, world_size=self.size, timeout=timeout)
        except RuntimeError as error:
            raise self._heartbeat.explain(who, 0, error) from error
        if "TORCHELASTIC_RUN_ID" in os.environ:
            end_with_parent()

    def close(self) -> None:
        """Leave the group."""
        self._heartbeat.close()
        if self._is_own and dist.is_initialized():
            dist.destroy_process_group()

    def _start(self, what: str, function: Callable[..., Any], *args: Any, **kwargs: Any) -> Pending:
        self._heartbeat.num_calls += 1
        call = self._heartbeat.num_calls
        try:
            with api_range(what):
                work = function(*args, **kwargs, async_op=True)
        except RuntimeError as error:
            raise self._heartbeat.explain(what, call, error) from error
        return Pending(work, what, call, self._heartbeat)

    def start_all_reduce(self, tensor: Tensor, what: str = "all_reduce") -> Pending:
        """Start to sum a tensor over all ranks in place. The caller must not access it before `wait` returns."""
        self.bytes_sent += 2 * tensor.nbytes * (self.size - 1) // self.size
        return self._start(what, dist.all_reduce, tensor)

    def all_reduce(self, tensor: Tensor, what: str = "all_reduce") -> None:
        """Sum a tensor over all ranks in place."""
        self.start_all_reduce(tensor, what).wait()

    def start_broadcast(self, tensor: Tensor, root: int = 0, what: str = "broadcast") -> Pending:
        """Start to copy the tensor of rank `root` to the other ranks, in place."""
        self.bytes_sent += tensor.nbytes if self.rank == root and self.size > 1 else 0
        return self._start(what, dist.broadcast, tensor, root)

    def broadcast(self, tensor: Tensor, root: int = 0, what: str = "broadcast") -> None:
        """Copy the tensor of rank `root` to the other ranks, in place."""
        self.start_broadcast(tensor, root, what).wait()

    def all_gather(self, tensor: Tensor, what: str = "all_gather") -> list[Tensor]:
        """Return the tensors of all ranks by rank. Shapes must be equal."""
        parts = [torch.empty_like(tensor) for _ in range(self.size)]
        self.bytes_sent += tensor.nbytes * (self.size - 1)
        self._start(what, dist.all_gather, parts, tensor).wait()
        return parts

    def all_gather_rows(self, tensor: Tensor, what: str = "all_gather") -> list[Tensor]:
        """Return the tensors of all ranks by rank. The number of rows may differ between ranks."""
        counts = [int(count) for count in self.all_gather(torch.tensor([tensor.shape[0]]), what)]
        padded = tensor.new_zeros((max(counts), *tensor.shape[1:]))
        padded[: tensor.shape[0]] = tensor
        if not padded.numel():
            return [padded[:count] for count in counts]
        return [part[:count] for part, count in zip(self.all_gather(padded, what), counts, strict=True)]

    def all_gather_bytes(self, data: bytes, what: str = "all_gather") -> list[bytes]:
        """Return the bytes of all ranks by rank. Lengths may differ."""
        return [part.numpy().tobytes() for part in self.all_gather_rows(_from_bytes(data), what)]

    def broadcast_bytes(self, data: bytes, root: int = 0, what: str = "broadcast") -> bytes:
        """Return the bytes of rank `root` on all ranks."""
        length = torch.tensor([len(data)])
        self.broadcast(length, root, what)
        content = _from_bytes(data) if self.rank == root else torch.empty(int(length), dtype=torch.uint8)
        if len(content):
            self.broadcast(content, root, what)
        return content.numpy().tobytes()

    def barrier(self, what: str = "barrier") -> None:
        """Block until all ranks have called this method."""
        self.all_reduce(torch.zeros(1), what)

    def num_dead(self, seconds: float) -> int:
        """Return the number of ranks without a heartbeat in the last `seconds`."""
        return self._heartbeat.num_silent(seconds)


def _from_bytes(data: bytes) -> Tensor:
    return torch.frombuffer(bytearray(data), dtype=torch.uint8) if data else torch.empty(0, dtype=torch.uint8)


def timeout_seconds() -> float:
    """Return MXNET_KVSTORE_TIMEOUT: how many seconds a rank waits for the other ranks in a call."""
    text = read("MXNET_KVSTORE_TIMEOUT")
    try:
        seconds = float(text)
    except ValueError:
        seconds = 0.0
    if not seconds > 0:
        raise MXNetError(f"[distributed] MXNET_KVSTORE_TIMEOUT is {text!r}; expected a number of seconds above 0.")
    return seconds


_worlds: list[ProcessGroup] = []


def joined() -> ProcessGroup | None:
    """Return the group of this process, or None if it has not joined one."""
    return _worlds[0] if _worlds else None


def world(who: str = "distributed") -> ProcessGroup:
    """Return the group of this process. The first call joins it and blocks until all ranks have joined.

    Args:
        who: the call that needs the group, for error messages.
    """
    if not _worlds:
        _worlds.append(ProcessGroup(require_launch(who), who))
        atexit.register(leave)
    return _worlds[0]


def leave() -> None:
    """Leave the group, if this process has joined one."""
    while _worlds:
        _worlds.pop().close()
