"""A training that is saved every few batches, and goes on after an interruption as if there had been none."""

from collections import Counter
from collections.abc import Iterator
from os import PathLike, fspath
from typing import Any

from .._training_state import (
    Checkpoint,
    as_bytes,
    metric_state,
    random_state,
    sampler_states,
    set_metric_state,
    set_random_state,
    set_sampler_states,
    stored,
)
from ._basic_handlers import GradientUpdateHandler
from ._checkpoint_handler import CheckpointHandler
from ._event_base import EventHandler

__all__ = ["Progress"]


class Progress:
    """Where a training is: the batches of its epochs, saved now and then.

    The position in an epoch is restored by beginning the epoch with the random numbers and samplers that it began
    with, and passing over the batches that are done.

    Args:
        estimator: whose training it is.
        handlers: those of the training, whose states belong to it.
        checkpoint: a `gluon.contrib.Checkpoint`, or the folder for one; None to save nothing.
        every: saves after every so many batches, besides after every epoch.
    """

    def __init__(self, estimator: Any, handlers: list[EventHandler], checkpoint: Any, every: int | None) -> None:
        if isinstance(checkpoint, (str, PathLike)):
            checkpoint = Checkpoint(fspath(checkpoint), estimator.net, estimator.trainer)
        _check(checkpoint, every, handlers)
        self._estimator, self._handlers = estimator, handlers
        self._checkpoint, self._every = checkpoint, every
        self._epoch = self._batch = self._total = 0
        self._is_due = False
        self._begin: dict[str, Any] = {}  # random numbers and samplers when the epoch began
        self._resumed: dict[str, Any] | None = None  # what the middle of an epoch is to begin with

    def restore(self) -> bool:
        """Goes back to the newest checkpoint; returns whether there is something left to train."""
        found = None if self._checkpoint is None else self._checkpoint._restore(self._estimator.context)
        if found is None:
            return True
        progress, saved = found
        if saved is None:
            raise ValueError(
                f"[Estimator.fit] checkpoint: received one that Checkpoint.save wrote ({progress}); expected one of "
                "Estimator.fit, which says where in the data and in its handlers a training is. Use another folder."
            )
        self._epoch, self._batch, self._total, self._begin = (
            saved[key] for key in ("epoch", "batch", "total", "begin")
        )
        self._estimator.logger.info("Training resumed at epoch %d, batch %d", self._epoch, self._batch)
        self._set_states(saved)
        if self._batch:
            self._resumed = {**saved, "random": random_state()}
        return not any(getattr(handler, "stop_training", False) for handler in self._handlers)

    def batches(self, train_data: Any) -> Iterator[Any]:
        """The batches of an epoch that are left."""
        if self._checkpoint is None:
            yield from train_data
            return
        train_data.clean()  # a pass prepared ahead has drawn its order already
        resumed, self._resumed = self._resumed, None
        if resumed is None:
            self._begin = {"random": stored(random_state()), "samplers": sampler_states(train_data)}
            yield from train_data
            return
        set_random_state(as_bytes(self._begin["random"]))
        set_sampler_states(train_data, self._begin["samplers"])
        left = iter(train_data)
        for _ in range(self._batch):
            next(left, None)
        self._set_states(resumed)  # once more: handlers have seen the epoch begin
        set_random_state(resumed["random"])
        yield from left

    def batch_ended(self) -> None:
        """Counts a batch, and saves the training if it is time: not in between steps of added gradients."""
        self._batch += 1
        self._total += 1
        self._is_due = self._is_due or bool(self._every and self._total % self._every == 0)
        updaters = (each for each in self._handlers if isinstance(each, GradientUpdateHandler))
        if self._is_due and not any(updater.is_between_steps for updater in updaters):
            self._save()

    def epoch_ended(self) -> None:
        """Counts an epoch, and saves the training."""
        self._epoch += 1
        self._batch = 0
        self._save()

    def _save(self) -> None:
        self._is_due = False
        if self._checkpoint is None:
            return
        where = {"epoch": self._epoch, "batch": self._batch}
        state = {
            **where,
            "total": self._total,
            "begin": self._begin,
            "handlers": {name: handler.get_state() for name, handler in self._named_handlers()},
            "metrics": [metric_state(metric) for metric in self._metrics()],
        }
        self._checkpoint._save(where, state)

    def _set_states(self, saved: dict[str, Any]) -> None:
        for name, handler in self._named_handlers():
            if name in saved["handlers"]:
                handler.set_state(saved["handlers"][name])
        for metric, state in zip(self._metrics(), saved["metrics"], strict=False):
            set_metric_state(metric, state)

    def _metrics(self) -> list[Any]:
        return [*self._estimator.train_metrics, *self._estimator.val_metrics]

    def _named_handlers(self) -> Iterator[tuple[str, EventHandler]]:
        seen: Counter[str] = Counter()
        for handler in self._handlers:
            kind = type(handler).__name__
            yield f"{kind}{seen[kind]}", handler
            seen[kind] += 1


def _check(checkpoint: Any, every: int | None, handlers: list[EventHandler]) -> None:
    if not (checkpoint is None or isinstance(checkpoint, Checkpoint)):
        raise TypeError(
            f"[Estimator.fit] checkpoint: received {type(checkpoint).__name__}; expected a gluon.contrib.Checkpoint or "
            "the name of a folder."
        )
    if every is not None and (checkpoint is None or every < 1):
        raise ValueError(
            f"[Estimator.fit] every: received {every} with checkpoint={checkpoint!r}; expected at least 1, and a "
            "checkpoint to save to."
        )
    if checkpoint is not None and any(
        isinstance(each, CheckpointHandler) and each.resume_from_checkpoint for each in handlers
    ):
        raise ValueError(
            "[Estimator.fit] received a checkpoint and a CheckpointHandler with resume_from_checkpoint=True; expected "
            "one of them: only the checkpoint has everything."
        )
