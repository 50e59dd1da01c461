"""What a trainer needs of several processes: gradients in buckets, the same weights and draws, states shared out."""

from collections.abc import Sequence
from contextlib import AbstractContextManager
from operator import is_
from typing import Any

from ..autograd import pause
from ..context import Context
from ..ndarray import NDArray
from ..optimizer import Updater
from ._collectives import copy_from
from ._horovod import Horovod
from ._reducer import GradientReducer
from ._sharding import Shards, merged_states
from ._synchronous import SharedDraws, SyncKVStore, add_rows

__all__ = ["WorkerGradients", "works_in_buckets"]


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
