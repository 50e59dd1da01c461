"""Monitors: statistics of what passes through an executor."""

import logging
import math
import re
from collections.abc import Callable
from typing import Any

from .ndarray import NDArray, norm

__all__ = ["Monitor", "NDArray"]


class Monitor:
    """Notes a statistic of every result, weight and state whose name fits, from time to time.

    Args:
        interval: in every how manieth batch.
        stat_func: makes an array, or a list of them, from an array; its norm over the root of its size by default.
        pattern: regular expression that the beginning of a name must match.
        sort: whether to sort by name.
        monitor_all: whether to look at the inputs of operators as well.

    Example:
        >>> monitor = mx.mon.Monitor(100, pattern=".*weight")
        >>> module.fit(train_data, num_epoch=1, monitor=monitor)
    """

    def __init__(
        self,
        interval: int,
        stat_func: Callable[[NDArray], Any] | None = None,
        pattern: str = ".*",
        sort: bool = False,
        monitor_all: bool = False,
    ) -> None:
        self.stat_func = stat_func or _mean_norm
        self.interval = interval
        self.activated = False
        self.queue: list[tuple[int, str, Any]] = []
        self.step = 0
        self.exes: list[Any] = []
        self.re_prog = re.compile(pattern)
        self.sort = sort
        self.monitor_all = monitor_all

    def stat_helper(self, name: str, array: NDArray) -> None:
        """Notes the statistic of an array, between `tic` and `toc`."""
        if self.activated and self.re_prog.match(name):
            self.queue.append((self.step, name, self.stat_func(array)))

    def install(self, exe: Any) -> None:
        """Looks at an executor from now on."""
        exe.set_monitor_callback(self.stat_helper, self.monitor_all)
        self.exes.append(exe)

    def tic(self) -> None:
        """Begins to note, if it is this batch's turn; to be called before `forward`."""
        if self.step % self.interval == 0:
            self.queue = []
            self.activated = True
        self.step += 1

    def toc(self) -> list[tuple[int, str, str]]:
        """Ends noting; returns triples of batch number, name and statistic."""
        if not self.activated:
            return []
        for exe in self.exes:
            symbol = exe._symbol
            for names, arrays in (
                (symbol.list_arguments(), exe.arg_arrays),
                (symbol.list_auxiliary_states(), exe.aux_arrays),
            ):
                for name, array in zip(names, arrays, strict=True):
                    self.stat_helper(name, array)
        self.activated = False
        if self.sort:
            self.queue.sort(key=lambda noted: noted[1])
        found = [(step, name, _text(name, statistic)) for step, name, statistic in self.queue]
        self.queue = []
        return found

    def toc_print(self) -> None:
        """Ends noting and logs what was found."""
        for step, name, text in self.toc():
            logging.info("Batch: %7d %-30s %s", step, name, text)


def _mean_norm(array: NDArray) -> Any:
    return norm(array) / math.sqrt(array.size)


def _text(name: str, statistic: Any) -> str:
    parts = statistic if isinstance(statistic, list) else [statistic]
    for part in parts:
        if not isinstance(part, NDArray):
            raise AssertionError(
                f"[Monitor] stat_func gave {type(part).__name__} for {name}; expected an NDArray or a list of them."
            )
    return "".join(str(part.asscalar() if part.shape == (1,) else part.asnumpy()) + "\t" for part in parts)
