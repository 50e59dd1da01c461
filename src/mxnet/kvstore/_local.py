"""The store for the devices of one machine."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from regluon.formats.atomic import atomic_write, open_mapped

from ..autograd import pause
from ..base import MXNetError
from ..ndarray import NDArray
from ..ndarray import array as nd_array
from ..ndarray.sparse import retain
from ..optimizer import Updater, get_updater
from ._collectives import TwoBitCompression, compression
from .base import KVStoreBase

__all__ = ["KVStore"]

Sums = list[tuple[Any, NDArray, NDArray]]  # keys with what was pushed and what is stored


class ValueMismatchError(MXNetError, ValueError):
    """A value does not fit its key."""


class RowsMissingError(MXNetError, AssertionError):
    """Rows were to be pulled without saying which, or where to."""


class KVStore(KVStoreBase):
    """Keeps values by key and adds up what the devices of this process push.

    Made by `mx.kv.create('local')`, `'device'` or `'nccl'`; these differ only in where MXNet added.
    """

    __module__ = "mxnet.kvstore.kvstore"

    takes_name = True
    is_within_process = True

    def __init__(self, name: str = "local") -> None:
        self._name = name
        self._values: dict[Any, NDArray] = {}
        self._updater: Callable[..., None] | None = None
        self._compression: TwoBitCompression | None = None

    @property
    def type(self) -> str:
        """'local' or 'device'."""
        return self._name

    @staticmethod
    def is_capable(capability: str) -> bool:
        """It can update weights itself; 'optimizer' is the only capability there is."""
        if capability.lower() != KVStoreBase.OPTIMIZER:
            raise ValueError(f"[kvstore] Unknown capability: {capability}; expected {KVStoreBase.OPTIMIZER!r}.")
        return True

    def _stored(self, key: Any) -> NDArray:
        if key not in self._values:
            raise MXNetError(f"[kvstore] there is no value under {key!r}; call init({key!r}, value) first.")
        return self._values[key]

    def _check_kind(self, key: Any) -> None:
        first = next(iter(self._values), key)
        if type(first) is not type(key):
            raise MXNetError(
                f"[kvstore] Mixed key types are not allowed: received {key!r}, and {first!r} is there already."
            )

    def _assign(self, key: Any, value: NDArray) -> None:
        """Replaces a stored value."""
        value.copyto(self._stored(key))

    def init(self, key: Any, value: Any) -> None:
        """Stores first values."""
        for each, values in _pairs(key, value):
            self._check_kind(each)
            if each in self._values:
                raise MXNetError(f"[kvstore] there is a value under {each!r} already.")
            with pause():  # moving values between devices is no part of a computation
                self._values[each] = values[0].copy()

    def push(self, key: Any, value: Any, priority: int = 0) -> None:
        """Adds up the values that the devices give; stores the sum, or hands it to the optimizer."""
        self._apply(self._add_up(_pairs(key, value)))

    def _add_up(self, pairs: Sequence[tuple[Any, list[NDArray]]]) -> Sums:
        """The sums of what the devices give."""
        sums = []
        for key, values in pairs:
            stored = self._stored(key)
            for pushed in values:
                if pushed.shape != stored.shape:
                    raise ValueMismatchError(
                        f"[kvstore.push] received shape {pushed.shape} for key {key!r}; expected {stored.shape}."
                    )
            sums.append((key, added(self._as_sent(key, values), stored), stored))
        return sums

    def _as_sent(self, key: Any, values: list[NDArray]) -> list[NDArray]:
        """What arrives of the values of several devices: compression makes a difference between these as well."""
        codec = self._compression
        if codec is None or len(values) == 1 or any(value.stype != "default" for value in values):
            return values
        return [
            NDArray(codec.decompress(codec.compress((key, place), value._t), value.shape), value.context)
            if codec.takes(value._t)
            else value
            for place, value in enumerate(values)
        ]

    def _apply(self, sums: Sums) -> None:
        """Stores sums, or hands them to the optimizer."""
        if isinstance(self._updater, Updater) and sums:
            self._updater.update_each(*(list(part) for part in zip(*sums, strict=True)))
            return
        for each, total, stored in sums:
            if self._updater is not None:
                self._updater(each, total, stored)
            else:
                total.copyto(stored)

    def pull(self, key: Any, out: Any = None, priority: int = 0, ignore_sparse: bool = True) -> None:
        """Copies values to the arrays in `out`; with `ignore_sparse`, to the dense ones among them."""
        if out is None:
            raise TypeError("[kvstore.pull] out is missing; expected arrays to write to.")
        for each, targets in _pairs(key, out):
            stored = self._stored(each)
            with pause():
                for target in targets:
                    if target.stype == "default" or not ignore_sparse:
                        stored.copyto(target)

    def pushpull(self, key: Any, value: Any, out: Any = None, priority: int = 0) -> None:
        """`push`, then `pull` to `out`, or back to the values."""
        self.push(key, value, priority)
        self.pull(key, value if out is None else out, priority)

    def broadcast(self, key: Any, value: Any, out: Any, priority: int = 0) -> None:
        """Stores a value and copies it to the arrays in `out`."""
        self.init(key, value)
        self.pull(key, out, priority)

    def row_sparse_pull(self, key: Any, out: Any = None, priority: int = 0, row_ids: Any = None) -> None:
        """Copies rows of row_sparse values to row_sparse arrays.

        Args:
            key: the key, or several.
            out: an array for each key, or a list of arrays.
            priority: ignored: nothing waits in a queue.
            row_ids: the numbers of the rows, for all arrays or one for each.
        """
        if out is None or row_ids is None:
            raise RowsMissingError("[kvstore.row_sparse_pull] received no out or no row_ids; expected both.")
        targets = _pairs(key, out)
        rows = _pairs(key, [row_ids] * len(out) if isinstance(row_ids, NDArray) and isinstance(out, list) else row_ids)
        for (each, arrays), (_, numbers) in zip(targets, rows, strict=True):
            for array, chosen in zip(arrays, numbers, strict=True):
                self._pull_rows(each, array, chosen)

    def _pull_rows(self, key: Any, target: NDArray, row_id: NDArray) -> None:
        stored = self._stored(key)
        for what, array in (("the value", stored), ("out", target)):
            if array.stype != "row_sparse":
                raise MXNetError(
                    f"[kvstore.row_sparse_pull] {what} under {key!r} is {array.stype}; expected row_sparse. Use pull()."
                )
        with pause():
            numbers = nd_array(np.unique(row_id.asnumpy()), stored.context, "int64")
            retain(stored, numbers).copyto(target)

    def set_gradient_compression(self, compression_params: dict[str, Any]) -> None:
        """Sends gradients in two bits for each element, such as {'type': '2bit', 'threshold': 0.5}."""
        if "device" not in self._name and "dist" not in self._name:
            raise MXNetError(
                "[kvstore] gradient compression is for 'device' and for stores over several machines, not for "
                f"{self._name!r}."
            )
        self._compression = compression("kvstore.set_gradient_compression", compression_params)

    def set_optimizer(self, optimizer: Any) -> None:
        """Lets the store update weights: `push` then takes gradients."""
        self._updater = get_updater(optimizer)

    def set_updater(self, updater: Callable[..., None]) -> None:
        """Lets a function `(key, pushed, stored)` decide what a push does."""
        self._updater = updater

    _set_updater = set_updater

    def save_optimizer_states(self, fname: str, dump_optimizer: bool = False) -> None:
        """Saves the optimizer's states."""
        with atomic_write(fname, "save_optimizer_states") as stream:
            stream.write(self._states_owner().get_states(dump_optimizer))

    def load_optimizer_states(self, fname: str) -> None:
        """Loads what `save_optimizer_states` saved."""
        self._states_owner().set_states(bytes(open_mapped(fname, "load_optimizer_states")))

    def _barrier(self) -> None:
        """Waits for all workers; there is one."""

    def _states_owner(self) -> Any:
        if not hasattr(self._updater, "get_states"):
            raise MXNetError("[kvstore] has no optimizer, hence no states; call set_optimizer() first.")
        return self._updater


_NAMES = ("local", "local_update_cpu", "local_allreduce_cpu", "device", "local_allreduce_device", "nccl")
KVStoreBase.kv_registry.update(dict.fromkeys(_NAMES, KVStore))


def _pairs(key: Any, value: Any) -> list[tuple[Any, list[NDArray]]]:
    """Keys with the arrays of all devices, whichever way they were given."""
    if isinstance(key, (list, tuple)):
        if len(key) != len(value):
            raise MXNetError(f"[kvstore] received {len(key)} keys and {len(value)} values; expected as many.")
        return [pair for each, values in zip(key, value, strict=True) for pair in _pairs(each, values)]
    values = [value] if isinstance(value, NDArray) else list(value)
    for each in values:
        if not isinstance(each, NDArray):
            raise TypeError(f"[kvstore] received {type(each).__name__} for key {key!r}; expected NDArrays.")
    return [(key, values)]


def added(values: Sequence[NDArray], like: NDArray) -> NDArray:
    """The sum of arrays, where another one is; a single one is its own sum."""
    with pause():
        total = values[0].as_in_context(like.context)
        for other in values[1:]:
            total = total + other.as_in_context(like.context)
        return total
