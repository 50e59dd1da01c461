"""The order in which samples are read."""

import warnings
from collections.abc import Callable, Iterator
from typing import Any

from regluon.call_repr import call_text, changed_settings

from ...context import cpu
from ...ndarray import arange
from ...ndarray.random import shuffle

__all__ = ["Sampler", "SequentialSampler", "RandomSampler", "FilterSampler", "BatchSampler"]


class Sampler:
    """Base of all samplers: iterating gives indices, a new order each time if the sampler wants."""

    def __iter__(self) -> Iterator[Any]:
        raise NotImplementedError(f"[{type(self).__name__}] write an __iter__ method.")

    def __len__(self) -> int:
        raise NotImplementedError(f"[{type(self).__name__}] write a __len__ method.")

    def __repr__(self) -> str:
        return call_text(type(self).__name__, **changed_settings(self))


class SequentialSampler(Sampler):
    """Indices in their order.

    Args:
        length: number of indices.
        start: the first one.
    """

    def __init__(self, length: int, start: int = 0) -> None:
        self._length = length
        self._start = start

    def __iter__(self) -> Iterator[int]:
        return iter(range(self._start, self._start + self._length))

    def __len__(self) -> int:
        return self._length


class RandomSampler(Sampler):
    """All indices in random order, a new one for each pass; `mx.random.seed` fixes it.

    Args:
        length: number of indices.
    """

    def __init__(self, length: int) -> None:
        self._length = length

    def __iter__(self) -> Iterator[int]:
        if self._length < 2:
            return iter(range(self._length))
        # On the CPU whatever the current context is, so that the order does not depend on it.
        return iter(shuffle(arange(self._length, dtype="int64", ctx=cpu())).asnumpy().tolist())

    def __len__(self) -> int:
        return self._length


class FilterSampler(Sampler):
    """The indices of samples that a function accepts.

    Args:
        fn: called with each sample once, when the sampler is made.
        dataset: the samples.
    """

    def __init__(self, fn: Callable[[Any], Any], dataset: Any) -> None:
        self._fn = fn
        self._dataset = dataset
        self._indices = [i for i in range(len(dataset)) if fn(dataset[i])]

    def __iter__(self) -> Iterator[int]:
        return iter(self._indices)

    def __len__(self) -> int:
        return len(self._indices)


class BatchSampler(Sampler):
    """Lists of indices of another sampler.

    Args:
        sampler: where the indices come from.
        batch_size: their number in a list.
        last_batch: what happens to the rest at the end: 'keep' gives it as a shorter list, 'discard' drops it,
            'rollover' puts it before the next pass.
    """

    def __init__(self, sampler: Any, batch_size: int, last_batch: str = "keep") -> None:
        if last_batch not in ("keep", "discard", "rollover"):
            raise ValueError(
                f"[BatchSampler] last_batch: received {last_batch!r}; expected 'keep', 'discard' or 'rollover'."
            )
        if batch_size < 1:
            raise ValueError(f"[BatchSampler] batch_size: received {batch_size}; expected at least 1.")
        if last_batch == "discard" and hasattr(sampler, "__len__") and len(sampler) < batch_size:
            warnings.warn(
                f"[BatchSampler] batch_size={batch_size} is more than the {len(sampler)} samples there are: "
                "last_batch='discard' leaves no batch at all. Use a smaller one, or last_batch='keep'.",
                stacklevel=3,
            )
        self._sampler = sampler
        self._batch_size = batch_size
        self._last_batch = last_batch
        self._prev: list[Any] = []

    def __iter__(self) -> Iterator[list[Any]]:
        batch, self._prev = self._prev, []
        for index in self._sampler:
            batch.append(index)
            if len(batch) == self._batch_size:
                yield batch
                batch = []
        if batch and self._last_batch == "keep":
            yield batch
        elif self._last_batch == "rollover":
            self._prev = batch

    def __len__(self) -> int:
        count = len(self._sampler)
        if self._last_batch == "keep":
            return (count + self._batch_size - 1) // self._batch_size
        return (count + len(self._prev)) // self._batch_size
