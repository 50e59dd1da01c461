"""Products of arrays."""

from typing import Any, Literal

import torch
from torch import Tensor

from ...errors import OpParamError, OpShapeError
from ..common import expect_floating, one_element, prod, same_dtype
from ..gradient import Arguments, Grads, Needs, Rule, gradient_of
from ..registry import operator, shape_of
from ..shape_rules import Params, Result, Specs, one_float_dtype


def _unequal(lhs: Tensor, rhs: Tensor, left: int, right: int) -> OpShapeError:
    return OpShapeError(
        f"expected the axes summed over to have equal lengths, got {left} and {right} for shapes {tuple(lhs.shape)} "
        f"and {tuple(rhs.shape)}; transpose_a and transpose_b choose other axes"
    )


@operator("dot", "_sparse_dot")
def dot(
    lhs: Tensor,
    rhs: Tensor,
    *,
    transpose_a: bool = False,
    transpose_b: bool = False,
    forward_stype: Literal["csr", "default", "row_sparse"] | None = None,
) -> Tensor:
    """Sums products over the last axis of `lhs` and the first axis of `rhs`.

    For two vectors this is the inner product, for two matrices the matrix product; the other axes of both arrays follow
    each other in the result.

    Args:
        lhs: the left array.
        rhs: the right array.
        transpose_a: whether to sum over the first axis of `lhs` instead; has no effect on a vector.
        transpose_b: whether to sum over the last axis of `rhs` instead; has no effect on a vector.
        forward_stype: the storage type of the result, for sparse inputs.
    """
    if lhs.dtype is not rhs.dtype:
        same_dtype(lhs=lhs, rhs=rhs)
    expect_floating(lhs, "lhs")
    if lhs.dim() == 0 or rhs.dim() == 0:
        raise OpShapeError("expected arrays of 1 dimension or more")
    if lhs.dim() == 1 and rhs.dim() == 1:
        if transpose_a or transpose_b:
            raise OpParamError("vectors cannot be transposed; leave transpose_a and transpose_b out")
        if lhs.shape != rhs.shape:
            raise _unequal(lhs, rhs, lhs.shape[0], rhs.shape[0])
        return one_element(torch.dot(lhs, rhs))
    first, last = transpose_a and lhs.dim() > 1, transpose_b and rhs.dim() > 1
    left, right = lhs.shape[0 if first else -1], rhs.shape[-1 if last else 0]
    if left != right:
        raise _unequal(lhs, rhs, left, right)
    if lhs.dim() == rhs.dim() == 2:
        return torch.mm(lhs.t() if first else lhs, rhs.t() if last else rhs)
    rows = lhs.shape[1:] if first else lhs.shape[:-1]
    columns = rhs.shape[:-1] if last else rhs.shape[1:]
    height, width = prod(rows), prod(columns)
    matrix_a = lhs.reshape(left, height).t() if first else lhs.reshape(height, left)
    matrix_b = rhs.reshape(width, left).t() if last else rhs.reshape(left, width)
    return torch.mm(matrix_a, matrix_b).reshape(rows + columns)


@operator("batch_dot", "_npx_batch_dot")
def batch_dot(
    lhs: Tensor,
    rhs: Tensor,
    *,
    transpose_a: bool = False,
    transpose_b: bool = False,
    forward_stype: Literal["csr", "default", "row_sparse"] | None = None,
) -> Tensor:
    """Multiplies matrices pairwise: those in the last two axes, for all positions along the axes before.

    Args:
        lhs: the left matrices.
        rhs: the right matrices; the axes before the last two have the same lengths.
        transpose_a: whether to transpose the left matrices.
        transpose_b: whether to transpose the right matrices.
        forward_stype: the storage type of the result, for sparse inputs.
    """
    if lhs.dtype is not rhs.dtype:
        same_dtype(lhs=lhs, rhs=rhs)
    expect_floating(lhs, "lhs")
    if lhs.dim() < 3 or lhs.dim() != rhs.dim() or lhs.shape[:-2] != rhs.shape[:-2]:
        raise OpShapeError(
            "expected two arrays of 3 dimensions or more with equal lengths in all axes but the last two, got shapes "
            f"{tuple(lhs.shape)} and {tuple(rhs.shape)}"
        )
    left, right = lhs.shape[-2 if transpose_a else -1], rhs.shape[-1 if transpose_b else -2]
    if left != right:
        raise _unequal(lhs, rhs, left, right)
    return torch.matmul(lhs.mT if transpose_a else lhs, rhs.mT if transpose_b else rhs)


@operator("khatri_rao", count_param="num_args")
def khatri_rao(*args: Tensor) -> Tensor:
    """The Kronecker product column by column of matrices with equally many columns."""
    same_dtype(**{f"args[{i}]": matrix for i, matrix in enumerate(args)})
    expect_floating(args[0], "args[0]")
    if any(matrix.dim() != 2 for matrix in args) or len({matrix.shape[1] for matrix in args}) > 1:
        shapes = ", ".join(str(tuple(matrix.shape)) for matrix in args)
        raise OpShapeError(f"expected matrices with equally many columns, got shapes {shapes}")
    result = torch.ones_like(args[0][:1])
    for matrix in args:
        result = (result.unsqueeze(1) * matrix).flatten(0, 1)
    return result


@shape_of("batch_dot")
def _batch_dot_shape(specs: Specs, params: Params) -> Result:
    if not one_float_dtype(specs):
        return None
    (lhs, dtype), (rhs, _) = specs  # type: ignore[misc]
    if len(lhs) < 3 or len(lhs) != len(rhs) or lhs[:-2] != rhs[:-2]:
        return None
    rows, inner = lhs[-2:][::-1] if params["transpose_a"] else lhs[-2:]
    other, columns = rhs[-2:][::-1] if params["transpose_b"] else rhs[-2:]
    return [((*lhs[:-2], rows, columns), dtype)] if inner == other else None


@shape_of("dot")
def _dot_shape(specs: Specs, params: Params) -> Result:
    if not one_float_dtype(specs) or params["forward_stype"]:
        return None
    (lhs, dtype), (rhs, _) = specs  # type: ignore[misc]
    if len(lhs) != 2 or len(rhs) != 2:
        return None
    rows, inner = lhs[::-1] if params["transpose_a"] else lhs
    other, columns = rhs[::-1] if params["transpose_b"] else rhs
    return [((rows, columns), dtype)] if inner == other else None


@gradient_of("batch_dot")
class BatchDot(Rule):
    """Products of matrices, one for each element of a batch."""

    @staticmethod
    def forward(arguments: Arguments, params: dict[str, Any], needs: Needs) -> tuple[Any, Any]:
        lhs, rhs = arguments
        turned = params.get("transpose_a", False), params.get("transpose_b", False)
        return batch_dot(*arguments, **params), (lhs, rhs, turned)

    @staticmethod
    def backward(saved: Any, grads: Grads, needs: Needs) -> Grads:
        (lhs, rhs, (turned_left, turned_right)), grad = saved, grads[0]
        assert grad is not None
        left = right = None
        if needs[0]:
            other = rhs if turned_right else rhs.mT
            left = torch.matmul(other.mT, grad.mT) if turned_left else torch.matmul(grad, other)
        if needs[1]:
            other = lhs if turned_left else lhs.mT
            right = torch.matmul(grad.mT, other.mT) if turned_right else torch.matmul(other, grad)
        return left, right
