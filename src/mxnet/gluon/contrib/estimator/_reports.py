"""Report a training: log lines, progress bar, TensorBoard."""

import json
import os
import sys
import time
from contextlib import AbstractContextManager, nullcontext
from os import PathLike
from typing import Any

import numpy as np

from ...._event_files import Node, graph_event, writer_class
from ._event_base import BatchBegin, BatchEnd, EpochBegin, EpochEnd, TrainBegin, TrainEnd, is_first
from .utils import _check_metrics

__all__ = ["LoggingHandler", "ProgressBarHandler", "TensorBoardHandler"]


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


class TensorBoardHandler(TrainBegin, BatchEnd, EpochEnd):
    """Writes metrics and the learning rate to event files; `tensorboard --logdir` shows them.

    They are written by the package tensorboard. Curves are drawn over the number of batches. Rank 0 writes for all
    processes.

    Args:
        logdir: the folder of the event files, one for each run.
        histograms: whether to write how parameters and gradients are spread, after each epoch.
        graph: whether to write the network, which must be a HybridBlock.
        batch_period: writes training metrics after every so many batches too.
        priority: the place among handlers: after metrics and evaluations.
    """

    __module__ = "mxnet.gluon.contrib.estimator"

    saved_attributes = ("current_batch",)

    def __init__(
        self,
        logdir: str | PathLike[str],
        histograms: bool = False,
        graph: bool = False,
        batch_period: int | None = None,
        priority: float = 100,
    ) -> None:
        self.logdir = logdir
        self.histograms = histograms
        self.graph = graph
        self.batch_period = batch_period
        self.priority = priority
        self.current_batch = 0
        self._writer_class = writer_class(type(self).__name__)
        self._writer: Any = None
        self._purge_step: int | None = None

    def train_begin(self, estimator: Any, *args: Any, **kwargs: Any) -> None:
        """Counts from zero; a file is made with the first point."""
        self.release()
        self.current_batch = 0
        self._purge_step = None

    def set_state(self, state: dict[str, Any]) -> None:
        """Goes on counting; points that were written after the state was saved are taken back."""
        super().set_state(state)
        self._purge_step = self.current_batch + 1

    def batch_end(self, estimator: Any, *args: Any, **kwargs: Any) -> None:
        """Writes the network once, and points if it is time."""
        self.current_batch += 1
        if not is_first():
            return
        if self.graph and self.current_batch == 1:
            self._write_graph(estimator, kwargs["batch"])
        if self.batch_period and self.current_batch % self.batch_period == 0:
            self._write_scalars(estimator, estimator.train_metrics)

    def epoch_end(self, estimator: Any, *args: Any, **kwargs: Any) -> None:
        """Writes all metrics."""
        if not is_first():
            return
        self._write_scalars(estimator, [*estimator.train_metrics, *estimator.val_metrics])
        if self.histograms:
            self._write_histograms(estimator.net)

    def release(self) -> None:
        """Closes the file."""
        if self._writer is not None:
            self._writer.close()
            self._writer = None

    def _open(self) -> Any:
        if self._writer is None:
            self._writer = self._writer_class(os.fspath(self.logdir), purge_step=self._purge_step)
        return self._writer

    def _write_scalars(self, estimator: Any, found: list[Any]) -> None:
        writer = self._open()
        for metric in found:
            kind, _, name = metric.name.partition(" ")
            value = metric.get()[1]
            if not np.isnan(value):  # an evaluation that was not due yet
                writer.add_scalar(f"{name}/{kind}" if name else kind, value, self.current_batch)
        writer.add_scalar("learning rate", estimator.trainer.learning_rate, self.current_batch)
        writer.flush()

    def _write_histograms(self, net: Any) -> None:
        for name, parameter in net.collect_params().items():
            self._write_histogram(f"parameters/{name}", parameter.data())
            if parameter.grad_req != "null":
                self._write_histogram(f"gradients/{name}", parameter.grad())
        self._open().flush()

    def _write_histogram(self, tag: str, array: Any) -> None:
        """Writes how numbers are spread; infinite ones and NaN are left out."""
        values = array.asnumpy().astype(np.float64)
        values = values[np.isfinite(values)]
        if values.size:
            self._open().add_histogram(tag, values, self.current_batch)

    def _write_graph(self, estimator: Any, batch: Any) -> None:
        net = estimator.net
        if not hasattr(net, "_get_graph"):
            estimator.logger.info("TensorBoardHandler: the graph is not written; %s is no HybridBlock", net.name)
            return
        data = batch[0].as_in_context(estimator.context[0])
        self._open().file_writer.add_event(graph_event(_nodes((net._cached_graph or net._get_graph(data))[1])))


def _nodes(symbol: Any) -> list[Node]:
    """The operators and inputs of a graph."""
    nodes = json.loads(symbol.tojson())["nodes"]
    return [
        (
            node["name"],
            "Parameter" if node["op"] == "null" else node["op"],
            [nodes[source[0]]["name"] for source in node["inputs"]],
        )
        for node in nodes
    ]
