"""What a worker serves to all others: its share of the keys of a `dist_async` store.

Calls of others come in on threads of `torch.distributed.rpc`, whatever the worker itself does at the time.
"""

import copy
import logging
import threading
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from typing import Any, NamedTuple

from ..base import MXNetError
from ..ndarray.sparse import zeros as sparse_zeros
from ..optimizer import Updater
from ._async_wire import Wire, packed
from ._local import KVStore

__all__ = ["Failure", "Share", "serve", "set_controller", "share"]

_log = logging.getLogger(__name__)


class Share:
    """Values of some keys, with the optimizer that moves them.

    All updates of a share are made one after the other, as MXNet's servers do: optimizers count them. A value is
    locked while it is written or copied, so that nobody sees half of an update.
    """

    def __init__(self) -> None:
        self._store = KVStore("dist_async")
        self._updating = threading.RLock()
        self._locks: dict[Any, threading.RLock] = {}
        self._optimizers = 0  # how many optimizers all workers have
        self._has_come = threading.Condition()

    @property
    def updater(self) -> Any:
        """What decides about pushes; None as long as there is none."""
        return self._store._updater

    def _locked(self, key: Any) -> Any:
        return self._locks.get(key) or self._updating  # without a lock of its own there is no such key

    def _all_locked(self, keys: Sequence[Any]) -> ExitStack:
        """Locks several values; whoever does so has the lock of updates first, so no two wait for each other."""
        stack = ExitStack()
        stack.enter_context(self._updating)
        for key in keys:
            stack.enter_context(self._locked(key))
        return stack

    def init(self, parts: Sequence[tuple[Any, Wire]]) -> None:
        """Stores first values."""
        with self._updating:
            for key, value in parts:
                self._locks[key] = threading.RLock()
                self._store.init(key, value.array())

    def push(self, parts: Sequence[tuple[Any, Wire]]) -> None:
        """Applies gradients at once."""
        if self.updater is None:
            raise MXNetError(
                "[kvstore.push] there is no optimizer, and 'dist_async' does not add up over workers; call "
                "set_optimizer() on all workers first, or use 'dist_sync'."
            )
        keys = [key for key, _ in parts]
        with self._all_locked(keys):
            self._store.push(keys, [value.array() for _, value in parts])

    def assign(self, key: Any, value: Wire) -> None:
        """Replaces a value."""
        with self._all_locked([key]):
            self._store._assign(key, value.array())

    def pull(self, keys: Sequence[Any]) -> list[Wire]:
        """Copies of values."""
        copies = []
        for key in keys:
            with self._locked(key):
                copies.append(packed(self._store._stored(key)))
        return copies

    def pushpull(self, parts: Sequence[tuple[Any, Wire]], keys: Sequence[Any]) -> list[Wire]:
        """`push`, then `pull`."""
        self.push(parts)
        return self.pull(keys)

    def pull_rows(self, key: Any, rows: Wire) -> Wire:
        """Copies of rows of a row_sparse value."""
        with self._locked(key):
            stored = self._store._stored(key)
            found = sparse_zeros("row_sparse", stored.shape, dtype=stored.dtype)
            self._store.row_sparse_pull(key, out=found, row_ids=rows.array())
            return packed(found)

    def set_optimizer(self, optimizer: Any) -> None:
        """Lets a copy of an optimizer decide about pushes."""
        with self._updating:
            self._store.set_optimizer(copy.deepcopy(optimizer))

    def confirm_optimizer(self, number: int) -> None:
        """Notes that all workers have the optimizer of a call of `set_optimizer`."""
        with self._has_come:
            self._optimizers = number
            self._has_come.notify_all()

    def wait_for_optimizer(self, number: int, seconds: float) -> bool:
        """Waits until all workers have an optimizer; False if that takes too long."""
        with self._has_come:
            return self._has_come.wait_for(lambda: self._optimizers >= number, seconds)

    def set_updater(self, updater: Callable[..., None]) -> None:
        """Lets a function `(key, pushed, stored)` decide about pushes."""
        with self._updating:
            self._store.set_updater(updater)

    def get_states(self) -> tuple[dict[Any, Any], Any]:
        """Copies of the states by key and of the optimizer with its counts."""
        with self._updating:
            owner = self._store._states_owner()
            return copy.deepcopy((owner.states, owner.optimizer))

    def set_states(self, states: dict[Any, Any], optimizer: Any) -> None:
        """Takes over states, and an optimizer unless it is None."""
        with self._updating:
            before = self._store._states_owner().optimizer
            updater = Updater(before if optimizer is None else copy.deepcopy(optimizer))
            updater.optimizer.param_dict = before.param_dict  # Parameters are in no file
            updater.states = dict(states)
            updater.states_synced = dict.fromkeys(states, False)
            self._store.set_updater(updater)

    def command(self, head: int, body: str) -> None:
        """Hands a command to the function that `set_controller` has set."""
        if _controllers:
            _controllers[-1](head, body)
        else:
            _log.info("[kvstore] command (%s, %r) came, and nobody waits for it: see set_controller()", head, body)


_controllers: list[Callable[[int, str], None]] = []
_shares: dict[int, Share] = {}
_making = threading.Lock()


def set_controller(controller: Callable[[int, str], None] | None) -> None:
    """Sets what is called in this process with the `(head, body)` of commands; None ends that."""
    _controllers[:] = [] if controller is None else [controller]


def share(number: int) -> Share:
    """This worker's part of the store of a number; a call of another may be the first to ask for it."""
    with _making:
        return _shares.setdefault(number, Share())


class Failure(NamedTuple):
    """Why a call could not be answered.

    Attributes:
        kind: the class of the error, if it is one of this library.
        text: what it says.
    """

    kind: type[MXNetError] | None
    text: str


def serve(number: int, method: str, args: tuple[Any, ...]) -> tuple[Any, Failure | None]:
    """Calls a method of a share for another worker, which is told of errors."""
    try:
        return getattr(share(number), method)(*args), None
    except MXNetError as error:
        return None, Failure(type(error), str(error))
    except Exception as error:  # whatever an updater raises belongs to the worker that has pushed
        return None, Failure(None, f"{type(error).__name__}: {error}")
