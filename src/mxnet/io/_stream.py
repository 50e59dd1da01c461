"""The common base of the iterators over files."""

import logging
from abc import abstractmethod
from dataclasses import dataclass
from typing import Any

import numpy as np

from regluon.array.dense import NDArray
from regluon.call_repr import call_text

from ..base import MXNetError
from ._base import DataIter
from ._desc import DataBatch, DataDesc

__all__ = ["MXDataIter"]


@dataclass(frozen=True, slots=True)
class Loaded:
    """A batch as a source gives it."""

    data: NDArray
    label: NDArray
    pad: int
    index: np.ndarray[Any, Any]


class BatchSource:
    """Where an MXDataIter takes its batches from."""

    @abstractmethod
    def load(self) -> Loaded | None:
        """The next batch, or None when the pass is over."""

    @abstractmethod
    def restart(self) -> None:
        """Begins a new pass."""


class MXDataIter(DataIter):
    """Batches of one data and one label array, from a source such as a file of records.

    The first batch is loaded at once, so that errors come early and shapes are known.

    Args:
        handle: the source.
        data_name: the name of the data.
        label_name: the name of the labels.
    """

    __module__ = "mxnet.io.io"

    _params: dict[str, Any] | None = None  # what the iterator was made with, for `repr`

    def __init__(
        self, handle: BatchSource, data_name: str = "data", label_name: str = "softmax_label", **_: Any
    ) -> None:
        super().__init__()
        self.handle = handle
        self._debug_skip_load = False
        self._current: Loaded | None = None
        self._waiting = False
        if not self._load():
            raise MXNetError(
                f"[{type(self).__name__}] there is not a single batch; expected more data or smaller batches."
            )
        self._waiting = True
        first = self._loaded()
        self.provide_data: Any = [DataDesc(data_name, first.data.shape, first.data.dtype)]
        self.provide_label: Any = [DataDesc(label_name, first.label.shape, first.label.dtype)]
        self.batch_size: int = first.data.shape[0]

    def __repr__(self) -> str:
        if self._params is None:
            return super().__repr__()
        return call_text(type(self).__name__, **self._params)

    def _load(self) -> bool:
        """Moves on to the source's next batch; the last one stays current when the pass is over."""
        loaded = self.handle.load()
        if loaded is not None:
            self._current = loaded
        return loaded is not None

    def _loaded(self) -> Loaded:
        if self._current is None:
            raise MXNetError(
                f"[{type(self).__name__}] there is no current batch: call `next()` or `iter_next()` first."
            )
        return self._current

    def debug_skip_load(self) -> None:
        """Gives the same batch again and again from now on, to measure a network without its input."""
        self._debug_skip_load = True
        logging.info("debug_skip_load: only the current batch will be given.")

    def reset(self) -> None:
        """Begins a new pass."""
        self._waiting = False
        self.handle.restart()

    def next(self) -> DataBatch:
        """The next batch."""
        if not self.iter_next():
            raise StopIteration
        batch = self._loaded()
        return DataBatch(data=[batch.data], label=[batch.label], pad=batch.pad, index=batch.index)

    def iter_next(self) -> bool:
        """Moves to the next batch and says whether there is one."""
        if self._waiting or self._debug_skip_load:
            self._waiting = False
            return True
        return self._load()

    def getdata(self) -> NDArray:
        """The data of the current batch."""
        return self._loaded().data

    def getlabel(self) -> NDArray:
        """The labels of the current batch."""
        return self._loaded().label

    def getindex(self) -> np.ndarray[Any, Any]:
        """The numbers of the examples of the current batch."""
        return self._loaded().index

    def getpad(self) -> int:
        """How many examples at the end of the current batch only fill it up."""
        return self._loaded().pad
