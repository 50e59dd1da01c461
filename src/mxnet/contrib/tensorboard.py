"""Metrics of a training as curves of TensorBoard."""

from os import PathLike
from typing import Any

from ..gluon.contrib.estimator.event_files import EventFile

__all__ = ["LogMetricsCallback"]


class LogMetricsCallback:
    """A callback that writes metrics to event files, which `tensorboard --logdir` shows.

    They are written by the package mxboard if it is installed, as in MXNet; else by this library itself.

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


def _writer(folder: str | PathLike[str]) -> Any:
    try:
        from mxboard import SummaryWriter  # type: ignore[import-not-found,unused-ignore]
    except ImportError:
        return _Writer(folder)
    return SummaryWriter(folder)


class _Writer:
    """What the callback needs of mxboard's SummaryWriter."""

    def __init__(self, folder: str | PathLike[str]) -> None:
        self._file = EventFile(folder)

    def add_scalar(self, tag: str, value: float, global_step: int = 0) -> None:
        """Writes a point of a curve, which can be seen at once."""
        self._file.scalar(tag, float(value), global_step)
        self._file.flush()

    def flush(self) -> None:
        """Lets readers see what was written."""
        self._file.flush()

    def close(self) -> None:
        """Ends the file."""
        self._file.close()
