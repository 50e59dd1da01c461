"""Reduce gradients over devices and workers."""

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager
from operator import is_
from typing import Any

import torch
from torch import Tensor

from regluon.autograd.gradient_slot import GradientSlot
from regluon.config import read
from regluon.distributed import ProcessGroup
from regluon.distributed.group import Pending

from ..autograd import pause
from ..base import MXNetError
from ..context import Context
from ..ndarray import NDArray
from ..optimizer import Updater
from ._collectives import copy_from
from ._horovod import Horovod
from ._synchronous import Shards, SharedDraws, SyncKVStore, add_rows, merged_states

__all__ = ["GradientReducer", "WorkerGradients", "works_in_buckets"]


_ALIGNMENT = 16  # elements; views begin where vector instructions like it
_LAST_BYTES = 2**19  # of gradients that are sent when backward is done
_NUM_CHECKS = 3  # numbers of the trailer before those of the gradients
_LEARNED = 2  # rounds after which it is known how backward goes: the first one begins before there is a reducer
_ROUNDS = 1024  # rounds are counted up to this number, whose square is exact in single precision


class RoundMismatchError(MXNetError, RuntimeError):
    """Workers have run backward, or a trainer's step, different numbers of times."""


class _Bucket:
    """Gradients that are sent together.

    Args:
        places: the gradients.
        length: number of elements.
        like: tells dtype and device.
    """

    def __init__(self, places: "list[_Place]", length: int, like: Tensor) -> None:
        self.places = places
        self.flat = torch.zeros(length, dtype=like.dtype, device=like.device)
        self.missing = len(places)  # gradients that backward has not completed
        self.pending: Pending | None = None
        self.waits = False  # for `reduce`, even if complete


class _Place:
    """Where the gradient of one variable lies.

    Args:
        reducer: whom it belongs to.
        index: its number.
        variable: the variable.
    """

    def __init__(self, reducer: "GradientReducer", index: int, variable: NDArray) -> None:
        slot = variable._slot
        assert slot is not None
        self.reducer, self.index, self.slot, self.grad = reducer, index, slot, slot.grad
        self.total = NDArray(self.grad._t, self.grad.context)  # the sum over all workers, after `reduce`
        self.is_apart = False  # whether the gradient has memory of its own, not the sum's
        self.bucket: _Bucket | None = None
        self.expected = 1  # parts that backward delivered last time
        self.count = 0  # and so far
        self.is_complete = False
        self.is_sum = False  # already over all workers, and not written since
        self.late: Tensor | None = None  # parts that came after the bucket was sent

    def __call__(self, slot: GradientSlot, value: Tensor | None) -> None:
        """Takes a part of the gradient, while torch's engine runs: GradientSlot.receiver."""
        bucket, is_first = self.bucket, slot.begins()
        assert bucket is not None
        if value is None and not is_first:
            return  # torch visits a variable whose gradient was delivered without it
        if bucket.pending is not None:
            if value is not None and not is_first:
                self._keep_late(value)
                return
            self.reducer.take_back(bucket)
        view = self.grad._t
        if value is not None and (not is_first or slot.request == "add"):
            view.add_(value)
        elif value is not None:
            view.copy_(value)
        elif slot.request != "add":
            view.zero_()
        slot.fresh, self.is_sum = True, False
        self.count = 1 if is_first else self.count + 1
        if self.is_complete:
            bucket.waits = True  # backward runs again: nobody knows what else it will write
        elif self.count >= self.expected:
            self.is_complete = True
            self.reducer.complete(self)

    def _keep_late(self, value: Tensor) -> None:
        self.count += 1
        self.late = value.clone() if self.late is None else self.late.add_(value)

    def show(self) -> None:
        """A program looks at the gradient: GradientSlot.receiver."""
        bucket = self.bucket
        assert bucket is not None
        if bucket.pending is not None:
            bucket.pending.wait()
        if self.reducer.keeps_local and not self.is_apart:
            self.is_apart = True
            self.grad._t = self.grad._t.clone()


class GradientReducer:
    """Adds up the gradients of variables over all workers.

    Args:
        group: the workers.
        variables: arrays with dense gradients, in the same order on all workers.
        keeps_local: whether gradients that someone looks at stay those of this worker, and `totals` are apart.
    """

    def __init__(self, group: ProcessGroup, variables: Sequence[NDArray], keeps_local: bool) -> None:
        self._group, self.keeps_local = group, keeps_local
        self._places = [_Place(self, index, variable) for index, variable in enumerate(variables)]
        self._arrival: list[_Place] | None = []  # the order in which backward completed them; None once it is used
        self._buckets: list[_Bucket] = []
        self._next = 0  # the first bucket that has not been sent
        self._round = 0
        self._make_buckets(list(reversed(self._places)))
        for place in self._places:
            place.slot.receiver = place
            if place.slot.is_watched:
                place.show()

    @property
    def totals(self) -> list[NDArray]:
        """The sums over all workers, for each variable, after `reduce`."""
        return [place.total for place in self._places]

    def fits(self, variables: Sequence[NDArray]) -> bool:
        """Whether these are still the variables, with the same gradients."""
        return len(variables) == len(self._places) and all(
            variable._slot is place.slot and place.slot.grad is place.grad
            for variable, place in zip(variables, self._places, strict=True)
        )

    def close(self) -> None:
        """Leaves the gradients to themselves."""
        for place in self._places:
            if place.slot.receiver is place:
                place.slot.receiver = None

    def _make_buckets(self, order: Sequence[_Place]) -> None:
        capacity = int(float(read("MXNET_KVSTORE_BUCKET_MB")) * 2**20)
        self._buckets = [_Bucket(places, length, like) for places, length, like in _cut(order, capacity)]
        self._add_trailer()
        for bucket in self._buckets:
            begin = 0
            for place in bucket.places:
                grad = place.grad
                view = bucket.flat[begin : begin + grad.size].view(grad.shape)
                view.copy_(place.total._t)
                place.total._t, place.bucket = view, bucket
                if not place.is_apart:
                    grad._t = view
                begin += _aligned(grad.size)

    def _add_trailer(self) -> None:
        """Makes room at the end of the last bucket, or in one of its own, for numbers about this round."""
        length = _NUM_CHECKS + len(self._places)
        if not self._buckets or self._buckets[-1].flat.dtype != torch.float32:
            self._buckets.append(_Bucket([], length, torch.empty(0)))
        else:
            last = self._buckets[-1]
            last.flat = torch.cat([last.flat, last.flat.new_zeros(length)])
        self._trailer = self._buckets[-1].flat[-length:]

    def complete(self, place: _Place) -> None:
        """A gradient is there: sends the buckets whose turn it is."""
        bucket = place.bucket
        assert bucket is not None
        bucket.missing -= 1
        if self._arrival is not None:
            self._arrival.append(place)
            return  # in the first round nobody knows yet which gradients come in several parts, and who looks at them
        if place.slot.is_watched or place.slot.request != "write":
            bucket.waits = True
        while self._next < len(self._buckets) - 1:  # the last one carries what is known at the end
            bucket = self._buckets[self._next]
            if bucket.missing or bucket.waits or bucket.pending is not None:
                return
            self._send(bucket)

    def _send(self, bucket: _Bucket) -> None:
        bucket.pending = self._group.start_all_reduce(bucket.flat, "Trainer")
        self._next = self._buckets.index(bucket) + 1

    def take_back(self, bucket: _Bucket) -> None:
        """A gradient that was sent is written anew: its bucket will be sent again."""
        assert bucket.pending is not None
        bucket.pending.wait()
        bucket.pending, bucket.waits = None, True
        for place in bucket.places:
            place.is_sum = True

    def reduce(self) -> None:
        """Finishes the sums. A gradient counts as fresh from now on if any worker has written it."""
        for bucket in self._buckets:
            if bucket.pending is None:
                self._fill(bucket)
                if bucket is self._buckets[-1]:
                    self._write_trailer()
                self._send(bucket)
        for bucket in self._buckets:
            assert bucket.pending is not None
            bucket.pending.wait()
        self._read_trailer()
        self._begin_round()

    def _fill(self, bucket: _Bucket) -> None:
        """Sees to it that every view of a bucket has what this worker adds to the sum."""
        for place in bucket.places:
            total, grad = place.total._t, place.grad._t
            if grad is not total:  # the gradient is apart, or someone has given it other memory
                total.copy_(grad)
                if not place.is_apart:
                    place.grad._t = total
            is_stale = not place.slot.fresh and place.slot.request == "write"
            if is_stale or (place.is_sum and self._group.rank):
                total.zero_()

    def _write_trailer(self) -> None:
        number = self._round % _ROUNDS
        num_late = sum(place.late is not None for place in self._places)
        fresh = [float(place.slot.fresh) for place in self._places]
        self._trailer.copy_(torch.tensor([number, number * number, num_late, *fresh], dtype=torch.float32))

    def _read_trailer(self) -> None:
        number, size = self._round % _ROUNDS, self._group.size
        total, squares, num_late, *fresh = self._trailer.tolist()
        if (total, squares) != (number * size, number * number * size):
            raise RoundMismatchError(
                f"[Trainer] rank {self._group.rank} makes step {self._round + 1}, others another one: every worker "
                "must call backward() and step() the same number of times."
            )
        if num_late:
            self._add_late()
        for place, count in zip(self._places, fresh, strict=True):
            place.slot.fresh = count > 0

    def _add_late(self) -> None:
        for place in self._places:
            part = torch.zeros_like(place.total._t) if place.late is None else place.late
            self._group.all_reduce(part, "Trainer")
            place.total._t.add_(part)

    def _begin_round(self) -> None:
        self._round += 1
        for place in self._places:
            if place.count:
                place.expected = place.count
            place.count, place.is_complete, place.is_sum, place.late = 0, False, False, None
        if self._arrival is not None and self._round == _LEARNED:
            self._use_arrival(self._arrival)
        for bucket in self._buckets:
            bucket.missing, bucket.pending, bucket.waits = len(bucket.places), None, False
        self._next = 0

    def _use_arrival(self, arrival: Sequence[_Place]) -> None:
        """Lays gradients out in the order in which rank 0's backward completed them."""
        seen = list(dict.fromkeys(place.index for place in arrival))
        order = torch.tensor([*seen, *sorted({place.index for place in self._places}.difference(seen))])
        self._group.broadcast(order, what="Trainer")
        self._arrival = None
        self._make_buckets([self._places[index] for index in order.tolist()])


def _aligned(size: int) -> int:
    return -(-size // _ALIGNMENT) * _ALIGNMENT


def _cut(order: Sequence[_Place], capacity: int) -> Iterator[tuple[list[_Place], int, Tensor]]:
    """Gradients that go together, with the number of elements: of one dtype, up to a number of bytes.

    The last ones, which nothing covers that comes after them, are few; but what fits one message is one.
    """
    open_ones: dict[Any, tuple[list[_Place], int, Tensor]] = {}
    left = sum(place.grad._t.nbytes for place in order)
    last_bytes = _LAST_BYTES if left > capacity else 0
    for place in order:
        grad = place.grad._t
        kind = (grad.dtype, grad.device)
        places, length, like = open_ones.pop(kind, ([], 0, grad))
        places.append(place)
        length += _aligned(place.grad.size)
        left -= grad.nbytes
        is_full = length * grad.element_size() >= capacity
        if is_full or (left <= last_bytes < left + grad.nbytes and left):
            yield places, length, like
        else:
            open_ones[kind] = (places, length, like)
    yield from open_ones.values()


def works_in_buckets(store: Any) -> bool:
    """Whether a store's sums can be taken in buckets, without its keys."""
    return isinstance(store, Horovod) or type(store) is SyncKVStore


class WorkerGradients:
    """The gradients of a trainer's parameters on all workers.

    Every worker applies the same update to the same sums, so that weights stay equal bit by bit.

    Args:
        store: who the workers are.
        keeps_local: see GradientReducer.
        is_sharded: whether each worker updates only its share, and the weights are exchanged afterwards.
    """

    def __init__(self, store: Any, keeps_local: bool, is_sharded: bool) -> None:
        self._group = store.group
        self._keeps_local, self.is_sharded = keeps_local, is_sharded
        self._reducer: GradientReducer | None = None
        self._draws = SharedDraws(store.group)
        self._weights: list[NDArray] = []
        self._totals: dict[int, NDArray] = {}  # of the weights by their ids
        self._shards: Shards | None = None

    def broadcast(self, weights: Sequence[NDArray]) -> None:
        """Writes rank 0's values over the weights of all workers."""
        with pause():
            copy_from(self._group, weights, 0, "Trainer")

    def fits(self, weights: Sequence[NDArray]) -> bool:
        """Whether these are the weights whose gradients are taken."""
        return self._reducer is not None and self._reducer.fits(weights)

    def take(self, weights: Sequence[NDArray], dense: Sequence[NDArray]) -> None:
        """Takes the gradients of weights, and knows those of before no more.

        Args:
            weights: all that are trained; who updates which of them holds as long as they do.
            dense: those with dense gradients.
        """
        is_known = len(weights) == len(self._weights) and all(map(is_, weights, self._weights))
        if is_known and self.fits(dense):
            return
        if self._reducer is not None:
            self._reducer.close()
        self._reducer = GradientReducer(self._group, dense, self._keeps_local)
        self._weights = list(weights)
        self._totals = {id(weight): total for weight, total in zip(dense, self._reducer.totals, strict=True)}
        self._shards = Shards(self._group, weights) if self.is_sharded else None

    def reduce(self) -> None:
        """Adds the gradients up over all workers."""
        assert self._reducer is not None
        self._reducer.reduce()

    def add_rows(self, weight: NDArray, gradient: NDArray) -> None:
        """Adds up a gradient that stores some of its rows, in place."""
        with pause():
            add_rows(self._group, gradient).copyto(gradient)
        weight._fresh_grad = True

    def total(self, weight: NDArray, gradient: NDArray) -> NDArray:
        """The sum of a gradient over all workers."""
        return self._totals.get(id(weight), gradient)

    def drawing(self, context: Context) -> AbstractContextManager[None]:
        """In a `with` block, all workers draw the same numbers."""
        return self._draws.drawing(context)

    def update(self, updater: Updater, indices: list[int], gradients: list[Any], weights: list[Any]) -> None:
        """Updates weights, on this worker or by shares."""
        if not indices:
            return
        if self._shards is None:
            updater(indices, gradients, weights)
            return
        chosen = [each for each in zip(indices, gradients, weights, strict=True) if self._shards.is_mine(each[2])]
        for index in set(updater.states).intersection(indices).difference(index for index, _, _ in chosen):
            del updater.states[index]  # of another worker's share: they were loaded
        if chosen:
            updater(*(list(part) for part in zip(*chosen, strict=True)))
        self._shards.exchange()

    def states(self, updater: Updater) -> bytes:
        """The optimizer's states of all weights, whoever keeps them."""
        if not self.is_sharded:
            return updater.get_states(dump_optimizer=True)
        return merged_states(
            self._group.all_gather_bytes(updater.get_states(dump_optimizer=True), "Trainer.save_states")
        )
