"""Convolutions with what follows them."""

from typing import Any

from torch import Tensor

from ...kernels.prepacked_convolution import Filters, Form, Unary
from ...ops.nn.checks import optional
from ...ops.params import Floats, Shape
from .table import fused


@fused("_packed_weight")
def packed_weight(
    weight: Tensor,
    *,
    stride: Shape,
    dilate: Shape,
    pad: Shape,
    num_group: int,
    size: Shape = (),
    unary: Unary = "none",
    limits: Floats = (),
    adds: bool = False,
    is_tuned: bool = True,
) -> Any:
    """The weight of a 2-D convolution for `_fused_convolution`.

    Args:
        weight: (filters, channels of a group, height, width).
        stride: step of the filters.
        dilate: distance between the elements of a filter.
        pad: zeros added on both sides of the data.
        num_group: number of groups of channels.
        size: the shape of the data, if it is known.
        unary: the activation that follows.
        limits: the bounds of 'hardtanh'.
        adds: whether another array is added before the activation.
        is_tuned: whether to find the quickest kernel, or take the usual one.
    """
    return Filters(weight, Form(stride, dilate, pad, num_group, unary, limits, size, adds), is_tuned)


@fused("_fused_convolution", takes=optional("data", "weight", bias="with_bias", addend="with_addend"))
def fused_convolution(
    data: Tensor,
    weight: Any,
    bias: Tensor | None = None,
    addend: Tensor | None = None,
    *,
    with_bias: bool,
    with_addend: bool,
) -> Tensor:
    """A 2-D convolution, the sum with another array, and an activation.

    Args:
        data: (batch, channels, height, width).
        weight: made by `_packed_weight`.
        bias: (filters,).
        addend: added to the result before the activation.
        with_bias: whether there is a bias.
        with_addend: whether there is an addend.
    """
    result: Tensor = weight.kernel(data, bias, addend)
    return result
