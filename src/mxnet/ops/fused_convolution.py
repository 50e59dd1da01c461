"""Convolutions of compiled networks on a CPU: weights laid out for oneDNN beforehand, and what follows done on the way.

No saved graph contains these operators; `compiler/fusing.py` puts them into programs for prediction.
"""

from typing import Any, Literal

import torch
from torch import Tensor

from .neural import optional
from .params import Floats, Shape
from .registry import operator

Unary = Literal["none", "relu", "hardtanh"]


def is_available() -> bool:
    """Whether this build of torch has the kernels."""
    return bool(torch.backends.mkldnn.is_available())


@operator("_packed_weight")
def packed_weight(
    weight: Tensor, *, stride: Shape, dilate: Shape, pad: Shape, num_group: int, size: Shape = ()
) -> Tensor:
    """The weight of a 2-D convolution in the order that its kernel reads it, for data of a size if it is known."""
    reorder = torch.ops.mkldnn._reorder_convolution_weight
    packed: Tensor = reorder(weight, pad, stride, dilate, num_group, size or None)
    return packed


@operator("_fused_convolution", takes=optional("data", "weight", bias="with_bias", addend="with_addend"))
def fused_convolution(
    data: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    addend: Tensor | None = None,
    *,
    stride: Shape,
    dilate: Shape,
    pad: Shape,
    num_group: int,
    with_bias: bool,
    with_addend: bool,
    unary: Unary = "none",
    limits: Floats = (),
) -> Tensor:
    """A 2-D convolution with a packed weight, the sum with another array, and an activation, in one pass.

    Results are in channels-last order in memory, which the next convolution reads fastest.

    Args:
        data: (batch, channels, height, width).
        weight: made by `_packed_weight`.
        bias: (filters,).
        addend: added to the result before the activation.
        stride: step of the filters.
        dilate: distance between the elements of a filter.
        pad: zeros added on both sides of the data.
        num_group: number of groups of channels.
        with_bias: whether there is a bias.
        with_addend: whether there is an addend.
        unary: the activation.
        limits: the bounds of 'hardtanh'.
    """
    data = data.contiguous(memory_format=torch.channels_last)
    window: tuple[Any, ...] = (pad, stride, dilate, num_group)
    scalars: list[float] = list(limits)
    if addend is None:
        result: Tensor = torch.ops.mkldnn._convolution_pointwise(data, weight, bias, *window, unary, scalars, "")
        return result
    addend = addend.contiguous(memory_format=torch.channels_last)
    activation = None if unary == "none" else unary
    summed: Tensor = torch.ops.mkldnn._convolution_pointwise.binary(
        data, addend, weight, bias, *window, "add", 1.0, activation, scalars, ""
    )
    return summed
