"""Assemble batches from samples."""

import contextlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias, TypeGuard

import numpy as np

from regluon.array.array_kind import in_force
from regluon.data.workers import one_thread
from regluon.rng import private_stream

from ...error import OpIndexError, OpShapeError, OpTypeError
from ...ndarray import NDArray, array, stack, take
from ..nn._containers import HybridSequential, Sequential

__all__ = [
    "UnlikeSamplesError",
    "default_batchify_fn",
    "default_mp_batchify_fn",
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
    "BatchReader",
]


class UnlikeSamplesError(OpShapeError):
    """Samples of different shapes cannot be put side by side.

    Attributes:
        first: the shape, or number of elements, of the batch's first sample.
        other: that of the first sample that differs.
        position: where in the batch that is.
    """

    def __init__(self, first: Any, other: Any, position: int, names: tuple[str, str] | None = None) -> None:
        self.first, self.other, self.position = first, other, position
        here, there = names or ("sample 0 of the batch", f"sample {position} of the batch")
        super().__init__(
            f"[DataLoader] samples of different shapes in a batch: {here} has {_described(first)}, {there} has "
            f"{_described(other)}; expected one shape. Crop or pad them with dataset.transform, or pass batchify_fn."
        )

    def __reduce__(self) -> Any:
        return _unlike, (self.first, self.other, self.position, str(self))

    def named(self, indices: Sequence[Any]) -> "UnlikeSamplesError":
        """The same, with the samples' numbers in the dataset."""
        names = f"sample {indices[0]} of the dataset", f"sample {indices[self.position]}"
        return UnlikeSamplesError(self.first, self.other, self.position, names)


def _unlike(first: Any, other: Any, position: int, text: str) -> UnlikeSamplesError:
    error = UnlikeSamplesError(first, other, position)
    error.args = (text,)
    return error


def _described(shape: Any) -> str:
    return f"{shape} elements" if isinstance(shape, int) else f"shape {shape}"


def _shape(sample: Any) -> Any:
    try:
        return np.shape(sample)
    except ValueError:
        return None  # lists of different lengths in themselves


def _check_alike(kinds: list[Any]) -> None:
    """Refuses a batch whose samples do not all have the first one's shape."""
    for position, kind in enumerate(kinds):
        if kind != kinds[0]:
            raise UnlikeSamplesError(kinds[0], kind, position)


def default_batchify_fn(data: Sequence[Any]) -> Any:
    """Puts samples side by side: arrays along a new first axis, the elements of tuples each for themselves."""
    if not len(data):
        raise OpIndexError("[DataLoader] received a batch without samples; expected at least one.")
    first = data[0]
    if isinstance(first, NDArray):
        _check_alike([np.shape(sample) if not isinstance(sample, NDArray) else sample.shape for sample in data])
        return in_force(stack(*data))
    if isinstance(first, tuple):
        _check_alike([len(sample) if isinstance(sample, tuple) else np.shape(sample) for sample in data])
        return [default_batchify_fn(column) for column in zip(*data, strict=True)]
    try:
        joined = np.asarray(data)
    except ValueError as error:
        _check_alike([_shape(sample) for sample in data])
        raise OpShapeError(
            f"[DataLoader] a batch cannot be made of samples of type {type(first).__name__}: {error}. Convert them "
            "with dataset.transform, or pass batchify_fn."
        ) from None
    if joined.dtype.kind not in "biuf":
        raise OpTypeError(
            f"[DataLoader] a batch cannot be made of samples of type {type(first).__name__}; expected numbers, arrays, "
            "or tuples of them. Convert them with dataset.transform, or pass batchify_fn."
        )
    return in_force(array(joined, dtype=joined.dtype))


def default_mp_batchify_fn(data: Sequence[Any]) -> Any:
    """What workers put samples side by side with; the same as default_batchify_fn.

    Whatever function makes a batch in a worker, its arrays travel through shared memory.
    """
    return default_batchify_fn(data)


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
