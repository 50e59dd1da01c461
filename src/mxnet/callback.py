"""Functions to give to `fit`: they save, and tell how training goes."""

import logging
import math
import time
from collections.abc import Callable
from typing import Any

from regluon.symbol.checkpoint import save_checkpoint

__all__ = [
    "LogValidationMetricsCallback",
    "ProgressBar",
    "Speedometer",
    "do_checkpoint",
    "log_train_metric",
    "module_checkpoint",
    "save_checkpoint",
]


def module_checkpoint(
    mod: Any, prefix: Any, period: int = 1, save_optimizer_states: bool = False
) -> Callable[..., None]:
    """Saves a module after epochs.

    Args:
        mod: the module.
        prefix: the beginning of the files' names.
        period: after how many epochs.
        save_optimizer_states: whether to save what the optimizer remembers too.
    """
    period = int(max(1, period))

    def save(iter_no: int, sym: Any = None, arg: Any = None, aux: Any = None) -> None:
        if (iter_no + 1) % period == 0:
            mod.save_checkpoint(prefix, iter_no + 1, save_optimizer_states)

    return save


def do_checkpoint(prefix: Any, period: int = 1) -> Callable[..., None]:
    """Saves the network and its parameters after epochs.

    Args:
        prefix: the beginning of the files' names.
        period: after how many epochs.
    """
    period = int(max(1, period))

    def save(iter_no: int, sym: Any, arg: Any, aux: Any) -> None:
        if (iter_no + 1) % period == 0:
            save_checkpoint(prefix, iter_no + 1, sym, arg, aux)

    return save


def log_train_metric(period: int, auto_reset: bool = False) -> Callable[[Any], None]:
    """Logs the metric of training after batches.

    Args:
        period: after how many batches.
        auto_reset: whether the metric begins anew then.
    """

    def log(param: Any) -> None:
        if param.nbatch % period or param.eval_metric is None:
            return
        for name, value in param.eval_metric.get_name_value():
            logging.info("Iter[%d] Batch[%d] Train-%s=%f", param.epoch, param.nbatch, name, value)
        if auto_reset:
            param.eval_metric.reset_local()

    return log


class Speedometer:
    """Logs the speed of training and its metrics.

    Args:
        batch_size: examples in a batch.
        frequent: after how many batches.
        auto_reset: whether the metrics begin anew then.
    """

    def __init__(self, batch_size: int, frequent: int = 50, auto_reset: bool = True) -> None:
        self.batch_size = batch_size
        self.frequent = frequent
        self.init = False
        self.tic = 0.0
        self.last_count = 0
        self.auto_reset = auto_reset

    def __call__(self, param: Any) -> None:
        """Takes a BatchEndParam."""
        count = param.nbatch
        if self.last_count > count:  # a new epoch
            self.init = False
        self.last_count = count
        if not self.init:
            self.init = True
            self.tic = time.time()
        elif count % self.frequent == 0:
            elapsed = time.time() - self.tic
            speed = self.frequent * self.batch_size / elapsed if elapsed else float("inf")
            self._log(param, speed)
            self.tic = time.time()

    def _log(self, param: Any, speed: float) -> None:
        count = param.nbatch
        if param.eval_metric is None:
            logging.info("Iter[%d] Batch [%d]\tSpeed: %.2f samples/sec", param.epoch, count, speed)
            return
        found = param.eval_metric.get_name_value()
        begin = 0
        if self.auto_reset:
            param.eval_metric.reset_local()
            begin = count - self.frequent
        text = "Epoch[%d] Batch [%d-%d]\tSpeed: %.2f samples/sec" + "\t%s=%f" * len(found)
        logging.info(text, param.epoch, begin, count, speed, *(part for pair in found for part in pair))


class ProgressBar:
    """Logs a bar that shows how much of an epoch is done.

    Args:
        total: batches of an epoch.
        length: characters of the bar.
    """

    def __init__(self, total: int, length: int = 80) -> None:
        self.bar_len = length
        self.total = total

    def __call__(self, param: Any) -> None:
        """Takes a BatchEndParam."""
        done = round(self.bar_len * param.nbatch / float(self.total))
        percent = math.ceil(100.0 * param.nbatch / float(self.total))
        logging.info("[%s] %s%s\r", "=" * done + "-" * (self.bar_len - done), percent, "%")


class LogValidationMetricsCallback:
    """Logs the metrics of an evaluation."""

    def __call__(self, param: Any) -> None:
        """Takes a BatchEndParam."""
        if not param.eval_metric:
            return
        for name, value in param.eval_metric.get_name_value():
            logging.info("Epoch[%d] Validation-%s=%f", param.epoch, name, value)
