"""The store that Horovod programs name: sums over all workers, without keys and without an optimizer."""

from typing import Any

from regluon.distributed import world

from ..autograd import pause
from ..base import _as_list
from ..ndarray import NDArray
from ._local import _pairs, added
from .base import KVStoreBase

__all__ = ["Horovod"]


@KVStoreBase.register
class Horovod(KVStoreBase):
    """Adds up over the devices of all workers; weights are updated by each worker itself."""

    __module__ = "mxnet.kvstore"

    requires_launch = True

    def __init__(self) -> None:
        self.group = world("kvstore.create('horovod')")

    @staticmethod
    def is_capable(capability: str) -> bool:
        """Whether the store can do something optional: it cannot update weights."""
        if capability.lower() == KVStoreBase.OPTIMIZER:
            return False
        raise ValueError(f"[Horovod.is_capable] received {capability!r}; expected {KVStoreBase.OPTIMIZER!r}.")

    @property
    def rank(self) -> int:
        """Number of this worker."""
        return self.group.rank

    @property
    def local_rank(self) -> int:
        """Number of this worker on its machine."""
        return self.group.local_rank

    @property
    def num_workers(self) -> int:
        """How many workers there are."""
        return self.group.size

    def broadcast(self, key: Any, value: Any, out: Any, priority: int = 0) -> None:
        """Copies rank 0's value to the arrays in `out`, on all workers."""
        for (_, values), targets in zip(_pairs(key, value), (found for _, found in _pairs(key, out)), strict=True):
            with pause():
                copied = values[0].copy()
                self.group.broadcast(copied._t, what="kvstore.broadcast")
                for target in targets:
                    copied.copyto(target)

    def pushpull(self, key: Any, value: Any, out: Any = None, priority: int = 0) -> None:
        """Writes the sum over the devices of all workers to `out`, or over the values."""
        targets = [found for _, found in _pairs(key, value if out is None else out)]
        for (_, values), outputs in zip(_pairs(key, value), targets, strict=True):
            with pause():
                total: NDArray = added(values, values[0]).copy()
                self.group.all_reduce(total._t, "kvstore.pushpull")
                for target in _as_list(outputs):
                    total.copyto(target)
