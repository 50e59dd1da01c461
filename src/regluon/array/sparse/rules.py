"""Which operators keep sparse arrays sparse, and how: MXNet's own choices, read off its behaviour.

A rule takes the operator, its inputs as storages and tensors, and its parameters. It gives a storage or a tensor, or
None where the operator is to work on the dense forms.
"""

from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor

from ...errors import OpIndexError, OpParamError, OpShapeError, OpTypeError
from ...ops.registry import Operator
from .graph_sampling import GRAPH_RULES
from .products import dot, embedding
from .storage import STORES, Csr, Rows, combined, mapped

Operands = Sequence[Any]
Params = dict[str, Any]
Rule = Callable[[Operator, Operands, Params], Any]

RULES: dict[str, Rule] = {
    "dot": dot,
    "Embedding": embedding,
    "_contrib_SparseEmbedding": embedding,
    **GRAPH_RULES,
}


def rule(*names: str) -> Callable[[Rule], Rule]:
    """Makes a function the rule of some operators."""

    def declare(function: Rule) -> Rule:
        RULES.update(dict.fromkeys(names, function))
        return function

    return declare


# One array, element by element: zero stays zero.


@rule(
    *("BlockGrad", "_contrib_gradientmultiplier", "_contrib_round_ste", "_contrib_sign_ste", "_copy", "_div_scalar"),
    *("_mul_scalar", "abs", "arcsin", "arcsinh", "arctan", "arctanh", "cbrt", "ceil", "degrees", "expm1", "fix"),
    *("floor", "log1p", "make_loss", "negative", "radians", "relu", "rint", "round", "sign", "sin", "sinh", "sqrt"),
    *("square", "tan", "tanh", "trunc", "_scatter_plus_scalar", "_scatter_minus_scalar"),
)
def of_stored(operator: Operator, operands: Operands, params: Params) -> Any:
    """The operator on the stored elements."""
    return mapped(operands[0], lambda values: _owned(operator.function(values, **params), values))


def _owned(result: Tensor, values: Tensor) -> Tensor:
    return result.clone() if result.data_ptr() == values.data_ptr() else result


@rule(
    *("clip", "_contrib_quadratic", "_plus_scalar", "_minus_scalar", "_equal_scalar", "_not_equal_scalar"),
    *("_greater_scalar", "_greater_equal_scalar", "_lesser_scalar", "_lesser_equal_scalar"),
)
def if_zero_stays(operator: Operator, operands: Operands, params: Params) -> Any:
    """The operator on the stored elements, if these parameters take zero to zero."""
    store = operands[0]
    if operator.name == "_contrib_quadratic" and isinstance(store, Rows):
        return None
    zero = operator.function(store.values.new_zeros(1), **params)
    return of_stored(operator, operands, params) if not bool(zero) else None


@rule("zeros_like")
def zeros_like(operator: Operator, operands: Operands, params: Params) -> Any:
    """Nothing stored."""
    store = operands[0]
    return type(store).zeros(store.shape, store.dtype, store.values.device)


# Two or more arrays, element by element.


def _check_alike(operands: Operands) -> None:
    if len({operand.dtype for operand in operands}) > 1:
        raise OpTypeError("expected arrays of one dtype; convert with astype()")
    if len({tuple(operand.shape) for operand in operands}) > 1:
        raise OpShapeError("expected arrays of one shape")


def _same_kind(operands: Operands, *kinds: type) -> bool:
    return any(all(isinstance(operand, kind) for operand in operands) for kind in kinds)


@rule("elemwise_add", "elemwise_sub", "_grad_add", "_hypot", "_maximum", "_minimum")
def of_union(operator: Operator, operands: Operands, params: Params) -> Any:
    """Two arrays of one storage type, wherever one of them has something stored."""
    if not _same_kind(operands, Rows, Csr):
        return None
    _check_alike(operands)
    lhs, rhs = operands
    return combined(lhs, rhs, lambda a, b: operator.function(a, b, **params))


@rule("elemwise_mul")
def product(operator: Operator, operands: Operands, params: Params) -> Any:
    """A product is sparse if a factor is."""
    if _same_kind(operands, Rows, Csr):
        return of_union(operator, operands, params)
    lhs, rhs = operands
    if not isinstance(lhs, Tensor) and not isinstance(rhs, Tensor):
        return None
    _check_alike(operands)
    if isinstance(rhs, Tensor):
        return mapped(lhs, lambda values: operator.function(values, lhs.gathered(rhs), **params))
    return mapped(rhs, lambda values: operator.function(rhs.gathered(lhs), values, **params))


@rule("broadcast_mul", "broadcast_div")
def stretched(operator: Operator, operands: Operands, params: Params) -> Any:
    """A matrix times or by a dense row, column or matrix."""
    lhs, rhs = operands
    if not isinstance(lhs, Csr) or not isinstance(rhs, Tensor) or lhs.dtype is not rhs.dtype:
        return None
    try:
        factor = lhs.gathered(rhs)
    except RuntimeError:
        return None  # the result has another shape than the matrix, or there is none
    return mapped(lhs, lambda values: operator.function(values, factor, **params))


@rule("_scatter_elemwise_div")
def stored_quotient(operator: Operator, operands: Operands, params: Params) -> Any:
    """Rows divided where they are stored."""
    lhs, rhs = operands
    if not isinstance(lhs, Rows):
        return None
    divisor = (
        rhs.at(lhs.indices) if isinstance(rhs, Rows) else lhs.gathered(rhs.dense() if isinstance(rhs, Csr) else rhs)
    )
    return mapped(lhs, lambda values: operator.function(values, divisor, **params))


@rule("_identity_with_attr_like_rhs")
def first(operator: Operator, operands: Operands, params: Params) -> Any:
    """The first array, if both are of one storage type."""
    if not _same_kind(operands, Rows, Csr):
        return None
    return mapped(operands[0], Tensor.clone)


@rule("add_n")
def total(operator: Operator, operands: Operands, params: Params) -> Any:
    """A sum of rows."""
    if not _same_kind(operands, Rows):
        return None
    _check_alike(operands)
    result = operands[0]
    for other in operands[1:]:
        result = combined(result, other, torch.add)
    return result if len(operands) > 1 else mapped(result, Tensor.clone)


# Parts, reductions and changes of storage.


@rule("slice")
def cut(operator: Operator, operands: Operands, params: Params) -> Any:
    """Rows of a matrix from one number to another, and columns likewise."""
    store = operands[0]
    begin, end, step = params["begin"], params["end"], params.get("step", ())
    if not isinstance(store, Csr) or any(each not in (None, 1) for each in step) or len(begin) > 2:
        return None
    limits = [slice(low, high).indices(length)[:2] for low, high, length in zip(begin, end, store.shape, strict=False)]
    for (low, high), length, asked in zip(limits, store.shape, begin, strict=False):
        if high <= low or not -length <= (asked or 0) < length:
            raise OpIndexError(f"begin={begin}, end={end} leave nothing of shape {store.shape}")
    (low, high), *rest = limits
    rows = store.picked(torch.arange(low, high, device=store.indptr.device))
    if not rest or rest[0] == (0, store.shape[1]):
        return rows
    left, right = rest[0]
    kept = ((rows.indices >= left) & (rows.indices < right)).nonzero().squeeze(1)
    places = rows.row_numbers()[kept] * (right - left) + rows.indices[kept] - left
    return Csr.from_places(rows.values[kept], places, (high - low, right - left))


@rule("take")
def take(operator: Operator, operands: Operands, params: Params) -> Any:
    """Rows of a matrix by number."""
    store, wanted = operands
    if not isinstance(store, Csr) or not isinstance(wanted, Tensor) or wanted.dim() != 1 or params.get("axis", 0):
        return None
    rows = wanted.long()
    if params.get("mode", "clip") == "wrap":
        return store.picked(rows % store.shape[0])
    return store.picked(rows.clamp(0, store.shape[0] - 1))


@rule("Concat")
def joined(operator: Operator, operands: Operands, params: Params) -> Any:
    """Matrices below each other."""
    if params.get("dim", 1) != 0 or not _same_kind(operands, Csr):
        return None
    _check_alike([matrix._replace(shape=matrix.shape[1:]) for matrix in operands])
    values, starts, columns, _ = zip(*operands, strict=True)
    sums = torch.tensor([0, *(len(each) for each in columns)]).cumsum(0)
    indptr = [operands[0].indptr[:1], *(start[1:] + before for start, before in zip(starts, sums, strict=False))]
    shape = (sum(matrix.shape[0] for matrix in operands), operands[0].shape[1])
    return Csr(torch.cat(values), torch.cat(indptr), torch.cat(columns), shape)


def _axis(params: Params) -> int | None:
    """The one axis that a reduction of a matrix goes over."""
    axis = params.get("axis")
    axes = (axis,) if isinstance(axis, int) else tuple(axis or ())
    if len(axes) != 1 or params.get("keepdims") or params.get("exclude") or not -2 <= axes[0] < 2:
        return None
    return axes[0] % 2


@rule("sum", "mean")
def over_axis(operator: Operator, operands: Operands, params: Params) -> Any:
    """The sum or mean over the rows or the columns of a matrix."""
    store, axis = operands[0], _axis(params)
    if not isinstance(store, Csr) or axis is None or not store.values.is_floating_point():
        return None
    where = store.row_numbers() if axis == 1 else store.indices
    sums = store.values.new_zeros(store.shape[1 - axis]).index_add_(0, where, store.values)
    return sums / store.shape[axis] if operator.name == "mean" else sums


@rule("norm")
def norm(operator: Operator, operands: Operands, params: Params) -> Any:
    """The norm of all elements is that of the stored ones."""
    if params.get("axis") or params.get("axis") == 0 or params.get("keepdims"):
        return None
    return operator.function(operands[0].values, **params)


@rule("_square_sum")
def square_sum(operator: Operator, operands: Operands, params: Params) -> Any:
    """Sums of squares of rows."""
    store, axis = operands[0], _axis({**params, "keepdims": False})
    if not isinstance(store, Rows) or len(store.shape) != 2 or axis is None:
        return None
    if axis == 1 and params.get("keepdims"):
        return Rows(store.values.square().sum(1, keepdim=True), store.indices, (store.shape[0], 1))
    return None


@rule("_sparse_retain")
def retain(operator: Operator, operands: Operands, params: Params) -> Any:
    """Some of the rows."""
    store, wanted = operands
    if not isinstance(store, Rows) or not isinstance(wanted, Tensor) or wanted.dim() != 1:
        raise OpTypeError("expected a row_sparse array and a dense vector of row numbers")
    rows = wanted.long()
    if len(rows) and (int(rows.min()) < 0 or int(rows.max()) >= store.shape[0]):
        raise OpIndexError(f"row numbers go from {int(rows.min())} to {int(rows.max())} for {store.shape[0]} rows")
    return Rows(store.at(rows), rows, store.shape)


@rule("cast_storage")
def cast_storage(operator: Operator, operands: Operands, params: Params) -> Any:
    """Another storage type, or a copy in the same."""
    store, stype = operands[0], params["stype"]
    if stype == "default":
        return store.dense()
    if STORES[stype] is not type(store):
        raise OpParamError(f"a sparse array cannot become {stype}; go through 'default'")
    return store.assembled(store.values.clone(), tuple(index.clone() for index in store.aux), store.shape)
