"""How a batch is read: at once where that gives the same, sample by sample otherwise."""

import contextlib
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from regluon.array.kinds import in_force
from regluon.data.workers import one_thread
from regluon.rng import private_stream

from ...error import OpIndexError
from ...ndarray import NDArray, array
from ._batchify import UnlikeSamplesError, default_batchify_fn, default_mp_batchify_fn
from ._columns import Columns, Read, Unlike, samples_of, taken

__all__ = ["BatchReader"]

# Elements of a batch from which on operators are worth several threads.
_LARGE = 1 << 22


class BatchReader:
    """Reads batches of a dataset; it can be sent to workers.

    Args:
        dataset: anything with numbered samples.
        batchify_fn: makes a batch of a list of samples.
    """

    def __init__(self, dataset: Any, batchify_fn: Callable[[Sequence[Any]], Any]) -> None:
        self.dataset = dataset
        self.batchify_fn = batchify_fn
        self._is_large = False

    def __call__(self, indices: Sequence[Any]) -> Any:
        """The batch of these samples."""
        if self.batchify_fn in (default_batchify_fn, default_mp_batchify_fn):
            places = _places(indices, self.dataset)
            if places is not None:
                with contextlib.nullcontext() if self._is_large else one_thread():
                    columns = taken(self.dataset, places)
                if columns is not None:
                    self._is_large = _size(columns) > _LARGE
                    return _joined(columns)
        return _batchified(self.dataset, indices, self.batchify_fn)

    def privately(self, indices: Sequence[Any], seed: int) -> Any:
        """The same in a thread among others, with random numbers of its own."""
        with private_stream(seed):
            return self(indices)


def _batchified(source: Any, indices: Sequence[Any], batchify_fn: Callable[[Sequence[Any]], Any]) -> Any:
    """A batch sample by sample; errors name the sample."""
    samples = source.samples if isinstance(source, Read) else samples_of(Unlike(source, list(indices)))
    try:
        return batchify_fn(samples)
    except UnlikeSamplesError as error:
        raise error.named(indices) from None


def _places(indices: Sequence[Any], dataset: Any) -> np.ndarray | None:
    """Indices as an array, those from the end counted from the beginning; None for other things than numbers."""
    if not len(indices) or not all(isinstance(index, (int, np.integer)) for index in indices):
        return None
    try:
        length = len(dataset)
    except TypeError:
        return None
    places = np.asarray(indices, dtype=np.int64)
    lowest, highest = int(places.min()), int(places.max())
    if lowest < -length or highest >= length:
        raise OpIndexError(
            f"[DataLoader] received indices from {lowest} to {highest} in a batch; the dataset has {length} samples."
        )
    return np.where(places < 0, places + length, places) if lowest < 0 else places


def _size(columns: Columns) -> int:
    """Number of elements in arrays."""
    if isinstance(columns, tuple):
        return sum(map(_size, columns))
    return 0 if isinstance(columns, (Read, Unlike)) else int(columns.size)


def _joined(columns: Columns) -> Any:
    """Columns as the batch that joining samples would have given."""
    if isinstance(columns, (Read, Unlike)):
        source = columns if isinstance(columns, Read) else columns.data
        return _batchified(source, columns.places, default_batchify_fn)
    if isinstance(columns, tuple):
        return [_joined(column) for column in columns]
    return in_force(columns if isinstance(columns, NDArray) else array(columns, dtype=columns.dtype))
