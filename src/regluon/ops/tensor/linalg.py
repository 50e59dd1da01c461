"""Linear algebra on the matrices in the last two axes; the axes before count off a batch of them."""

import math
from typing import Any

import torch
from torch import Tensor

from ...base import MXNetError
from ...config import switches
from ...dtypes import NAME_OF_TORCH
from ...errors import OpIndexError, OpParamError, OpShapeError, OpTypeError
from ..common import expect_shape, grad_needed, one_element, same_dtype
from ..partial_shapes import same
from ..registry import operator


def _expect_float32_or_64(name: str, tensor: Tensor) -> None:
    if tensor.dtype not in (torch.float32, torch.float64):
        raise OpTypeError(f"expected {name} of float32 or float64, got {NAME_OF_TORCH[tensor.dtype]}")


def _expect_matrices(square: bool = False, **inputs: Tensor) -> None:
    """Refuses inputs that are not matrices, or batches of them, of one floating dtype and one batch shape."""
    for name, tensor in inputs.items():
        _expect_float32_or_64(name, tensor)
        if tensor.dim() < 2:
            raise OpShapeError(f"expected {name} to be a matrix or a batch of them, got shape {tuple(tensor.shape)}")
    if len(inputs) > 1:
        same_dtype(**inputs)
    if square:
        name, tensor = next(iter(inputs.items()))
        if tensor.shape[-1] != tensor.shape[-2]:
            raise OpShapeError(f"expected {name} to have square matrices in the last two axes, got {_sizes(tensor)}")


def _sizes(tensor: Tensor) -> str:
    return f"{tensor.shape[-2]} x {tensor.shape[-1]}"


def _per_matrix(result: Tensor) -> Tensor:
    """One number per matrix; for a single matrix, shape (1,)."""
    return one_element(result) if result.dim() == 0 else result


def _determinant(result: Tensor) -> Tensor:
    """The same for determinants, which NumPy's rules leave without axes for a single matrix."""
    return result if switches.np_shape else _per_matrix(result)


@operator("_linalg_det", "_npi_det", "linalg_det", total_outputs=3, names_input=True)
def det(A: Tensor) -> Tensor:
    """The determinant of each matrix."""
    _expect_matrices(square=True, A=A)
    return _determinant(torch.linalg.det(A))


class _Slogdet(torch.autograd.Function):
    """The gradient is zero for singular matrices, where torch has infinities."""

    @staticmethod
    def forward(ctx: Any, A: Tensor) -> tuple[Tensor, Tensor]:
        sign, logarithm = torch.linalg.slogdet(A)
        ctx.save_for_backward(A, sign)
        ctx.mark_non_differentiable(sign)
        return sign, logarithm

    @staticmethod
    def backward(ctx: Any, *heads: Tensor) -> Tensor:
        A, sign = ctx.saved_tensors
        inverse = torch.linalg.inv_ex(A).inverse
        return heads[1][..., None, None] * inverse.mT.masked_fill((sign == 0)[..., None, None], 0.0)


@operator("_linalg_slogdet", "_npi_slogdet", "linalg_slogdet", outputs=2, total_outputs=4, names_input=True)
def slogdet(A: Tensor) -> tuple[Tensor, Tensor]:
    """The sign of the determinant of each matrix, and the logarithm of its absolute value."""
    _expect_matrices(square=True, A=A)
    sign, logarithm = _Slogdet.apply(A) if grad_needed(A) else torch.linalg.slogdet(A)
    return _determinant(sign), _determinant(logarithm)


@operator("_linalg_inverse", "_npi_inv", "linalg_inverse", names_input=True)
def inverse(A: Tensor) -> Tensor:
    """The inverse of each matrix."""
    _expect_matrices(square=True, A=A)
    try:
        return torch.linalg.inv(A)
    except torch.linalg.LinAlgError:
        raise MXNetError("expected invertible matrices, got a singular one") from None


@operator("_linalg_potrf", "linalg_potrf", names_input=True, partial_shapes=same)
def potrf(A: Tensor, *, lower: bool = True) -> Tensor:
    """The Cholesky factor: the lower triangular L with L L^T = A, for symmetric positive definite A.

    Args:
        A: the matrices, of which one triangle is read.
        lower: whether the lower triangle is read, or the upper, which gives the upper triangular U with U^T U = A.
    """
    _expect_matrices(square=True, A=A)
    try:
        return torch.linalg.cholesky(A) if lower else torch.linalg.cholesky(A.mT).mT.contiguous()
    except torch.linalg.LinAlgError:
        raise MXNetError(
            "expected symmetric positive definite matrices, got one that is not; a small multiple of the identity "
            "added to it often helps"
        ) from None


@operator("_linalg_potri", "linalg_potri", names_input=True, partial_shapes=same)
def potri(A: Tensor, *, lower: bool = True) -> Tensor:
    """The inverse of the matrix whose Cholesky factor is A: a triangle L of A gives (L L^T)^-1, U gives (U^T U)^-1.

    Args:
        A: the factors, of which one triangle is read.
        lower: whether the lower triangle is read, or the upper.
    """
    _expect_matrices(square=True, A=A)
    identity = torch.eye(A.shape[-1], dtype=A.dtype, device=A.device).expand_as(A)
    factor = torch.linalg.solve_triangular(A, identity, upper=not lower)
    return factor.mT @ factor if lower else factor @ factor.mT


def _row_axis(axis: int, ndim: int) -> int:
    normal = axis + ndim if axis < 0 else axis
    if not 0 <= normal < ndim - 1:
        raise OpIndexError(
            f"axis={axis} cannot hold the rows of matrices in arrays of {ndim} dimensions; expected an axis before the "
            "last, which holds the columns"
        )
    return normal


def _product(A: Tensor, B: Tensor, transpose_a: bool, transpose_b: bool) -> Tensor:
    """The products of matrices in the last two axes, of equally many axes and equal batch shapes."""
    if A.dim() != B.dim() or A.shape[:-2] != B.shape[:-2]:
        raise OpShapeError(
            "expected A and B with equal lengths in all axes but those of rows and columns, got batches of shape "
            f"{tuple(A.shape[:-2])} and {tuple(B.shape[:-2])}"
        )
    left, right = A.mT if transpose_a else A, B.mT if transpose_b else B
    if left.shape[-1] != right.shape[-2]:
        raise OpShapeError(
            f"cannot multiply {_sizes(left)} matrices with {_sizes(right)} matrices (after transpose_a={transpose_a}, "
            f"transpose_b={transpose_b})"
        )
    return torch.matmul(left, right)


@operator("_linalg_gemm", "linalg_gemm")
def gemm(
    A: Tensor,
    B: Tensor,
    C: Tensor,
    *,
    transpose_a: bool = False,
    transpose_b: bool = False,
    alpha: float = 1.0,
    beta: float = 1.0,
    axis: int = -2,
) -> Tensor:
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
    _expect_matrices(A=A, B=B, C=C)
    rows = _row_axis(axis, A.dim())
    _row_axis(axis, B.dim())
    product = _product(A.movedim(rows, -2), B.movedim(rows, -2), transpose_a, transpose_b).movedim(-2, rows)
    expect_shape("C", C, tuple(product.shape))
    return (alpha * product + beta * C).contiguous()


@operator("_linalg_gemm2", "linalg_gemm2")
def gemm2(
    A: Tensor, B: Tensor, *, transpose_a: bool = False, transpose_b: bool = False, alpha: float = 1.0, axis: int = -2
) -> Tensor:
    """Matrix products: alpha * A B; the arguments are those of `linalg.gemm`."""
    _expect_matrices(A=A, B=B)
    rows = _row_axis(axis, A.dim())
    _row_axis(axis, B.dim())
    product = _product(A.movedim(rows, -2), B.movedim(rows, -2), transpose_a, transpose_b).movedim(-2, rows)
    return (product if alpha == 1 else alpha * product).contiguous()


def _expect_triangular(A: Tensor, B: Tensor, rightside: bool) -> None:
    _expect_matrices(square=True, A=A, B=B)
    side = B.shape[-1] if rightside else B.shape[-2]
    if A.shape[:-2] != B.shape[:-2] or A.shape[-1] != side:
        place = "columns" if rightside else "rows"
        raise OpShapeError(
            f"expected one matrix of A for each of B, with as many rows as that has {place}, got A of shape "
            f"{tuple(A.shape)} and B of shape {tuple(B.shape)} with rightside={rightside}"
        )


@operator("_linalg_trmm", "linalg_trmm")
def trmm(
    A: Tensor,
    B: Tensor,
    *,
    transpose: bool = False,
    rightside: bool = False,
    lower: bool = True,
    alpha: float = 1.0,
) -> Tensor:
    """Products with triangular matrices: alpha * A B.

    Args:
        A: square matrices, of which one triangle is read.
        B: matrices of any width.
        transpose: whether to transpose A.
        rightside: whether to multiply B A instead.
        lower: whether the lower triangle of A is read, or the upper.
        alpha: factor of the result.
    """
    _expect_triangular(A, B, rightside)
    triangle = A.tril() if lower else A.triu()
    factor = triangle.mT if transpose else triangle
    return alpha * (torch.matmul(B, factor) if rightside else torch.matmul(factor, B))


@operator("_linalg_trsm", "linalg_trsm")
def trsm(
    A: Tensor,
    B: Tensor,
    *,
    transpose: bool = False,
    rightside: bool = False,
    lower: bool = True,
    alpha: float = 1.0,
) -> Tensor:
    """Solves A X = alpha * B with triangular matrices A.

    Args:
        A: square matrices, of which one triangle is read.
        B: the right-hand sides.
        transpose: whether to transpose A.
        rightside: whether to solve X A = alpha * B instead.
        lower: whether the lower triangle of A is read, or the upper.
        alpha: factor of B.
    """
    _expect_triangular(A, B, rightside)
    matrix = A.mT if transpose else A
    return torch.linalg.solve_triangular(matrix, alpha * B, upper=lower == transpose, left=not rightside)


@operator("_linalg_syrk", "linalg_syrk", names_input=True)
def syrk(A: Tensor, *, transpose: bool = False, alpha: float = 1.0) -> Tensor:
    """Products with the own transpose: alpha * A A^T, or alpha * A^T A with `transpose`."""
    _expect_matrices(A=A)
    return alpha * (torch.matmul(A.mT, A) if transpose else torch.matmul(A, A.mT))


@operator("_linalg_sumlogdiag", "linalg_sumlogdiag", names_input=True)
def sumlogdiag(A: Tensor) -> Tensor:
    """The sum of the logarithms of the diagonal of each matrix."""
    _expect_matrices(square=True, A=A)
    return _per_matrix(A.diagonal(dim1=-2, dim2=-1).log().sum(-1))


def _check_offset(A: Tensor, offset: int) -> None:
    if abs(offset) >= A.shape[-1]:
        raise OpParamError(f"offset={offset} lies outside of {_sizes(A)} matrices")


@operator("_linalg_extractdiag", "linalg_extractdiag", returns_view=True, names_input=True)
def extractdiag(A: Tensor, *, offset: int = 0) -> Tensor:
    """The diagonal of each matrix, or one `offset` places above it (below, if negative)."""
    _expect_matrices(square=True, A=A)
    _check_offset(A, offset)
    return A.diagonal(offset, dim1=-2, dim2=-1)


@operator("_linalg_makediag", "linalg_makediag", names_input=True)
def makediag(A: Tensor, *, offset: int = 0) -> Tensor:
    """Matrices with the last axis as their diagonal, or `offset` places above it (below, if negative)."""
    _expect_float32_or_64("A", A)
    if A.dim() < 1:
        raise OpShapeError("expected A of 1 dimension or more")
    return torch.diag_embed(A, offset)


def _triangle_places(side: int, offset: int, lower: bool, device: torch.device) -> Tensor:
    """Places in a flat square matrix of the elements of a triangle, in the order they are packed in.

    A lower triangle is packed row by row, an upper one column by column. An offset chooses the triangle by its sign.
    """
    rows, columns = torch.tril_indices(side, side, -abs(offset), device=device)
    if offset < 0 or (offset == 0 and lower):
        return rows * side + columns
    return columns * side + rows


@operator("_linalg_extracttrian", "linalg_extracttrian", names_input=True)
def extracttrian(A: Tensor, *, offset: int = 0, lower: bool = True) -> Tensor:
    """The elements of a triangle of each matrix, packed in one axis.

    Args:
        A: square matrices.
        offset: how far from the diagonal the triangle begins: above it if positive, below it if negative.
        lower: whether it is the lower triangle, for `offset` 0.
    """
    _expect_matrices(square=True, A=A)
    _check_offset(A, offset)
    places = _triangle_places(A.shape[-1], offset, lower, A.device)
    return A.flatten(-2).index_select(-1, places)


@operator("_linalg_maketrian", "linalg_maketrian", names_input=True)
def maketrian(A: Tensor, *, offset: int = 0, lower: bool = True) -> Tensor:
    """Matrices with zeros but for a triangle that the last axis holds; the inverse of `linalg.extracttrian`.

    Args:
        A: packed triangles.
        offset: how far from the diagonal the triangle begins: above it if positive, below it if negative.
        lower: whether it is the lower triangle, for `offset` 0.
    """
    _expect_float32_or_64("A", A)
    count = A.shape[-1] if A.dim() else 0
    inner = (math.isqrt(8 * count + 1) - 1) // 2
    if count == 0 or inner * (inner + 1) // 2 != count:
        raise OpShapeError(f"expected 1, 3, 6, 10, ... elements in the last axis, got {count}: not a triangle")
    side = inner + abs(offset)
    places = _triangle_places(side, offset, lower, A.device)
    flat = torch.zeros((*A.shape[:-1], side * side), dtype=A.dtype, device=A.device)
    return flat.index_copy(-1, places, A).unflatten(-1, (side, side))


@operator("_linalg_gelqf", "linalg_gelqf", outputs=2, names_input=True)
def gelqf(A: Tensor) -> tuple[Tensor, Tensor]:
    """The factors Q, with orthonormal rows, and L, lower triangular, of A = L Q, for A not higher than wide."""
    _expect_matrices(A=A)
    if A.shape[-2] > A.shape[-1]:
        raise OpShapeError(f"expected matrices at least as wide as high, got {_sizes(A)}")
    orthonormal, upper = torch.linalg.qr(A.mT)
    return orthonormal.mT.contiguous(), upper.mT.contiguous()


@operator("_linalg_syevd", outputs=2, names_input=True)
def syevd(A: Tensor) -> tuple[Tensor, Tensor]:
    """The eigenvectors, as rows, and the eigenvalues, ascending, of symmetric matrices.

    Only the lower triangle is read. The element of largest absolute value of each vector is positive.
    """
    _expect_matrices(square=True, A=A)
    values, columns = torch.linalg.eigh(A)
    vectors = columns.mT
    largest = vectors.detach().gather(-1, vectors.detach().abs().argmax(-1, keepdim=True))
    return (vectors * largest.sign()).contiguous(), values
