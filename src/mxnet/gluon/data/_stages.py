"""Transforms over many samples: by sample as far as they must, then on the whole batch.

A row of transforms is taken apart. What comes after its last transform that is random, or unknown, gives the same for a
batch as for each of its samples: joining samples before it saves most of the calls. Random numbers are drawn in the
order in which reading sample by sample would draw them.
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ...ndarray import NDArray, stack
from ._columns import (
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

__all__ = ["transformed"]

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
