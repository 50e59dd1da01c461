"""What a training says about itself."""

import time
from typing import Any

import numpy as np

from ._events import BatchBegin, BatchEnd, EpochBegin, EpochEnd, TrainBegin, TrainEnd
from .utils import _check_metrics

__all__ = ["LoggingHandler"]


class LoggingHandler(TrainBegin, TrainEnd, EpochBegin, EpochEnd, BatchBegin, BatchEnd):
    """Writes learning rates, times and metrics to the estimator's logger.

    Args:
        log_interval: 'epoch', or every how many batches too.
        metrics: what to write of.
        priority: the place among handlers: the last one, when everything is known.
    """

    __module__ = "mxnet.gluon.contrib.estimator.event_handler"

    saved_attributes = ("batch_index", "current_epoch", "processed_samples")

    def __init__(self, log_interval: int | str = "epoch", metrics: Any = None, priority: float = np.inf) -> None:
        if not isinstance(log_interval, int) and log_interval != "epoch":
            raise ValueError(
                f"[LoggingHandler] log_interval: received {log_interval!r}; expected a number of batches or 'epoch'."
            )
        self.metrics = _check_metrics(metrics)
        self.priority = priority
        self.log_interval = log_interval
        self._start_counting()

    def _start_counting(self) -> None:
        self.batch_index = 0
        self.current_epoch = 0
        self.processed_samples = 0
        self.log_interval_time = 0.0

    def train_begin(self, estimator: Any, *args: Any, **kwargs: Any) -> None:
        """Tells the optimizer and how long the training is to be."""
        self.train_start = time.time()
        estimator.logger.info(
            "Training begin: using optimizer %s with current learning rate %.4f ",
            *(type(estimator.trainer.optimizer).__name__, estimator.trainer.learning_rate),
        )
        if estimator.max_epoch:
            estimator.logger.info("Train for %d epochs.", estimator.max_epoch)
        else:
            estimator.logger.info("Train for %d batches.", estimator.max_batch)
        self._start_counting()

    def train_end(self, estimator: Any, *args: Any, **kwargs: Any) -> None:
        """Tells how long the training took."""
        seconds = time.time() - self.train_start
        estimator.logger.info(
            self._with_values(f"Train finished using total {int(seconds)}s with {self.current_epoch} epochs. ")
        )

    def batch_begin(self, estimator: Any, *args: Any, **kwargs: Any) -> None:
        """Looks at the clock."""
        if isinstance(self.log_interval, int):
            self.batch_start = time.time()

    def batch_end(self, estimator: Any, *args: Any, **kwargs: Any) -> None:
        """Tells of the last batches if it is time."""
        if isinstance(self.log_interval, int):
            self.processed_samples += kwargs["batch"][0].shape[0]
            self.log_interval_time += time.time() - self.batch_start
            if self.batch_index % self.log_interval == 0:
                place = f"[Epoch {self.current_epoch}][Batch {self.batch_index}][Samples {self.processed_samples}] "
                estimator.logger.info(self._with_values(f"{place}time/interval: {self.log_interval_time:.3f}s "))
                self.log_interval_time = 0.0
        self.batch_index += 1

    def epoch_begin(self, estimator: Any, *args: Any, **kwargs: Any) -> None:
        """Tells the learning rate, or that an evaluation begins."""
        self.epoch_start = time.time()
        if any("training" in metric.name for metric in self.metrics):  # names tell training from validation
            rate = estimator.trainer.learning_rate
            estimator.logger.info("[Epoch %d] Begin, current learning rate: %.4f", self.current_epoch, rate)
        else:
            estimator.logger.info("Validation Begin")

    def epoch_end(self, estimator: Any, *args: Any, **kwargs: Any) -> None:
        """Tells the metrics of an epoch."""
        seconds = time.time() - self.epoch_start
        estimator.logger.info(self._with_values(f"[Epoch {self.current_epoch}] Finished in {seconds:.3f}s, "))
        self.current_epoch += 1
        self.batch_index = 0

    def _with_values(self, text: str) -> str:
        values = (metric.get() for metric in self.metrics)
        return (text + "".join(f"{name}: {value:.4f}, " for name, value in values)).rstrip(", ")
