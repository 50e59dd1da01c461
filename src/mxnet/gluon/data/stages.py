"""Transforms over many samples: by sample as far as they must, then on the whole batch.

A row of transforms is taken apart. What comes after its last transform that is random, or unknown, gives the same for a
batch as for each of its samples: joining samples before it saves most of the calls. Random numbers are drawn in the
order in which reading sample by sample would draw them.
"""

from collections.abc import Sequence
from typing import Any

from ...ndarray import NDArray, stack
from .columns import BatchForm, Columns, Read, Unlike, add_note, batch_form, is_row, taken

__all__ = ["transformed"]

# Elements of a sample up to which the calls cost more than the work: larger ones are treated one by one, in the cache.
_SMALL = 1 << 16


def transformed(dataset: Any, places: Any, transform: Any, first_only: bool) -> Columns | None:
    """Samples of a dataset after a transform, or None if the transform has to be called with each of them.

    Args:
        dataset: where the samples come from.
        places: their indices.
        transform: the transform.
        first_only: it is for the first elements of samples that are tuples.
    """
    steps = _steps(transform)
    forms = [batch_form(step) for step in steps]
    num_alone = max((i + 1 for i, form in enumerate(forms) if form is None), default=0)
    if num_alone == len(steps) > 0:
        return None
    first, rest = _source(dataset, places, first_only)
    numbers = places.tolist()
    if isinstance(first, list) and first and isinstance(first[0], tuple):
        # Samples of several elements, and a transform for all of them: they are read already, so they are finished.
        return Read([_through(steps, *sample) for sample in first], numbers)
    changed = _staged(first, steps, [form for form in forms[num_alone:] if form is not None], numbers)
    return (changed, *rest) if rest else changed


def _steps(transform: Any) -> list[Any]:
    """The transforms of a row, rows inside it included; anything else is one step."""
    if not is_row(transform):
        return [transform]
    return [step for child in transform._children.values() for step in _steps(child)]


def _source(dataset: Any, places: Any, first_only: bool) -> tuple[NDArray | list[Any], tuple[Any, ...]]:
    """What the transform is for, as one array or a list of samples; and the columns beside it."""
    columns = taken(dataset, places)
    if columns is None or (isinstance(columns, tuple) and not first_only):
        columns = _read(dataset, places.tolist())
    rest: tuple[Any, ...] = ()
    if isinstance(columns, tuple):
        columns, rest = columns[0], columns[1:]
    if isinstance(columns, Unlike):
        columns = _read(columns.data, columns.places)
    if isinstance(columns, Read):
        if first_only and all(isinstance(sample, tuple) and len(sample) > 1 for sample in columns.samples):
            lengths = {len(sample) for sample in columns.samples}
            if len(lengths) == 1:
                inner = list(zip(*columns.samples, strict=True))
                return list(inner[0]), (*(Read(list(column), columns.places) for column in inner[1:]), *rest)
        return columns.samples, rest
    return (columns if type(columns) is NDArray else list(columns)), rest


def _read(data: Any, places: list[int]) -> Read:
    samples = []
    for place in places:
        try:
            samples.append(data[place])
        except Exception as error:
            add_note(error, place, data)
            raise
    return Read(samples, places)


def _staged(first: NDArray | list[Any], steps: list[Any], forms: list[BatchForm], places: list[int]) -> Columns:
    """Runs all steps; there are forms for the last of them."""
    num_alone = len(steps) - len(forms)
    if isinstance(first, NDArray) and not num_alone:
        batch, done = _on_batch(first, forms)
        if done == len(forms):
            return batch
        steps, forms, first = steps[done:], forms[done:], batch
    samples = list(first)
    samples = [_one(steps[:num_alone], sample, place) for sample, place in zip(samples, places, strict=True)]
    for number, step in enumerate(steps[num_alone:]):
        if _are_alike(samples):
            batch, done = _on_batch(stack(*samples), forms[number:])
            if done == len(forms) - number:
                return batch
        if any(isinstance(sample, (tuple, list)) for sample in samples):
            return Read([_through(steps[num_alone + number :], *_as_tuple(sample)) for sample in samples], places)
        samples = [_one([step], sample, place) for sample, place in zip(samples, places, strict=True)]
    return Read(samples, places)


def _on_batch(batch: NDArray, forms: Sequence[BatchForm]) -> tuple[NDArray, int]:
    """The batch after as many forms as fit it, and their number."""
    for number, form in enumerate(forms):
        changed = form(batch)
        if changed is None:
            return batch, number
        batch = changed
    return batch, len(forms)


def _are_alike(samples: list[Any]) -> bool:
    """Whether samples can be joined, and whether that is worth it."""
    kinds = {(s.shape, s.dtype, s.context) if type(s) is NDArray else None for s in samples}
    return len(kinds) == 1 and None not in kinds and samples[0].size <= _SMALL


def _one(steps: list[Any], sample: Any, place: int) -> Any:
    try:
        return _through(steps, *_as_tuple(sample)) if steps else sample
    except Exception as error:
        add_note(error, place, steps[0])
        raise


def _as_tuple(sample: Any) -> tuple[Any, ...]:
    return tuple(sample) if isinstance(sample, (tuple, list)) else (sample,)


def _through(steps: list[Any], x: Any, *args: Any) -> Any:
    """What nn.Sequential does: each step gets what the one before it returned."""
    for step in steps:
        x = step(x, *args)
        args = ()
        if isinstance(x, (tuple, list)):
            x, args = x[0], tuple(x[1:])
    return (x, *args) if args else x
