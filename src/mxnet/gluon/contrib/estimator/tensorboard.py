"""Curves of a training for TensorBoard."""

import json
from os import PathLike
from typing import Any

import numpy as np

from .event_files import EventFile, Node
from .events import BatchEnd, EpochEnd, TrainBegin
from .peers import is_first

__all__ = ["TensorBoardHandler"]


class TensorBoardHandler(TrainBegin, BatchEnd, EpochEnd):
    """Writes metrics and the learning rate to event files; `tensorboard --logdir` shows them.

    No package is needed to write. Curves are drawn over the number of batches. Rank 0 writes for all processes.

    Args:
        logdir: the folder of the event files, one for each run.
        histograms: whether to write how parameters and gradients are spread, after each epoch.
        graph: whether to write the network, which must be a HybridBlock.
        batch_period: writes training metrics after every so many batches too.
        priority: the place among handlers: after metrics and evaluations.
    """

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
        self._file: EventFile | None = None

    def train_begin(self, estimator: Any, *args: Any, **kwargs: Any) -> None:
        """Makes a file."""
        self.current_batch = 0
        self.release()
        if is_first():
            self._file = EventFile(self.logdir)

    def set_state(self, state: dict[str, Any]) -> None:
        """Goes on counting; points that were written after the state was saved are taken back."""
        super().set_state(state)
        if self._file is not None:
            self._file.begin_again(self.current_batch + 1)

    def batch_end(self, estimator: Any, *args: Any, **kwargs: Any) -> None:
        """Writes the network once, and points if it is time."""
        self.current_batch += 1
        if self._file is None:
            return
        if self.graph and self.current_batch == 1:
            self._write_graph(self._file, estimator, kwargs["batch"])
        if self.batch_period and self.current_batch % self.batch_period == 0:
            self._write_scalars(self._file, estimator, estimator.train_metrics)

    def epoch_end(self, estimator: Any, *args: Any, **kwargs: Any) -> None:
        """Writes all metrics."""
        if self._file is None:
            return
        self._write_scalars(self._file, estimator, [*estimator.train_metrics, *estimator.val_metrics])
        if self.histograms:
            self._write_histograms(self._file, estimator.net)

    def release(self) -> None:
        """Closes the file."""
        if self._file is not None:
            self._file.close()
            self._file = None

    def _write_scalars(self, file: EventFile, estimator: Any, found: list[Any]) -> None:
        for metric in found:
            kind, _, name = metric.name.partition(" ")
            value = metric.get()[1]
            if not np.isnan(value):  # an evaluation that was not due yet
                file.scalar(f"{name}/{kind}" if name else kind, value, self.current_batch)
        file.scalar("learning rate", estimator.trainer.learning_rate, self.current_batch)
        file.flush()

    def _write_histograms(self, file: EventFile, net: Any) -> None:
        for name, parameter in net.collect_params().items():
            file.histogram(f"parameters/{name}", parameter.data().asnumpy(), self.current_batch)
            if parameter.grad_req != "null":
                file.histogram(f"gradients/{name}", parameter.grad().asnumpy(), self.current_batch)
        file.flush()

    def _write_graph(self, file: EventFile, estimator: Any, batch: Any) -> None:
        net = estimator.net
        if not hasattr(net, "_get_graph"):
            estimator.logger.info("TensorBoardHandler: the graph is not written; %s is no HybridBlock", net.name)
            return
        data = batch[0].as_in_context(estimator.context[0])
        file.graph(_nodes((net._cached_graph or net._get_graph(data))[1]))


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
