"""Batches of images, made by threads ahead of their use."""

import os
import weakref
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from random import Random
from typing import Any

import numpy as np

from regluon.array.interop import from_numpy

from ._image_params import RecordParams
from ._order import Passes, Rows
from ._stream import BatchSource, Loaded

Values = np.ndarray[Any, Any]
# Puts the record at a position into its places in a batch, and says the record's number.
Make = Callable[[int, Values, Values, Random], int]


@dataclass(slots=True)
class _Batch:
    """A batch in the making."""

    rows: Rows
    number: int
    data: Values
    label: Values
    index: Values
    work: list["Future[None]"] = field(default_factory=list)


class ImageSource(BatchSource):
    """Makes batches in threads: OpenCV and NumPy work without holding the interpreter.

    Results do not depend on the number of threads: the order is decided beforehand, and each example draws from a
    generator of its own.

    Args:
        given: sizes, threads, seeds.
        count: how many records there are.
        label_shape: shape of the labels of an example.
        label_fill: what labels are set to before they are written.
        make: reads and prepares one example.
        dtype: of the data.
    """

    def __init__(
        self,
        given: RecordParams,
        count: int,
        label_shape: tuple[int, ...],
        label_fill: float,
        make: Make,
        dtype: str,
    ) -> None:
        self._given = given
        self._label_shape = label_shape
        self._label_fill = label_fill
        self._make = make
        self._dtype = dtype
        self._passes = Passes(count, given.batch_size, given.round_batch, given.seed if given.shuffle else None)
        self._plan = self._passes.batches()
        self._pending: deque[_Batch] = deque()
        self._started = 0
        self._finished = False
        self._seed = (given.seed if given.seed_aug is None else given.seed_aug) & 0xFFFFFFFF
        self._start_threads()

    def _start_threads(self) -> None:
        self._process = os.getpid()
        self._threads = ThreadPoolExecutor(self._given.preprocess_threads, thread_name_prefix="images")
        weakref.finalize(self, self._threads.shutdown, wait=False, cancel_futures=True)

    def load(self) -> Loaded | None:
        """The next batch, or None when the pass is over."""
        if self._process != os.getpid():
            # Threads do not survive a fork: what they had begun is begun again.
            self._start_threads()
            for batch in self._pending:
                self._begin(batch)
        self._work_ahead()
        if not self._pending:
            self._finished = True
            return None
        batch = self._pending[0]
        for part in batch.work:
            part.result()
        self._pending.popleft()
        self._work_ahead()
        self._finished = batch.rows.pad > 0
        return Loaded(from_numpy(batch.data), from_numpy(batch.label), batch.rows.pad, batch.index)

    def restart(self) -> None:
        """Begins a new pass."""
        for batch in self._pending:
            for part in batch.work:
                part.cancel()
        self._pending.clear()
        self._passes.restart(self._finished)
        self._plan = self._passes.batches()
        self._started = 0
        self._finished = False

    def _work_ahead(self) -> None:
        """Begins batches until there are as many as wanted: the next one and those made in advance."""
        while len(self._pending) <= self._given.prefetch_buffer:
            rows = next(self._plan, None)
            if rows is None:
                return
            size = self._given.batch_size
            batch = _Batch(
                rows,
                self._started,
                np.empty((size, *self._given.data_shape), self._dtype),
                np.full((size, *self._label_shape), self._label_fill, np.float32),
                np.empty(size, np.uint64),
            )
            self._started += 1
            self._begin(batch)
            self._pending.append(batch)

    def _begin(self, batch: _Batch) -> None:
        """Hands a batch to the threads, in parts large enough to be worth the way."""
        size = len(batch.rows.numbers)
        step = max(1, size // (2 * self._given.preprocess_threads))
        parts = [range(start, min(start + step, size)) for start in range(0, size, step)]
        batch.work = [self._threads.submit(self._fill, batch, self._passes.number, part) for part in parts]

    def _fill(self, batch: _Batch, number: int, places: range) -> None:
        for place in places:
            draw = Random(self._seed << 96 | number << 64 | batch.number << 32 | place)
            row = batch.rows.numbers[place]
            batch.index[place] = self._make(row, batch.data[place], batch.label[place, ...], draw)
