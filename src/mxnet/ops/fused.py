"""Steps of our own that compiled networks are rewritten to; no saved graph contains them."""

import torch
from torch import Tensor

from .registry import operator


def _scale(gamma: Tensor, moving_var: Tensor, eps: float, fix_gamma: bool) -> Tensor:
    """What batch normalization by moving averages multiplies every channel by."""
    inverse = torch.rsqrt(moving_var + eps)
    return inverse if fix_gamma else gamma * inverse


@operator("_folded_weight")
def folded_weight(weight: Tensor, gamma: Tensor, moving_var: Tensor, *, eps: float, fix_gamma: bool) -> Tensor:
    """The weight of a layer with the batch normalization behind it in it; filters are the first axis."""
    scale = _scale(gamma, moving_var, eps, fix_gamma).to(weight.dtype)
    return weight * scale.reshape(-1, *(1,) * (weight.dim() - 1))


@operator("_folded_bias")
def folded_bias(
    gamma: Tensor,
    beta: Tensor,
    moving_mean: Tensor,
    moving_var: Tensor,
    bias: Tensor | None = None,
    *,
    eps: float,
    fix_gamma: bool,
) -> Tensor:
    """The bias of a layer with the batch normalization behind it in it."""
    offset = -moving_mean if bias is None else bias.to(moving_mean.dtype) - moving_mean
    result = beta + offset * _scale(gamma, moving_var, eps, fix_gamma)
    return result if bias is None else result.to(bias.dtype)
