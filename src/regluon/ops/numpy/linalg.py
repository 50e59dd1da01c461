"""Products and linear algebra of mx.np.

Matrices lie in the last two axes, and the axes before count off a batch of them.
"""

from collections.abc import Iterable, Sequence
from typing import Any

import torch
from torch import Tensor

from ...base import MXNetError
from ...dtypes import NAME_OF_TORCH
from ...errors import OpParamError, OpShapeError, OpTypeError
from ..common import cast, expect_floating, grad_needed, normal_axis, prod, same_dtype
from ..dtype_rules import DtypeRule
from ..params import Shape
from ..partial_shapes import PartialShapes, joined, unknown
from ..registry import operator, partial_shapes_of, shape_of
from ..shape_rules import Params, Result, Specs, one_float_dtype
from ..tensor.linalg import potrf
from ..tensor.reduction import Length

# Products.


def _expect_one_floating_dtype(a: Tensor, b: Tensor) -> None:
    if a.dtype is not b.dtype:
        same_dtype(a=a, b=b)
    expect_floating(a, "a")


def _unequal(a: Tensor, b: Tensor) -> OpShapeError:
    return OpShapeError(
        f"expected the axes summed over to have equal lengths, got shapes {tuple(a.shape)} and {tuple(b.shape)}"
    )


@operator("_np_dot")
def np_dot(a: Tensor, b: Tensor) -> Tensor:
    """Sums products over the last axis of `a` and the last but one of `b`, or its only one.

    For two vectors this is the inner product, for two matrices the matrix product, and with a number on either side
    the multiplication by it.
    """
    _expect_one_floating_dtype(a, b)
    if a.dim() == 0 or b.dim() == 0:
        return a * b
    place = max(b.dim() - 2, 0)
    if a.shape[-1] != b.shape[place]:
        raise _unequal(a, b)
    return torch.matmul(a, b) if b.dim() <= 2 else torch.tensordot(a, b, ([a.dim() - 1], [place]))


@operator("_npi_matmul")
def np_matmul(a: Tensor, b: Tensor) -> Tensor:
    """Multiplies matrices; a vector counts as a row on the left and as a column on the right.

    Args:
        a: the left matrices.
        b: the right matrices; the axes before the last two are stretched to fit.
    """
    _expect_one_floating_dtype(a, b)
    if a.dim() == 0 or b.dim() == 0:
        raise OpShapeError("expected arrays of 1 dimension or more; a number multiplies with *")
    if a.shape[-1] != b.shape[max(b.dim() - 2, 0)]:
        raise _unequal(a, b)
    before = zip(reversed(a.shape[:-2]), reversed(b.shape[:-2]), strict=False)
    if any(left != right and 1 not in (left, right) for left, right in before):
        raise OpShapeError(
            f"expected batches that fit each other, got {tuple(a.shape[:-2])} and {tuple(b.shape[:-2])} matrices"
        )
    return torch.matmul(a, b)


@operator("_npi_tensordot")
def tensordot(a: Tensor, b: Tensor, *, a_axes_summed: Shape, b_axes_summed: Shape) -> Tensor:
    """Sums products over pairs of axes; the other axes of both arrays follow each other in the result.

    Args:
        a: the left array.
        b: the right array.
        a_axes_summed: axes of `a`.
        b_axes_summed: the axes of `b` that they are paired with, as many.
    """
    _expect_one_floating_dtype(a, b)
    left = [normal_axis(axis, a.dim(), "a_axes_summed") for axis in a_axes_summed]
    right = [normal_axis(axis, b.dim(), "b_axes_summed") for axis in b_axes_summed]
    if len(left) != len(right) or len(set(left)) < len(left) or len(set(right)) < len(right):
        raise OpParamError(
            f"a_axes_summed={a_axes_summed}, b_axes_summed={b_axes_summed}; expected equally many axes, each once"
        )
    if any(a.shape[i] != b.shape[j] for i, j in zip(left, right, strict=True)):
        raise _unequal(a, b)
    return torch.tensordot(a, b, (left, right))


@operator("_npi_tensordot_int_axes")
def tensordot_int_axes(a: Tensor, b: Tensor, *, axes: int) -> Tensor:
    """Sums products over the last `axes` axes of `a` and the first of `b`; with 0, all products of two elements."""
    count = max(axes, 0)
    _expect_one_floating_dtype(a, b)
    if count > min(a.dim(), b.dim()):
        raise OpParamError(f"axes={axes} for arrays of {a.dim()} and {b.dim()} dimensions; expected at most as many")
    if a.shape[a.dim() - count :] != b.shape[:count]:
        raise _unequal(a, b)
    return torch.tensordot(a, b, count)


@operator("_npi_einsum", returns_view=True, count_param="num_args")
def einsum(*data: Tensor, subscripts: str = "", optimize: int = 0) -> Tensor:
    """Sums products as Einstein's notation says, such as "ij,jk->ik" for the product of two matrices.

    Args:
        data: the arrays.
        subscripts: letters for the axes of each array, then those of the result.
        optimize: has no effect; a good order is always looked for.
    """
    same_dtype(**{f"data[{i}]": array for i, array in enumerate(data)})
    _check_subscripts(subscripts, data)
    if data[0].dtype is not torch.bool:
        return torch.einsum(subscripts, *data)
    return torch.einsum(subscripts, *(array.to(torch.int32) for array in data)) != 0


def _check_subscripts(subscripts: str, data: Sequence[Tensor]) -> None:
    """Refuses subscripts that do not fit the arrays."""
    inputs, _, output = subscripts.replace(" ", "").partition("->")
    terms = inputs.split(",")
    if len(terms) != len(data):
        raise OpParamError(f"subscripts={subscripts!r} are for {len(terms)} arrays; received {len(data)}")
    lengths: dict[str, int] = {}
    for position, (term, array) in enumerate(zip(terms, data, strict=True)):
        letters = term.replace("...", "", 1)
        open_axes = letters != term
        if any(not letter.isalpha() for letter in letters):
            raise OpParamError(f"subscripts={subscripts!r}; expected letters, commas, '...' and '->'")
        if len(letters) > array.dim() or (len(letters) < array.dim() and not open_axes):
            raise OpShapeError(
                f"subscripts {term!r} name {len(letters)} axes, but data[{position}] has {array.dim()} dimensions"
            )
        ahead = term.index("...") if open_axes else len(letters)
        places = [i if i < ahead else array.dim() - len(letters) + i for i in range(len(letters))]
        for letter, place in zip(letters, places, strict=True):
            length = array.shape[place]
            if 1 not in (length, lengths.get(letter, 1)) and lengths[letter] != length:
                raise OpShapeError(
                    f"axis {letter!r} is {length} long in data[{position}], but {lengths[letter]} before"
                )
            lengths[letter] = max(length, lengths.get(letter, 1)) if length else 0
    unknown = sorted(set(output.replace("...", "")) - set(lengths))
    if unknown:
        raise OpParamError(f"subscripts={subscripts!r}: {unknown[0]!r} of the result is not among those of the arrays")


# Decompositions.


def _expect_square(A: Tensor, name: str = "A") -> None:
    if A.dim() < 2 or A.shape[-1] != A.shape[-2]:
        raise OpShapeError(f"expected {name} to be a square matrix or a batch of them, got shape {tuple(A.shape)}")


def _expect_float32_or_64(A: Tensor, name: str = "A") -> None:
    if A.dtype not in (torch.float32, torch.float64):
        raise OpTypeError(f"expected {name} of float32 or float64, got {NAME_OF_TORCH[A.dtype]}")


def _in_float(*inputs: Tensor) -> tuple[Tensor, ...]:
    """The inputs in the dtype to solve in: float32 if all are that, else float64."""
    for tensor in inputs:
        if tensor.dtype in (torch.float16, torch.bool):
            raise OpTypeError(f"expected float32, float64 or integers, got {NAME_OF_TORCH[tensor.dtype]}")
    single = all(tensor.dtype is torch.float32 for tensor in inputs)
    return tuple(tensor.to(torch.float32 if single else torch.float64) for tensor in inputs)


@operator("_npi_cholesky")
def np_cholesky(A: Tensor) -> Tensor:
    """The lower triangular L with L L^T = A, for symmetric positive definite A, of which the lower triangle is read."""
    return potrf(A)


def _eigen(A: Tensor) -> tuple[Tensor, Tensor]:
    """Real eigenvalues and eigenvectors, as columns; refuses complex ones."""
    _expect_square(A)
    (matrix,) = _in_float(A.detach())
    if matrix.device.type == "meta":
        return matrix.new_empty(matrix.shape[:-1]), torch.empty_like(matrix)
    values, vectors = torch.linalg.eig(matrix)
    if bool((values.imag.abs() > 1e-15).any()):
        raise MXNetError("expected matrices with real eigenvalues, got one with complex eigenvalues")
    return values.real.contiguous(), vectors.real.contiguous()


def _single_or_double(dtypes: Iterable[torch.dtype]) -> torch.dtype:
    """What matrices are decomposed in: single precision only if all are."""
    return torch.float32 if set(dtypes) == {torch.float32} else torch.float64


_MATRIX_DTYPES = DtypeRule(outputs=(lambda data: _single_or_double((data,)),))
_EQUATION_DTYPES = DtypeRule(mixed=_single_or_double)


@operator("_npi_eig", outputs=2, zero_gradient=True, reads_values=True, dtypes=_MATRIX_DTYPES)
def eig(A: Tensor) -> tuple[Tensor, Tensor]:
    """The eigenvalues and the eigenvectors, as columns, of square matrices; all must be real. Without gradient."""
    return _eigen(A)


@operator("_npi_eigvals", zero_gradient=True, reads_values=True, dtypes=_MATRIX_DTYPES)
def eigvals(A: Tensor) -> Tensor:
    """The eigenvalues of square matrices; all must be real. Without gradient."""
    return _eigen(A)[0]


@operator("_npi_eigh", outputs=2, zero_gradient=True, dtypes=_MATRIX_DTYPES)
def eigh(A: Tensor, *, UPLO: str = "L") -> tuple[Tensor, Tensor]:
    """The eigenvalues, ascending, and the eigenvectors, as columns, of symmetric matrices, without gradient.

    The element of largest absolute value of each vector is positive.

    Args:
        A: the matrices, of which one triangle is read.
        UPLO: "U" reads the upper triangle, anything else the lower.
    """
    _expect_square(A)
    (matrix,) = _in_float(A.detach())
    values, vectors = torch.linalg.eigh(matrix, "U" if UPLO == "U" else "L")
    return values, (vectors * _largest_sign(vectors, -2)).contiguous()


def _largest_sign(vectors: Tensor, axis: int) -> Tensor:
    """The sign of the element of largest absolute value along an axis."""
    if vectors.shape[axis] == 0:
        return torch.ones_like(vectors)
    return torch.gather(vectors, axis, vectors.abs().argmax(axis, keepdim=True)).sign()


@operator("_npi_eigvalsh", zero_gradient=True, dtypes=_MATRIX_DTYPES)
def eigvalsh(A: Tensor, *, UPLO: str = "L") -> Tensor:
    """The eigenvalues, ascending, of symmetric matrices; the arguments are those of `eigh`. Without gradient."""
    _expect_square(A)
    (matrix,) = _in_float(A.detach())
    return torch.linalg.eigvalsh(matrix, "U" if UPLO == "U" else "L")


@operator("_npi_svd", outputs=3)
def svd(A: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """The factors U, s, V of A = U diag(s) V, for A not higher than wide; s descends.

    The columns of U and the rows of V are orthonormal; in each row of V the element of largest absolute value is
    positive.
    """
    if A.dim() < 2 or A.shape[-2] > A.shape[-1]:
        raise OpShapeError(f"expected matrices at least as wide as high, got shape {tuple(A.shape)}")
    _expect_float32_or_64(A)
    left, values, right = torch.linalg.svd(A, full_matrices=False)
    sign = _largest_sign(right.detach(), -1)
    if A.shape[-1] == 0 or A.shape[-2] == 0:
        return left.contiguous(), values, right.contiguous()
    return (left * sign.mT).contiguous(), values, (right * sign).contiguous()


# Equations.


def _solution(A: Tensor, B: Tensor) -> Tensor:
    try:
        return torch.linalg.solve(A, B)
    except torch.linalg.LinAlgError:
        raise MXNetError("expected invertible matrices, got a singular one") from None


@operator("_npi_solve", dtypes=_EQUATION_DTYPES)
def solve(A: Tensor, B: Tensor) -> Tensor:
    """Solves A X = B.

    Args:
        A: square matrices.
        B: for each of them a matrix, or a vector with one dimension less.
    """
    _expect_square(A)
    vectors = B.dim() == A.dim() - 1
    if (not vectors and B.dim() != A.dim()) or B.shape[: A.dim() - 1] != A.shape[:-1]:
        raise OpShapeError(
            f"expected B to have a matrix or a vector for each matrix of A, as high as that, got shapes "
            f"{tuple(A.shape)} and {tuple(B.shape)}"
        )
    matrices, sides = _in_float(A, B)
    return _solution(matrices, sides.unsqueeze(-1)).squeeze(-1) if vectors else _solution(matrices, sides)


def _pseudo_inverse(A: Tensor, rcond: float | Tensor, hermitian: bool) -> Tensor:
    """The pseudo-inverse, singular values up to `rcond` times the largest counting as 0."""
    if A.dim() < 2:
        raise OpShapeError(f"expected A to be a matrix or a batch of them, got shape {tuple(A.shape)}")
    _expect_float32_or_64(A)
    if A.numel() == 0:
        return A.new_zeros(A.mT.shape)
    left, values, right = torch.linalg.svd(A.detach(), full_matrices=False)
    large = values > rcond * values.amax(-1, keepdim=True)
    inverses = torch.where(large, 1 / values, torch.zeros_like(values))
    return (right.mT * inverses.unsqueeze(-2)) @ left.mT


@operator("_npi_pinv", zero_gradient=True)
def pinv(A: Tensor, rcond: Tensor, *, hermitian: bool = False) -> Tensor:
    """The pseudo-inverse of each matrix, without gradient.

    Args:
        A: the matrices.
        rcond: one number, or one for each matrix: singular values up to that share of the largest count as 0.
        hermitian: whether the matrices are symmetric; has no effect.
    """
    same_dtype(A=A, rcond=rcond)
    if rcond.dim() > A.dim() - 2 or any(
        mine not in (1, theirs) for mine, theirs in zip(reversed(rcond.shape), reversed(A.shape[:-2]), strict=False)
    ):
        raise OpShapeError(
            f"expected rcond to be one number, or one for each of {tuple(A.shape[:-2])} matrices, got shape "
            f"{tuple(rcond.shape)}"
        )
    return _pseudo_inverse(A, rcond.detach().unsqueeze(-1), hermitian)


@operator("_npi_pinv_scalar_rcond", zero_gradient=True)
def pinv_scalar_rcond(A: Tensor, *, rcond: float = 1e-15, hermitian: bool = False) -> Tensor:
    """The pseudo-inverse of each matrix, without gradient; `rcond` is one number for all, see `pinv`."""
    return _pseudo_inverse(A, rcond, hermitian)


@operator("_npi_tensorinv")
def tensorinv(a: Tensor, *, ind: int = 2) -> Tensor:
    """The inverse with respect to `tensordot`: the first `ind` axes are the rows, the others the columns."""
    if ind < 1:
        raise OpParamError(f"ind={ind}; expected at least 1")
    _expect_float32_or_64(a, "a")
    rows, columns = a.shape[:ind], a.shape[ind:]
    if prod(rows) != prod(columns):
        raise OpShapeError(
            f"expected the first {ind} axes to have as many elements as the others, got {tuple(rows)} and "
            f"{tuple(columns)}"
        )
    try:
        return torch.linalg.inv(a.reshape(prod(rows), prod(columns))).reshape(columns + rows)
    except torch.linalg.LinAlgError:
        raise MXNetError("expected an invertible tensor, got a singular one") from None


@operator("_npi_tensorsolve", dtypes=_EQUATION_DTYPES)
def tensorsolve(a: Tensor, b: Tensor, *, a_axes: Shape = ()) -> Tensor:
    """Solves tensordot(a, x, x.ndim) = b.

    Args:
        a: the coefficients; the first axes are those of `b`, the others those of the solution.
        b: the right-hand side.
        a_axes: axes of `a` to be moved to the end first.
    """
    moved = [normal_axis(axis, a.dim(), "a_axes") for axis in a_axes or ()]
    matrix = a.permute([axis for axis in range(a.dim()) if axis not in moved] + moved)
    shape = matrix.shape[b.dim() - a.dim() :]  # all axes where `b` has as many, as in NumPy
    if prod(shape) * b.numel() != a.numel() or prod(shape) != b.numel():
        raise OpShapeError(
            f"expected as many unknowns as equations, got {prod(shape)} unknowns for b of shape {tuple(b.shape)}"
        )
    matrices, sides = _in_float(matrix.reshape(b.numel(), prod(shape)), b.reshape(-1, 1))
    return _solution(matrices, sides).reshape(shape)


# Norms.


class _PowerNorm(torch.autograd.Function):
    """The norm of any order along one axis, with the gradient that its formula has: NaN where that divides by 0."""

    @staticmethod
    def forward(ctx: Any, data: Tensor, order: float, axis: int) -> Tensor:
        result = torch.linalg.vector_norm(data, order, axis, keepdim=True)
        ctx.save_for_backward(data, result)
        ctx.order = order
        return result

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        data, result = ctx.saved_tensors
        slope = (data.abs() / result) ** (ctx.order - 1) * torch.sign(data)
        return gradients[0] * (slope if ctx.order else torch.zeros_like(data)), None, None


def _vector_norm(data: Tensor, order: float, axes: Shape) -> Tensor:
    if not grad_needed(data):
        return torch.linalg.vector_norm(data, order, axes, keepdim=True)
    return Length.apply(data, axes) if order == 2 else _PowerNorm.apply(data, order, axes[0])


def _matrix_norm(data: Tensor, order: float, axes: Shape, nuclear: bool) -> Tensor:
    """Norms of matrices whose rows and columns are two axes: from singular values, or the largest sum of a column."""
    rows, columns = axes
    if nuclear or order in (2, -2):
        _expect_float32_or_64(data, "data")
        values = torch.linalg.svdvals(data.movedim(axes, (-2, -1)))
        kept = values.sum(-1) if nuclear else values[..., 0 if order > 0 else -1]
        first, second = sorted(axes)
        return kept.unsqueeze(first).unsqueeze(second)
    if order not in (1, -1):
        raise OpParamError(f"ord={order:g} for matrices; expected 1, -1, 2 or -2")
    return (torch.amax if order > 0 else torch.amin)(data.abs().sum(rows, keepdim=True), columns, keepdim=True)


@operator("_npi_norm", total_outputs=4)
def np_norm(
    data: Tensor, *, ord: float = 2.0, axis: Shape | None = None, keepdims: bool = False, flag: int = -1
) -> Tensor:
    """A norm of vectors along one axis, of matrices in two, or of the whole array.

    Args:
        data: the array.
        ord: the order.
        axis: the axis of the vectors, or the axes of rows and columns of the matrices; all if there is none.
        keepdims: keep the reduced axes with length 1.
        flag: which norm: -2 that of all elements, -1 the one of the order, 0 the order 2 or -2 of matrices, 1 the root
            of the sum of squares, 2 the sum of singular values.
    """
    axes = tuple(normal_axis(each, data.dim()) for each in axis) if axis else tuple(range(data.dim()))
    if len(set(axes)) < len(axes):
        raise OpParamError(f"axis={axis} names an axis twice")
    if flag == -2 or not axes:
        axes = tuple(range(data.dim()))
    values, places = (data, axes) if axes else (data.reshape(1), (0,))
    if flag in (0, 2) and len(places) != 2:
        raise OpParamError(f"axis={axis}; expected the two axes of matrices")
    if flag in (1, -2) or len(places) == 1:
        work = values if values.is_floating_point() else values.to(torch.float64)
        result = cast(_vector_norm(work, 2.0 if flag in (1, -2) else ord, places), data.dtype)
    elif len(places) == 2:
        result = _matrix_norm(values, ord, places, nuclear=flag == 2)
    else:
        raise OpParamError(f"axis={axis} for an array of {data.dim()} dimensions; expected one or two axes")
    return result if keepdims and axes else result.squeeze(places)


@shape_of("_np_dot", "_npi_matmul")
def _np_product_shape(specs: Specs, params: Params) -> Result:
    """The product of two matrices."""
    if not one_float_dtype(specs):
        return None
    (a, dtype), (b, _) = specs  # type: ignore[misc]
    return [((a[0], b[1]), dtype)] if len(a) == len(b) == 2 and a[1] == b[0] else None


@partial_shapes_of("_np_dot")
def _product_shapes(_: Params, inputs: PartialShapes, outputs: PartialShapes) -> PartialShapes:
    """The product of two matrices: the lengths in the middle are one."""
    a, b = inputs
    if a is None or b is None or len(a) != 2 or len(b) != 2:
        return []
    result = outputs[0] if outputs[0] is not None and len(outputs[0]) == 2 else (unknown(),) * 2
    middle = joined(a[1:], b[:1])
    rows, columns = joined(a[:1], result[:1]), joined(b[1:], result[1:])
    assert middle
    assert rows
    assert columns
    return [(*rows, *middle), (*middle, *columns), (*rows, *columns)]
