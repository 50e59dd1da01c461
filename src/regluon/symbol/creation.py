"""Symbols that make arrays from nothing: zeros, ranges, the identity."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ..base import ShapeLike
from ..dtypes import DTypeLike
from ..ops.registry import find
from .attribute_scope import Named, Placed
from .graph_builder import apply_operator

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from .symbol import Symbol

__all__ = ["arange", "eye", "full", "histogram", "linspace", "ones", "zeros"]


def _made(op: str, params: dict[str, Any], dtype: Any, extra: Mapping[str, Any]) -> Any:
    kwargs = {**params, "dtype": np.float32 if dtype is None else dtype, **extra}
    named = {key: kwargs.pop(key) for key in ("name", "attr") if key in kwargs}
    return apply_operator(find(op), op, (), kwargs, **named)


def eye(N: int, M: int = 0, k: int = 0, dtype: DTypeLike | None = None, **kwargs: "Unpack[Placed]") -> "Symbol":
    """A matrix with ones on a diagonal and zeros elsewhere.

    Args:
        N: number of rows.
        M: number of columns; 0 for as many as rows.
        k: which diagonal; positive ones lie above the main one.
        dtype: type of the elements; float32 by default.
        kwargs: `name`, `attr`, `ctx`.
    """
    return _made("_eye", {"N": N, "M": M, "k": k}, dtype, kwargs)


def zeros(shape: ShapeLike, dtype: DTypeLike | None = None, **kwargs: "Unpack[Placed]") -> "Symbol":
    """An array of zeros."""
    return _made("_zeros", {"shape": shape}, dtype, kwargs)


def ones(shape: ShapeLike, dtype: DTypeLike | None = None, **kwargs: "Unpack[Placed]") -> "Symbol":
    """An array of ones."""
    return _made("_ones", {"shape": shape}, dtype, kwargs)


def full(shape: ShapeLike, val: float, dtype: DTypeLike | None = None, **kwargs: "Unpack[Placed]") -> "Symbol":
    """An array filled with one number."""
    return _made("_full", {"shape": shape, "value": float(val)}, dtype, kwargs)


def arange(
    start: float,
    stop: float | None = None,
    step: float = 1.0,
    repeat: int = 1,
    infer_range: bool = False,
    name: str | None = None,
    dtype: Any = None,
) -> "Symbol":
    """Evenly spaced numbers from `start` to before `stop`; from 0 if only one of them is given.

    Args:
        start: the first number, or the end if `stop` is None.
        stop: the end, not included.
        step: distance between numbers.
        repeat: how often each number is repeated.
        infer_range: whether the end follows from the shape of what uses it.
        name: of the symbol.
        dtype: type of the elements; float32 by default.
    """
    params = {"start": start, "stop": stop, "step": step, "repeat": repeat, "infer_range": infer_range}
    return _made("_arange", params, dtype, {"name": name})


def linspace(
    start: float, stop: float, num: int, endpoint: bool = True, name: str | None = None, dtype: Any = None
) -> "Symbol":
    """`num` evenly spaced numbers from `start` to `stop`, which is left out unless `endpoint`."""
    params = {"start": start, "stop": stop, "num": num, "endpoint": endpoint}
    return _made("_linspace", params, dtype, {"name": name})


def histogram(
    a: "Symbol", bins: "int | Symbol" = 10, range: Sequence[float] | None = None, **kwargs: "Unpack[Named]"
) -> "Symbol":
    """Counts of the elements by interval, and the bounds of the intervals.

    Args:
        a: the data.
        bins: number of intervals, with `range`; or a symbol of their bounds.
        range: where the first begins and the last ends.
        kwargs: `name`, `attr`.
    """
    if hasattr(bins, "_heads"):
        return apply_operator(find("_histogram"), "_histogram", (a, bins), {}, **kwargs)
    if not isinstance(bins, int):
        raise ValueError(f"[histogram] bins: received {bins!r}; expected a number or a Symbol of bounds.")
    if range is None:
        raise ValueError("[histogram] range: expected where the first interval begins and the last one ends.")
    return apply_operator(find("_histogram"), "_histogram", (a,), {"bin_cnt": bins, "range": range}, **kwargs)
