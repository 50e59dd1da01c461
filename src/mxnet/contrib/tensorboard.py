"""Metrics of a training as curves of TensorBoard."""

import os
from os import PathLike
from typing import Any

from .._event_files import writer_class

__all__ = ["LogMetricsCallback"]


class LogMetricsCallback:
    """A callback that writes metrics to event files, which `tensorboard --logdir` shows.

    They are written by the package mxboard if it is installed, as in MXNet; else by the package tensorboard.

    Args:
        logging_dir: the folder of the event files.
        prefix: put before the names of metrics, to tell curves apart.

    Example:
        >>> module.fit(data, batch_end_callback=[mx.contrib.tensorboard.LogMetricsCallback("logs/train")])
    """

    def __init__(self, logging_dir: str | PathLike[str], prefix: str | None = None) -> None:
        self.prefix = prefix
        self.summary_writer = _writer(logging_dir)

    def __call__(self, param: Any) -> None:
        """Writes the metrics that a BatchEndParam brings."""
        if param.eval_metric is None:
            return
        for name, value in param.eval_metric.get_name_value():
            shown = name if self.prefix is None else f"{self.prefix}-{name}"
            self.summary_writer.add_scalar(shown, value, global_step=param.epoch)
        self.summary_writer.flush()  # so that curves grow while one looks, and nothing is lost in the end


def _writer(folder: str | PathLike[str]) -> Any:
    try:
        from mxboard import SummaryWriter  # type: ignore[import-not-found,unused-ignore]
    except ImportError:
        SummaryWriter = writer_class("LogMetricsCallback")
    return SummaryWriter(os.fspath(folder))
