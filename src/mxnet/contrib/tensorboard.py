"""Metrics of a training as curves of TensorBoard."""

import logging
from typing import Any

__all__ = ["LogMetricsCallback"]


class LogMetricsCallback:
    """A callback that writes metrics to event files, through the package mxboard.

    Args:
        logging_dir: the folder of the event files.
        prefix: put before the names of metrics, to tell curves apart.

    Example:
        >>> module.fit(data, batch_end_callback=[mx.contrib.tensorboard.LogMetricsCallback("logs/train")])
    """

    def __init__(self, logging_dir: str, prefix: str | None = None) -> None:
        self.prefix = prefix
        try:
            from mxboard import SummaryWriter  # type: ignore[import-not-found,unused-ignore]
        except ImportError:
            logging.error("You can install mxboard via `pip install mxboard`.")
            return
        self.summary_writer = SummaryWriter(logging_dir)

    def __call__(self, param: Any) -> None:
        """Writes the metrics that a BatchEndParam brings."""
        if param.eval_metric is None:
            return
        for name, value in param.eval_metric.get_name_value():
            shown = name if self.prefix is None else f"{self.prefix}-{name}"
            self.summary_writer.add_scalar(shown, value, global_step=param.epoch)
