"""The handlers that every training has: when it stops, what moves the weights, what is measured."""

from typing import Any

from ....metric import Loss
from ._event_base import BatchEnd, EpochBegin, EpochEnd, TrainBegin, step_size
from .utils import _check_metrics

__all__ = ["GradientUpdateHandler", "MetricHandler", "StoppingHandler", "ValidationHandler"]


class StoppingHandler(TrainBegin, BatchEnd, EpochEnd):
    """Stops after a number of epochs or batches; those of `Estimator.fit` go before its own.

    Args:
        max_epoch: the number of epochs.
        max_batch: the number of batches.
    """

    __module__ = "mxnet.gluon.contrib.estimator.event_handler"

    saved_attributes = ("current_batch", "current_epoch")

    def __init__(self, max_epoch: int | None = None, max_batch: int | None = None) -> None:
        self.max_epoch = max_epoch
        self.max_batch = max_batch
        self.current_batch = 0
        self.current_epoch = 0
        self.stop_training = False

    def train_begin(self, estimator: Any, *args: Any, **kwargs: Any) -> None:
        """Counts from zero."""
        self.max_epoch = estimator.max_epoch
        self.max_batch = estimator.max_batch
        self.current_batch = 0
        self.current_epoch = 0

    def batch_end(self, estimator: Any, *args: Any, **kwargs: Any) -> bool:
        """Counts a batch."""
        self.current_batch += 1
        if self.current_batch == self.max_batch:
            self.stop_training = True
        return self.stop_training

    def epoch_end(self, estimator: Any, *args: Any, **kwargs: Any) -> bool:
        """Counts an epoch."""
        self.current_epoch += 1
        if self.current_epoch == self.max_epoch:
            self.stop_training = True
        return self.stop_training

    def set_state(self, state: dict[str, Any]) -> None:
        """Goes on counting; the limits are those of today, which may be higher than before."""
        super().set_state(state)
        counted = ((self.current_epoch, self.max_epoch), (self.current_batch, self.max_batch))
        self.stop_training = any(limit and count >= limit for count, limit in counted)


class MetricHandler(EpochBegin, BatchEnd):
    """Updates metrics with each batch.

    Args:
        metrics: those to update; instances of mx.metric.Loss get the losses, others labels and predictions.
        priority: the place among handlers; those that look at metrics must come later.
    """

    __module__ = "mxnet.gluon.contrib.estimator.event_handler"

    def __init__(self, metrics: Any, priority: float = -1000) -> None:
        self.metrics = _check_metrics(metrics)
        self.priority = priority

    def epoch_begin(self, estimator: Any, *args: Any, **kwargs: Any) -> None:
        """Lets metrics forget the epoch before."""
        for metric in self.metrics:
            metric.reset()

    def batch_end(self, estimator: Any, *args: Any, **kwargs: Any) -> None:
        """Updates the metrics."""
        for metric in self.metrics:
            if isinstance(metric, Loss):
                metric.update(0, kwargs["loss"])
            else:
                metric.update(kwargs["label"], kwargs["pred"])


class ValidationHandler(TrainBegin, BatchEnd, EpochEnd):
    """Evaluates every few epochs or batches.

    Args:
        val_data: the data.
        eval_fn: called with `val_data=`, `batch_axis=` and `event_handlers=`; usually `estimator.evaluate`.
        epoch_period: evaluates after every so many epochs; None for never.
        batch_period: evaluates after every so many batches; None for never.
        priority: the place among handlers; those that look at validation metrics must come later.
        event_handlers: for the evaluation.
    """

    __module__ = "mxnet.gluon.contrib.estimator.event_handler"

    saved_attributes = ("current_batch", "current_epoch")

    def __init__(
        self,
        val_data: Any,
        eval_fn: Any,
        epoch_period: int | None = 1,
        batch_period: int | None = None,
        priority: float = -1000,
        event_handlers: Any = None,
    ) -> None:
        self.val_data = val_data
        self.eval_fn = eval_fn
        self.epoch_period = epoch_period
        self.batch_period = batch_period
        self.current_batch = 0
        self.current_epoch = 0
        self.priority = priority
        self.event_handlers = event_handlers

    def train_begin(self, estimator: Any, *args: Any, **kwargs: Any) -> None:
        """Counts from zero."""
        self.current_batch = 0
        self.current_epoch = 0

    def batch_end(self, estimator: Any, *args: Any, **kwargs: Any) -> None:
        """Evaluates if it is time."""
        self.current_batch += 1
        if self.batch_period and self.current_batch % self.batch_period == 0:
            self._evaluate(estimator)

    def epoch_end(self, estimator: Any, *args: Any, **kwargs: Any) -> None:
        """Evaluates if it is time."""
        self.current_epoch += 1
        if self.epoch_period and self.current_epoch % self.epoch_period == 0:
            self._evaluate(estimator)

    def _evaluate(self, estimator: Any) -> None:
        self.eval_fn(val_data=self.val_data, batch_axis=estimator.batch_axis, event_handlers=self.event_handlers)


class GradientUpdateHandler(TrainBegin, BatchEnd, EpochEnd):
    """Moves the weights after each batch, or after several whose gradients are added up.

    With `update_interval=k` the result is that of batches k times as large. Batches that are left at the end of an
    epoch make a smaller step. Meanwhile parameters have `grad_req='add'`.

    Args:
        priority: the place among handlers.
        update_interval: how many batches make a step.
    """

    __module__ = "mxnet.gluon.contrib.estimator.event_handler"

    def __init__(self, priority: float = -2000, update_interval: int = 1) -> None:
        if update_interval < 1:
            raise ValueError(
                f"[GradientUpdateHandler] update_interval: received {update_interval}; expected at least 1."
            )
        self.priority = priority
        self.update_interval = update_interval
        self._adding: list[Any] = []  # parameters whose grad_req is to be 'write' again
        self._forget()

    def _forget(self) -> None:
        self._num_batches = 0
        self._num_samples = 0

    @property
    def is_between_steps(self) -> bool:
        """Whether gradients of some batches wait for those of others."""
        return self._num_batches > 0

    def train_begin(self, estimator: Any, *args: Any, **kwargs: Any) -> None:
        """Has gradients added up."""
        self._forget()
        if self.update_interval > 1:
            self._adding = [each for each in estimator.trainer._params if each.grad_req == "write"]
            for parameter in self._adding:
                parameter.grad_req = "add"

    def batch_end(self, estimator: Any, *args: Any, **kwargs: Any) -> None:
        """Moves the weights if it is time."""
        loss = kwargs["loss"]
        self._num_samples += sum(each.shape[0] for each in (loss if isinstance(loss, list) else [loss]))
        self._num_batches += 1
        if self._num_batches == self.update_interval:
            self._step(estimator.trainer)

    def epoch_end(self, estimator: Any, *args: Any, **kwargs: Any) -> None:
        """Moves the weights by what is left."""
        if self.is_between_steps:
            self._step(estimator.trainer)

    def release(self) -> None:
        """Lets gradients be written again."""
        for parameter in self._adding:
            parameter.grad_req = "write"
        self._adding = []

    def _step(self, trainer: Any) -> None:
        trainer.step(step_size(trainer, self._num_samples))
        for parameter in self._adding:
            parameter.zero_grad()
        self._forget()
