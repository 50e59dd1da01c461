"""Shapes and the order of axes."""

from collections.abc import Sequence
from math import prod
from operator import index
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, overload

import numpy as onp

from ...base import ShapeLike
from ...runtime.repeated import make_repeatable
from .creation import full
from .dispatch import Grid, Padding, call, expect_arrays, expect_c_order, is_number

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from .array import ndarray

__all__ = [
    "atleast_1d",
    "atleast_2d",
    "atleast_3d",
    "broadcast_arrays",
    "broadcast_to",
    "diag",
    "diag_indices_from",
    "diagflat",
    "diagonal",
    "expand_dims",
    "flip",
    "fliplr",
    "flipud",
    "meshgrid",
    "moveaxis",
    "pad",
    "ravel",
    "repeat",
    "reshape",
    "resize",
    "roll",
    "rot90",
    "shape",
    "squeeze",
    "swapaxes",
    "tile",
    "transpose",
    "tril",
]


def shape(a: Any) -> tuple[int, ...]:
    """The lengths of an array's axes."""
    found: tuple[int, ...] = a.shape
    return found


def reshape(a: "ndarray", newshape: ShapeLike, order: str = "C", out: "ndarray | None" = None) -> "ndarray":
    """A copy in another shape; one length may be -1 and is worked out."""
    expect_c_order("reshape", order)
    return call("_np_reshape", (a,), {"newshape": newshape}, out)


def ravel(x: Any, order: str = "C") -> "ndarray":
    """A copy with all elements in one row."""
    expect_c_order("ravel", order)
    if is_number(x):
        return onp.reshape(x, -1)  # type: ignore[return-value]  # of a number, NumPy's own
    expect_arrays("ravel", x=x)
    return call("_np_reshape", (x,), {"newshape": (-1,)})


def expand_dims(a: "ndarray", axis: int) -> "ndarray":
    """A copy with a new axis of length 1."""
    return call("_npi_expand_dims", (a,), {"axis": axis})


def squeeze(a: "ndarray", axis: ShapeLike | None = None, out: "ndarray | None" = None) -> "ndarray":
    """A copy without axes of length 1."""
    return call("_np_squeeze", (a,), {"axis": axis}, out)


def transpose(a: "ndarray", axes: Sequence[int] | None = None) -> "ndarray":
    """A copy with the axes in another order, reversed if none is given."""
    return call("_np_transpose", (a,), {"axes": axes})


def swapaxes(a: "ndarray", axis1: int, axis2: int) -> "ndarray":
    """A copy with two axes exchanged."""
    return call("_npi_swapaxes", (a,), {"dim1": axis1, "dim2": axis2})


def moveaxis(a: "ndarray", source: ShapeLike, destination: ShapeLike) -> "ndarray":
    """A copy with axes moved to other places; the rest keep their order."""
    return call("_np_moveaxis", (a,), {"source": source, "destination": destination})


def roll(a: "ndarray", shift: ShapeLike, axis: ShapeLike | None = None) -> "ndarray":
    """Moves elements along axes, or along all as if in one row; what leaves at the end comes in at the front."""
    return call("_np_roll", (a,), {"shift": shift, "axis": axis})


def rot90(m: "ndarray", k: int = 1, axes: Sequence[int] = (0, 1)) -> "ndarray":
    """Turns the plane of two axes by k right angles, from the first axis towards the second."""
    return call("_npi_rot90", (m,), {"k": k, "axes": axes})


def flip(m: Any, axis: Any = None, out: Any = None) -> "ndarray":
    """Reverses the order of elements along axes, or along all."""
    if is_number(m):
        return onp.flip(m, axis)
    expect_arrays("flip", m=m)
    return call("_npi_flip", (m,), {"axis": axis}, out)


def flipud(m: Any) -> "ndarray":
    """Reverses the order of rows."""
    return flip(m, 0)


def fliplr(m: Any) -> "ndarray":
    """Reverses the order of columns."""
    return flip(m, 1)


def broadcast_to(array: Any, shape: Any) -> "ndarray":
    """A copy stretched to a shape; axes are added in front where it has more."""
    if onp.isscalar(array):
        return full(shape, array)
    return call("_npi_broadcast_to", (array,), {"shape": shape})


def broadcast_arrays(*args: Any) -> list["ndarray"]:
    """The arrays stretched to the shape that all of them fit."""
    common = onp.broadcast_shapes(*(array.shape for array in args))
    return [array if array.shape == common else broadcast_to(array, common) for array in args]


def meshgrid(*xi: "ndarray", **kwargs: "Unpack[Grid]") -> list["ndarray"]:
    """Grids of coordinates from the coordinates on each axis.

    Args:
        xi: vectors, one for each axis.
        kwargs: `indexing`: 'xy' for pictures, the default, or 'ij' for matrices; `copy=True` and `sparse=False`.
    """
    indexing = kwargs.pop("indexing", "xy")
    if not kwargs.pop("copy", True) or kwargs.pop("sparse", False):
        raise NotImplementedError("[np.meshgrid] only copy=True and sparse=False are available.")
    if kwargs:
        raise TypeError(f"[np.meshgrid] received {', '.join(kwargs)}; expected arrays, indexing, copy and sparse.")
    if indexing not in ("xy", "ij"):
        raise ValueError(f"[np.meshgrid] indexing: received {indexing!r}; expected 'xy' or 'ij'.")
    axes = list(range(len(xi)))
    if indexing == "xy" and len(xi) > 1:
        axes[:2] = [1, 0]
    shapes = [tuple(-1 if place == axis else 1 for place in range(len(xi))) for axis in axes]
    return broadcast_arrays(*(reshape(x, shape) for x, shape in zip(xi, shapes, strict=True)))


@overload
def atleast_1d(arys: Any, /) -> "ndarray": ...
@overload
def atleast_1d(*arys: Any) -> list["ndarray"]: ...
def atleast_1d(*arys: Any) -> Any:
    """Arrays with at least one axis; a list of them if several are given."""
    return call("_np_atleast_1d", arys)


@overload
def atleast_2d(arys: Any, /) -> "ndarray": ...
@overload
def atleast_2d(*arys: Any) -> list["ndarray"]: ...
def atleast_2d(*arys: Any) -> Any:
    """Arrays with at least two axes; a list of them if several are given."""
    return call("_np_atleast_2d", arys)


@overload
def atleast_3d(arys: Any, /) -> "ndarray": ...
@overload
def atleast_3d(*arys: Any) -> list["ndarray"]: ...
def atleast_3d(*arys: Any) -> Any:
    """Arrays with at least three axes; a list of them if several are given."""
    return call("_np_atleast_3d", arys)


def tile(A: Any, reps: int | Sequence[int]) -> "ndarray":
    """Repeats an array as a whole, so many times along each axis."""
    if is_number(A):
        return onp.tile(A, reps)  # type: ignore[return-value]  # of a number, NumPy's own
    expect_arrays("tile", A=A)
    return call("_npi_tile", (A,), {"reps": reps})


def repeat(a: "ndarray", repeats: int, axis: int | None = None) -> "ndarray":
    """Repeats each element; all elements in one row if no axis is given."""
    return call("_np_repeat", (a,), {"repeats": repeats, "axis": axis})


def resize(a: "ndarray", new_shape: int | tuple[int, ...] | list[int]) -> "ndarray":
    """A copy in any shape: elements are repeated from the start, or left out at the end."""
    lengths = (index(new_shape),) if not isinstance(new_shape, (tuple, list)) else tuple(new_shape)
    wanted = prod(lengths)
    size = prod(a.shape)
    if not size or not wanted:
        return full(lengths, 0, dtype=a.dtype)
    row = reshape(a, (-1,))
    if wanted > size:
        row = tile(row, -(-wanted // size))
    return reshape(row[:wanted], lengths)


def diag(array: "ndarray", k: int = 0) -> "ndarray":
    """The k-th diagonal of a matrix, or a matrix with a vector on its k-th diagonal."""
    return call("_np_diag", (array,), {"k": k})


def diagflat(array: "ndarray", k: int = 0) -> "ndarray":
    """A matrix with all elements of an array on its k-th diagonal."""
    return call("_np_diagflat", (array,), {"k": k})


def diagonal(a: "ndarray", offset: int = 0, axis1: int = 0, axis2: int = 1) -> "ndarray":
    """The diagonals of the planes of two axes, along a new last axis."""
    return call("_np_diagonal", (a,), {"offset": offset, "axis1": axis1, "axis2": axis2})


def diag_indices_from(arr: "ndarray") -> tuple["ndarray", ...]:
    """The indices of the main diagonal of an array whose axes have one length."""
    return tuple(call("_npi_diag_indices_from", (arr,)))


def tril(m: "ndarray", k: int = 0) -> "ndarray":
    """A copy with zeros above the k-th diagonal."""
    return call("_npi_tril", (m,), {"k": k})


PadMode: TypeAlias = Literal["constant", "edge", "maximum", "minimum", "reflect", "symmetric"]
_PAD_OPTIONS: dict[str, str | None] = {
    "constant": "constant_values",
    "edge": None,
    "maximum": "stat_length",
    "minimum": "stat_length",
    "reflect": "reflect_type",
    "symmetric": "reflect_type",
}


def pad(
    x: "ndarray", pad_width: Sequence[Any] | None = None, mode: PadMode = "constant", **kwargs: "Unpack[Padding]"
) -> "ndarray":
    """Adds elements around an array.

    Args:
        x: the array.
        pad_width: how many before and after each axis, such as ((1, 1), (0, 2)); one pair holds for all axes.
        mode: 'constant', 'edge', 'reflect', 'symmetric', 'maximum' or 'minimum'.
        kwargs: `constant_values`, one number, for 'constant'; `reflect_type='even'` for 'reflect' and 'symmetric'.
    """
    if not isinstance(pad_width, tuple) or onp.asarray(pad_width).dtype.kind != "i":
        raise TypeError(f"[np.pad] pad_width: received {pad_width!r}; expected a tuple such as ((1, 1), (0, 2)).")
    if mode not in _PAD_OPTIONS:
        raise ValueError(f"[np.pad] mode: received {mode!r}; expected one of {', '.join(map(repr, _PAD_OPTIONS))}.")
    option, given = _PAD_OPTIONS[mode], dict[str, Any](kwargs)
    unknown = sorted(given.keys() - {option})
    if unknown:
        raise ValueError(f"[np.pad] received {', '.join(unknown)}; mode {mode!r} takes {option or 'no option'}.")
    params: dict[str, Any] = {"pad_width": pad_width, "mode": mode}
    if mode == "constant":
        value = given.get("constant_values", 0)
        if not is_number(value):
            raise TypeError(f"[np.pad] constant_values: received {type(value).__name__}; expected one number.")
        params["constant_value"] = value
    elif option is not None and given.get(option) not in (None, "even"):
        raise ValueError(f"[np.pad] {option}: received {given[option]!r}, which is not available.")
    return call("_npi_pad", (x,), params)


make_repeatable(globals(), __all__)
