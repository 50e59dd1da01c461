"""Keeps the states of weights beside an optimizer, saves and restores them."""

from collections.abc import Sequence
from typing import Any

import mxnet.lr_scheduler as lr_scheduler
from regluon.formats import legacy_states, states
from regluon.formats.states import Instance
from regluon.formats.stored import Stored

from ..context import Context
from ..error import FileFormatError
from ..lr_scheduler import LRScheduler
from ..ndarray import NDArray
from ..ndarray.utils import from_stored
from ._base import Optimizer
from ._fused import FusedOptimizer
from ._restored import check_contents, check_restored


class Updater:
    """Calls an optimizer with the states it made for each weight before.

    Attributes:
        optimizer: what moves the weights.
        states: their states, by index.
        states_synced: whether a state is on the device of its weight; loaded ones are not yet.
    """

    __module__ = "mxnet.optimizer.optimizer"

    def __init__(self, optimizer: Optimizer) -> None:
        self.optimizer = optimizer
        self.states: dict[Any, Any] = {}
        self.states_synced: dict[Any, bool] = {}
        self.aggregate_updates = optimizer.aggregate_num > 0
        self._last: tuple[Any, ...] = ()  # indices and weights that were prepared, for which states and optimizer

    def __call__(self, index: Any, grad: Any, weight: Any) -> None:
        """Updates a weight, or all weights of a list.

        Args:
            index: number or name of the weight, or a list.
            grad: its gradient, or a list.
            weight: what to update, or a list.
        """
        if not isinstance(index, (list, tuple)):
            index, grad, weight = [index], [grad], [weight]
        last = self._last
        if last and last[0] is index and last[1] is weight and last[2] is self.states and last[3] is self.optimizer:
            optimizer, kept = last[3:]
            if optimizer._is_as_made():
                optimizer._set_current_context(weight[0].context.device_id)
                optimizer._move_all(index, weight, grad, kept)
                return
        self._update(index, grad, weight, by_one=False)

    def update_each(self, indices: Sequence[Any], grads: Sequence[NDArray], weights: Sequence[NDArray]) -> None:
        """What calling it once for each weight does, as a store calls it."""
        self._update(indices, grads, weights, by_one=True)

    def _update(self, index: Sequence[Any], grads: Any, weights: Any, by_one: bool) -> None:
        indices = [each.decode() if isinstance(each, bytes) else each for each in index]
        if not indices:
            return
        optimizer = self.optimizer
        if not isinstance(optimizer, FusedOptimizer):
            self._update_as_mxnet(indices, grads, weights, by_one)
            return
        optimizer._set_current_context(weights[0].context.device_id)
        for each, array in zip(indices, weights, strict=True):
            self._prepare_state(each, array)
        kept = [self.states[each] for each in indices]
        if len(set(indices)) < len(indices) or not optimizer._can_move_all(weights, kept):
            self._update_as_mxnet(indices, grads, weights, by_one)
            return
        optimizer._move_all(indices, weights, grads, kept, by_one)
        if isinstance(index, tuple) and isinstance(weights, tuple):  # nobody can change these
            self._last = index, weights, self.states, optimizer, kept

    def _update_as_mxnet(self, indices: list[Any], grads: Any, weights: Any, by_one: bool) -> None:
        """The calls that MXNet makes, for optimizers that may look at them."""
        grads, weights = ([array.as_nd_ndarray() for array in arrays] for arrays in (grads, weights))
        if by_one:
            for each, slope, array in zip(indices, grads, weights, strict=True):
                self._call_optimizer([each], [slope], [array])
        else:
            self._call_optimizer(indices, grads, weights)

    def _call_optimizer(self, indices: list[Any], grads: list[NDArray], weights: list[NDArray]) -> None:
        optimizer = self.optimizer
        optimizer._set_current_context(weights[0].context.device_id)
        for each, array in zip(indices, weights, strict=True):
            self._prepare_state(each, array)
        size = optimizer.aggregate_num
        if size <= 0:
            for each, slope, array in zip(indices, grads, weights, strict=True):
                optimizer.update_multi_precision(each, array, slope, self.states[each])
            return
        groups: dict[Any, list[tuple[Any, NDArray, NDArray]]] = {}
        for each, slope, array in zip(indices, grads, weights, strict=True):
            groups.setdefault(array.dtype, []).append((each, array, slope))
        for group in groups.values():
            for start in range(0, len(group), size):
                chosen, arrays, slopes = zip(*group[start : start + size], strict=True)
                optimizer.update_multi_precision(chosen, arrays, slopes, [self.states[each] for each in chosen])

    def _prepare_state(self, index: Any, weight: NDArray) -> None:
        if index not in self.states:
            self.states[index] = self.optimizer.create_state_multi_precision(index, weight.as_nd_ndarray())
        elif not self.states_synced.get(index):
            self.states[index] = self.sync_state_context(self.states[index], weight.context)
        self.states_synced[index] = True

    def sync_state_context(self, state: Any, context: Context) -> Any:
        """A state with its arrays moved to a device."""
        if isinstance(state, NDArray):
            return state.as_in_context(context)
        if isinstance(state, (tuple, list)):
            return type(state)(self.sync_state_context(each, context) for each in state)
        return state

    def get_states(self, dump_optimizer: bool = False) -> bytes:
        """The states, and the optimizer with its counts if `dump_optimizer`, in the format of formats/states.py."""
        tree: dict[str, Any] = {"states": self.states}
        if dump_optimizer:
            tree["optimizer"] = self.optimizer
        return states.encode(_to_records(tree))

    def set_states(self, states: bytes) -> None:
        """Takes over what `get_states` returned, here or in MXNet 1.x.

        MXNet's states are pickles. They are read by an interpreter of the few opcodes that states need, which imports
        nothing and calls nothing: see formats/legacy_states.py.
        """
        tree = _read(bytes(states))
        loaded = _from_records(tree.get("states"))
        if not isinstance(loaded, dict):
            raise FileFormatError(
                f"[Updater.set_states] received {type(loaded).__name__}; expected states by index, from get_states()."
            )
        if "optimizer" in tree:
            optimizer = _from_records(tree["optimizer"])
            if not isinstance(optimizer, Optimizer):
                raise FileFormatError("[Updater.set_states] the saved optimizer is not an optimizer.")
            self.optimizer = optimizer
            self.aggregate_updates = optimizer.aggregate_num > 0
        self.states = loaded
        self._last = ()
        self.states_synced = dict.fromkeys(loaded, False)


def _read(data: bytes) -> dict[str, Any]:
    if not legacy_states.looks_pickled(data):
        tree = states.decode(data)
        if not isinstance(tree, dict):
            raise FileFormatError("[Updater.set_states] received no optimizer states.")
        return tree
    content = legacy_states.read(data)
    if isinstance(content, tuple) and len(content) == 2:
        return {"states": content[0], "optimizer": content[1]}
    return {"states": content}


def _to_records(value: Any) -> Any:
    """The tree with records in place of arrays and objects."""
    if isinstance(value, NDArray):
        return value._to_stored()
    if isinstance(value, dict):
        return {key: _to_records(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return type(value)(_to_records(item) for item in value)
    if isinstance(value, Optimizer):
        return Instance(f"optimizer:{type(value).__name__}", _to_records(value.__getstate__()))
    if isinstance(value, LRScheduler):
        return Instance(f"lr_scheduler:{type(value).__name__}", _to_records(vars(value)))
    return value


def _from_records(value: Any) -> Any:
    if isinstance(value, Stored):
        return from_stored(value, "Updater.set_states")
    if isinstance(value, dict):
        return {key: _from_records(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return type(value)(_from_records(item) for item in value)
    if isinstance(value, Instance):
        return _instance(value)
    return value


def _instance(record: Instance) -> Any:
    """An object of a class that this process already knows; nothing is imported for it."""
    kind, _, name = record.kind.partition(":")
    known = Optimizer.opt_registry if kind == "optimizer" else _schedulers()
    klass = known.get(name.lower())
    if klass is None:
        raise FileFormatError(
            f"[Updater.set_states] the states come from the {kind} {name}, which is not known here; expected one of "
            f"{', '.join(sorted(known))}. Define it first (optimizers with @mx.optimizer.register), then load."
        )
    state = _from_records(record.state)
    if not all(isinstance(key, str) for key in state):
        raise FileFormatError(f"[Updater.set_states] the saved {kind} {name} has attributes without a name.")
    made = klass.__new__(klass)
    check_contents(state, kind, name)
    if isinstance(made, Optimizer):
        made.__setstate__(state)
    else:
        vars(made).update(state)
    check_restored(made, kind)
    return made


def _schedulers() -> dict[str, Any]:
    """All schedulers defined so far, by name."""
    found: dict[str, Any] = {}
    pending: list[type] = [lr_scheduler.LRScheduler]
    while pending:
        klass = pending.pop()
        found[klass.__name__.lower()] = klass
        pending.extend(klass.__subclasses__())
    return found


def get_updater(optimizer: Optimizer) -> Updater:
    """An Updater for an optimizer, to give to a KVStore or to call by hand."""
    return Updater(optimizer)
