"""Batches of a dataset."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from ...context import Context, cpu_pinned
from ...error import OpIndexError, OpShapeError, OpTypeError
from ...ndarray import NDArray, array, stack, take
from ..utils import ArgumentError
from .dataset import ArrayDataset, _SampledDataset
from .sampler import BatchSampler, RandomSampler, SequentialSampler

__all__ = ["DataLoader"]


def default_batchify_fn(data: Sequence[Any]) -> Any:
    """Puts samples side by side: arrays along a new first axis, the elements of tuples each for themselves."""
    if not len(data):
        raise OpIndexError("[DataLoader] received a batch without samples; expected at least one.")
    first = data[0]
    if isinstance(first, NDArray):
        shapes = {sample.shape for sample in data}
        if len(shapes) > 1:
            raise OpShapeError(_unlike(shapes))
        return stack(*data)
    if isinstance(first, tuple):
        lengths = {len(sample) for sample in data}
        if len(lengths) > 1:
            raise OpShapeError(
                f"[DataLoader] received samples of {' and '.join(map(str, sorted(lengths)))} elements in a batch; "
                "expected tuples of one length."
            )
        return [default_batchify_fn(column) for column in zip(*data, strict=True)]
    try:
        joined = np.asarray(data)
    except ValueError:
        raise OpShapeError(_unlike({np.shape(sample) for sample in data})) from None
    if joined.dtype.kind not in "biuf":
        raise OpTypeError(
            f"[DataLoader] a batch cannot be made of samples of type {type(first).__name__}; expected numbers, arrays, "
            "or tuples of them. Convert them with dataset.transform, or pass batchify_fn."
        )
    return array(joined, dtype=joined.dtype)


def _unlike(shapes: set[tuple[int, ...]]) -> str:
    return (
        f"[DataLoader] received samples of different shapes in a batch: {', '.join(map(str, sorted(shapes)))}; "
        "expected one shape. Crop or pad them with dataset.transform, or pass batchify_fn."
    )


def default_mp_batchify_fn(data: Sequence[Any]) -> Any:
    """What workers put samples side by side with; the same as default_batchify_fn."""
    return default_batchify_fn(data)


def _as_in_context(data: Any, ctx: Context) -> Any:
    """A batch on another context, lists in it included."""
    if isinstance(data, NDArray):
        return data.as_in_context(ctx)
    if isinstance(data, (list, tuple)):
        return [_as_in_context(each, ctx) for each in data]
    return data


def _read(dataset: Any, batch: Sequence[Any], batchify_fn: Callable[[Sequence[Any]], Any]) -> Any:
    """One batch. Arrays are indexed once with the whole of it, where that is what joining samples gives."""
    if batchify_fn is not default_batchify_fn:
        return batchify_fn([dataset[index] for index in batch])
    source: Any = dataset
    indices = batch
    while type(source) is _SampledDataset:
        source, indices = source._dataset, [source._indices[index] for index in indices]
    is_plain = type(source) is ArrayDataset and len(indices) and all(isinstance(i, (int, np.integer)) for i in indices)
    if not is_plain:
        return batchify_fn([dataset[index] for index in batch])
    places = _places(indices, len(source))
    columns = [_column(data, places) for data in source._data]
    return columns if len(columns) > 1 else columns[0]


def _places(indices: Sequence[int], length: int) -> np.ndarray:
    """Indices as an array, those from the end counted from the beginning."""
    places = np.asarray(indices, dtype=np.int64)
    lowest, highest = int(places.min()), int(places.max())
    if lowest < -length or highest >= length:
        raise OpIndexError(
            f"[DataLoader] received indices from {lowest} to {highest} in a batch; the dataset has {length} samples."
        )
    return np.where(places < 0, places + length, places) if lowest < 0 else places


def _column(data: Any, places: np.ndarray) -> Any:
    if isinstance(data, NDArray):
        return take(data, array(places, dtype="int64", ctx=data.context))
    if type(data) in (np.ndarray, np.memmap) and data.dtype.kind in "biuf" and data.dtype.isnative:
        return array(data[places], dtype=data.dtype)
    return default_batchify_fn([data[index] for index in places.tolist()])


class DataLoader:
    """Reads a dataset in batches.

    Args:
        dataset: anything with `len` and numbered samples.
        batch_size: number of samples in a batch.
        shuffle: read in random order, a new one for each pass; `mx.random.seed` fixes it.
        sampler: the order to read in, instead of shuffle.
        last_batch: what to do with a rest at the end: 'keep' (as a smaller batch), 'discard', or 'rollover' (begin the
            next pass with it).
        batch_sampler: gives the indices of each batch, instead of batch_size, shuffle, sampler and last_batch.
        batchify_fn: makes a batch from a list of samples; by default they are put side by side.
        num_workers: processes that read; 0, reading in this one, is what is available so far.
        pin_memory: put batches into memory that GPUs can read from directly.
        pin_device_id: the GPU for that.
        prefetch: number of batches that workers read ahead.
        thread_pool: threads instead of processes as workers.
        timeout: seconds to wait for a worker.
        auto_reload: prepare the next pass as soon as one ends.

    Example:
        >>> for data, label in gluon.data.DataLoader(dataset, batch_size=32, shuffle=True):
        ...     ...
    """

    def __init__(
        self,
        dataset: Any,
        batch_size: int | None = None,
        shuffle: bool = False,
        sampler: Any = None,
        last_batch: str | None = None,
        batch_sampler: Any = None,
        batchify_fn: Callable[[Sequence[Any]], Any] | None = None,
        num_workers: int = 0,
        pin_memory: bool = False,
        pin_device_id: int = 0,
        prefetch: int | None = None,
        thread_pool: bool = False,
        timeout: int = 120,
        auto_reload: bool = False,
    ) -> None:
        if num_workers > 0:
            raise NotImplementedError(
                f"[DataLoader] num_workers: received {num_workers}; workers are not available yet, pass num_workers=0."
            )
        if timeout <= 0:
            raise ArgumentError(f"[DataLoader] timeout: received {timeout}; expected a positive number of seconds.")
        self._dataset = dataset
        self._batch_sampler = _batches(dataset, batch_size, shuffle, sampler, last_batch, batch_sampler)
        self._batchify_fn = default_batchify_fn if batchify_fn is None else batchify_fn
        self._pin_memory = pin_memory
        self._pin_device_id = pin_device_id
        self._num_workers = 0
        self.auto_reload = auto_reload
        self._iter: Iterator[Any] | None = None
        if auto_reload:
            self.refresh()

    def __iter__(self) -> Iterator[Any]:
        if self._iter is None:
            self.refresh()
        current, self._iter = self._iter, None
        assert current is not None
        yield from current
        if self._iter is None and self.auto_reload:
            self.refresh()

    def __len__(self) -> int:
        return len(self._batch_sampler)

    def refresh(self) -> None:
        """Prepares a new pass."""
        self._iter = self._pass()

    def clean(self) -> None:
        """Drops the pass that is prepared."""
        self._iter = None

    def _pass(self) -> Iterator[Any]:
        for batch in self._batch_sampler:
            content = _read(self._dataset, batch, self._batchify_fn)
            yield _as_in_context(content, cpu_pinned(self._pin_device_id)) if self._pin_memory else content


def _batches(
    dataset: Any, batch_size: int | None, shuffle: bool, sampler: Any, last_batch: str | None, batch_sampler: Any
) -> Any:
    """The sampler of batches that the arguments of a DataLoader describe."""
    if batch_sampler is not None:
        if batch_size is not None or shuffle or sampler is not None or last_batch is not None:
            raise ValueError(
                "[DataLoader] received a batch_sampler together with batch_size, shuffle, sampler or last_batch; it "
                "decides on all of them: leave the others out."
            )
        return batch_sampler
    if batch_size is None:
        raise ValueError("[DataLoader] received neither batch_size nor batch_sampler; expected one of them.")
    if sampler is not None and shuffle:
        raise ValueError(
            "[DataLoader] received shuffle and a sampler; the sampler decides on the order: leave shuffle out."
        )
    if sampler is None:
        sampler = RandomSampler(len(dataset)) if shuffle else SequentialSampler(len(dataset))
    return BatchSampler(sampler, batch_size, last_batch or "keep")
