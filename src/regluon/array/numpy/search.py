"""Ordering, choosing and finding elements."""

from typing import TYPE_CHECKING, Any, Literal, overload

import numpy as onp

from ...base import ShapeLike
from ...runtime.repeated import make_repeatable
from .dispatch import call, expect_arrays, is_array, is_number

if TYPE_CHECKING:
    from .array import ndarray

__all__ = [
    "argsort",
    "may_share_memory",
    "nonzero",
    "shares_memory",
    "sort",
    "take",
    "unique",
    "unravel_index",
    "where",
]


def sort(a: "ndarray", axis: int | None = -1, kind: Any = None, order: Any = None) -> "ndarray":
    """A copy in ascending order along an axis; None sorts all elements in one row."""
    _refuse_order("sort", order)
    return call("_npi_sort", (a,), {"axis": axis, "is_ascend": True})


def argsort(a: "ndarray", axis: int | None = -1, kind: Any = None, order: Any = None) -> "ndarray":
    """The indices, as int64, that bring elements into ascending order along an axis."""
    _refuse_order("argsort", order)
    return call("_npi_argsort", (a,), {"axis": axis, "is_ascend": True, "dtype": "int64"})


def _refuse_order(who: str, order: Any) -> None:
    if order is not None:
        raise NotImplementedError(f"[np.{who}] order: received {order!r}; arrays here have no fields to order by.")


def nonzero(a: "ndarray") -> tuple["ndarray", ...]:
    """The indices of elements that are not zero, one int64 array per axis."""
    return tuple(call("_npi_nonzero", (a,)).T)


@overload
def where(condition: Any, x: None = None, y: None = None) -> tuple["ndarray", ...]: ...
@overload
def where(condition: Any, x: Any, y: Any) -> "ndarray": ...
def where(condition: Any, x: Any = None, y: Any = None) -> Any:
    """Elements of `x` where the condition holds and of `y` elsewhere; without them, as `nonzero`."""
    if x is None and y is None:
        return nonzero(condition)
    if is_number(condition):
        return x if condition != 0 else y
    expect_arrays("where", condition=condition)
    if is_array(x) and is_array(y):
        return call("_npi_where", (condition, x, y))
    if is_number(x) and is_number(y):
        return call("_npi_where_scalar2", (condition,), {"x": float(x), "y": float(y)})
    if is_number(x):
        expect_arrays("where", y=y)
        return call("_npi_where_lscalar", (condition, y), {"scalar": float(x)})
    expect_arrays("where", x=x)
    if not is_number(y):
        expect_arrays("where", y=y)
    return call("_npi_where_rscalar", (condition, x), {"scalar": float(y)})


@overload
def unique(
    ar: Any,
    return_index: Literal[False] = False,
    return_inverse: Literal[False] = False,
    return_counts: Literal[False] = False,
    axis: int | None = None,
) -> "ndarray": ...
@overload
def unique(
    ar: Any,
    return_index: bool = False,
    return_inverse: bool = False,
    return_counts: bool = False,
    axis: int | None = None,
) -> tuple["ndarray", ...]: ...
def unique(
    ar: Any,
    return_index: bool = False,
    return_inverse: bool = False,
    return_counts: bool = False,
    axis: int | None = None,
) -> Any:
    """The different elements in ascending order.

    Args:
        ar: the array.
        return_index: return where each of them comes first, too.
        return_inverse: return which of them stands at each place, too.
        return_counts: return how often each of them comes, too.
        axis: take the slices along this axis as elements.
    """
    params = {"return_index": return_index, "return_inverse": return_inverse, "return_counts": return_counts}
    found = call("_npi_unique", (ar,), {**params, "axis": axis})
    return tuple(found) if isinstance(found, list) else found


def take(
    a: "ndarray", indices: Any, axis: int | None = None, mode: str = "raise", out: "ndarray | None" = None
) -> "ndarray":
    """The elements, or slices along an axis, at an array of indices.

    Args:
        a: the array.
        indices: an array of any shape.
        axis: along which; all elements are in one row if not given.
        mode: what to do with an index outside: 'raise', 'clip' to the nearest, or 'wrap' around.
        out: an array for the result.
    """
    if mode not in ("wrap", "clip", "raise"):
        raise NotImplementedError(f"[np.take] mode: received {mode!r}; expected 'raise', 'clip' or 'wrap'.")
    if axis is None:
        a, axis = call("_np_reshape", (a,), {"newshape": (-1,)}), 0
    return call("_npi_take", (a, indices), {"axis": axis, "mode": mode}, out)


def unravel_index(indices: Any, shape: ShapeLike, order: str = "C") -> tuple["ndarray", ...]:
    """The indices on each axis that belong to indices into all elements in one row."""
    if order != "C":
        raise NotImplementedError(f"[np.unravel_index] order: received {order!r}; only 'C' is available.")
    if is_number(indices):
        return onp.unravel_index(indices, shape)
    found = tuple(call("_unravel_index", (indices,), {"shape": shape}))
    shape_of_each = getattr(indices, "shape", None)
    if shape_of_each is None or len(shape_of_each) == 1:
        return found
    # The operator, which `mx.nd` has too, gives coordinates in a row.
    return tuple(call("_np_reshape", (each,), {"newshape": shape_of_each}) for each in found)


def shares_memory(a: "ndarray", b: Any, max_work: Any = None) -> bool:
    """Whether two arrays have memory in common."""
    return bool(call("_npi_share_memory", (a, b)).item())


def may_share_memory(a: "ndarray", b: Any, max_work: Any = None) -> bool:
    """Whether two arrays have memory in common; see `shares_memory`."""
    return shares_memory(a, b)


make_repeatable(globals(), __all__)
