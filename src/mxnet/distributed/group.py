"""The processes that train together, and their collective calls; one group in a process, joined when it is needed."""

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
from .failures import Heartbeat, WorkerLostError, client, end_with_parent
from .rendezvous import meet


class Pending:
    """A collective call under way."""

    __slots__ = ("_explain", "_what", "_work")

    def __init__(self, work: Any, what: str, explain: Callable[[str, BaseException], WorkerLostError]) -> None:
        self._work, self._what, self._explain = work, what, explain

    def wait(self) -> None:
        """Waits until it is done."""
        try:
            with api_range(f"{self._what} (wait)"):
                self._work.wait()
        except RuntimeError as error:
            raise self._explain(self._what, error) from error


class ProcessGroup:
    """All processes of a launch.

    Every call is collective: all ranks make it, in the same order. One that does not come in the time of
    MXNET_KVSTORE_TIMEOUT is named in the error of the others.

    Args:
        launch: how this process was launched.

    Attributes:
        prefix: what keys of these processes begin with in the store where they met.
        bytes_sent: what this process has sent, as the ring algorithms do.
    """

    def __init__(self, launch: Launch) -> None:
        self.rank, self.size, self.local_rank, self.local_size = launch[:4]
        self.bytes_sent = 0
        timeout = timedelta(seconds=timeout_seconds())
        store, self.prefix = meet(launch, timeout)
        self._heartbeat = Heartbeat(client(launch.address, launch.port, f"{self.prefix}/alive"), self.rank, self.size)
        try:
            backend = "cpu:gloo,cuda:nccl" if torch.cuda.is_available() and dist.is_nccl_available() else "gloo"
            self._is_own = not dist.is_initialized()
            if self._is_own:
                dist.init_process_group(backend, store=store, rank=self.rank, world_size=self.size, timeout=timeout)
        except RuntimeError as error:
            raise self._heartbeat.explain("distributed", error) from error
        if "TORCHELASTIC_RUN_ID" in os.environ:
            end_with_parent()

    def close(self) -> None:
        """Leaves the group."""
        self._heartbeat.close()
        if self._is_own and dist.is_initialized():
            dist.destroy_process_group()

    def _start(self, what: str, call: Callable[..., Any], *args: Any, **kwargs: Any) -> Pending:
        self._heartbeat.calls += 1
        try:
            with api_range(what):
                work = call(*args, **kwargs, async_op=True)
        except RuntimeError as error:
            raise self._heartbeat.explain(what, error) from error
        return Pending(work, what, self._heartbeat.explain)

    def start_all_reduce(self, tensor: Tensor, what: str = "all_reduce") -> Pending:
        """Begins to add up a tensor over all ranks, in place; it must be left alone until then."""
        self.bytes_sent += 2 * tensor.nbytes * (self.size - 1) // self.size
        return self._start(what, dist.all_reduce, tensor)

    def all_reduce(self, tensor: Tensor, what: str = "all_reduce") -> None:
        """Adds up a tensor over all ranks, in place."""
        self.start_all_reduce(tensor, what).wait()

    def start_broadcast(self, tensor: Tensor, root: int = 0, what: str = "broadcast") -> Pending:
        """Begins to copy the tensor of one rank to the others."""
        self.bytes_sent += tensor.nbytes if self.rank == root and self.size > 1 else 0
        return self._start(what, dist.broadcast, tensor, root)

    def broadcast(self, tensor: Tensor, root: int = 0, what: str = "broadcast") -> None:
        """Copies the tensor of one rank to the others."""
        self.start_broadcast(tensor, root, what).wait()

    def all_gather(self, tensor: Tensor, what: str = "all_gather") -> list[Tensor]:
        """The tensors of all ranks, which have the same shape."""
        parts = [torch.empty_like(tensor) for _ in range(self.size)]
        self.bytes_sent += tensor.nbytes * (self.size - 1)
        self._start(what, dist.all_gather, parts, tensor).wait()
        return parts

    def all_gather_rows(self, tensor: Tensor, what: str = "all_gather") -> list[Tensor]:
        """The tensors of all ranks, which may differ in their number of rows."""
        counts = [int(count) for count in self.all_gather(torch.tensor([tensor.shape[0]]), what)]
        padded = tensor.new_zeros((max(counts), *tensor.shape[1:]))
        padded[: tensor.shape[0]] = tensor
        if not padded.numel():
            return [padded[:count] for count in counts]
        return [part[:count] for part, count in zip(self.all_gather(padded, what), counts, strict=True)]

    def all_gather_bytes(self, data: bytes, what: str = "all_gather") -> list[bytes]:
        """Bytes of all ranks."""
        return [part.numpy().tobytes() for part in self.all_gather_rows(_from_bytes(data), what)]

    def broadcast_bytes(self, data: bytes, root: int = 0, what: str = "broadcast") -> bytes:
        """The bytes of one rank, on all."""
        length = torch.tensor([len(data)])
        self.broadcast(length, root, what)
        content = _from_bytes(data) if self.rank == root else torch.empty(int(length), dtype=torch.uint8)
        if len(content):
            self.broadcast(content, root, what)
        return content.numpy().tobytes()

    def barrier(self, what: str = "barrier") -> None:
        """Waits for all ranks."""
        self.all_reduce(torch.zeros(1), what)

    def num_dead(self, seconds: float) -> int:
        """How many ranks gave no sign of life for so long."""
        return self._heartbeat.num_silent(seconds)


def _from_bytes(data: bytes) -> Tensor:
    return torch.frombuffer(bytearray(data), dtype=torch.uint8) if data else torch.empty(0, dtype=torch.uint8)


def timeout_seconds() -> float:
    """How long a process waits for the others: MXNET_KVSTORE_TIMEOUT."""
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
    """The group of this process, if it has joined one."""
    return _worlds[0] if _worlds else None


def world(who: str = "distributed") -> ProcessGroup:
    """The group of this process, which joins it at the first call.

    Args:
        who: asks for it, for the error in a process that was not launched.
    """
    if not _worlds:
        _worlds.append(ProcessGroup(require_launch(who)))
        atexit.register(leave)
    return _worlds[0]


def leave() -> None:
    """Leaves the group, if this process has joined one."""
    while _worlds:
        _worlds.pop().close()
