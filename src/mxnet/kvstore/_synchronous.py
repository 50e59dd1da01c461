"""Synchronize workers and shard optimizer states."""

import logging
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import torch
from torch import Tensor

from regluon.distributed import ProcessGroup, world
from regluon.rng import generator

from ..autograd import pause
from ..base import MXNetError
from ..context import Context
from ..ndarray import NDArray
from ..ndarray.sparse import row_sparse_array
from ..optimizer import Optimizer, Updater
from ._collectives import TwoBitCompression, copy_from, summed
from ._local import KVStore, Sums, _pairs, added
from .base import KVStoreBase

__all__ = ["SharedDraws", "SyncKVStore", "Shards", "merged_states"]


class SharedDraws:
    """Random numbers that are the same on every worker, for updates that draw some: all start from rank 0's."""

    def __init__(self, group: ProcessGroup) -> None:
        self._group = group
        self._states: dict[torch.device, Tensor] = {}

    @contextmanager
    def drawing(self, context: Context) -> Iterator[None]:
        """In a `with` block, numbers of a context come from the shared sequence."""
        rng = generator(context)
        own = rng.get_state()
        if context.device not in self._states:
            first = own.clone()
            self._group.broadcast(first, what="kvstore")
            self._states[context.device] = first
        rng.set_state(self._states[context.device])
        try:
            yield
        finally:
            self._states[context.device] = rng.get_state()
            rng.set_state(own)


class SyncKVStore(KVStore):
    """Keeps values by key and adds up what the devices of all workers push.

    Every worker makes the same calls of `init`, `push` and `pushpull` in the same order; each waits for the others.
    """

    __module__ = "mxnet.kvstore"

    requires_launch = True
    is_within_process = False

    def __init__(self, name: str = "dist_sync") -> None:
        self.group = world(f"kvstore.create({name!r})")
        super().__init__(name)
        self.draws = SharedDraws(self.group)

    @property
    def rank(self) -> int:
        """Number of this worker."""
        return self.group.rank

    @property
    def num_workers(self) -> int:
        """How many workers there are."""
        return self.group.size

    def init(self, key: Any, value: Any) -> None:
        """Stores first values: those of rank 0."""
        super().init(key, value)
        keys = [each for each, _ in _pairs(key, value)]
        sparse = [each for each in keys if self._values[each].stype != "default"]
        for each in sparse:
            self._values[each] = _broadcast_rows(self.group, self._values[each])
        with pause():
            copy_from(self.group, [self._values[each] for each in keys if each not in sparse], 0, "kvstore.init")

    def _add_up(self, pairs: Sequence[tuple[Any, list[NDArray]]]) -> Sums:
        """The sums over the devices of all workers."""
        sums = super()._add_up(pairs)
        dense = [each for each in sums if each[1].stype == "default"]
        found = {key: add_rows(self.group, total) for key, total, _ in sums if total.stype != "default"}
        codec = self._compression
        if codec is not None:
            packed = [each for each in dense if codec.takes(each[1]._t)]
            found |= _add_packed(self.group, codec, packed)
            dense = [each for each in dense if not codec.takes(each[1]._t)]
        totals = summed(self.group, [total for _, total, _ in dense], "kvstore.push")
        found |= {key: total for (key, _, _), total in zip(dense, totals, strict=True)}
        return [(key, found[key], stored) for key, _, stored in sums]

    def _apply(self, sums: Sums) -> None:
        if self._updater is None or not sums:
            super()._apply(sums)
            return
        with self.draws.drawing(sums[0][2].context):
            super()._apply(sums)

    def barrier(self) -> None:
        """Waits for all workers."""
        self.group.barrier("kvstore.barrier")

    _barrier = barrier

    def num_dead_node(self, node_id: int = 0, timeout: int = 60) -> int:
        """How many workers gave no sign of life for `timeout` seconds; `node_id` is MXNet's, and all are meant."""
        return self.group.num_dead(timeout)

    def send_command_to_servers(self, head: int, body: str) -> None:
        """Refused for optimizers, which `set_optimizer` sets; other commands find no server, and are logged."""
        if head == 0:
            raise MXNetError(
                "[kvstore] command 0 carries an optimizer for servers, and there are none: set_optimizer()."
            )
        logging.getLogger(__name__).info("command (%s, %s) has no server to go to", head, body)

    _send_command_to_servers = send_command_to_servers


def _add_packed(group: ProcessGroup, codec: TwoBitCompression, sums: Sums) -> dict[Any, NDArray]:
    """Sums of what all workers send in two bits for each element."""
    if not sums:
        return {}
    packed = [codec.compress(key, total._t) for key, total, _ in sums]
    parts = group.all_gather(torch.cat(packed), "kvstore.push")
    found = {}
    for place, (key, total, _) in enumerate(sums):
        begin = sum(each.numel() for each in packed[:place])
        mine = [codec.decompress(part[begin : begin + packed[place].numel()], total.shape) for part in parts]
        found[key] = NDArray(torch.stack(mine).sum(0), total.context)
    return found


def add_rows(group: ProcessGroup, total: Any) -> NDArray:
    """The sum over all workers of an array that stores some of its rows, which are all that is sent."""
    indices = group.all_gather_rows(total.indices._t, "kvstore.push")
    values = group.all_gather_rows(total.data._t, "kvstore.push")
    return added([_rows(part, index, total) for part, index in zip(values, indices, strict=True)], total)


def _rows(values: Tensor, indices: Tensor, like: NDArray) -> NDArray:
    context = like.context
    parts = NDArray(values, context), NDArray(indices, context)
    made: NDArray = row_sparse_array(parts, shape=like.shape, ctx=context, dtype=like.dtype)
    return made


def _broadcast_rows(group: ProcessGroup, array: Any) -> NDArray:
    """Rank 0's value of an array that stores some of its rows."""
    indices, values = array.indices._t, array.data._t
    count = torch.tensor([len(indices)])
    group.broadcast(count, what="kvstore.init")
    if group.rank:
        indices, values = indices.new_empty(int(count)), values.new_empty((int(count), *array.shape[1:]))
    if int(count):
        group.broadcast(indices, what="kvstore.init")
        group.broadcast(values, what="kvstore.init")
    return _rows(values, indices, array)


_NAMES = ("dist", "dist_sync", "dist_device", "dist_device_sync", "dist_sync_device")
KVStoreBase.kv_registry.update(dict.fromkeys(_NAMES, SyncKVStore))


class Shards:
    """Who updates which weight.

    Args:
        group: the workers.
        weights: all weights, in the same order on all workers.
    """

    def __init__(self, group: ProcessGroup, weights: Sequence[NDArray]) -> None:
        self._group, self._weights = group, list(weights)
        self._owners = _owners([weight._t.nbytes for weight in weights], group.size)
        self._owner_of = {id(weight): owner for weight, owner in zip(weights, self._owners, strict=True)}

    def is_mine(self, weight: NDArray) -> bool:
        """Whether this worker updates a weight."""
        return self._owner_of[id(weight)] == self._group.rank

    def exchange(self) -> None:
        """Gives every worker the weights that others have updated: one message for each dtype."""
        weights = self._weights
        for kind in dict.fromkeys(weight._t.dtype for weight in weights):
            parts: list[list[Tensor]] = [[] for _ in range(self._group.size)]
            for weight, owner in zip(weights, self._owners, strict=True):
                if weight._t.dtype == kind:
                    parts[owner].append(weight._t.detach())
            lengths = [sum(tensor.numel() for tensor in part) for part in parts]
            mine = parts[self._group.rank]
            sent = torch.zeros(max(lengths), dtype=kind, device=weights[0]._t.device)
            if mine:
                torch.cat([tensor.reshape(-1) for tensor in mine], out=sent[: lengths[self._group.rank]])
            for part, received in zip(parts, self._group.all_gather(sent, "Trainer"), strict=True):
                if part is mine:
                    continue
                with torch.no_grad():
                    for tensor, values in zip(part, received.split_with_sizes(_sizes(part, len(sent))), strict=False):
                        tensor.copy_(values.view(tensor.shape))


def merged_states(shares: Sequence[bytes]) -> bytes:
    """The optimizer's states of all weights, from those that each worker has."""
    first, *others = [_loaded(share) for share in shares]
    for other in others:
        first.states.update(other.states)
        first.optimizer._index_update_count.update(other.optimizer._index_update_count)
        first.optimizer.num_update = max(first.optimizer.num_update, other.optimizer.num_update)
    return first.get_states(dump_optimizer=True)


def _loaded(share: bytes) -> Updater:
    updater = Updater(Optimizer())
    updater.set_states(share)
    return updater


def _sizes(tensors: Sequence[Tensor], total: int) -> list[int]:
    sizes = [tensor.numel() for tensor in tensors]
    return [*sizes, total - sum(sizes)]


def _owners(sizes: Sequence[int], num_workers: int) -> list[int]:
    """For each weight a worker, so that all have about the same to keep: the largest go first, to whoever has least."""
    loads = [0] * num_workers
    owners = [0] * len(sizes)
    for index in sorted(range(len(sizes)), key=lambda each: (-sizes[each], each)):
        owners[index] = min(range(num_workers), key=lambda worker: (loads[worker], worker))
        loads[owners[index]] += sizes[index]
    return owners
