"""Sums, averages, extremes: functions that take axes away."""

from typing import TYPE_CHECKING, Any, Literal, overload

from ...base import ShapeLike
from ...dtypes import DTypeLike
from ...runtime.repeated import make_repeatable
from .dispatch import call

if TYPE_CHECKING:
    from .array import ndarray

__all__ = [
    "all",
    "amax",
    "amin",
    "any",
    "argmax",
    "argmin",
    "average",
    "cumsum",
    "max",
    "mean",
    "min",
    "prod",
    "product",
    "sometrue",
    "std",
    "sum",
    "trace",
    "var",
]


def sum(
    a: "ndarray",
    axis: ShapeLike | None = None,
    dtype: DTypeLike | None = None,
    keepdims: bool = False,
    initial: float | None = None,
    out: "ndarray | None" = None,
) -> "ndarray":
    """The sum along axes, or of all elements."""
    return call("_np_sum", (a,), _params(axis, keepdims, dtype=dtype, initial=initial), out)


def prod(
    a: "ndarray",
    axis: ShapeLike | None = None,
    dtype: DTypeLike | None = None,
    out: "ndarray | None" = None,
    keepdims: bool = False,
) -> "ndarray":
    """The product along axes, or of all elements."""
    return call("_np_prod", (a,), _params(axis, keepdims, dtype=dtype), out)


def product(
    a: "ndarray",
    axis: ShapeLike | None = None,
    dtype: DTypeLike | None = None,
    out: "ndarray | None" = None,
    keepdims: bool = False,
) -> "ndarray":
    """The product along axes; see `prod`."""
    return prod(a, axis, dtype, out, keepdims)


def mean(
    a: "ndarray",
    axis: ShapeLike | None = None,
    dtype: DTypeLike | None = None,
    out: "ndarray | None" = None,
    keepdims: bool = False,
) -> "ndarray":
    """The average along axes, or of all elements; of integers in float32."""
    return call("_npi_mean", (a,), _params(axis, keepdims, dtype=dtype), out)


def std(
    a: "ndarray",
    axis: ShapeLike | None = None,
    dtype: DTypeLike | None = None,
    out: "ndarray | None" = None,
    ddof: int = 0,
    keepdims: bool = False,
) -> "ndarray":
    """The standard deviation along axes, over the number of elements less `ddof`."""
    return call("_npi_std", (a,), _params(axis, keepdims, dtype=dtype, ddof=ddof), out)


def var(
    a: "ndarray",
    axis: ShapeLike | None = None,
    dtype: DTypeLike | None = None,
    out: "ndarray | None" = None,
    ddof: int = 0,
    keepdims: bool = False,
) -> "ndarray":
    """The variance along axes, over the number of elements less `ddof`."""
    return call("_npi_var", (a,), _params(axis, keepdims, dtype=dtype, ddof=ddof), out)


@overload
def average(
    a: "ndarray",
    axis: ShapeLike | None = None,
    weights: "ndarray | None" = None,
    returned: Literal[False] = False,
    out: "ndarray | None" = None,
) -> "ndarray": ...
@overload
def average(
    a: "ndarray", axis: ShapeLike | None = None, weights: "ndarray | None" = None, *, returned: Literal[True]
) -> list["ndarray"]: ...
@overload
def average(
    a: "ndarray",
    axis: ShapeLike | None = None,
    weights: "ndarray | None" = None,
    returned: bool = False,
    out: Any = None,
) -> "ndarray | list[ndarray]": ...
def average(
    a: "ndarray",
    axis: ShapeLike | None = None,
    weights: "ndarray | None" = None,
    returned: bool = False,
    out: Any = None,
) -> "ndarray | list[ndarray]":
    """The average along axes, weighted by another array if one is given.

    Args:
        a: the array.
        axis: which axes; all if not given.
        weights: of the elements, in the shape of `a`, or of the axis.
        returned: return the sums of the weights as well.
        out: an array for the result.
    """
    params = {"axis": axis, "returned": returned, "weighted": weights is not None}
    return call("_npi_average", (a,) if weights is None else (a, weights), params, out)


def max(a: "ndarray", axis: ShapeLike | None = None, keepdims: bool = False, out: "ndarray | None" = None) -> "ndarray":
    """The largest element along axes, or of all."""
    return call("_np_max", (a,), _params(axis, keepdims), out)


def min(a: "ndarray", axis: ShapeLike | None = None, keepdims: bool = False, out: "ndarray | None" = None) -> "ndarray":
    """The smallest element along axes, or of all."""
    return call("_np_min", (a,), _params(axis, keepdims), out)


def amax(
    a: "ndarray", axis: ShapeLike | None = None, keepdims: bool = False, out: "ndarray | None" = None
) -> "ndarray":
    """The largest element along axes; see `max`."""
    return max(a, axis, keepdims, out)


def amin(
    a: "ndarray", axis: ShapeLike | None = None, keepdims: bool = False, out: "ndarray | None" = None
) -> "ndarray":
    """The smallest element along axes; see `min`."""
    return min(a, axis, keepdims, out)


def all(a: "ndarray", axis: ShapeLike | None = None, keepdims: bool = False, out: "ndarray | None" = None) -> "ndarray":
    """Whether all elements along axes are non-zero."""
    return call("_np_all", (a,), _params(axis, keepdims), out)


def any(a: "ndarray", axis: ShapeLike | None = None, keepdims: bool = False, out: "ndarray | None" = None) -> "ndarray":
    """Whether any element along axes is non-zero."""
    return call("_np_any", (a,), _params(axis, keepdims), out)


def sometrue(
    a: "ndarray", axis: ShapeLike | None = None, keepdims: bool = False, out: "ndarray | None" = None
) -> "ndarray":
    """Whether any element along axes is non-zero; see `any`."""
    return any(a, axis, keepdims, out)


def argmax(a: "ndarray", axis: int | None = None, out: "ndarray | None" = None) -> "ndarray":
    """The index of the largest element along an axis, or in all elements in one row."""
    return call("_npi_argmax", (a,), {"axis": axis, "keepdims": False}, out)


def argmin(a: "ndarray", axis: int | None = None, out: "ndarray | None" = None) -> "ndarray":
    """The index of the smallest element along an axis, or in all elements in one row."""
    return call("_npi_argmin", (a,), {"axis": axis, "keepdims": False}, out)


def cumsum(
    a: "ndarray", axis: int | None = None, dtype: DTypeLike | None = None, out: "ndarray | None" = None
) -> "ndarray":
    """Running sums along an axis, or over all elements in one row."""
    return call("_np_cumsum", (a,), {"axis": axis, "dtype": dtype}, out)


def trace(a: "ndarray", offset: int = 0, axis1: int = 0, axis2: int = 1, out: "ndarray | None" = None) -> "ndarray":
    """The sums of the diagonals of the planes of two axes."""
    return call("_np_trace", (a,), {"offset": offset, "axis1": axis1, "axis2": axis2}, out)


def _params(axis: Any, keepdims: bool, **more: Any) -> dict[str, Any]:
    """The parameters, those left out that keep their defaults; an axis may be a list, which MXNet reads too."""
    given = {"axis": tuple(axis) if isinstance(axis, list) else axis, "keepdims": keepdims}
    return {**given, **{name: value for name, value in more.items() if value is not None}}


make_repeatable(globals(), __all__)
