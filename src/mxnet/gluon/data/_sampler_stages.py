"""Split and stage the order of samples."""

import operator
import random
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from regluon.distributed import launched

from ...error import OpParamError
from ...ndarray import NDArray, stack
from ._batch_reader import (
    BatchForm,
    Columns,
    Read,
    Unlike,
    batch_form,
    is_dense,
    is_row,
    naming,
    samples_of,
    taken,
)
from .sampler import Sampler

__all__ = ["DistributedSampler", "SplitSampler", "transformed"]


def part_bounds(length: int, num_parts: int, part_index: int, even: bool) -> tuple[int, int]:
    """Where a part of consecutive samples begins and ends.

    Args:
        length: number of samples.
        num_parts: into how many parts they are cut.
        part_index: which part.
        even: whether all parts but the last ones are as long as the longest; else they differ by one at most.
    """
    if even:
        longest = -(-length // num_parts)
        return min(longest * part_index, length), min(longest * (part_index + 1), length)
    shortest, rest = divmod(length, num_parts)
    start = shortest * part_index + min(part_index, rest)
    return start, start + shortest + (part_index < rest)


def dealt_order(
    length: int, num_workers: int, rank: int, key: tuple[int, int] | None, drop_last: bool
) -> np.ndarray[Any, Any]:
    """The samples of one rank in one pass: every `num_workers`-th one of an order that all ranks have.

    Args:
        length: number of samples.
        num_workers: number of ranks.
        rank: which one.
        key: seed and number of the pass, from which the order is drawn; None for the order of the samples.
        drop_last: whether samples that not every rank would get are left out; else the first ones come once more.
    """
    if key is None:
        order = np.arange(length)
    else:
        # NumPy promises that this generator's orders stay the same in all versions: ranks and resumed runs agree.
        words = [number >> shift & 0xFFFFFFFF for number in key for shift in (0, 32)]
        order = np.random.RandomState(words).permutation(length)
    total = shared_length(length, num_workers, drop_last) * num_workers
    return np.resize(order, total)[rank::num_workers]


def shared_length(length: int, num_workers: int, drop_last: bool) -> int:
    """How many samples each rank gets."""
    return length // num_workers if drop_last else -(-length // num_workers)


def _check_count(who: str, name: str, value: Any, least: int) -> int:
    try:
        count = operator.index(value)
    except TypeError:
        count = least - 1
    if count < least:
        raise OpParamError(f"[{who}] {name}: received {value!r}; expected a whole number, at least {least}.")
    return count


class SplitSampler(Sampler):
    """The samples of one part of several, in random order, a new one for each pass.

    Parts are consecutive: part 0 has the first samples. All parts together have every sample. It is called like those
    of the tutorials, GluonCV and GluonNLP: `SplitSampler(length, num_parts, part_index)`.

    Args:
        length: number of samples.
        num_parts: into how many parts they are cut, such as the number of workers, `kv.num_workers`.
        part_index: which part, from 0, such as `kv.rank`.
        even_size: whether all parts give as many samples as the longest: what a shorter one lacks is drawn from all
            samples. Else parts differ by one sample at most, and maybe by a batch.
        repeat: how many times a pass goes over the part.
        shuffle: whether the order is drawn; else it is that of the samples.
        seed: draws the orders, pass after pass, the same in every run; None draws from Python's `random`.

    Example:
        >>> sampler = SplitSampler(len(dataset), kv.num_workers, kv.rank, even_size=True)
        >>> loader = DataLoader(dataset, batch_size=32, sampler=sampler)
    """

    __module__ = "mxnet.gluon.data"

    def __init__(
        self,
        length: int,
        num_parts: int = 1,
        part_index: int = 0,
        even_size: bool = False,
        repeat: int = 1,
        shuffle: bool = True,
        seed: int | None = None,
    ) -> None:
        who = type(self).__name__
        self._length = _check_count(who, "length", length, 0)
        self._num_parts = _check_count(who, "num_parts", num_parts, 1)
        self._repeat = _check_count(who, "repeat", repeat, 1)
        if not 0 <= part_index < num_parts:
            raise OpParamError(
                f"[{who}] part_index: received {part_index}; expected 0 to num_parts - 1 = {num_parts - 1}."
            )
        if length < num_parts:
            raise OpParamError(
                f"[{who}] length: received {length}; expected at least one for each of {num_parts} parts."
            )
        self._start, self._end = part_bounds(length, num_parts, part_index, even_size)
        self._count = -(-length // num_parts) if even_size else self._end - self._start
        self._shuffle = shuffle
        self._key = None if seed is None else (_check_count(who, "seed", seed, 0), part_index)
        self._pass = 0

    def __iter__(self) -> Iterator[int]:
        # Python's own module as those do whom it stands in for: `random.seed` fixes the orders of all of them.
        draw: Any = random if self._key is None else random.Random(f"{self._key} {self._pass}")
        self._pass += 1
        order: list[int] = []
        for _ in range(self._repeat):
            part = [*range(self._start, self._end)]
            part += draw.sample(range(self._length), self._count - len(part))
            if self._shuffle:
                draw.shuffle(part)
            order += part
        return iter(order)

    def __len__(self) -> int:
        return self._count * self._repeat


class DistributedSampler(Sampler):
    """The samples of one of several processes that train together: dealt out anew in each pass.

    All processes draw the same order from the seed and the number of the pass alone, and take turns: process `rank` of
    `n` has the samples at the places `rank`, `rank + n`, `rank + 2 n` and so on. So together they have every sample,
    and each has as many as the others, hence as many batches. No random state of anybody is read or changed.

    Args:
        dataset: the samples, or their number.
        shuffle: whether the order is drawn; else it is that of the samples, in every pass.
        seed: from which the orders are drawn; must be the same in all processes.
        drop_last: what happens to samples that not every process would get: they are left out if it is True; else the
            first ones of the order come once more, so that there are enough.
        rank: the number of this process; by default what its launcher says, or 0 for a process alone.
        num_workers: how many processes there are; likewise.

    Example:
        >>> sampler = DistributedSampler(dataset, seed=42)
        >>> loader = DataLoader(dataset, batch_size=32, sampler=sampler)
        >>> sampler.set_epoch(first_epoch)  # only to go on with an interrupted training
        >>> for epoch in range(first_epoch, num_epochs):
        ...     for data, label in loader:  # an order of its own in every pass
        ...         ...
    """

    __module__ = "mxnet.gluon.data"

    def __init__(
        self,
        dataset: Any,
        shuffle: bool = True,
        seed: int = 0,
        drop_last: bool = False,
        rank: int | None = None,
        num_workers: int | None = None,
    ) -> None:
        who = type(self).__name__
        self._length = _check_count(who, "dataset", len(dataset) if hasattr(dataset, "__len__") else dataset, 0)
        self._shuffle, self._drop_last = shuffle, drop_last
        self._seed = _check_count(who, "seed", seed, 0)
        if (rank is None) != (num_workers is None):
            raise OpParamError(
                f"[{who}] received rank={rank}, num_workers={num_workers}; expected both, or neither: then the launch "
                "of this process tells them."
            )
        if rank is None or num_workers is None:
            launch = launched()
            rank, num_workers = (0, 1) if launch is None else launch[:2]
        self._num_workers = _check_count(who, "num_workers", num_workers, 1)
        if not 0 <= rank < num_workers:
            raise OpParamError(f"[{who}] rank: received {rank}; expected 0 to num_workers - 1 = {num_workers - 1}.")
        self._rank = rank
        self._epoch = 0

    def set_epoch(self, epoch: int) -> None:
        """Has the next pass be the one of this number; those after it count on from there."""
        self._epoch = _check_count(type(self).__name__, "epoch", epoch, 0)

    @property
    def epoch(self) -> int:
        """The number of the next pass."""
        return self._epoch

    def __iter__(self) -> Iterator[int]:
        key = (self._seed, self._epoch) if self._shuffle else None
        self._epoch += 1
        order: list[int] = dealt_order(self._length, self._num_workers, self._rank, key, self._drop_last).tolist()
        return iter(order)

    def __len__(self) -> int:
        return shared_length(self._length, self._num_workers, self._drop_last)


# Elements of a sample up to which calls cost more than the work: larger ones are treated one by one, in the cache.
_SMALL = 1 << 16


def transformed(
    dataset: Any, places: np.ndarray, function: Callable[..., Any], transform: Any, first_only: bool
) -> Columns | None:
    """Samples of a dataset after a function, or None if it has to be called with each of them.

    Args:
        dataset: where the samples come from.
        places: their indices.
        function: the function of a sample's elements.
        transform: the transform that this is, or that it runs on the first element.
        first_only: it runs it on the first element.
    """
    steps = _steps(transform)
    forms = [batch_form(step) for step in steps]
    num_alone = max((i + 1 for i, form in enumerate(forms) if form is None), default=0)
    if num_alone == len(steps) > 0:
        return None
    numbers = places.tolist()
    columns = taken(dataset, places)
    if columns is None:
        columns = _as_columns(samples_of(Unlike(dataset, numbers)), numbers)
    rest: tuple[Any, ...] = ()
    if isinstance(columns, tuple) and first_only:
        columns, *others = columns
        rest = tuple(others)
    first = columns if is_dense(columns) else samples_of(columns)
    if not rest and isinstance(first, list) and any(isinstance(sample, tuple) for sample in first):
        # The transform is called with several elements: the samples are at hand, so they are finished one by one.
        return Read([_called(function, sample, place) for sample, place in zip(first, numbers, strict=True)], numbers)
    changed = _staged(first, steps, [form for form in forms[num_alone:] if form is not None], numbers)
    return (changed, *rest) if rest else changed


def _steps(transform: Any) -> list[Any]:
    """The transforms of a row, rows inside it included; anything else is one step."""
    if not is_row(transform):
        return [transform]
    return [step for child in transform._children.values() for step in _steps(child)]


def _as_columns(samples: list[Any], places: list[int]) -> Columns:
    """Samples as a column, or as one for each element where all are tuples of one length."""
    if not all(isinstance(sample, tuple) and len(sample) == len(samples[0]) > 1 for sample in samples):
        return Read(samples, places)
    return tuple(Read(list(column), places) for column in zip(*samples, strict=True))


def _called(function: Callable[..., Any], sample: Any, place: int) -> Any:
    with naming(place, function, is_transform=True):
        return function(*sample) if isinstance(sample, tuple) else function(sample)


def _staged(first: NDArray | list[Any], steps: list[Any], forms: list[BatchForm], places: list[int]) -> Columns:
    """Runs all steps; there are forms for the last of them."""
    num_alone = len(steps) - len(forms)
    if isinstance(first, NDArray) and not num_alone:
        batch, done = _on_batch(first, forms)
        if done == len(forms):
            return batch
        steps, forms, first = steps[done:], forms[done:], batch
    # What each step is called with: as in nn.Sequential, lists and tuples are several arguments for the next.
    arguments = [_through(steps[:num_alone], (sample,), place) for sample, place in zip(first, places, strict=True)]
    for number, step in enumerate(steps[num_alone:]):
        if _are_alike(arguments):
            batch, done = _on_batch(stack(*(x for (x,) in arguments)), forms[number:])
            if done == len(forms) - number:
                return batch
        arguments = [_through([step], given, place) for given, place in zip(arguments, places, strict=True)]
    return Read([given[0] if len(given) == 1 else given for given in arguments], places)


def _on_batch(batch: NDArray, forms: Sequence[BatchForm]) -> tuple[NDArray, int]:
    """The batch after as many forms as fit it, and their number."""
    for number, form in enumerate(forms):
        changed = form(batch)
        if changed is None:
            return batch, number
        batch = changed
    return batch, len(forms)


def _are_alike(arguments: list[tuple[Any, ...]]) -> bool:
    """Whether samples can be joined, and whether that is worth it."""
    first = arguments[0][0]
    if not is_dense(first) or first.size > _SMALL:
        return False
    kind = (type(first), first.shape, first.dtype, first.context)
    return all(
        len(given) == 1
        and is_dense(given[0])
        and (type(given[0]), given[0].shape, given[0].dtype, given[0].context) == kind
        for given in arguments
    )


def _through(steps: list[Any], arguments: tuple[Any, ...], place: int) -> tuple[Any, ...]:
    for step in steps:
        with naming(place, step, is_transform=True):
            result = step(*arguments)
        arguments = tuple(result) if isinstance(result, (tuple, list)) else (result,)
    return arguments
