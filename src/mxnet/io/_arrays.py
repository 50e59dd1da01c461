"""Iterate over arrays and tables in memory."""

from collections.abc import Callable
from typing import Any

import numpy as np

from regluon.array.creation import array
from regluon.array.dense import NDArray
from regluon.array.sparse.csr import CSRNDArray

from ..context import cpu
from ..error import OpParamError
from ..ndarray.op import concat, slice_axis, take
from ._base import DataBatch, DataDesc, DataIter, Passes, check_batch_size
from ._records import BatchSource, Loaded
from .utils import _getdata_by_idx, _has_instance, _init_data

__all__ = ["NDArrayIter"]


_Named = list[tuple[str, NDArray]]
LAST_BATCH = ("pad", "discard", "roll_over")


class NDArrayIter(DataIter):
    """Batches of arrays that are in memory.

    Args:
        data: an NDArray or NumPy array, or a list or dict of them. NumPy arrays become float32.
        label: the same; may be absent.
        batch_size: examples in a batch.
        shuffle: draw a new order for each pass, with NumPy's global random state.
        last_batch_handle: what becomes of the examples that do not fill a batch: `"pad"` fills it up with the first
            ones, `"discard"` leaves them out, `"roll_over"` lets the next pass begin with them.
        data_name: the name of a single data array.
        label_name: the name of a single label array.
        layout: what the axes mean; examples are counted along `N`.

    Example:
        >>> for batch in mx.io.NDArrayIter(np.arange(40).reshape(10, 4), np.arange(10), batch_size=3):
        ...     print(batch.data[0].shape, batch.label[0].shape, batch.pad)
    """

    __module__ = "mxnet.io.io"

    def __init__(
        self,
        data: Any,
        label: Any = None,
        batch_size: int = 1,
        shuffle: bool = False,
        last_batch_handle: str = "pad",
        data_name: str = "data",
        label_name: str = "softmax_label",
        layout: str = "NCHW",
    ) -> None:
        super().__init__(check_batch_size(batch_size, "NDArrayIter"))
        if last_batch_handle not in LAST_BATCH:
            raise OpParamError(
                f"[NDArrayIter] last_batch_handle: received {last_batch_handle!r}; expected one of {LAST_BATCH}."
            )
        if "N" not in layout:
            raise OpParamError(f"[NDArrayIter] layout: received {layout!r}; expected an axis N that counts examples.")
        self.data: _Named = _init_data(data, allow_empty=False, default_name=data_name)
        self.label: _Named = _init_data(label, allow_empty=True, default_name=label_name)
        if last_batch_handle != "discard" and (
            _has_instance(self.data, CSRNDArray) or _has_instance(self.label, CSRNDArray)
        ):
            raise NotImplementedError(
                f"[NDArrayIter] received a CSRNDArray with last_batch_handle={last_batch_handle!r}; expected "
                "'discard', or a dense array: `array.tostype('default')`."
            )
        self.shuffle = shuffle
        self.last_batch_handle = last_batch_handle
        self.layout = layout
        self._axis = layout.find("N")
        self.num_data: int = self._count_examples()
        self.idx = np.arange(self.num_data)
        self.cursor = -self.batch_size
        # The examples that roll over into the next pass: data and labels.
        self._carried: tuple[list[NDArray], list[NDArray]] | None = None
        self.reset()
        self.data_list = [each for _, each in [*self.data, *self.label]]
        self.num_source: int = len(self.data_list)

    def _described(self) -> dict[str, Any]:
        shuffle = {"shuffle": True} if self.shuffle else {}
        handle = {} if self.last_batch_handle == "pad" else {"last_batch_handle": self.last_batch_handle}
        return {"num_data": self.num_data, **shuffle, **handle}

    def _count_examples(self) -> int:
        """How many examples there are; other arrays may be longer than the first, not shorter."""
        named = [*self.data, *self.label]
        for name, each in named:
            if each.ndim <= self._axis or not each.shape[self._axis]:
                raise OpParamError(
                    f"[NDArrayIter] {name}: received an array of shape {each.shape}; expected at least one example "
                    f"along axis {self._axis}, the N of layout {self.layout!r}."
                )
        count: int = named[0][1].shape[self._axis]
        for name, each in named:
            if each.shape[self._axis] < count:
                raise OpParamError(
                    f"[NDArrayIter] {name}: received {each.shape[self._axis]} examples in shape {each.shape}; expected "
                    f"{count} as in {named[0][0]}, of shape {named[0][1].shape}."
                )
        return count

    @property
    def provide_data(self) -> list[DataDesc]:
        """Name, shape and dtype of the data of a batch."""
        return self._describe(self.data)

    @property
    def provide_label(self) -> list[DataDesc]:
        """Name, shape and dtype of the labels of a batch."""
        return self._describe(self.label)

    def _describe(self, named: _Named) -> list[DataDesc]:
        before, after = slice(None, self._axis), slice(self._axis + 1, None)
        return [
            DataDesc(name, (*each.shape[before], self.batch_size, *each.shape[after]), each.dtype, self.layout)
            for name, each in named
        ]

    def hard_reset(self) -> None:
        """Begins a new pass with the first example, whatever was to roll over."""
        self._carried = None
        self.reset()

    def reset(self) -> None:
        """Begins a new pass."""
        if self.shuffle:
            self._shuffle_data()
        carried = self._carried[0][0].shape[self._axis] if self._carried else 0
        self.cursor = -carried - self.batch_size

    def _shuffle_data(self) -> None:
        np.random.shuffle(self.idx)
        self.data = _getdata_by_idx(self.data, self.idx, self._axis)
        self.label = _getdata_by_idx(self.label, self.idx, self._axis)

    def iter_next(self) -> bool:
        """Moves to the next batch and says whether there is one."""
        self.cursor += self.batch_size
        return self.cursor < self.num_data

    def next(self) -> DataBatch:
        """The next batch."""
        if not self.iter_next():
            raise StopIteration
        data, label = self.getdata(), self.getlabel()
        if self.cursor >= 0:
            self._carried = None
        if data[0].shape[self._axis] != self.batch_size:
            if self.last_batch_handle == "roll_over":
                self._carried = data, label
            raise StopIteration
        return DataBatch(data=data, label=label, pad=self.getpad(), index=None)

    def getdata(self) -> list[NDArray]:
        """The data of the current batch."""
        return self._rows(self.data, 0)

    def getlabel(self) -> list[NDArray]:
        """The labels of the current batch."""
        return self._rows(self.label, 1)

    def _rows(self, named: _Named, part: int) -> list[NDArray]:
        end = self.cursor + self.batch_size
        if self.last_batch_handle == "pad" and end > self.num_data:
            rows = array(np.arange(self.cursor, end) % self.num_data, dtype="int64")
            return [take(each, rows.as_in_context(each.context), axis=self._axis) for _, each in named]
        begin, end = max(self.cursor, 0), min(end, self.num_data)
        found = [self._slice(each, begin, end) for _, each in named]
        if self.cursor < 0 and self._carried is not None:
            pairs = zip(self._carried[part], found, strict=True)
            found = [concat(before, now, dim=self._axis) for before, now in pairs]
        return found

    def _slice(self, each: NDArray, begin: int, end: int) -> NDArray:
        if isinstance(each, CSRNDArray):
            rows: CSRNDArray = each[begin:end]
            return rows
        return slice_axis(each, axis=self._axis, begin=begin, end=end)

    def getpad(self) -> int:
        """How many examples at the end of the batch only fill it up; after a roll over, how many came before."""
        if self.last_batch_handle == "pad" and self.cursor + self.batch_size > self.num_data:
            return self.cursor + self.batch_size - self.num_data
        return max(-self.cursor, 0)


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
