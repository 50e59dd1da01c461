"""From samples to batches."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from regluon.array.kinds import in_force

from ...error import OpIndexError, OpShapeError, OpTypeError
from ...ndarray import NDArray, array, stack

__all__ = ["UnlikeSamplesError", "default_batchify_fn", "default_mp_batchify_fn"]


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
