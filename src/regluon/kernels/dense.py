"""Products of matrices by the quickest kernel there is, for programs that take their gradients themselves."""

import torch
from torch import Tensor
from torch.nn.functional import linear

from ..native import kernels
from .eligibility import suits_kernels
from .tuning import run_best

_SMALL = 1 << 16  # numbers in a matrix; torch takes larger ones in pieces that fit a cache


def product(lhs: Tensor, rhs: Tensor) -> Tensor:
    """The product of two matrices, either of which may be turned."""
    ours = kernels()
    if ours is None or not (_is_usual(lhs) and _is_usual(rhs)):
        return torch.mm(lhs, rhs)
    work = ("product", *lhs.shape, rhs.shape[1], lhs.stride(1) == 1, rhs.stride(1) == 1)
    result: Tensor = run_best(work, (("torch", torch.mm), ("native", ours.product.default)), lhs, rhs)
    return result


def dense(data: Tensor, weight: Tensor, bias: Tensor | None, is_activated: bool) -> Tensor:
    """What a dense layer gives for rows along the last axis; negative results count as 0 if it is activated."""
    ours = kernels()
    usual = all(each is None or (_is_usual(each) and each.is_contiguous()) for each in (data, weight, bias))
    if ours is None or not usual:
        return _dense_by_torch(data, weight, bias, is_activated)
    work = ("dense", *data.shape, weight.shape[0], bias is not None, is_activated)
    ways = ("torch", _dense_by_torch), ("native", _dense_natively)
    result: Tensor = run_best(work, ways, data, weight, bias, is_activated)
    return result


def head_products(lhs: Tensor, rhs: Tensor, in_rows: bool) -> Tensor:
    """The products of matrices in the last two axes of (batch, heads, length, width); either may be turned.

    Args:
        lhs: the matrices on the left.
        rhs: those on the right.
        in_rows: whether what the heads give for a place is to lie side by side in memory.
    """
    if kernels() is None or not (_is_usual(lhs) and _is_usual(rhs)):
        return _head_products_by_torch(lhs, rhs, in_rows)
    rows, depth, columns = *lhs.shape[2:], rhs.shape[3]
    work = ("head products", *lhs.shape, columns, lhs.stride(3) == 1, rhs.stride(3) == 1, in_rows)
    ways = ("native", _head_products_natively), ("torch", _head_products_by_torch)
    is_small = max(rows * depth, depth * columns, rows * columns) <= _SMALL
    result: Tensor = run_best(work, ways if is_small else ways[::-1], lhs, rhs, in_rows)
    return result


def _is_usual(tensor: Tensor) -> bool:
    """Whether our kernels take it: rows or columns are in one piece."""
    return suits_kernels(tensor) and 1 in tensor.stride()[-2:]


def _dense_by_torch(data: Tensor, weight: Tensor, bias: Tensor | None, is_activated: bool) -> Tensor:
    result = linear(data, weight, bias)
    return result.relu_() if is_activated else result


def _dense_natively(data: Tensor, weight: Tensor, bias: Tensor | None, is_activated: bool) -> Tensor:
    rows = data if data.dim() == 2 else data.view(-1, weight.shape[1])
    result: Tensor = kernels().dense.default(rows, weight, bias, is_activated)
    return result if data.dim() == 2 else result.view(*data.shape[:-1], weight.shape[0])


def _head_products_by_torch(lhs: Tensor, rhs: Tensor, in_rows: bool) -> Tensor:
    result = torch.matmul(lhs, rhs)
    return result.transpose(1, 2).contiguous().transpose(1, 2) if in_rows else result


def _head_products_natively(lhs: Tensor, rhs: Tensor, in_rows: bool) -> Tensor:
    batch, heads, rows, _ = lhs.shape
    if in_rows:
        result = lhs.new_empty((batch, rows, heads, rhs.shape[3])).transpose(1, 2)
    else:
        result = lhs.new_empty((batch, heads, rows, rhs.shape[3]))
    kernels().head_products(lhs, rhs, result)
    return result
