"""Many samples at once, as columns.

Reading a batch sample by sample costs a few calls of Python each. A dataset of arrays can gather a whole batch with one
operator instead, and a transform that treats every sample alone and the same way can run on it as a whole. Both sides
say so themselves: datasets with `_take_batch`, transforms with `_batch_form`; whatever does not is read by sample.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias, TypeGuard

import numpy as np

from ...ndarray import NDArray, array, take
from ..nn._containers import HybridSequential, Sequential

__all__ = [
    "Columns",
    "Read",
    "Unlike",
    "batch_form",
    "column_of",
    "is_dense",
    "is_row",
    "naming",
    "samples_of",
    "taken",
]


@dataclass(frozen=True, slots=True)
class Unlike:
    """A column of something else than an array: where its samples are, to be read one by one when it is certain."""

    data: Any
    places: list[int]


@dataclass(frozen=True, slots=True)
class Read:
    """A column of samples that are read already, and where they came from."""

    samples: list[Any]
    places: list[int]


# The samples' arrays along a new first axis; for samples that are tuples, a tuple of that.
Columns: TypeAlias = NDArray | np.ndarray | Unlike | Read | tuple[Any, ...]


def taken(dataset: Any, places: np.ndarray) -> Columns | None:
    """The samples at these places, or None if the dataset only gives them one by one.

    Args:
        dataset: any dataset.
        places: indices from 0 on that exist.
    """
    if type(dataset) in (NDArray, NDArray._numpy_type, np.ndarray):
        column = column_of(dataset, places)
        return None if isinstance(column, Unlike) else column
    owner = next((base for base in type(dataset).__mro__ if "_take_batch" in vars(base)), None)
    # A subclass that reads samples in its own way has not promised anything about batches.
    if owner is None or type(dataset).__getitem__ is not getattr(owner, "__getitem__", None):
        return None
    columns: Columns | None = dataset._take_batch(places)
    return columns


def is_dense(data: Any) -> TypeGuard[NDArray]:
    """Whether something is a dense array, of `mx.nd` or of `mx.np`, and nothing more special."""
    return type(data) in (NDArray, NDArray._numpy_type)


def column_of(data: Any, places: np.ndarray) -> Columns:
    """Elements of an array, or of anything with numbered elements."""
    # An element of a flat array of mx.nd is an array of one element: they are read one by one.
    if is_dense(data) and data.size and data.ndim > (type(data) is NDArray):
        # In two axes: gathering rows is a plain copy of memory.
        rows = take(data.as_nd_ndarray().reshape((len(data), -1)), array(places, dtype="int64", ctx=data.context))
        column = rows.reshape((len(places), *data.shape[1:]))
        return column if type(data) is NDArray else column.as_np_ndarray()
    if type(data) in (np.ndarray, np.memmap) and data.dtype.kind in "biuf" and data.dtype.isnative:
        return np.asarray(data[places])
    inner = taken(data, places) if hasattr(type(data), "_take_batch") else None
    return Unlike(data, places.tolist()) if inner is None else inner


def samples_of(columns: Columns) -> list[Any]:
    """The samples of columns one by one."""
    if isinstance(columns, Read):
        return columns.samples
    if isinstance(columns, tuple):
        return list(zip(*(samples_of(column) for column in columns), strict=True))
    if isinstance(columns, (NDArray, np.ndarray)):
        return [columns[i] for i in range(len(columns))]
    samples = []
    for place in columns.places:
        with naming(place, columns.data):
            samples.append(columns.data[place])
    return samples


class naming:
    """`with naming(7, dataset):` notes on errors inside which sample was read; a class, for it is entered often.

    Args:
        place: the sample's index.
        source: where it is read, or what it is given to.
        is_transform: it is given to it.
    """

    __slots__ = ("_is_transform", "_place", "_source")

    def __init__(self, place: Any, source: Any, is_transform: bool = False) -> None:
        self._place, self._source, self._is_transform = place, source, is_transform

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: Any) -> None:
        if isinstance(error, Exception):
            doing, joint = ("transforming", "with") if self._is_transform else ("reading", "of")
            note = f"[DataLoader] while {doing} sample {self._place} {joint} {type(self._source).__name__}."
            # What `add_note` does, for Python 3.10 too, where only errors of workers show it.
            error.__notes__ = [*getattr(error, "__notes__", ()), note]  # type: ignore[attr-defined]


BatchForm: TypeAlias = Callable[[NDArray], NDArray | None]


def is_row(transform: Any) -> bool:
    """Whether a transform does nothing but run others one after the other."""
    is_plain = type(transform) in (Sequential, HybridSequential) or getattr(transform, "_is_row_of_transforms", False)
    return is_plain and not _has_hooks(transform)


def batch_form(transform: Any) -> BatchForm | None:
    """A function that does to a batch what a transform, no row, does to each sample; None if there is none.

    The function returns None for a batch it does not fit.
    """
    own = getattr(transform, "_batch_form", None)
    return None if own is None or _has_hooks(transform) else own()


def _has_hooks(block: Any) -> bool:
    """Whether somebody looks at what goes in and out of a block: samples, then."""
    return bool(block._forward_hooks or block._forward_pre_hooks)
