"""Batches from tables in memory that were read from files."""

from collections.abc import Callable
from typing import Any

import numpy as np

from regluon.array.creation import array
from regluon.array.dense import NDArray

from ..context import cpu
from ._order import Passes
from ._stream import BatchSource, Loaded

Take = Callable[[list[int]], NDArray]


def take_rows(table: np.ndarray[Any, Any]) -> Take:
    """A function that makes an array of a table's rows."""
    return lambda rows: array(table[rows], ctx=cpu(), dtype=table.dtype)


class TableSource(BatchSource):
    """Batches of a table's rows.

    Args:
        data: makes the data of given rows.
        label: makes their labels.
        passes: which rows make which batch.
        whole_only: leave out a last batch that has to be filled up.
    """

    def __init__(self, data: Take, label: Take, passes: Passes, whole_only: bool = False) -> None:
        self._data = data
        self._label = label
        self._passes = passes
        self._whole_only = whole_only
        self._batches = passes.batches()
        self._finished = False

    def load(self) -> Loaded | None:
        """The next batch, or None when the pass is over."""
        rows = next(self._batches, None)
        if rows is None or (rows.pad and self._whole_only):
            self._finished = True
            return None
        self._finished = rows.pad > 0
        return Loaded(self._data(rows.numbers), self._label(rows.numbers), rows.pad, np.array(rows.numbers, np.uint64))

    def restart(self) -> None:
        """Begins a new pass."""
        self._passes.restart(self._finished)
        self._finished = False
        self._batches = self._passes.batches()
