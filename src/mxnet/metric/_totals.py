"""Sums that stay on their devices until somebody reads them."""

from typing import Any

import numpy as np

import mxnet.ndarray as nd

from ..context import Context, cpu
from ..ndarray import NDArray


def precise(array: NDArray) -> NDArray:
    """The array in float64, in which whole numbers are exact up to 2**53."""
    if array.context.device.type == "mps":  # Apple's GPUs know no float64
        array = array.as_in_context(cpu())
    return array.astype("float64", copy=False)


def in_float(array: NDArray) -> NDArray:
    """The array in a type to calculate with: float32 or float64 as it is, smaller floats widened, integers exact."""
    dtype = array.dtype
    if dtype is np.float32 or dtype is np.float64:
        return array
    return array.astype("float32") if dtype in (np.float16, "bfloat16") else precise(array)


def in_same_float(first: NDArray, second: NDArray) -> tuple[NDArray, NDArray]:
    """Both arrays in one type to calculate with."""
    first, second = in_float(first), in_float(second)
    return (first, second) if first.dtype == second.dtype else (precise(first), precise(second))


class Running:
    """A number, plus arrays of one element that have not been read yet, one per context.

    Args:
        start: the number.
        parts: the arrays.
    """

    __slots__ = ("_parts", "_start")

    def __init__(self, start: Any = 0.0, parts: dict[Context, NDArray] | None = None) -> None:
        self._start = start
        self._parts = parts or {}

    def plus(self, value: Any) -> "Running":
        """A new sum with a number or a precise array of one element more; nothing waits for a device."""
        if not isinstance(value, NDArray):
            return Running(self._start + value, self._parts)
        part = self._parts.get(value.context)
        return Running(self._start, {**self._parts, value.context: value if part is None else part + value})

    def number(self) -> Any:
        """The sum itself. This waits for the devices."""
        return self._start + sum(float(part.asscalar()) for part in self._parts.values())


class Total:
    """An attribute that is a plain number to everybody who reads or sets it, and may hold a `Running` in between."""

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    def __get__(self, metric: Any, owner: type | None = None) -> Any:
        if metric is None:
            return self
        try:
            total = vars(metric)[self._name]
        except KeyError:
            raise AttributeError(f"{type(metric).__name__} has no {self._name} yet; reset() sets it.") from None
        return total.number() if isinstance(total, Running) else total

    def __set__(self, metric: Any, value: Any) -> None:
        # NumPy would go on adding in the small type of the first summand.
        if isinstance(value, np.floating):
            value = np.float64(value)
        elif isinstance(value, np.integer):
            value = np.int64(value)
        vars(metric)[self._name] = value


def add(metric: Any, value: Any, *names: str) -> None:
    """Adds a number or an array of one element to attributes that are Totals, without reading them."""
    if isinstance(value, NDArray):
        value = precise(value)
    attributes = vars(metric)
    former: Any = None
    latter: Any = None
    for name in names:
        now = attributes.get(name, 0)
        if now is not former or latter is None:  # sums that were the same stay the same
            former, latter = now, _grown(now, value)
        attributes[name] = latter


def _grown(total: Any, value: Any) -> Any:
    if isinstance(total, Running):
        return total.plus(value)
    return Running(total).plus(value) if isinstance(value, NDArray) else total + value


def sum_of(array: NDArray) -> NDArray:
    """The sum of all elements, in a type that holds it."""
    return nd.sum(in_float(array))


def classes_of(array: NDArray) -> NDArray:
    """Classes as a vector of whole numbers."""
    return as_vector(array.astype("int32", copy=False))


def as_vector(array: NDArray) -> NDArray:
    """All elements in a row."""
    return array if array.ndim == 1 else array.reshape((-1,))
