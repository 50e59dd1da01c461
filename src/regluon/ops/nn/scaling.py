"""Normalization without weights: by the norm of an example, and by the channels around an element."""

from typing import Any, Literal

import torch
from torch import Tensor

from ...errors import OpParamError, OpShapeError
from ..common import expect_floating, grad_needed, prod
from ..registry import operator
from ..shape_rules import like_data


def _unit_length(data: Tensor, axes: tuple[int, ...], eps: float) -> tuple[Tensor, Tensor]:
    """Return the data divided by their length along axes, and the length."""
    squares = data * data
    length = torch.sqrt((squares.sum(axes, keepdim=True) if axes else squares) + eps)
    return data / length, length


class _UnitLength(torch.autograd.Function):
    """Scales to unit length; its gradient is computed from the result and the length, as in MXNet."""

    @staticmethod
    def forward(ctx: Any, data: Tensor, axes: tuple[int, ...], eps: float) -> tuple[Tensor, Tensor]:
        result, length = _unit_length(data, axes, eps)
        ctx.save_for_backward(result, length)
        ctx.axes = axes
        ctx.set_materialize_grads(False)
        return result, length

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        """Remove the part of the gradient along the vector, then scale it. The length has one in second derivatives."""
        result, length = ctx.saved_tensors
        of_result, of_length = gradients
        found = None if of_length is None else of_length * result
        if of_result is not None:
            along = of_result * result
            if ctx.axes:
                along = along.sum(ctx.axes, keepdim=True)
            across = (of_result - result * along) / length
            found = across if found is None else found + across
        return found, None, None


@operator("L2Normalization", shape=like_data, total_outputs=2, output_names=("output", "norm"), names_input=True)
def l2_normalization(
    data: Tensor, *, eps: float = 1e-10, mode: Literal["channel", "instance", "spatial"] = "instance"
) -> Tensor:
    """Scales to unit length.

    Args:
        data: (batch, ...); (batch, channels, *sizes) unless the mode is 'instance'.
        eps: added to the sum of squares.
        mode: what becomes a vector of length 1: each sample ('instance'), the channels at each place ('channel'), or
            the places of each channel ('spatial').
    """
    expect_floating(data)
    if mode != "instance" and data.dim() < 3:
        raise OpShapeError(f"mode={mode!r} needs data of at least 3 dimensions, got {data.dim()}")
    axes = {"instance": range(1, data.dim()), "channel": (1,), "spatial": range(2, data.dim())}[mode]
    if grad_needed(data):
        result: Tensor = _UnitLength.apply(data, tuple(axes), eps)[0]
        return result
    return _unit_length(data, tuple(axes), eps)[0]


@operator("LRN", shape=like_data, total_outputs=2, output_names=("output", "tmp_norm"), names_input=True)
def lrn(data: Tensor, *, alpha: float = 1e-4, beta: float = 0.75, knorm: float = 2.0, nsize: int) -> Tensor:
    """Divides every element by a power of the squares of its neighbours in other channels.

    Args:
        data: (batch, channels, *sizes).
        alpha: weight of the mean of the squares.
        beta: the power.
        knorm: added to the weighted mean.
        nsize: number of channels the mean is taken over; odd.
    """
    expect_floating(data)
    if data.dim() < 2:
        raise OpShapeError(f"expected data of at least 2 dimensions (batch, channels, sizes), got {data.dim()}")
    if nsize < 1:
        raise OpParamError(f"nsize={nsize}; expected a number not below 1")
    if data.numel() == 0:  # torch's windows need elements
        return data * 1
    batch, channels = data.shape[:2]
    squares = (data * data).reshape(batch, 1, channels, prod(data.shape[2:]))
    reach = (nsize - 1) // 2  # equally far on both sides, so that an even nsize takes in one channel less
    means = torch.nn.functional.avg_pool2d(squares, (2 * reach + 1, 1), 1, (reach, 0), divisor_override=nsize)
    return data * (knorm + alpha * means.reshape(data.shape)).pow(-beta)
