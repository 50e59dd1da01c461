"""What every key-value store offers, and the table of their kinds."""

import warnings
from typing import TYPE_CHECKING, Any, ClassVar, Literal, TypeVar, overload

from regluon.arguments import did_you_mean
from regluon.distributed.environment import require_launch

from ..base import MXNetError, _as_list

if TYPE_CHECKING:
    from ._local import KVStore

__all__ = ["KVStoreBase", "TestStore", "create"]

Kind = TypeVar("Kind", bound=type)
# A store that updates keeps a copy of every weight; for larger arrays MXNet's local store leaves that to the devices.
LARGEST_KEPT = 1024 * 1024 * 16


class KVStoreBase:
    """Base of stores that move values between devices and machines; subclass and `register` your own."""

    OPTIMIZER = "optimizer"
    kv_registry: ClassVar[dict[str, type]] = {}

    def broadcast(self, key: Any, value: Any, out: Any, priority: int = 0) -> None:
        """Copies a value to the arrays in `out`, on all workers."""
        raise NotImplementedError(f"[{type(self).__name__}] write a broadcast method.")

    def pushpull(self, key: Any, value: Any, out: Any = None, priority: int = 0) -> None:
        """Adds up the values of all devices and workers and writes the sum to `out`."""
        raise NotImplementedError(f"[{type(self).__name__}] write a pushpull method.")

    def set_optimizer(self, optimizer: Any) -> None:
        """Lets the store update weights itself."""
        raise NotImplementedError(f"[{type(self).__name__}] write a set_optimizer method.")

    @staticmethod
    def is_capable(capability: str) -> bool:
        """Whether the store can do something optional, such as 'optimizer'."""
        raise NotImplementedError("[KVStoreBase] write an is_capable method.")

    def save_optimizer_states(self, fname: str, dump_optimizer: bool = False) -> None:
        """Saves the optimizer's states, if the store updates weights."""
        raise NotImplementedError(f"[{type(self).__name__}] write a save_optimizer_states method.")

    def load_optimizer_states(self, fname: str) -> None:
        """Loads what `save_optimizer_states` saved."""
        raise NotImplementedError(f"[{type(self).__name__}] write a load_optimizer_states method.")

    @property
    def type(self) -> str:
        """The name it was created by."""
        return type(self).__name__.lower()

    @property
    def rank(self) -> int:
        """Number of this worker."""
        return 0

    @property
    def num_workers(self) -> int:
        """How many workers there are."""
        return 1

    def __repr__(self) -> str:
        place = "" if getattr(self, "is_within_process", False) else f", rank {self.rank} of {self.num_workers}"
        return f"<KVStore {self.type}{place}>"

    @staticmethod
    def register(klass: Kind) -> Kind:
        """Makes a kind of store available to `create` under its class's name."""
        if not isinstance(klass, type):
            raise TypeError(f"[KVStoreBase.register] received {type(klass).__name__}; expected a class.")
        name = klass.__name__.lower()
        if name in KVStoreBase.kv_registry:
            warnings.warn(f"[KVStoreBase.register] {klass.__name__} takes the place of another {name!r}.", stacklevel=2)
        KVStoreBase.kv_registry[name] = klass
        return klass


@KVStoreBase.register
class TestStore(KVStoreBase):
    """The smallest store there can be: sums over the devices of one process, without keys. A pattern for your own."""

    __test__ = False  # pytest takes classes of such names for tests

    def broadcast(self, key: Any, value: Any, out: Any, priority: int = 0) -> None:
        """Copies a value to the arrays in `out`."""
        for target in _as_list(out):
            target[:] = value

    def pushpull(self, key: Any, value: Any, out: Any = None, priority: int = 0) -> None:
        """Writes the sum of the values to `out`, or over the values."""
        values = _as_list(value)
        total = values[0].copy()
        for other in values[1:]:
            total += other.as_in_context(total.context)
        for target in values if out is None else _as_list(out):
            target[:] = total

    @staticmethod
    def is_capable(capability: str) -> bool:
        """Whether the store can do something optional: it cannot update weights."""
        if capability.lower() == KVStoreBase.OPTIMIZER:
            return False
        raise ValueError(f"[TestStore.is_capable] received {capability!r}; expected {KVStoreBase.OPTIMIZER!r}.")


def store_kind(who: str, name: str) -> type:
    """The class of stores of a name.

    A name that nobody has is refused, and so is one of a store over several processes where none were launched: a
    training that was meant for many must not go on alone.
    """
    kind = KVStoreBase.kv_registry.get(name.lower())
    if kind is None:
        known = ", ".join(sorted(KVStoreBase.kv_registry))
        raise MXNetError(
            f"[{who}] received {name!r}; expected one of {known}." + did_you_mean(name, KVStoreBase.kv_registry)
        )
    if getattr(kind, "requires_launch", False):
        require_launch(f"{who}: {name!r}")
    return kind


def is_within_process(name: str) -> bool:
    """Whether stores of a name add up over the devices of this process alone: one device needs none of them."""
    return getattr(KVStoreBase.kv_registry.get(name.lower()), "is_within_process", False)


@overload
def create(name: Literal["horovod", "teststore"]) -> KVStoreBase: ...  # type: ignore[overload-overlap]
@overload
def create(name: str = "local") -> "KVStore": ...
def create(name: str = "local") -> Any:
    """A store: 'local' or 'device' for this process, 'dist_sync' and others for several, or a registered one."""
    if not isinstance(name, str):
        raise TypeError(f"[kvstore.create] received {type(name).__name__}; expected the name of a kind.")
    kind = store_kind("kvstore.create", name)
    return kind(name.lower()) if getattr(kind, "takes_name", False) else kind()
