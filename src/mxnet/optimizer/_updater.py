"""Apply optimizers and restore their states."""

import inspect
from collections.abc import Callable, Mapping, Sequence
from types import UnionType
from typing import Any, Union, get_args, get_origin

import mxnet.lr_scheduler as lr_scheduler
from regluon.formats import states
from regluon.formats.states import Instance
from regluon.formats.tensors import Stored

from ..base import MXNetError
from ..context import Context
from ..error import FileFormatError
from ..lr_scheduler import LRScheduler
from ..ndarray import NDArray
from ..ndarray.utils import from_stored
from ._base import Optimizer
from ._fused import FusedOptimizer

_OURS = "mxnet."
_UNSAVED = ("param_dict", "_index_update_count")  # what `Optimizer.__getstate__` leaves out
_MOST_UPDATES = 1 << 40  # beyond what any training makes


def check_restored(made: Any, kind: str) -> None:
    """Refuses an object whose attributes do not fit its class; classes of users are left to them.

    Raises:
        FileFormatError: attributes are missing or of a wrong type; the text names all of them.
    """
    klass = type(made)
    if not klass.__module__.startswith(_OURS):
        return
    declared = _declared(klass)
    found = vars(made)
    problems = [
        f"{name} is {_short(found[name])}; expected {_words(kind_)}"
        for name, kind_ in declared.items()
        if name in found and not _fits(found[name], kind_)
    ]
    sample = None if problems else _sample(klass, declared, found, kind)
    if sample is not None:
        problems = [f"{name} is missing" for name in vars(sample) if name not in found and name not in _UNSAVED]
        problems += [
            f"{name} is {_short(found[name])}; expected {type(value).__name__}"
            for name, value in vars(sample).items()
            if name in found and name not in declared and not _alike(found[name], value)
        ]
    if problems:
        raise FileFormatError(
            f"[Updater.set_states] the saved {kind} {klass.__name__} is damaged: {', '.join(problems)}."
        )


def check_contents(state: Mapping[str, Any], kind: str, name: str) -> None:
    """Refuses dicts that hold what every optimizer would stumble over, before an object is made of them."""
    problems = [
        f"{key} is {_short(state[key])}; expected {expected}"
        for key, (fits, expected) in _CONTENTS.items()
        if key in state and not fits(state[key])
    ]
    if problems:
        raise FileFormatError(f"[Updater.set_states] the saved {kind} {name} is damaged: {', '.join(problems)}.")


def _declared(klass: type) -> dict[str, Any]:
    """The annotations of what the constructors of a class and of those it derives from take."""
    found: dict[str, Any] = {}
    for base in reversed(klass.__mro__[:-1]):
        if "__init__" in vars(base):
            for name, parameter in inspect.signature(base.__init__).parameters.items():  # type: ignore[misc]
                if parameter.kind is parameter.POSITIONAL_OR_KEYWORD and name != "self":
                    found[name] = parameter.annotation
    return found


def _sample(klass: type, declared: Mapping[str, Any], found: Mapping[str, Any], kind: str) -> Any:
    """An object made by the constructor, which checks the values it is given; None if it needs what is not saved."""
    parameters = inspect.signature(klass).parameters
    given = {name: found[name] for name in declared if name in parameters and name in found and _is_plain(found[name])}
    needed = [each for each in parameters.values() if each.kind is each.POSITIONAL_OR_KEYWORD]
    missing = [each.name for each in needed if each.default is each.empty and each.name not in given]
    if missing and issubclass(klass, LRScheduler):  # schedulers keep all they are given
        raise FileFormatError(
            f"[Updater.set_states] the saved {kind} {klass.__name__} is damaged: {', '.join(missing)} is missing."
        )
    if missing:
        return None
    if issubclass(klass, LRScheduler) and "warmup_final_lr" in found:
        given["base_lr"] = found["warmup_final_lr"]  # the one in force may have fallen since
    try:
        return klass(**given)
    except (ValueError, TypeError, AssertionError, MXNetError) as error:
        raise FileFormatError(f"[Updater.set_states] the saved {kind} {klass.__name__} is damaged: {error}") from None


def _is_plain(value: Any) -> bool:
    return value is None or isinstance(value, (bool, int, float, str, list))


def _fits(value: Any, annotation: Any) -> bool:
    """Whether a value is of an annotated type; what is not annotated with a plain type is left to the constructor."""
    origin = get_origin(annotation)
    if origin in (Union, UnionType):
        return any(_fits(value, choice) for choice in get_args(annotation))
    if annotation is float:
        return isinstance(value, (int, float))
    if annotation is bool:
        return isinstance(value, (bool, int))
    if annotation is int:
        return isinstance(value, int) and abs(value) <= _MOST_UPDATES
    if origin is list:
        return isinstance(value, list) and all(_fits(item, get_args(annotation)[0]) for item in value)
    if origin is not None:  # Python 3.10 takes `dict[int, str]` for a type, but not as one of isinstance
        return not isinstance(origin, type) or isinstance(value, origin)
    if annotation is None:
        return value is None
    return annotation is Any or not isinstance(annotation, type) or isinstance(value, annotation)


def _alike(value: Any, sample: Any) -> bool:
    """Whether a value may stand where a new object has another."""
    if sample is None or isinstance(sample, float):
        return value is None or isinstance(value, (int, float))
    if isinstance(sample, (bool, int)):
        return isinstance(value, int) and abs(value) <= _MOST_UPDATES
    return isinstance(value, type(sample))


def _words(annotation: Any) -> str:
    return getattr(annotation, "__name__", None) or str(annotation)


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 40 else f"{text[:37]}..."


def _numbers(value: Any) -> bool:
    return isinstance(value, dict) and all(isinstance(each, (int, float)) for each in value.values())


def _names(value: Any) -> bool:
    return isinstance(value, dict) and all(isinstance(each, str) for each in value.values())


def _counts(value: Any) -> bool:
    return isinstance(value, dict) and all(
        isinstance(each, dict) and all(isinstance(n, int) and 0 <= n <= _MOST_UPDATES for n in each.values())
        for each in value.values()
    )


# Attributes that hold dicts: what they must contain, and how to say so.
_CONTENTS: dict[str, tuple[Callable[[Any], bool], str]] = {
    "lr_mult": (_numbers, "numbers by index or name"),
    "wd_mult": (_numbers, "numbers by index or name"),
    "idx2name": (_names, "names by index"),
    "_all_index_update_counts": (_counts, "counts of updates by device and index"),
}


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
        nothing and calls nothing: see formats/states.py.
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
    if not states.looks_pickled(data):
        tree = states.decode(data)
        if not isinstance(tree, dict):
            raise FileFormatError("[Updater.set_states] received no optimizer states.")
        return tree
    content = states.read(data)
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
