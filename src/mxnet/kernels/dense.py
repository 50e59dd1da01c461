"""Products of matrices by the quickest kernel there is, for programs that take their gradients themselves."""

import torch
from torch import Tensor
from torch.nn.functional import linear

from ..native import kernels
from .eligibility import suits_kernels
from .tuning import run_best


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
