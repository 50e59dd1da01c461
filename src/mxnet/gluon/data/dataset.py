"""Datasets: samples by number."""

import os
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from regluon.call_repr import value_text

from ...ndarray import NDArray
from ...recordio import MXIndexedRecordIO
from ..utils import ArgumentError
from ._batch_reader import Columns, Unlike, column_of, taken
from ._sampler_stages import transformed
from .sampler import FilterSampler, Sampler, SequentialSampler

__all__ = ["Dataset", "SimpleDataset", "ArrayDataset", "RecordFileDataset"]


class Dataset:
    """Base of all datasets; a subclass writes `__getitem__` and `__len__`."""

    def __getitem__(self, idx: Any) -> Any:
        raise NotImplementedError(f"[{type(self).__name__}] write a __getitem__ method.")

    def __len__(self) -> int:
        raise NotImplementedError(f"[{type(self).__name__}] write a __len__ method.")

    def __repr__(self) -> str:
        try:
            samples = [f"{len(self)} samples"]
        except (NotImplementedError, TypeError, AttributeError):  # of a class that cannot tell, or not yet
            samples = []
        return f"{type(self).__name__}({', '.join([*self._described(), *samples])})"

    def _described(self) -> list[str]:
        """What `repr` says besides the number of samples."""
        return []

    def filter(self, fn: Callable[[Any], Any]) -> "Dataset":
        """The samples that a function accepts; all are read once for that."""
        return _SampledDataset(self, FilterSampler(fn, self))

    def shard(self, num_shards: int, index: int) -> "Dataset":
        """One of several parts that differ by at most one sample in size, for a worker of its own.

        Args:
            num_shards: number of parts.
            index: which one.
        """
        if num_shards < 1 or not 0 <= index < num_shards:
            raise ArgumentError(
                f"[Dataset.shard] received num_shards={num_shards}, index={index}; expected at least one shard, and an "
                "index from 0 to num_shards - 1."
            )
        each, extra = divmod(len(self), num_shards)
        start = each * index + min(index, extra)
        return _SampledDataset(self, SequentialSampler(each + (index < extra), start))

    def take(self, count: int | None) -> "Dataset":
        """The first samples; all of them for None."""
        length = len(self)
        return _SampledDataset(self, SequentialSampler(length if count is None else min(count, length)))

    def sample(self, sampler: Sampler) -> "Dataset":
        """The samples in the order that a sampler gives now."""
        if not isinstance(sampler, Sampler):
            raise TypeError(f"[Dataset.sample] received {type(sampler).__name__}; expected a gluon.data.Sampler.")
        return _SampledDataset(self, sampler)

    def transform(self, fn: Callable[..., Any], lazy: bool = True) -> "Dataset":
        """The samples after a function.

        Args:
            fn: called with the elements of a sample as its arguments.
            lazy: call it whenever a sample is read, rather than for all of them now.
        """
        transformed = _LazyTransformDataset(self, fn)
        return transformed if lazy else SimpleDataset([transformed[i] for i in range(len(transformed))])

    def transform_first(self, fn: Callable[[Any], Any], lazy: bool = True) -> "Dataset":
        """The samples with a function applied to their first element alone: to data, not labels.

        Args:
            fn: called with the first element.
            lazy: call it whenever a sample is read, rather than for all of them now.
        """
        return self.transform(_TransformFirstClosure(fn), lazy)


class SimpleDataset(Dataset):
    """A list, or anything else with numbered elements, as a dataset.

    Args:
        data: the list.
    """

    def __init__(self, data: Any) -> None:
        self._data = data

    def __len__(self) -> int:
        return len(self._data)

    def __getitem__(self, idx: Any) -> Any:
        return self._data[idx]

    def _take_batch(self, places: np.ndarray) -> Columns | None:
        column = column_of(self._data, places)
        return None if isinstance(column, Unlike) else column


class ArrayDataset(Dataset):
    """Several arrays side by side: a sample has an element of each.

    Args:
        args: arrays, lists or datasets of one length.

    Example:
        >>> dataset = gluon.data.ArrayDataset(nd.ones((100, 3)), nd.arange(100))
        >>> data, label = dataset[7]
    """

    def __init__(self, *args: Any) -> None:
        if not args:
            raise ArgumentError("[ArrayDataset] received nothing; expected at least one array.")
        lengths = [len(data) for data in args]
        if len(set(lengths)) > 1:
            raise ArgumentError(f"[ArrayDataset] received arrays of lengths {lengths}; expected one length.")
        self._length = lengths[0]
        # Elements of a flat array are numbers: plain ones are read faster.
        self._data: Sequence[Any] = [
            data.asnumpy() if isinstance(data, NDArray) and data.ndim == 1 else data for data in args
        ]

    def __getitem__(self, idx: Any) -> Any:
        if len(self._data) == 1:
            return self._data[0][idx]
        return tuple(data[idx] for data in self._data)

    def __len__(self) -> int:
        return self._length

    def _described(self) -> list[str]:
        shapes = [getattr(data, "shape", None) for data in self._data]
        return [
            type(d).__name__ if s is None else "x".join(map(str, s)) for d, s in zip(self._data, shapes, strict=True)
        ]

    def _take_batch(self, places: np.ndarray) -> Columns:
        columns = tuple(column_of(data, places) for data in self._data)
        return columns[0] if len(columns) == 1 else columns


class RecordFileDataset(Dataset):
    """The records of a `.rec` file as bytes, in the order of the index beside it.

    Args:
        filename: the file; its index has the same name with `.idx`.
    """

    def __init__(self, filename: str | os.PathLike[str]) -> None:
        self.filename: str = os.fspath(filename)
        self.idx_file: str = os.path.splitext(self.filename)[0] + ".idx"
        self._record = MXIndexedRecordIO(self.idx_file, self.filename, "r")

    def __getitem__(self, idx: Any) -> Any:
        return self._record.read_idx(self._record.keys[idx])

    def __len__(self) -> int:
        return len(self._record.keys)

    def _described(self) -> list[str]:
        return [repr(self.filename)]


class _LazyTransformDataset(Dataset):
    """Samples that go through a function when they are read."""

    def __init__(self, data: Dataset, fn: Callable[..., Any]) -> None:
        self._data = data
        self._fn = fn

    def __repr__(self) -> str:
        is_first = isinstance(self._fn, _TransformFirstClosure)
        fn = self._fn._fn if isinstance(self._fn, _TransformFirstClosure) else self._fn
        said = value_text(fn) if not hasattr(fn, "name_scope") else type(fn).__name__  # a block prints its whole tree
        return f"{self._data!r}.{'transform_first' if is_first else 'transform'}({said})"

    def __len__(self) -> int:
        return len(self._data)

    def __getitem__(self, idx: Any) -> Any:
        item = self._data[idx]
        return self._fn(*item) if isinstance(item, tuple) else self._fn(item)

    def _take_batch(self, places: np.ndarray) -> Columns | None:
        is_first = type(self._fn) is _TransformFirstClosure
        transform = self._fn._fn if is_first else self._fn  # type: ignore[attr-defined]
        return transformed(self._data, places, self._fn, transform, is_first)


class _TransformFirstClosure:
    """A function of a sample's first element; a class, so that workers can receive it."""

    def __init__(self, fn: Callable[[Any], Any]) -> None:
        self._fn = fn

    def __call__(self, x: Any, *args: Any) -> Any:
        return (self._fn(x), *args) if args else self._fn(x)


class _SampledDataset(Dataset):
    """The samples of another dataset that a sampler chooses."""

    def __init__(self, dataset: Dataset, sampler: Sampler) -> None:
        self._dataset = dataset
        self._sampler = sampler
        self._indices = list(sampler)

    def __repr__(self) -> str:
        return f"{self._dataset!r}.sample({len(self)} samples)"

    def __len__(self) -> int:
        return len(self._indices)

    def __getitem__(self, idx: Any) -> Any:
        return self._dataset[self._indices[idx]]

    def _take_batch(self, places: np.ndarray) -> Columns | None:
        inner = np.asarray([self._indices[place] for place in places.tolist()])
        is_plain = inner.dtype.kind in "iu" and inner.min() >= 0 and inner.max() < len(self._dataset)
        return taken(self._dataset, inner) if is_plain else None


class _DownloadedDataset(Dataset):
    """Images and labels in memory, from files that are fetched if they are not there.

    A subclass writes `_get_data`, which sets `_data` and `_label`.

    Args:
        root: the folder of the files.
        transform: called with image and label of each sample that is read.
    """

    def __init__(self, root: str | os.PathLike[str], transform: Callable[[Any, Any], Any] | None) -> None:
        super().__init__()
        self._transform = transform
        self._data: Any = None
        self._label: Any = None
        self._root = os.path.expanduser(os.fspath(root))
        os.makedirs(self._root, exist_ok=True)
        self._get_data()

    def __getitem__(self, idx: Any) -> Any:
        if self._transform is not None:
            return self._transform(self._data[idx], self._label[idx])
        return self._data[idx], self._label[idx]

    def __len__(self) -> int:
        return len(self._label)

    def _take_batch(self, places: np.ndarray) -> Columns | None:
        if self._transform is not None:
            return None
        return column_of(self._data, places), column_of(self._label, places)

    def _get_data(self) -> None:
        raise NotImplementedError(f"[{type(self).__name__}] write a _get_data method.")
