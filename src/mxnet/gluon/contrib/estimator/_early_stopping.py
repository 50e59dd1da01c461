"""Stops a training that gets no better."""

import warnings
from typing import Any

import numpy as np

from ....metric import CompositeEvalMetric, EvalMetric
from ._events import EpochEnd, TrainBegin, TrainEnd
from ._monitoring import better_by, monitored, worst_of

__all__ = ["EarlyStoppingHandler"]


class EarlyStoppingHandler(TrainBegin, EpochEnd, TrainEnd):
    """Stops when a metric has not become better for some epochs.

    In a training by several processes the mean of their values counts, so that all of them stop together.

    Args:
        monitor: the metric, one of `estimator.train_metrics` or `estimator.val_metrics`.
        min_delta: a smaller change does not count as better.
        patience: how many epochs to wait.
        mode: 'min', 'max', or 'auto' to tell by the metric's name.
        baseline: a value that must be reached first.
    """

    __module__ = "mxnet.gluon.contrib.estimator.event_handler"

    saved_attributes = ("best", "current_epoch", "stop_training", "stopped_epoch", "wait")

    def __init__(
        self,
        monitor: EvalMetric,
        min_delta: float = 0,
        patience: int = 0,
        mode: str = "auto",
        baseline: float | None = None,
    ) -> None:
        if not isinstance(monitor, EvalMetric):
            raise ValueError(
                f"[EarlyStoppingHandler] monitor: received {type(monitor).__name__}; expected one of the metrics in "
                "estimator.train_metrics and estimator.val_metrics."
            )
        if isinstance(monitor, CompositeEvalMetric):
            raise ValueError(
                "[EarlyStoppingHandler] monitor: received a CompositeEvalMetric; expected a single metric. Take one of "
                "its metrics."
            )
        self.monitor = monitor
        self.baseline = baseline
        self.patience = patience
        self.monitor_op = better_by("EarlyStopping", mode, monitor)
        self.min_delta = min_delta if self.monitor_op is np.greater else -min_delta
        self.train_begin(None)

    def train_begin(self, estimator: Any, *args: Any, **kwargs: Any) -> None:
        """Forgets what was best."""
        self.wait = 0
        self.stopped_epoch = 0
        self.current_epoch = 0
        self.stop_training = False
        self.best = worst_of(self.monitor_op) if self.baseline is None else self.baseline

    def epoch_end(self, estimator: Any, *args: Any, **kwargs: Any) -> bool:
        """Compares the metric with the best one."""
        name, value = monitored(self.monitor, "EarlyStoppingHandler")
        if np.isnan(value):
            warnings.warn(
                f"[EarlyStoppingHandler] {name} is not updated. Take one of the metrics in estimator.train_metrics and "
                "estimator.val_metrics as monitor.",
                RuntimeWarning,
                stacklevel=2,
            )
        elif self.monitor_op(value - self.min_delta, self.best):
            self.best = value
            self.wait = 0
        else:
            self.wait += 1
            if self.wait >= self.patience:
                self.stopped_epoch = self.current_epoch
                self.stop_training = True
        self.current_epoch += 1
        return self.stop_training

    def train_end(self, estimator: Any, *args: Any, **kwargs: Any) -> None:
        """Tells why it stopped."""
        if self.stopped_epoch > 0:
            estimator.logger.info(
                "[Epoch %d] EarlyStoppingHanlder: early stopping due to %s not improving",
                *(self.stopped_epoch, self.monitor.get()[0]),
            )
