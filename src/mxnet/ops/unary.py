"""Operators of one operand that work element by element."""

import torch
from torch import Tensor

from .common import cast
from .params import DType
from .registry import operator


@operator("Cast", "cast", "_npi_cast", "_npx_cast", returns_view=True)
def cast_(data: Tensor, *, dtype: DType) -> Tensor:
    """Converts the elements to another dtype."""
    return cast(data, dtype)


@operator("abs", "_sparse_abs")
def absolute(data: Tensor) -> Tensor:
    """The absolute value."""
    return torch.abs(data)


@operator("BlockGrad", "stop_gradient", "_sparse_stop_gradient", returns_view=True, zero_gradient=True)
def block_grad(data: Tensor) -> Tensor:
    """The same elements; no gradient flows back through it."""
    return data.detach()
