"""Curves of a training for TensorBoard."""

import json
import os
from os import PathLike
from typing import Any

import numpy as np

from ...._event_files import Node, graph_event, writer_class
from ._events import BatchEnd, EpochEnd, TrainBegin
from ._peers import is_first

__all__ = ["TensorBoardHandler"]


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
