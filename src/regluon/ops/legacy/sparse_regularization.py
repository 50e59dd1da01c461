"""The pull to a target activation, for sparse autoencoders."""

from typing import Any

import torch
from torch import Tensor

from ...errors import OpShapeError
from ..common import expect_shape, same_dtype
from ..params import Shape, Training
from ..registry import operator


class _Regularized(torch.autograd.Function):
    """The identity that adds a constant to the gradient."""

    @staticmethod
    def forward(ctx: Any, data: Tensor, extra: Tensor) -> Tensor:
        ctx.save_for_backward(extra)
        return data.view_as(data)

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        return gradients[0] + ctx.saved_tensors[0], None


def _channel_shape(data: Shape, **_: Any) -> dict[str, Shape]:
    return {"moving_avg": (data[1],)}


@operator(
    "IdentityAttachKLSparseReg",
    returns_view=True,
    auxiliary=("moving_avg",),
    completes=_channel_shape,
    initializers={"moving_avg": '["zero", {}]'},
)
def identity_attach_kl_sparse_reg(
    data: Tensor,
    moving_avg: Tensor,
    *,
    sparseness_target: float = 0.1,
    penalty: float = 0.001,
    momentum: float = 0.9,
    training: Training,
) -> tuple[Tensor, tuple[Tensor | None]]:
    """The identity whose gradient pulls the mean activation of each unit to a target, for sparse autoencoders.

    Args:
        data: activations between 0 and 1, units along axis 1.
        moving_avg: the running mean activation of each unit; a state.
        sparseness_target: the mean activation wanted.
        penalty: weight of the pull.
        momentum: share of the old running mean in the new one.
        training: without it the operator is a plain identity.
    """
    if data.dim() != 2:
        raise OpShapeError(f"expected data of shape (batch, units), got {tuple(data.shape)}")
    same_dtype(data=data, moving_avg=moving_avg)
    expect_shape("moving_avg", moving_avg, (data.shape[1],))
    if not training:
        return data, (None,)
    mean = momentum * moving_avg.detach() + (1 - momentum) * data.detach().mean(0)
    pull = penalty * ((1 - sparseness_target) / (1 - mean) - sparseness_target / mean)
    return _Regularized.apply(data, pull), (mean,)
