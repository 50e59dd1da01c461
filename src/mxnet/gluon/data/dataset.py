"""Datasets: samples by number."""

from collections.abc import Callable, Sequence
from typing import Any

from ...ndarray import NDArray
from ..utils import ArgumentError
from .sampler import FilterSampler, Sampler, SequentialSampler

__all__ = ["Dataset", "SimpleDataset", "ArrayDataset"]


class Dataset:
    """Base of all datasets; a subclass writes `__getitem__` and `__len__`."""

    def __getitem__(self, idx: Any) -> Any:
        raise NotImplementedError(f"[{type(self).__name__}] write a __getitem__ method.")

    def __len__(self) -> int:
        raise NotImplementedError(f"[{type(self).__name__}] write a __len__ method.")

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


class _LazyTransformDataset(Dataset):
    """Samples that go through a function when they are read."""

    def __init__(self, data: Dataset, fn: Callable[..., Any]) -> None:
        self._data = data
        self._fn = fn

    def __len__(self) -> int:
        return len(self._data)

    def __getitem__(self, idx: Any) -> Any:
        item = self._data[idx]
        return self._fn(*item) if isinstance(item, tuple) else self._fn(item)


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

    def __len__(self) -> int:
        return len(self._indices)

    def __getitem__(self, idx: Any) -> Any:
        return self._dataset[self._indices[idx]]
