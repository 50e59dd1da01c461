"""A bar that shows how far an epoch is."""

import sys
from contextlib import AbstractContextManager, nullcontext
from typing import Any

from ._events import BatchBegin, BatchEnd, EpochEnd, TrainBegin
from ._peers import is_first
from .utils import _check_metrics

__all__ = ["ProgressBarHandler"]


class ProgressBarHandler(TrainBegin, BatchBegin, BatchEnd, EpochEnd):
    """Shows a bar for each epoch, in terminals and notebooks, through the package tqdm.

    There is no bar where errors do not go to a terminal, such as a file, and in processes other than rank 0.

    Args:
        total: how many batches an epoch has; by default that of the training data, and unknown in an evaluation.
        metrics: shown beside the bar; the training metrics by default.
        enabled: whether to show the bar, whatever it would be shown in.
        priority: the place among handlers: after the metrics, before logs.
    """

    __module__ = "mxnet.gluon.contrib.estimator"

    saved_attributes = ("current_epoch",)

    def __init__(
        self,
        total: int | None = None,
        metrics: Any = None,
        enabled: bool | None = None,
        priority: float = 1000,
    ) -> None:
        self.total = total
        self.metrics = _check_metrics(metrics)
        self.enabled = enabled
        self.priority = priority
        self.current_epoch = 0
        self._bar: Any = None
        self._logs: Any = None
        self._num_batches = total

    def train_begin(self, estimator: Any, *args: Any, **kwargs: Any) -> None:
        """Counts from zero."""
        self.current_epoch = 0
        self._num_batches = self.total or estimator._num_batches

    def batch_begin(self, estimator: Any, *args: Any, **kwargs: Any) -> None:
        """Shows an empty bar before the first batch, when logs have told that the epoch begins."""
        if self._bar is None and is_first() and (_is_seen() if self.enabled is None else self.enabled):
            of = f"/{estimator.max_epoch}" if estimator.max_epoch else ""
            tqdm = _tqdm()
            self._bar = tqdm(total=self._num_batches, desc=f"Epoch {self.current_epoch + 1}{of}", unit="batch")
            self._logs = _logs_above(estimator.logger, tqdm)
            self._logs.__enter__()

    def batch_end(self, estimator: Any, *args: Any, **kwargs: Any) -> None:
        """Moves the bar on."""
        if self._bar is None:
            return
        if self._bar.update():  # not at every batch: reading metrics waits for the devices
            self._show_values(estimator)

    def epoch_end(self, estimator: Any, *args: Any, **kwargs: Any) -> None:
        """Leaves the full bar behind."""
        if self._bar is not None:
            self._show_values(estimator)
        self.release()
        self.current_epoch += 1

    def _show_values(self, estimator: Any) -> None:
        values = (metric.get() for metric in self.metrics or estimator.train_metrics)
        shown = {name.removeprefix("training "): f"{value:.4g}" for name, value in values}
        self._bar.set_postfix(shown, refresh=False)

    def release(self) -> None:
        """Leaves the bar behind."""
        if self._bar is not None:
            self._logs.__exit__(None, None, None)
            self._bar.close()
            self._bar = None


def _logs_above(logger: Any, tqdm: Any) -> AbstractContextManager[None]:
    """Has lines that a logger writes to the terminal stand above the bar, instead of behind it."""
    if not any(getattr(each, "stream", None) in (sys.stdout, sys.stderr) for each in logger.handlers):
        return nullcontext()
    from tqdm.contrib.logging import logging_redirect_tqdm  # type: ignore[import-untyped,unused-ignore]

    found: AbstractContextManager[None] = logging_redirect_tqdm([logger], tqdm)
    return found


def _is_seen() -> bool:
    """Whether somebody looks: at a terminal, or at a notebook."""
    return sys.stderr.isatty() or _in_notebook()


def _in_notebook() -> bool:
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    return shell is not None and "IPKernelApp" in shell.config


def _tqdm() -> Any:
    try:
        from tqdm.auto import tqdm  # type: ignore[import-untyped,unused-ignore]
    except ImportError:
        raise ImportError("[ProgressBarHandler] needs the package tqdm: `pip install tqdm`.") from None
    return tqdm
