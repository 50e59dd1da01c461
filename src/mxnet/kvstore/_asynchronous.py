"""The asynchronous store, `dist_async`.

There are no server processes: each rank keeps a share of the keys and serves it to all ranks from threads of its own. A
push goes to the rank that keeps the key, which applies it on arrival. A pull returns the current value.
"""

import atexit
import hashlib
import logging
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

from regluon.distributed import report_lost_ranks

from ..autograd import pause
from ..base import MXNetError
from ..context import Context, cpu
from ..ndarray import NDArray
from ._async_agent import Reply, agent, has_failed
from ._async_states import SharedStates
from ._async_wire import Wire, compressed, num_bytes, packed
from ._local import KVStore, Sums, _pairs
from ._parameter_server import set_controller, share
from .base import KVStoreBase

__all__ = ["AsyncKVStore"]

_log = logging.getLogger(__name__)


class Place(NamedTuple):
    """Metadata of a value that another rank may keep."""

    shape: tuple[int, ...]
    stype: str
    context: Context


class AsyncKVStore(KVStore):
    """Store with keys spread over all ranks, which applies each push on arrival.

    `push` returns before the gradient has arrived. A rank has at most one push in flight per key, so its pushes are
    applied in order, and its pull of a key sees its own earlier push. The next call for the key, or `barrier`, raises
    the error of a failed push.

    Only `init`, `broadcast` and `barrier` wait for all ranks, and `set_optimizer` for rank 0. All ranks must make these
    calls, and create their stores, in the same order.
    """

    __module__ = "mxnet.kvstore"

    requires_launch = True
    is_within_process = False

    def __init__(self, name: str = "dist_async") -> None:
        super().__init__(name)
        self._agent = agent(f"kvstore.create({name!r})")
        self.group = self._agent.group
        self._number = self._agent.num_stores
        self._agent.num_stores += 1
        self._values: dict[Any, Any] = {}  # a Place for each key
        self._pushes: dict[Any, Reply] = {}  # the last one of each key
        self._num_optimizers = 0
        atexit.register(self._finish)

    @property
    def rank(self) -> int:
        """Number of this worker."""
        return self.group.rank

    @property
    def num_workers(self) -> int:
        """Number of workers."""
        return self.group.size

    def _owner(self, key: Any) -> int:
        """Return the rank that keeps a key. It is the same on all ranks and in every run."""
        # Integer keys are hashed too: large weights often have even keys, and small biases odd ones.
        digest = hashlib.blake2b(str(key).encode(), digest_size=8).digest()
        return int.from_bytes(digest, "little") % self.group.size

    def _ask(self, owner: int, what: str, method: str, *args: Any) -> Reply:
        return self._agent.ask(owner, what, self._number, method, *args)

    def _ask_all(self, what: str, method: str, *args: Any) -> list[Any]:
        """Call a method on all ranks and return the results by rank."""
        replies = [self._ask(owner, what, method, *args) for owner in range(self.group.size)]
        return [reply.wait() for reply in replies]

    def _by_owner(self, items: Sequence[Any]) -> Iterator[tuple[int, list[Any]]]:
        """Group items, whose first element is a key, by owner. This rank is last, so that the others work meanwhile."""
        found: dict[int, list[Any]] = {}
        for item in items:
            found.setdefault(self._owner(item[0]), []).append(item)
        for owner in sorted(found, key=lambda rank: (rank == self.rank, rank)):
            yield owner, found[owner]

    def _settle(self, keys: Sequence[Any]) -> None:
        """Block until this rank's pushes of the keys are applied."""
        for key in keys:
            if (push := self._pushes.pop(key, None)) is not None:
                push.wait()

    def _finish(self) -> None:
        """Log the pushes that failed after the last call for their key. This method runs at exit."""
        for key in [] if has_failed() else list(self._pushes):
            try:
                self._settle([key])
            except MXNetError as error:
                _log.error("[kvstore] the last push of %r on rank %s was lost: %s", key, self.rank, error)

    def init(self, key: Any, value: Any) -> None:
        """Store rank 0's values as initial values, and block until all ranks have called this method."""
        places: dict[Any, Place] = {}
        pairs = _pairs(key, value)
        for each, values in pairs:
            self._check_kind(each)
            if each in self._values or each in places:
                raise MXNetError(f"[kvstore] there is a value under {each!r} already.")
            if type(each) is not type(next(iter(places), each)):
                raise MXNetError(f"[kvstore] Mixed key types are not allowed: received {each!r} beside others.")
            if values[0].stype not in ("default", "row_sparse"):
                raise MXNetError(
                    f"[kvstore.init] received a {values[0].stype} array for key {each!r}; expected a dense or "
                    "row_sparse one."
                )
            places[each] = Place(values[0].shape, values[0].stype, cpu())
        if self.rank == 0:
            parts = [(each, packed(values[0])) for each, values in pairs]
            replies = [self._ask(owner, "kvstore.init", "init", mine) for owner, mine in self._by_owner(parts)]
            for reply in replies:
                reply.wait()
        self._values.update(places)
        self.group.barrier("kvstore.init")

    def _outgoing(self, sums: Sums, is_copied: bool) -> list[tuple[Any, Wire]]:
        """Return the messages for gradients. With `is_copied`, the caller may write to the gradients at once."""
        parts: list[tuple[Any, Wire]] = []
        for key, total, _ in sums:
            is_remote = self._owner(key) != self.rank
            wire = compressed(key, total, self._compression) or packed(total, is_copied and is_remote)
            self.group.bytes_sent += num_bytes(wire) if is_remote else 0
            parts.append((key, wire))
        return parts

    def _apply(self, sums: Sums) -> None:
        """Send gradients to the owners of their keys."""
        self._settle([key for key, _, _ in sums])
        for owner, parts in self._by_owner(self._outgoing(sums, is_copied=True)):
            reply = self._ask(owner, "kvstore.push", "push", parts)
            if owner != self.rank:
                self._pushes.update(dict.fromkeys((key for key, _ in parts), reply))

    def _assign(self, key: Any, value: NDArray) -> None:
        """Replace a stored value for all ranks."""
        self._stored(key)
        self._settle([key])
        self._ask(self._owner(key), "kvstore", "assign", key, packed(value)).wait()

    def pull(self, key: Any, out: Any = None, priority: int = 0, ignore_sparse: bool = True) -> None:
        """Copy current values to the arrays in `out`; with `ignore_sparse`, to the dense ones among them."""
        if out is None:
            raise TypeError("[kvstore.pull] out is missing; expected arrays to write to.")
        wanted = self._wanted(_pairs(key, out), ignore_sparse)
        self._settle([each for each, _ in wanted])
        replies = [
            (mine, self._ask(owner, "kvstore.pull", "pull", [each for each, _ in mine]))
            for owner, mine in self._by_owner(wanted)
        ]
        for mine, reply in replies:
            _write(mine, reply.wait())

    def _wanted(
        self, pairs: Sequence[tuple[Any, list[NDArray]]], ignore_sparse: bool
    ) -> list[tuple[Any, list[NDArray]]]:
        """Return the keys with the arrays to write to, without keys that have none."""
        for each, _ in pairs:
            self._stored(each)
        chosen = [(each, [a for a in arrays if a.stype == "default" or not ignore_sparse]) for each, arrays in pairs]
        return [(each, arrays) for each, arrays in chosen if arrays]

    def pushpull(self, key: Any, value: Any, out: Any = None, priority: int = 0) -> None:
        """`push`, then `pull` to `out`, or to `value` if `out` is None, with one message to each rank and one reply."""
        sums = self._add_up(_pairs(key, value))
        wanted = dict(self._by_owner(self._wanted(_pairs(key, value if out is None else out), ignore_sparse=True)))
        self._settle([each for each, _, _ in sums])
        replies = []
        for owner, parts in self._by_owner(self._outgoing(sums, is_copied=False)):
            mine = wanted.pop(owner, [])
            keys = [each for each, _ in mine]
            replies.append((mine, self._ask(owner, "kvstore.pushpull", "pushpull", parts, keys)))
        for mine, reply in replies:
            _write(mine, reply.wait())

    def _pull_rows(self, key: Any, target: NDArray, row_id: NDArray) -> None:
        for what, stype in (("the value", self._stored(key).stype), ("out", target.stype)):
            if stype != "row_sparse":
                raise MXNetError(
                    f"[kvstore.row_sparse_pull] {what} under {key!r} is {stype}; expected row_sparse. Use pull()."
                )
        self._settle([key])
        found = self._ask(self._owner(key), "kvstore.row_sparse_pull", "pull_rows", key, packed(row_id)).wait()
        with pause():
            found.array().copyto(target)

    def set_optimizer(self, optimizer: Any) -> None:
        """Copy rank 0's optimizer to all ranks. It then updates values with pushed gradients.

        The call blocks until all ranks have the optimizer. Of the arguments of other ranks, only the multipliers for
        Parameters are used.
        """
        self._num_optimizers += 1
        own = share(self._number)
        if self.rank == 0:
            self._ask_all("kvstore.set_optimizer", "set_optimizer", optimizer)
            self._ask_all("kvstore.set_optimizer", "confirm_optimizer", self._num_optimizers)
        elif not own.wait_for_optimizer(self._num_optimizers, self._agent.timeout):
            reason = (
                f"rank 0 of {self.num_workers} did not call set_optimizer() within {self._agent.timeout:g} seconds; "
                "all ranks must"
            )
            raise report_lost_ranks(self.group.launch, "kvstore.set_optimizer", [0], reason)
        self._updater = own.updater
        own.updater.optimizer.param_dict = getattr(optimizer, "param_dict", {})

    def set_updater(self, updater: Callable[..., None]) -> None:
        """Set the function `(key, pushed, stored)` that applies pushes to the keys of this rank.

        The function is not sent to other ranks: each rank sets its own and then calls `barrier()`. Pushes of all ranks
        call it from other threads, one at a time.
        """
        share(self._number).set_updater(updater)
        self._updater = updater

    _set_updater = set_updater

    def _states_owner(self) -> Any:
        """Return the states of all shares. To load states, one rank loads, then all ranks call `barrier()`."""
        own = share(self._number)
        self._updater = own.updater
        super()._states_owner()  # refuses functions, which have no states
        size = self.num_workers
        return SharedStates(self._fetch_states, self._give_states, self._owner, size, lambda: own.updater)

    def _fetch_states(self) -> list[Any]:
        self._settle(list(self._pushes))
        return self._ask_all("kvstore.save_optimizer_states", "get_states")

    def _give_states(self, parts: Sequence[tuple[dict[Any, Any], Any]]) -> None:
        self._settle(list(self._pushes))
        what = "kvstore.load_optimizer_states"
        replies = [self._ask(owner, what, "set_states", *part) for owner, part in enumerate(parts)]
        for reply in replies:
            reply.wait()

    def barrier(self) -> None:
        """Block until all ranks have called this method and all their pushes are applied."""
        self._settle(list(self._pushes))
        self.group.barrier("kvstore.barrier")

    _barrier = barrier

    def num_dead_node(self, node_id: int = 0, timeout: int = 60) -> int:
        """Return the number of ranks without a heartbeat in the last `timeout` seconds. `node_id` has no effect."""
        return self.group.num_dead(timeout)

    def send_command_to_servers(self, head: int, body: str) -> None:
        """Call, on every rank, the function that `set_controller` has set there."""
        self._ask_all("kvstore.send_command_to_servers", "command", head, body)

    _send_command_to_servers = send_command_to_servers

    @staticmethod
    def set_controller(controller: Callable[[int, str], None] | None) -> None:
        """Set the function that this rank calls with the `(head, body)` of commands; None removes it."""
        set_controller(controller)


def _write(targets: Sequence[tuple[Any, list[NDArray]]], values: Sequence[Wire]) -> None:
    with pause():
        for (_, arrays), value in zip(targets, values, strict=True):
            found = value.array()
            for array in arrays:
                found.copyto(array)


_NAMES = ("dist_async", "dist_async_device", "dist_device_async")
KVStoreBase.kv_registry.update(dict.fromkeys(_NAMES, AsyncKVStore))
