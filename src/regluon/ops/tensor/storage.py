"""Operators about storage types.

In a graph all values are dense, and these operators say what the values are. The arrays of `nd` have storage types:
the rules in ndarray/sparse come first there.
"""

from typing import Literal

import torch
from torch import Tensor

from ...errors import OpParamError, OpShapeError
from ..registry import operator


@operator("cast_storage", "_sparse_cast_storage", returns_view=True)
def cast_storage(data: Tensor, *, stype: Literal["csr", "default", "row_sparse"]) -> Tensor:
    """The array in another storage type: `default` is dense, `csr` for matrices, `row_sparse` for tall arrays."""
    if stype == "csr" and data.dim() != 2:
        raise OpShapeError(f"stype='csr' expected 2 dimensions, got shape {tuple(data.shape)}")
    return data


@operator("_sparse_retain")
def sparse_retain(data: Tensor, indices: Tensor) -> Tensor:
    """Keeps the rows of the given numbers; all others become zero."""
    if indices.dim() != 1:
        raise OpShapeError(f"expected a vector of row numbers, got shape {tuple(indices.shape)}")
    kept = torch.zeros(data.shape[:1], dtype=torch.bool, device=data.device)
    kept = kept.index_fill(0, indices.detach().long(), True)
    return torch.where(kept.reshape(-1, *(1,) * (data.dim() - 1)), data, 0)


@operator("_contrib_getnnz", zero_gradient=True)
def getnnz(data: Tensor, *, axis: int | None = None) -> Tensor:
    """Counts the stored elements of a matrix, all or those of each row.

    Args:
        data: a csr matrix.
        axis: 1 for each row, None for all.
    """
    if axis not in (None, 1):
        raise OpParamError(f"axis={axis}: expected 1, for each row, or None, for all")
    return torch.count_nonzero(data.detach(), axis).reshape(-1)
