"""Linear algebra: `np.linalg`."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as onp

from ...base import ShapeLike
from .dispatch import call
from .elementwise import abs as absolute
from .reduction import max as largest
from .reduction import min as smallest
from .reduction import sum as total

if TYPE_CHECKING:
    from .array import ndarray

__all__ = [
    "cholesky",
    "det",
    "eig",
    "eigh",
    "eigvals",
    "eigvalsh",
    "inv",
    "norm",
    "pinv",
    "slogdet",
    "solve",
    "svd",
    "tensorinv",
    "tensorsolve",
]


def norm(x: "ndarray", ord: Any = None, axis: ShapeLike | None = None, keepdims: bool = False) -> "ndarray":
    """The norm of vectors or matrices.

    Args:
        x: the array.
        ord: which norm: a number, 'fro', 'nuc', 'inf' or '-inf'; the root of the sum of squares by default.
        axis: one axis for vectors, two for matrices; all elements by default.
        keepdims: keep the axes, with length 1.
    """
    if axis is not None and not isinstance(axis, (int, tuple)):
        raise TypeError(f"[np.linalg.norm] axis: received {axis!r}; expected an integer or a tuple of integers.")
    axes = (axis,) if isinstance(axis, int) else axis
    order = {float("inf"): "inf", float("-inf"): "-inf"}.get(ord, ord) if isinstance(ord, float) else ord
    if axes is not None and len(axes) == 2 and order in ("inf", "-inf", 1, -1):
        return _matrix_norm(x, order, axes, keepdims)
    if order == "inf":
        return largest(absolute(x), axis=axes, keepdims=keepdims)
    if order == "-inf":
        return smallest(absolute(x), axis=axes, keepdims=keepdims)
    return call("_npi_norm", (x,), _norm_params(order, axes, keepdims))


def _norm_params(order: Any, axes: Any, keepdims: bool) -> dict[str, Any]:
    """What the operator asks for: its `flag` tells vectors, matrices, and all elements apart."""
    flags = {None: 1, 2: -1, "nuc": 2, "fro": 1, "f": 1}
    flag = flags.get(order, -1)
    if axes is None and order is None:
        flag = -2
    elif axes is not None and len(axes) == 2 and order in (2, -2):
        flag = 0
    return {"ord": order if isinstance(order, (int, float)) else 2, "axis": axes, "keepdims": keepdims, "flag": flag}


def _matrix_norm(x: Any, order: Any, axes: tuple[int, int], keepdims: bool) -> Any:
    """The largest or smallest sum of a row or a column."""
    ndim = len(x.shape)
    row, column = (axis % ndim for axis in axes)
    summed, chosen = (column, row) if order in ("inf", "-inf") else (row, column)
    if not keepdims and chosen > summed:
        chosen -= 1
    sums = total(absolute(x), axis=summed, keepdims=keepdims)
    return (largest if order in ("inf", 1) else smallest)(sums, axis=chosen, keepdims=keepdims)


def svd(a: "ndarray") -> tuple["ndarray", ...]:
    """The singular value decomposition: UT, L and V with a = UT * L @ V."""
    return tuple(call("_npi_svd", (a,)))


def cholesky(a: "ndarray") -> "ndarray":
    """The lower triangular L with L @ L.T = a, for a symmetric positive definite matrix."""
    return call("_npi_cholesky", (a,))


def inv(a: "ndarray") -> "ndarray":
    """The inverse of square matrices."""
    return call("_npi_inv", (a,))


def det(a: "ndarray") -> "ndarray":
    """The determinant of square matrices."""
    return _for_each_matrix(a, call("_npi_det", (a,)))


def slogdet(a: "ndarray") -> list["ndarray"]:
    """Sign, and logarithm of the absolute value, of the determinant of square matrices."""
    sign, logarithm = call("_npi_slogdet", (a,))
    return [_for_each_matrix(a, sign), _for_each_matrix(a, logarithm)]


def _for_each_matrix(a: Any, numbers: Any) -> Any:
    """One number for each matrix: the operators, which `mx.nd` has too, give an axis to the number of a single one."""
    return call("_np_reshape", (numbers,), {"newshape": ()}) if len(getattr(a, "shape", ())) == 2 else numbers


def solve(a: "ndarray", b: "ndarray") -> "ndarray":
    """The solution x of a @ x = b."""
    return call("_npi_solve", (a, b))


def tensorinv(a: "ndarray", ind: int = 2) -> "ndarray":
    """The inverse with regard to `tensordot` over the first `ind` axes."""
    return call("_npi_tensorinv", (a,), {"ind": ind})


def tensorsolve(a: "ndarray", b: "ndarray", axes: Sequence[int] | None = None) -> "ndarray":
    """The solution x of tensordot(a, x) = b; `axes` of `a` are moved to its end before."""
    return call("_npi_tensorsolve", (a, b), {"a_axes": () if axes is None else axes})


def pinv(a: "ndarray", rcond: Any = 1e-15, hermitian: bool = False) -> "ndarray":
    """The pseudo-inverse; singular values below `rcond` times the largest count as zero."""
    if hermitian:
        raise NotImplementedError("[np.linalg.pinv] hermitian=True is not available; the result is the same without.")
    if onp.isscalar(rcond):
        return call("_npi_pinv_scalar_rcond", (a,), {"rcond": rcond})
    return call("_npi_pinv", (a, rcond))


def eigvals(a: "ndarray") -> "ndarray":
    """The eigenvalues of square matrices; they must be real."""
    return call("_npi_eigvals", (a,))


def eig(a: "ndarray") -> tuple["ndarray", "ndarray"]:
    """Eigenvalues and eigenvectors, in columns, of square matrices; they must be real."""
    values, vectors = call("_npi_eig", (a,))
    return values, vectors


def eigvalsh(a: "ndarray", UPLO: str = "L") -> "ndarray":
    """The eigenvalues of symmetric matrices, of which the lower ('L') or upper ('U') half is read."""
    return call("_npi_eigvalsh", (a,), {"UPLO": UPLO})


def eigh(a: "ndarray", UPLO: str = "L") -> tuple["ndarray", "ndarray"]:
    """Eigenvalues and eigenvectors, in columns, of symmetric matrices."""
    values, vectors = call("_npi_eigh", (a,), {"UPLO": UPLO})
    return values, vectors
