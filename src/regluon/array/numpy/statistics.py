"""Counting elements, quantiles and differences."""

from typing import TYPE_CHECKING, Any

from ...base import ShapeLike
from ...runtime.repeated import make_repeatable
from .dispatch import call, expect_arrays, is_array, is_number

if TYPE_CHECKING:
    from .array import ndarray

__all__ = [
    "bincount",
    "diff",
    "ediff1d",
    "histogram",
    "percentile",
    "quantile",
]


def percentile(
    a: "ndarray",
    q: Any,
    axis: ShapeLike | None = None,
    out: "ndarray | None" = None,
    overwrite_input: Any = None,
    interpolation: str = "linear",
    keepdims: bool = False,
) -> "ndarray":
    """The values below which `q` percent of the elements lie.

    Args:
        a: the array.
        q: a number from 0 to 100, or an array of them.
        axis: which axes; all if not given.
        out: an array for the result.
        overwrite_input: not available.
        interpolation: between two elements: 'linear', 'lower', 'higher', 'midpoint' or 'nearest'.
        keepdims: keep the axes, with length 1.
    """
    if overwrite_input is not None:
        raise NotImplementedError("[np.percentile] overwrite_input is not available: inputs are never changed.")
    params = {"axis": axis, "interpolation": interpolation, "keepdims": keepdims}
    if is_number(q):
        return call("_npi_percentile", (a,), {**params, "q_scalar": q}, out)
    return call("_npi_percentile", (a, q), params, out)


def quantile(
    a: "ndarray",
    q: Any,
    axis: ShapeLike | None = None,
    out: "ndarray | None" = None,
    overwrite_input: Any = None,
    interpolation: str = "linear",
    keepdims: bool = False,
) -> "ndarray":
    """The values below which the part `q`, from 0 to 1, of the elements lies; see `percentile`."""
    return percentile(a, q * 100, axis, out, overwrite_input, interpolation, keepdims)


def histogram(
    a: "ndarray",
    bins: Any = 10,
    range: Any = None,
    normed: Any = None,
    weights: "ndarray | None" = None,
    density: Any = None,
) -> list["ndarray"]:
    """Counts elements in bins.

    Args:
        a: the array.
        bins: an array of the edges, or the number of bins of equal width within `range`.
        range: the lower and the upper end.
        normed: not available.
        weights: not available.
        density: not available.

    Returns:
        The counts as int64, and the edges.
    """
    if normed or density or weights is not None:
        raise NotImplementedError("[np.histogram] normed, weights and density are not available.")
    if is_array(bins):
        return call("_npi_histogram", (a, bins))
    if not is_number(bins):
        raise NotImplementedError(
            f"[np.histogram] bins: received {type(bins).__name__}; expected a number or an array."
        )
    if range is None:
        raise NotImplementedError("[np.histogram] range is missing; with a number of bins, give range=(low, high).")
    return call("_npi_histogram", (a,), {"bin_cnt": bins, "range": range})


def bincount(x: "ndarray", weights: "ndarray | None" = None, minlength: int = 0) -> "ndarray":
    """How often each number from 0 on comes, or the sum of its weights."""
    expect_arrays("bincount", x=x)
    if minlength < 0:
        raise ValueError(f"[np.bincount] minlength: received {minlength}; expected at least 0.")
    inputs = (x,) if weights is None else (x, weights)
    return call("_npi_bincount", inputs, {"minlength": minlength, "has_weights": weights is not None})


def diff(a: "ndarray", n: int = 1, axis: int = -1, prepend: Any = None, append: Any = None) -> "ndarray":
    """Differences between neighbours along an axis, taken n times."""
    if prepend is not None or append is not None:
        raise NotImplementedError("[np.diff] prepend and append are not available; use np.concatenate before.")
    return call("_npi_diff", (a,), {"n": n, "axis": axis})


def ediff1d(ary: Any, to_end: Any = None, to_begin: Any = None) -> "ndarray":
    """Differences between neighbours, all elements in one row, with numbers or arrays put at both ends."""
    params: dict[str, Any] = {"to_begin_arr_given": is_array(to_begin), "to_end_arr_given": is_array(to_end)}
    inputs = [ary, *(end for end in (to_begin, to_end) if is_array(end))]
    params["to_begin_scalar"] = None if is_array(to_begin) else to_begin
    params["to_end_scalar"] = None if is_array(to_end) else to_end
    return call("_npi_ediff1d", inputs, params)


make_repeatable(globals(), __all__)
