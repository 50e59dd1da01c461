"""Products of sparse matrices with dense ones, and the look-up of stored rows, with their gradients."""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import torch
from torch import Tensor
from torch.nn.functional import embedding_bag

from ...errors import OpShapeError, OpTypeError
from .csr_transpose import by_column
from .storage import Csr, Rows

# A value with its storage type.
Outcome = tuple[Any, str] | None


def times(matrix: Csr, dense: Tensor) -> Tensor:
    """matrix @ dense."""
    if not len(matrix.indices):
        return dense.new_zeros((matrix.shape[0], dense.shape[1]))
    # A row of the product is a weighted sum of rows: what embedding bags do, four times as fast as MKL's csr product.
    work = dense.float() if dense.dtype in (torch.float16, torch.bfloat16) else dense
    weights = matrix.values.to(work.dtype)
    summed = embedding_bag(
        *(matrix.indices, work.contiguous(), matrix.indptr),
        mode="sum",
        per_sample_weights=weights,
        include_last_offset=True,
    )
    return summed.to(dense.dtype)


def transposed_times(matrix: Csr, dense: Tensor) -> Rows:
    """matrix.T @ dense: a row for each column of the matrix that has an element."""
    columns = by_column(matrix)
    values = matrix.values.index_select(0, columns.order)
    turned = Csr(values, columns.starts, columns.rows, (len(columns.used), matrix.shape[0]))
    return Rows(times(turned, dense), columns.used, (matrix.shape[1], dense.shape[1]))


def times_rows(matrix: Csr, rows: Rows) -> Tensor:
    """matrix @ rows, looking only at the rows that the matrix needs."""
    if rows.is_full():
        return times(matrix, rows.values)
    used, columns = torch.unique(matrix.indices, return_inverse=True)
    return times(Csr(matrix.values, matrix.indptr, columns, (matrix.shape[0], len(used))), rows.at(used))


def as_gradient(rows: Rows, in_order: bool) -> Tensor:
    """Rows in the form in which torch takes gradients; they may be out of order, and one may stand there twice."""
    return torch.sparse_coo_tensor(
        rows.indices.unsqueeze(0), rows.values, rows.shape, check_invariants=False, is_coalesced=in_order
    )


class _Factor(NamedTuple):
    """The constant side of a recorded product."""

    matrix: Csr
    transposed: bool
    rows: Rows | None  # values of the other side, if that is sparse


def _product(factor: _Factor, weight: Tensor) -> Tensor:
    matrix, transposed, rows = factor
    if transposed:
        return transposed_times(matrix, weight if rows is None else rows.dense()).dense()
    return times(matrix, weight) if rows is None else times_rows(matrix, rows)


class _Product(torch.autograd.Function):
    """matrix @ weight or matrix.T @ weight; the gradient of a leaf holds only the rows that are not zero."""

    @staticmethod
    def forward(ctx: Any, weight: Tensor, factor: _Factor) -> Tensor:
        ctx.factor, ctx.is_leaf = factor, weight.is_leaf
        return _product(factor, weight)

    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx: Any, gradient: Tensor) -> Any:
        matrix, transposed, _ = ctx.factor
        if transposed:
            return times(matrix, gradient), None
        rows = transposed_times(matrix, gradient)
        return (as_gradient(rows, in_order=True) if ctx.is_leaf else rows.dense()), None


def _sides(operands: Sequence[Any], params: dict[str, Any]) -> str:
    """Which operand is the sparse matrix that a product is made by: 'lhs', 'rhs', or '' for none."""
    lhs, rhs = operands
    turn_left, turn_right = params.get("transpose_a", False), params.get("transpose_b", False)
    if isinstance(lhs, Csr) and not turn_right and isinstance(rhs, (Rows, Tensor)):
        side, lengths = "lhs", (lhs.shape[0 if turn_left else 1], rhs.shape[0])
        dims = len(rhs.shape)
    elif isinstance(rhs, Csr) and isinstance(lhs, Tensor) and not turn_left:
        side, lengths = "rhs", (lhs.shape[-1], rhs.shape[1 if turn_right else 0])
        dims = lhs.dim()
    else:
        return ""
    if dims != 2:
        return ""
    if lhs.dtype is not rhs.dtype or not lhs.dtype.is_floating_point:
        raise OpTypeError("expected two arrays of one floating dtype; convert with astype()")
    if lengths[0] != lengths[1]:
        raise OpShapeError(
            f"expected the axes summed over to have equal lengths, got {lengths[0]} and {lengths[1]} for shapes "
            f"{tuple(lhs.shape)} and {tuple(rhs.shape)}"
        )
    return side


def _dot(operands: Sequence[Any], places: Sequence[Any], params: dict[str, Any]) -> Outcome:
    """A product that is recorded."""
    side = _sides(operands, params)
    if not side:
        return None
    lhs, rhs = operands
    if side == "lhs":
        transposed = params.get("transpose_a", False)
        factor = _Factor(lhs, transposed, rhs if isinstance(rhs, Rows) else None)
        if places[0] is not None and places[0].requires_grad:
            return None  # gradients of the sparse side need its dense form
        return _Product.apply(places[1], factor), _stype(params, "row_sparse" if transposed else "default")
    if places[1] is not None and places[1].requires_grad:
        return None
    factor = _Factor(rhs, not params.get("transpose_b", False), None)
    return _Product.apply(places[0].t(), factor).t().contiguous(), _stype(params, "csr")


def _stype(params: dict[str, Any], natural: str) -> str:
    return params.get("forward_stype") or natural


def dot(operator: Any, operands: Sequence[Any], params: dict[str, Any]) -> Any:
    """The rule for products that are not recorded."""
    side = _sides(operands, params)
    lhs, rhs = operands
    if not side:
        dense = [operand if isinstance(operand, Tensor) else operand.dense() for operand in operands]
        product, natural = operator.function(*dense, **params), "default"
    elif side == "lhs":
        product, natural = _left_product(lhs, rhs, params.get("transpose_a", False))
    else:
        factor = _Factor(rhs, not params.get("transpose_b", False), None)
        product, natural = _product(factor, lhs.t()).t().contiguous(), "csr"
    return _stored_as(product, _stype(params, natural))


def _left_product(lhs: Csr, rhs: Any, transposed: bool) -> tuple[Any, str]:
    if transposed:
        return transposed_times(lhs, rhs.dense() if isinstance(rhs, Rows) else rhs), "row_sparse"
    return (times_rows(lhs, rhs) if isinstance(rhs, Rows) else times(lhs, rhs)), "default"


def _stored_as(product: Any, stype: str) -> Any:
    if isinstance(product, Rows) and stype == "row_sparse":
        return product
    dense = product.dense() if isinstance(product, Rows) else product
    if stype == "csr" and dense.dim() != 2:
        raise OpShapeError(f"forward_stype='csr' expected a matrix as the result, got shape {tuple(dense.shape)}")
    return {"default": lambda tensor: tensor, "csr": Csr.from_dense, "row_sparse": Rows.from_dense}[stype](dense)


class _LookUp(torch.autograd.Function):
    """Rows of a sparse weight; the gradient holds only those that were looked up."""

    @staticmethod
    def forward(ctx: Any, place: Tensor, rows: Rows, wanted: Tensor) -> Tensor:
        ctx.wanted, ctx.shape, ctx.is_leaf = wanted, rows.shape, place.is_leaf
        return rows.at(wanted)

    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx: Any, gradient: Tensor) -> Any:
        found = as_gradient(Rows(gradient, ctx.wanted, ctx.shape), in_order=False)
        return (found if ctx.is_leaf else found.to_dense()), None, None


def _wanted(data: Any, weight: Any, params: dict[str, Any]) -> Tensor | None:
    """The flat indices of an Embedding whose weight is sparse."""
    if not isinstance(weight, Rows) or not isinstance(data, Tensor):
        return None
    expected = (params["input_dim"], params["output_dim"])
    if weight.shape != expected:
        raise OpShapeError(f"expected a weight of shape {expected}, got {weight.shape}")
    return data.detach().reshape(-1).long().clamp(0, weight.shape[0] - 1)


def embedding(operator: Any, operands: Sequence[Any], params: dict[str, Any]) -> Any:
    """The rule for looking up rows of a sparse weight."""
    data, weight = operands
    wanted = _wanted(data, weight, params)
    return None if wanted is None else weight.at(wanted).reshape(*data.shape, weight.shape[1])


def _embedding(operands: Sequence[Any], places: Sequence[Any], params: dict[str, Any]) -> Outcome:
    data, weight = operands
    wanted = _wanted(data, weight, params)
    if wanted is None:
        return None
    return _LookUp.apply(places[1], weight, wanted).reshape(*data.shape, weight.shape[1]), "default"


class _SquareSum(torch.autograd.Function):
    """The sum of squares of each row; the gradient holds only the rows that are stored."""

    @staticmethod
    def forward(ctx: Any, place: Tensor, rows: Rows) -> Tensor:
        ctx.rows, ctx.is_leaf = rows, place.is_leaf
        return rows.values.new_zeros(rows.shape[0]).index_copy_(0, rows.indices, rows.values.square().sum(1))

    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx: Any, gradient: Tensor) -> Any:
        values, indices, shape = ctx.rows
        slopes = 2 * values * gradient.index_select(0, indices).unsqueeze(1)
        found = as_gradient(Rows(slopes, indices, shape), in_order=False)
        return (found if ctx.is_leaf else found.to_dense()), None


def _square_sum(operands: Sequence[Any], places: Sequence[Any], params: dict[str, Any]) -> Outcome:
    rows, axis = operands[0], params.get("axis")
    if not isinstance(rows, Rows) or len(rows.shape) != 2 or axis not in (1, -1, (1,), (-1,)) or params.get("exclude"):
        return None
    sums = _SquareSum.apply(places[0], rows)
    return (sums.unsqueeze(1), "row_sparse") if params.get("keepdims") else (sums, "default")


RECORDED_RULES: dict[str, Callable[..., Outcome]] = {
    "dot": _dot,
    "Embedding": _embedding,
    "_contrib_SparseEmbedding": _embedding,
    "_square_sum": _square_sum,
}
