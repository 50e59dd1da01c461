"""Linear algebra on arrays. Made by tools/stubs.py from the operator registry; do not edit."""

from collections.abc import Sequence
from typing import Any, Literal, TypeAlias

from ..context import Context
from .dense import NDArray

Shape: TypeAlias = int | Sequence[int]
Floats: TypeAlias = float | Sequence[float]
DTypeLike: TypeAlias = Any

def det(
    A: NDArray,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """The determinant of each matrix."""
    ...

def extractdiag(
    A: NDArray,
    offset: int = 0,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """The diagonal of each matrix, or one `offset` places above it (below, if negative)."""
    ...

def extracttrian(
    A: NDArray,
    offset: int = 0,
    lower: bool = True,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """The elements of a triangle of each matrix, packed in one axis.

    Args:
        A: square matrices.
        offset: how far from the diagonal the triangle begins: above it if positive, below it if negative.
        lower: whether it is the lower triangle, for `offset` 0.
    """
    ...

def gelqf(
    A: NDArray,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> list[NDArray]:
    """The factors Q, with orthonormal rows, and L, lower triangular, of A = L Q, for A not higher than wide."""
    ...

def gemm(
    A: NDArray,
    B: NDArray,
    C: NDArray,
    transpose_a: bool = False,
    transpose_b: bool = False,
    alpha: float = 1.0,
    beta: float = 1.0,
    axis: int = -2,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """Matrix products and a sum: alpha * A B + beta * C.

    Args:
        A: the left matrices.
        B: the right matrices.
        C: what is added.
        transpose_a: whether to transpose A.
        transpose_b: whether to transpose B.
        alpha: factor of the product.
        beta: factor of C.
        axis: the axis of the rows; the columns lie along the last.
    """
    ...

def gemm2(
    A: NDArray,
    B: NDArray,
    transpose_a: bool = False,
    transpose_b: bool = False,
    alpha: float = 1.0,
    axis: int = -2,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """Matrix products: alpha * A B; the arguments are those of `linalg.gemm`."""
    ...

def inverse(
    A: NDArray,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """The inverse of each matrix."""
    ...

def makediag(
    A: NDArray,
    offset: int = 0,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """Matrices with the last axis as their diagonal, or `offset` places above it (below, if negative)."""
    ...

def maketrian(
    A: NDArray,
    offset: int = 0,
    lower: bool = True,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """Matrices with zeros but for a triangle that the last axis holds; the inverse of `linalg.extracttrian`.

    Args:
        A: packed triangles.
        offset: how far from the diagonal the triangle begins: above it if positive, below it if negative.
        lower: whether it is the lower triangle, for `offset` 0.
    """
    ...

def potrf(
    A: NDArray,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """The Cholesky factor: the lower triangular L with L L^T = A, for symmetric positive definite A.

    Only the lower triangle of A is read.
    """
    ...

def potri(
    A: NDArray,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """The inverse of the matrix whose Cholesky factor is A: the lower triangle L of A gives (L L^T)^-1."""
    ...

def slogdet(
    A: NDArray,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> list[NDArray]:
    """The sign of the determinant of each matrix, and the logarithm of its absolute value."""
    ...

def sumlogdiag(
    A: NDArray,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """The sum of the logarithms of the diagonal of each matrix."""
    ...

def syevd(
    A: NDArray,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> list[NDArray]:
    """The eigenvectors, as rows, and the eigenvalues, ascending, of symmetric matrices.

    Only the lower triangle is read. The element of largest absolute value of each vector is positive.
    """
    ...

def syrk(
    A: NDArray,
    transpose: bool = False,
    alpha: float = 1.0,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """Products with the own transpose: alpha * A A^T, or alpha * A^T A with `transpose`."""
    ...

def trmm(
    A: NDArray,
    B: NDArray,
    transpose: bool = False,
    rightside: bool = False,
    lower: bool = True,
    alpha: float = 1.0,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """Products with triangular matrices: alpha * A B.

    Args:
        A: square matrices, of which one triangle is read.
        B: matrices of any width.
        transpose: whether to transpose A.
        rightside: whether to multiply B A instead.
        lower: whether the lower triangle of A is read, or the upper.
        alpha: factor of the result.
    """
    ...

def trsm(
    A: NDArray,
    B: NDArray,
    transpose: bool = False,
    rightside: bool = False,
    lower: bool = True,
    alpha: float = 1.0,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> NDArray:
    """Solves A X = alpha * B with triangular matrices A.

    Args:
        A: square matrices, of which one triangle is read.
        B: the right-hand sides.
        transpose: whether to transpose A.
        rightside: whether to solve X A = alpha * B instead.
        lower: whether the lower triangle of A is read, or the upper.
        alpha: factor of B.
    """
    ...
