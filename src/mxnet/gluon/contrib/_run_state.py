"""What a run is besides weights and optimizer: random numbers, metrics, and the order of its data."""

import copy
import random
from collections.abc import Iterator
from typing import Any

import numpy as np

from regluon import rng
from regluon.formats import states
from regluon.formats.states import Instance
from regluon.formats.stored import Stored, as_stored

from ...context import Context
from ...metric import EvalMetric
from ...metric._totals import Running
from ...ndarray import NDArray
from ...ndarray.utils import from_stored

__all__ = [
    "as_bytes",
    "metric_state",
    "random_state",
    "sampler_states",
    "set_metric_state",
    "set_random_state",
    "set_sampler_states",
    "stored",
]

_METRICS = "mxnet.metric"
_COUNTERS = ("_epoch", "_pass", "_prev")  # of samplers: passes made, and what rolls over into the next one


def stored(data: bytes) -> Stored:
    """Bytes as an array of a file."""
    return as_stored(np.frombuffer(data, np.uint8))


def as_bytes(array: Stored) -> bytes:
    """The bytes that `stored` was given."""
    return bytes(np.asarray(array.data).tobytes())


def random_state() -> bytes:
    """Where all random numbers of this process are: the library's own, NumPy's and Python's."""
    kind, keys, *numpy_rest = np.random.get_state(legacy=True)
    version, numbers, gauss = random.getstate()
    tree = {
        "devices": {name: stored(state) for name, state in rng.states().items()},
        "numpy": [kind, stored(np.asarray(keys, np.uint32).tobytes()), *numpy_rest],
        "python": [version, stored(np.asarray(numbers, np.uint32).tobytes()), gauss],
    }
    return states.encode(tree, "Checkpoint.save")


def set_random_state(data: bytes) -> None:
    """Goes on where `random_state` was called."""
    tree = states.decode(data, "Checkpoint.restore")
    rng.set_states({name: as_bytes(state) for name, state in tree["devices"].items()})
    kind, keys, *numpy_rest = tree["numpy"]
    np.random.set_state((kind, np.frombuffer(as_bytes(keys), np.uint32), *numpy_rest))
    version, numbers, gauss = tree["python"]
    random.setstate((version, tuple(np.frombuffer(as_bytes(numbers), np.uint32).tolist()), gauss))


def sampler_states(loader: Any) -> list[dict[str, Any]]:
    """Where the samplers of a DataLoader are: those of batches first, then those they take indices from."""
    # Copies: a sampler goes on to fill the list of what rolls over.
    return [
        {name: copy.copy(vars(each)[name]) for name in _COUNTERS if name in vars(each)} for each in _samplers(loader)
    ]


def set_sampler_states(loader: Any, saved: list[dict[str, Any]]) -> None:
    """Has a DataLoader begin the pass that it would have begun when `sampler_states` was called."""
    for sampler, state in zip(_samplers(loader), saved, strict=False):
        vars(sampler).update(copy.deepcopy(state))


def _samplers(loader: Any) -> Iterator[Any]:
    found = getattr(loader, "_batch_sampler", None)
    while found is not None and hasattr(found, "__dict__"):
        yield found
        found = getattr(found, "_sampler", None)


class _Unknown(Exception):
    """A value that is no part of a metric's state, such as a function."""


def metric_state(metric: Any) -> dict[str, Any]:
    """What a metric has seen, bit by bit: sums, counts and arrays among its attributes."""
    state = {}
    for name, value in vars(metric).items():
        try:
            state[name] = _saved(value)
        except _Unknown:
            continue  # functions and the like are the program's, not the run's
    return state


def set_metric_state(metric: Any, state: dict[str, Any]) -> None:
    """Goes on where `metric_state` was called."""
    for name, value in state.items():
        vars(metric)[name] = _restored(value, vars(metric).get(name))


def _saved(value: Any) -> Any:
    if value is None or isinstance(value, (bool, int, float, str, np.bool_, np.integer, np.floating)):
        return value
    if isinstance(value, Running):
        return Instance("sum", {"start": _saved(value._start), "parts": [_saved(x) for x in value._parts.values()]})
    if isinstance(value, NDArray):
        where = [value.context.device_type, value.context.device_id]
        return Instance("array", {"context": where, "values": value._to_stored()})
    if isinstance(value, np.ndarray):
        return Instance("numpy", {"values": as_stored(value)})
    if isinstance(value, (list, tuple)):
        return type(value)(_saved(each) for each in value)
    if isinstance(value, dict):
        return {key: _saved(each) for key, each in value.items()}
    if isinstance(value, EvalMetric) or type(value).__module__.startswith(_METRICS):
        return Instance("object", metric_state(value))
    raise _Unknown


def _restored(value: Any, now: Any) -> Any:
    if isinstance(value, Instance):
        return _restored_instance(value, now)
    if isinstance(value, (list, tuple)):
        known = list(now) if isinstance(now, (list, tuple)) else []
        return type(value)(
            _restored(each, known[place] if place < len(known) else None) for place, each in enumerate(value)
        )
    if isinstance(value, dict):
        return {key: _restored(each, now.get(key) if isinstance(now, dict) else None) for key, each in value.items()}
    return value


def _restored_instance(record: Instance, now: Any) -> Any:
    state = record.state
    if record.kind == "sum":
        parts = [_restored(each, None) for each in state["parts"]]
        return Running(state["start"], {part.context: part for part in parts})
    if record.kind == "array":
        return from_stored(state["values"], "Checkpoint.restore").as_in_context(Context(*state["context"]))
    if record.kind == "numpy":
        return np.array(state["values"].data)
    if now is not None:
        set_metric_state(now, state)
    return now
