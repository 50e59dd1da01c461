"""Iterators around other iterators: a fixed number of batches, and batches made in advance."""

import contextlib
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

from regluon.call_repr import call_text

from ..base import MXNetError
from ..error import OpParamError
from ._base import DataBatch, DataDesc, DataIter

__all__ = ["PrefetchingIter", "ResizeIter"]


class ResizeIter(DataIter):
    """Passes of a given number of batches over another iterator, which starts again as often as needed.

    Args:
        data_iter: the iterator.
        size: batches in a pass.
        reset_internal: whether `reset` also resets the iterator.
    """

    __module__ = "mxnet.io.io"

    def __init__(self, data_iter: DataIter, size: int, reset_internal: bool = True) -> None:
        super().__init__()
        self.data_iter = data_iter
        self.size = size
        self.reset_internal = reset_internal
        self.cur = 0
        self.current_batch: DataBatch | None = None
        self.provide_data: Any = data_iter.provide_data
        self.provide_label: Any = data_iter.provide_label
        self.batch_size: int = data_iter.batch_size
        if hasattr(data_iter, "default_bucket_key"):
            self.default_bucket_key = data_iter.default_bucket_key

    def __repr__(self) -> str:
        kept = {} if self.reset_internal else {"reset_internal": False}
        return call_text(type(self).__name__, repr(self.data_iter), size=self.size, **kept)

    def reset(self) -> None:
        """Begins a new pass."""
        self.cur = 0
        if self.reset_internal:
            self.data_iter.reset()

    def iter_next(self) -> bool:
        """Moves to the next batch and says whether there is one."""
        if self.cur == self.size:
            return False
        try:
            self.current_batch = self.data_iter.next()
        except StopIteration:
            self.data_iter.reset()
            self.current_batch = self._first()
        self.cur += 1
        return True

    def _first(self) -> DataBatch:
        try:
            return self.data_iter.next()
        except StopIteration:
            raise MXNetError(
                f"[ResizeIter] {type(self.data_iter).__name__} gave no batch after `reset`; expected one or more. "
                "Its batch size may be larger than its data."
            ) from None

    def getdata(self) -> Any:
        """The data of the current batch."""
        return _current(self.current_batch, self).data

    def getlabel(self) -> Any:
        """The labels of the current batch."""
        return _current(self.current_batch, self).label

    def getindex(self) -> Any:
        """The numbers of the examples of the current batch."""
        return _current(self.current_batch, self).index

    def getpad(self) -> Any:
        """How many examples at the end of the current batch only fill it up."""
        return _current(self.current_batch, self).pad


class PrefetchingIter(DataIter):
    """Makes the next batch of one or several iterators in the background while the current one is used.

    The batches of several iterators are joined: their arrays stand one after the other in one batch. An error in the
    background is raised by the call that asks for the batch.

    Args:
        iters: an iterator or a list of them.
        rename_data: for each iterator, a dict from names in its `provide_data` to new ones.
        rename_label: the same for `provide_label`.

    Example:
        >>> images = mx.io.ImageRecordIter(path_imgrec="train.rec", data_shape=(3, 224, 224), batch_size=32)
        >>> for batch in mx.io.PrefetchingIter(images):
        ...     train(batch)
    """

    __module__ = "mxnet.io.io"

    def __init__(
        self,
        iters: DataIter | list[DataIter],
        rename_data: Sequence[dict[str, str]] | None = None,
        rename_label: Sequence[dict[str, str]] | None = None,
    ) -> None:
        super().__init__()
        self.iters = iters if isinstance(iters, list) else [iters]
        self.n_iter: int = len(self.iters)
        if not self.iters:
            raise OpParamError("[PrefetchingIter] received an empty list; expected one iterator or more.")
        self.rename_data = rename_data
        self.rename_label = rename_label
        self.batch_size: int = self.provide_data[0][1][0]
        self.current_batch: DataBatch | None = None
        # One thread for each iterator, which is never asked for two batches at a time.
        self._threads = [ThreadPoolExecutor(1, thread_name_prefix="prefetch") for _ in self.iters]
        self._pending: list[Future[DataBatch | None]] = []
        self._fetch()

    def __repr__(self) -> str:
        return call_text(type(self).__name__, ", ".join(map(repr, self.iters)))

    @property
    def provide_data(self) -> list[DataDesc]:
        """Descriptions of the data of all iterators, with their new names."""
        return _renamed([each.provide_data for each in self.iters], self.rename_data, "rename_data")

    @property
    def provide_label(self) -> list[DataDesc]:
        """Descriptions of the labels of all iterators, with their new names."""
        return _renamed([each.provide_label for each in self.iters], self.rename_label, "rename_label")

    def _fetch(self) -> None:
        self._pending = [
            thread.submit(_next_or_none, each) for thread, each in zip(self._threads, self.iters, strict=True)
        ]

    def reset(self) -> None:
        """Begins a new pass; what was made in advance is dropped."""
        for future in self._pending:
            # An error of a batch that nobody asked for does not stop the next pass.
            with contextlib.suppress(Exception):
                future.result()
        for each in self.iters:
            each.reset()
        self._fetch()

    def iter_next(self) -> bool:
        """Moves to the next batch and says whether there is one."""
        batches = [future.result() for future in self._pending]
        if all(batch is None for batch in batches):
            return False
        ready = [batch for batch in batches if batch is not None]
        if len(ready) != len(batches) or len({batch.pad for batch in ready}) > 1:
            raise MXNetError(
                "[PrefetchingIter] number of entry mismatches between iterators: received batches with pad "
                f"{[batch and batch.pad for batch in batches]} (None: its pass is over); expected iterators over "
                "equally many examples, with equal batch sizes."
            )
        self.current_batch = DataBatch(
            [array for batch in ready for array in batch.data],
            [array for batch in ready for array in batch.label or []],
            ready[0].pad,
            ready[0].index,
            provide_data=self.provide_data,
            provide_label=self.provide_label,
        )
        self._fetch()
        return True

    def next(self) -> DataBatch:
        """The next batch."""
        if self.iter_next():
            return _current(self.current_batch, self)
        raise StopIteration

    def getdata(self) -> Any:
        """The data of the current batch."""
        return _current(self.current_batch, self).data

    def getlabel(self) -> Any:
        """The labels of the current batch."""
        return _current(self.current_batch, self).label

    def getindex(self) -> Any:
        """The numbers of the examples of the current batch."""
        return _current(self.current_batch, self).index

    def getpad(self) -> Any:
        """How many examples at the end of the current batch only fill it up."""
        return _current(self.current_batch, self).pad

    def __del__(self) -> None:
        for thread in getattr(self, "_threads", ()):
            thread.shutdown(wait=False, cancel_futures=True)


def _current(batch: DataBatch | None, iterator: DataIter) -> DataBatch:
    if batch is None:
        raise MXNetError(f"[{type(iterator).__name__}] there is no current batch yet: call `iter_next()` first.")
    return batch


def _next_or_none(iterator: DataIter) -> DataBatch | None:
    try:
        return iterator.next()
    except StopIteration:
        return None


def _renamed(provided: list[Any], renames: Sequence[dict[str, str]] | None, argument: str) -> list[DataDesc]:
    if renames is None:
        return [desc for descs in provided for desc in descs]
    if len(renames) != len(provided):
        raise OpParamError(
            f"[PrefetchingIter] {argument}: received {len(renames)} dicts; expected one for each of the "
            f"{len(provided)} iterators."
        )
    return [_rename(desc, names, argument) for descs, names in zip(provided, renames, strict=True) for desc in descs]


def _rename(desc: Any, names: dict[str, str], argument: str) -> DataDesc:
    if not isinstance(desc, DataDesc):
        return DataDesc(*desc)
    if desc.name not in names:
        raise OpParamError(
            f"[PrefetchingIter] {argument}: received {names!r}; expected a new name for {desc.name!r} too."
        )
    return DataDesc(names[desc.name], desc.shape, desc.dtype)
