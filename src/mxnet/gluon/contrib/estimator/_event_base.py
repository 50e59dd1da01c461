"""Define the events of a training and compare monitored metrics."""

import struct
import warnings
from typing import Any

import numpy as np

from regluon.distributed import ProcessGroup, joined

from ....kvstore.base import is_within_process

__all__ = [
    "BatchBegin",
    "BatchEnd",
    "EpochBegin",
    "EpochEnd",
    "EventHandler",
    "TrainBegin",
    "TrainEnd",
    "is_any",
    "is_first",
    "mean",
    "peers",
    "step_size",
    "better_by",
    "monitored",
    "worst_of",
]


class EventHandler:
    """The base of all handlers: a subclass inherits from the events it reacts to.

    Handlers are called in the order of their attribute `priority`, lowest first; it is 0 where there is none.

    Attributes:
        saved_attributes: names of the attributes that a training which goes on after an interruption needs: numbers,
            texts, and lists or dicts of them.
    """

    __module__ = "mxnet.gluon.contrib.estimator.event_handler"

    saved_attributes: tuple[str, ...] = ()

    def get_state(self) -> dict[str, Any]:
        """What is saved of the handler with a run; see `Estimator.fit(checkpoint=...)`."""
        return {name: getattr(self, name) for name in self.saved_attributes if hasattr(self, name)}

    def set_state(self, state: dict[str, Any]) -> None:
        """Goes on where `get_state` was called."""
        for name, value in state.items():
            setattr(self, name, value)

    def release(self) -> None:
        """Gives back what a training needed, such as open files: the last call, after an error as well."""


class TrainBegin(EventHandler):
    """Called before the first epoch."""

    __module__ = "mxnet.gluon.contrib.estimator.event_handler"

    def train_begin(self, estimator: Any, *args: Any, **kwargs: Any) -> None:
        """The training begins."""


class TrainEnd(EventHandler):
    """Called after the last epoch."""

    __module__ = "mxnet.gluon.contrib.estimator.event_handler"

    def train_end(self, estimator: Any, *args: Any, **kwargs: Any) -> None:
        """The training ends."""


class EpochBegin(EventHandler):
    """Called before each pass over the data."""

    __module__ = "mxnet.gluon.contrib.estimator.event_handler"

    def epoch_begin(self, estimator: Any, *args: Any, **kwargs: Any) -> None:
        """An epoch begins."""


class EpochEnd(EventHandler):
    """Called after each pass over the data."""

    __module__ = "mxnet.gluon.contrib.estimator.event_handler"

    def epoch_end(self, estimator: Any, *args: Any, **kwargs: Any) -> bool | None:
        """An epoch ends; returns whether the training is to stop."""
        return False


class BatchBegin(EventHandler):
    """Called before each batch, with `batch=`."""

    __module__ = "mxnet.gluon.contrib.estimator.event_handler"

    def batch_begin(self, estimator: Any, *args: Any, **kwargs: Any) -> None:
        """A batch begins."""


class BatchEnd(EventHandler):
    """Called after each batch, with `batch=`, `pred=`, `label=` and `loss=`."""

    __module__ = "mxnet.gluon.contrib.estimator.event_handler"

    def batch_end(self, estimator: Any, *args: Any, **kwargs: Any) -> bool | None:
        """A batch ends; returns whether the training is to stop."""
        return False


def _check_event_handlers(handlers: Any) -> list[EventHandler]:
    """A new list of the handlers that a program gave: one, several or none."""
    if isinstance(handlers, EventHandler):
        return [handlers]
    found = list(handlers or ())
    for handler in found:
        if not isinstance(handler, EventHandler):
            raise ValueError(
                f"[Estimator] event_handlers: received {type(handler).__name__}; expected an EventHandler, or a list "
                "of them. Inherit from the events to react to, such as EpochEnd."
            )
    return found


def peers() -> ProcessGroup | None:
    """The processes that train together; None where this one trains alone."""
    group = joined()
    return None if group is None or group.size == 1 else group


def is_first() -> bool:
    """Whether this process writes what all of them have: logs, checkpoints and curves."""
    group = peers()
    return group is None or group.rank == 0


def mean(value: float, what: str) -> float:
    """The mean of a number over all processes, the same bits on all of them; NaN if it is NaN on one."""
    group = peers()
    if group is None:
        return value
    parts = group.all_gather_bytes(struct.pack("<d", value), what)
    return float(sum(struct.unpack("<d", part)[0] for part in parts) / len(parts))


def is_any(flag: bool, what: str) -> bool:
    """Whether a flag is set on some process."""
    group = peers()
    return flag if group is None else b"\1" in group.all_gather_bytes(bytes([flag]), what)


def step_size(trainer: Any, batch_size: int) -> int:
    """What gradients are divided by: the samples of all processes whose gradients the trainer's store adds up."""
    store = trainer._kvstore_kind  # there may be no other before the first step
    if store is None or _is_async(store) or (isinstance(store, str) and is_within_process(store)):
        return batch_size
    group = peers()
    return batch_size * int(getattr(store, "num_workers", 1 if group is None else group.size))


def waits_for_others(trainer: Any) -> bool:
    """Whether all processes make the same number of steps, so that they can decide together."""
    return peers() is not None and not _is_async(trainer._kvstore_kind)


def _is_async(store: Any) -> bool:
    return "async" in str(store if isinstance(store, str) else getattr(store, "type", ""))


def better_by(who: str, mode: str, monitor: Any) -> Any:
    """The comparison of a new value with the best one.

    Args:
        who: asks, for warnings.
        mode: 'min', 'max', or 'auto' to tell by the name: greater is better for accuracies and F1.
        monitor: the metric.
    """
    if mode not in ("auto", "min", "max"):
        warnings.warn(
            f"{who} mode {mode} is unknown, fallback to auto mode: greater is better for metrics with acc or f1 in "
            "their names, less for others.",
            RuntimeWarning,
            stacklevel=3,
        )
        mode = "auto"
    if mode != "auto":
        return np.less if mode == "min" else np.greater
    name = str(monitor.get()[0])
    is_greater = any(part in name.lower() for part in ("acc", "f1"))
    chosen, mode, other, its_mode = (
        ("greater", "max", "less", "min") if is_greater else ("less", "min", "greater", "max")
    )
    warnings.warn(
        f"`{chosen}` operator will be used to determine if {name} has improved. Please specify `mode='{its_mode}'` to "
        f"use the `{other}` operator. Specify `mode='{mode}'` to disable this warning.",
        stacklevel=3,
    )
    return np.greater if is_greater else np.less


def worst_of(better: Any) -> float:
    """What every value is better than."""
    return float("inf") if better is np.less else -float("inf")


def monitored(monitor: Any, what: str) -> tuple[str, float]:
    """Name and value of a metric: in a training by several processes the mean of all, so that they decide alike."""
    name, value = monitor.get()
    return name, mean(float(value), what)
