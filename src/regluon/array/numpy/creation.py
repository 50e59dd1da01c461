"""Functions that make `mx.np` arrays: from other data, filled, or numbered."""

from operator import index
from typing import TYPE_CHECKING, Any, Literal, overload

import numpy as onp

from ...base import numeric_types
from ...context import Context
from ...dtypes import DTypeLike, default_dtype
from ...errors import OpTypeError
from ...runtime.handle import Handle
from ..creation import array as nd_array
from ..creation import empty as nd_empty
from .dispatch import Placed, call, expect_c_order, is_array, make

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from .array import ndarray

__all__ = [
    "arange",
    "array",
    "blackman",
    "copy",
    "empty",
    "empty_like",
    "eye",
    "full",
    "full_like",
    "hamming",
    "hanning",
    "identity",
    "indices",
    "linspace",
    "logspace",
    "ones",
    "ones_like",
    "zeros",
    "zeros_like",
]

Shape = int | tuple[int, ...]


def array(object: Any, dtype: DTypeLike | None = None, ctx: Context | None = None) -> "ndarray":
    """An array from any data, always a copy.

    Args:
        object: an array of any kind, a number, or nested lists of numbers.
        dtype: of the elements; by default that of a given array, and float32 for Python's own numbers.
        ctx: where to put it; the current context by default.

    Example:
        >>> np.array([[1, 2], [3, 4]])
        array([[1., 2.],
               [3., 4.]])
        >>> np.array([1, 2], dtype="int32").dtype
        dtype('int32')
    """
    numpy_type = Handle._numpy_type
    if isinstance(object, Handle) and not isinstance(object, numpy_type):
        raise ValueError(
            "[np.array] received an mx.nd array; expected data or an mx.np array. x.as_np_ndarray() gives an mx.np "
            "array over the same memory."
        )
    if dtype is None and isinstance(object, (onp.ndarray, onp.generic)):
        dtype = object.dtype
    return nd_array(object, ctx, dtype)._retyped(numpy_type)


def empty(shape: Shape, dtype: DTypeLike = onp.float32, order: str = "C", ctx: Context | None = None) -> "ndarray":
    """An array whose elements are not set."""
    expect_c_order("empty", order)
    return nd_empty(shape, ctx, dtype)._retyped(Handle._numpy_type)


def empty_like(
    prototype: "ndarray", dtype: DTypeLike | None = None, order: str = "C", subok: bool = False, shape: Any = None
) -> "ndarray":
    """An array of the shape of another, whose elements are not to be relied on."""
    expect_c_order("empty_like", order)
    if subok or shape is not None:
        raise NotImplementedError("[np.empty_like] only subok=False and shape=None are available.")
    return full_like(prototype, 0, dtype)


def zeros(shape: Shape, dtype: DTypeLike | None = None, order: str = "C", ctx: Context | None = None) -> "ndarray":
    """An array of zeros, float32 by default."""
    expect_c_order("zeros", order)
    return make("_npi_zeros", {"shape": _lengths(shape), "dtype": default_dtype(dtype)}, ctx)


def ones(shape: Shape, dtype: DTypeLike = onp.float32, order: str = "C", ctx: Context | None = None) -> "ndarray":
    """An array of ones, float32 by default."""
    expect_c_order("ones", order)
    return make("_npi_ones", {"shape": _lengths(shape), "dtype": default_dtype(dtype)}, ctx)


def full(
    shape: Shape,
    fill_value: Any,
    dtype: DTypeLike | None = None,
    order: str = "C",
    ctx: Context | None = None,
    out: "ndarray | None" = None,
) -> "ndarray":
    """An array filled with one value, or with an array that broadcasts to the shape.

    The dtype is float32 by default, that of a given array, or bool for True and False.
    """
    expect_c_order("full", order)
    if is_array(fill_value):
        stretched = call("_npi_broadcast_to", (fill_value,), {"shape": _lengths(shape)})
        return stretched if dtype is None else stretched.astype(dtype)
    if dtype is None:
        dtype = onp.bool_ if isinstance(fill_value, (bool, onp.bool_)) else onp.float32
    return make("_npi_full", {"shape": _lengths(shape), "value": float(fill_value), "dtype": dtype}, ctx, out)


def full_like(
    a: "ndarray",
    fill_value: Any,
    dtype: DTypeLike | None = None,
    order: str = "C",
    ctx: Context | None = None,
    out: "ndarray | None" = None,
) -> "ndarray":
    """An array of the shape, and by default the dtype, of another, on its context, filled with one number."""
    expect_c_order("full_like", order)
    return call("_npi_full_like", (a,), {"fill_value": float(fill_value), "dtype": dtype}, out)


def zeros_like(
    a: "ndarray",
    dtype: DTypeLike | None = None,
    order: str = "C",
    ctx: Context | None = None,
    out: "ndarray | None" = None,
) -> "ndarray":
    """Zeros in the shape, and by default the dtype, of another array."""
    return full_like(a, 0, dtype, order, ctx, out)


def ones_like(
    a: "ndarray",
    dtype: DTypeLike | None = None,
    order: str = "C",
    ctx: Context | None = None,
    out: "ndarray | None" = None,
) -> "ndarray":
    """Ones in the shape, and by default the dtype, of another array."""
    return full_like(a, 1, dtype, order, ctx, out)


def arange(
    start: float | None,
    stop: float | None = None,
    step: float = 1,
    dtype: DTypeLike | None = None,
    ctx: Context | None = None,
) -> "ndarray":
    """Evenly spaced numbers in [start, stop), float32 by default; `arange(n)` counts from 0."""
    if stop is None:
        start, stop = 0, start
    if stop is None:
        raise ValueError("[np.arange] received neither start nor stop; expected where to stop: np.arange(5).")
    if step == 0:
        raise ZeroDivisionError("[np.arange] step: received 0; expected the distance between two numbers.")
    params = {"start": start or 0, "stop": stop, "step": 1 if step is None else step, "dtype": default_dtype(dtype)}
    return make("_npi_arange", params, ctx)


def identity(n: int, dtype: DTypeLike | None = None, ctx: Context | None = None) -> "ndarray":
    """A square matrix with ones on its diagonal."""
    if not isinstance(n, int):
        raise TypeError(f"[np.identity] n: received {type(n).__name__}; expected an integer.")
    if n < 0:
        raise ValueError(f"[np.identity] n: received {n}; expected the number of rows, at least 0.")
    return make("_npi_identity", {"shape": (n, n), "dtype": default_dtype(dtype)}, ctx)


def eye(
    N: int, M: int | None = None, k: int = 0, dtype: DTypeLike = onp.float32, **kwargs: "Unpack[Placed]"
) -> "ndarray":
    """A matrix of N rows and M columns with ones on the k-th diagonal."""
    ctx = kwargs.pop("ctx", None)
    expect_c_order("eye", kwargs.pop("order", "C"))
    if kwargs:
        raise TypeError(f"[np.eye] received {', '.join(kwargs)}; expected N, M, k, dtype and ctx.")
    return make("_npi_eye", {"N": N, "M": M, "k": k, "dtype": default_dtype(dtype)}, ctx)


@overload
def linspace(
    start: float,
    stop: float,
    num: int = 50,
    endpoint: bool = True,
    retstep: Literal[False] = False,
    dtype: DTypeLike | None = None,
    axis: int = 0,
    ctx: Context | None = None,
) -> "ndarray": ...
@overload
def linspace(
    start: float,
    stop: float,
    num: int = 50,
    endpoint: bool = True,
    *,
    retstep: Literal[True],
    dtype: DTypeLike | None = None,
    axis: int = 0,
    ctx: Context | None = None,
) -> tuple["ndarray", float]: ...
def linspace(
    start: float,
    stop: float,
    num: int = 50,
    endpoint: bool = True,
    retstep: bool = False,
    dtype: DTypeLike | None = None,
    axis: int = 0,
    ctx: Context | None = None,
) -> Any:
    """`num` evenly spaced numbers from `start` to `stop`, which is left out if `endpoint` is False.

    Args:
        start: the first number.
        stop: the end of the interval.
        num: how many numbers.
        endpoint: whether the last one is `stop`.
        retstep: return the distance between two numbers as well.
        dtype: of the numbers; float32 by default.
        axis: 0.
        ctx: where to put the array.
    """
    _expect_numbers("linspace", start, stop, axis)
    params = {"start": start, "stop": stop, "num": num, "endpoint": endpoint, "dtype": default_dtype(dtype)}
    points = make("_npi_linspace", params, ctx)
    return (points, (stop - start) / (num - 1)) if retstep else points


def logspace(
    start: float,
    stop: float,
    num: int = 50,
    endpoint: bool = True,
    base: float = 10.0,
    dtype: DTypeLike | None = None,
    axis: int = 0,
    ctx: Context | None = None,
) -> "ndarray":
    """`num` numbers from base**start to base**stop with even spaces between their logarithms."""
    _expect_numbers("logspace", start, stop, axis)
    params = {"start": start, "stop": stop, "num": num, "endpoint": endpoint, "base": base}
    return make("_npi_logspace", {**params, "dtype": default_dtype(dtype)}, ctx)


def _expect_numbers(who: str, start: Any, stop: Any, axis: int) -> None:
    if not isinstance(start, numeric_types) or not isinstance(stop, numeric_types) or axis != 0:
        raise NotImplementedError(f"[np.{who}] start and stop must be numbers and axis 0; arrays are not available.")


def indices(dimensions: Any, dtype: DTypeLike = onp.int32, ctx: Context | None = None) -> "ndarray":
    """The indices of every element of an array of this shape, one grid per axis."""
    if not isinstance(dimensions, (tuple, list)):
        raise ValueError(f"[np.indices] dimensions: received {dimensions!r}; expected a tuple of integers.")
    return make("_npi_indices", {"dimensions": tuple(dimensions), "dtype": dtype}, ctx)


def hanning(M: int, dtype: DTypeLike = onp.float32, ctx: Context | None = None) -> "ndarray":
    """The Hann window of M points."""
    return make("_npi_hanning", {"M": M, "dtype": dtype}, ctx)


def hamming(M: int, dtype: DTypeLike = onp.float32, ctx: Context | None = None) -> "ndarray":
    """The Hamming window of M points."""
    return make("_npi_hamming", {"M": M, "dtype": dtype}, ctx)


def blackman(M: int, dtype: DTypeLike = onp.float32, ctx: Context | None = None) -> "ndarray":
    """The Blackman window of M points."""
    return make("_npi_blackman", {"M": M, "dtype": dtype}, ctx)


def copy(a: Any, out: Any = None) -> "ndarray":
    """A copy of an array."""
    return call("_np_copy", (a,), out=out)


def _lengths(shape: Any) -> tuple[int, ...]:
    try:
        return (index(shape),) if not isinstance(shape, (tuple, list)) else tuple(index(n) for n in shape)
    except TypeError:
        raise OpTypeError(f"[shape] received {shape!r}; expected an integer or a tuple of integers.") from None
