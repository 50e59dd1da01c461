"""Steps of our own that compiled training is rewritten to, beside those of fused.py; no saved graph contains them."""

from typing import Any, Literal

import torch
from torch import Tensor

from .activation import gelu
from .convolution import convolution
from .dot import batch_dot
from .neural import optional, weighted
from .normalization import batch_norm, layer_norm
from .params import Shape, Training
from .pooling import pooling
from .registry import find, operator
from .softmax import softmax


@operator("_mean_square")
def mean_square(lhs: Tensor, rhs: Tensor, *, scale: float = 1.0) -> Tensor:
    """For each position along the first axis, the mean of `scale * (lhs - rhs) ** 2`."""
    away = find("elemwise_sub").function(lhs, rhs)
    axes = tuple(range(1, away.dim()))
    squares = torch.square(away) * scale
    return squares.mean(axes) if axes else squares


@operator("_bias_gelu")
def bias_gelu(data: Tensor, bias: Tensor) -> Tensor:
    """GELU of a dense layer's products and its bias."""
    return gelu(data + bias)


@operator("_scaled_softmax")
def scaled_softmax(data: Tensor, *, scale: float) -> Tensor:
    """Softmax along the last axis of the data times a number."""
    return softmax(data * scale, axis=-1)


@operator("_added_layer_norm", takes=optional("data", "other", "gamma", "beta", bias="has_bias"))
def added_layer_norm(
    data: Tensor,
    other: Tensor,
    gamma: Tensor,
    beta: Tensor,
    bias: Tensor | None = None,
    *,
    eps: float = 1e-5,
    has_bias: bool = False,
) -> Tensor:
    """Layer normalization of a sum along the last axis.

    Args:
        data: one summand; the result of a dense layer, perhaps without its bias.
        other: the other one, of the same shape.
        gamma: as long as the axis.
        beta: as long as the axis.
        bias: of the dense layer.
        eps: added to the variance.
        has_bias: whether there is a bias.
    """
    total = find("elemwise_add").function(data if bias is None else data + bias, other)
    result: Tensor = layer_norm(total, gamma, beta, axis=-1, eps=eps)
    return result


@operator(
    "_batch_norm_activated",
    auxiliary=("moving_mean", "moving_var"),
    takes=optional("data", "gamma", "beta", "moving_mean", "moving_var", other="has_other"),
)
def batch_norm_activated(
    data: Tensor,
    gamma: Tensor,
    beta: Tensor,
    moving_mean: Tensor,
    moving_var: Tensor,
    other: Tensor | None = None,
    *,
    eps: float = 0.0010000000474974513,
    momentum: float = 0.9,
    fix_gamma: bool = True,
    has_other: bool = False,
    training: Training,
) -> Any:
    """Batch normalization, channels in axis 1, what is added to it, if anything, and relu.

    Args:
        data: any number of axes.
        gamma: (channels,); see BatchNorm for this and what follows.
        beta: (channels,).
        moving_mean: (channels,).
        moving_var: (channels,).
        other: what is added, of the shape of the data.
        eps: added to the variance.
        momentum: how much of the old average an update keeps.
        fix_gamma: whether gamma counts as 1 and gets no gradient.
        has_other: whether something is added.
        training: whether the batch counts.
    """
    inputs = data, gamma, beta, moving_mean, moving_var
    result, updates = batch_norm(*inputs, eps=eps, momentum=momentum, fix_gamma=fix_gamma, training=training)
    return torch.relu(result if other is None else find("elemwise_add").function(result, other)), updates


@operator("_convolution_pooled", takes=weighted("data"))
def convolution_pooled(
    data: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    *,
    kernel: Shape,
    stride: Shape = (),
    pad: Shape = (),
    num_filter: int,
    no_bias: bool = False,
    pool_kernel: Shape,
    pool_stride: Shape = (),
    pool_pad: Shape = (),
    pooling_convention: Literal["valid", "full"] = "valid",
) -> Tensor:
    """A convolution of images and the maxima over windows of its result.

    Args:
        data: (batch, channels, height, width).
        weight: (num_filter, channels, *kernel).
        bias: (num_filter,); left out with `no_bias`.
        kernel: size of the filters; see Convolution for this and what follows.
        stride: step of the filters.
        pad: zeros around the data.
        num_filter: number of filters.
        no_bias: whether there is no bias.
        pool_kernel: size of the windows; see Pooling for this and what follows.
        pool_stride: step of the windows.
        pool_pad: how far windows reach beyond the result.
        pooling_convention: what happens to elements at the end that do not fill a window.
    """
    result = convolution(
        data, weight, bias, kernel=kernel, stride=stride, pad=pad, num_filter=num_filter, no_bias=no_bias
    )
    return pooling(result, kernel=pool_kernel, stride=pool_stride, pad=pool_pad, pooling_convention=pooling_convention)


def in_heads(data: Tensor, heads: int) -> Tensor:
    """A view of (batch, length, heads * width) as (batch, heads, length, width)."""
    return data.reshape(data.shape[0], data.shape[1], heads, -1).transpose(1, 2)


@operator("_head_scores")
def head_scores(query: Tensor, key: Tensor, *, heads: int) -> Tensor:
    """The products of queries and keys, head by head.

    Args:
        query: (batch, length, heads * width).
        key: (batch, other length, heads * width).
        heads: how many.

    Returns:
        (batch * heads, length, other length).
    """
    left, right = (in_heads(each, heads).flatten(0, 1) for each in (query, key))
    return batch_dot(left, right, transpose_b=True)


@operator("_head_mix")
def head_mix(weight: Tensor, value: Tensor, *, heads: int) -> Tensor:
    """Sums of values with weights, head by head.

    Args:
        weight: (batch * heads, length, other length).
        value: (batch, other length, heads * width).
        heads: how many.

    Returns:
        (batch, length, heads * width).
    """
    mixed = batch_dot(weight, in_heads(value, heads).flatten(0, 1))
    return mixed.reshape(-1, heads, *mixed.shape[1:]).transpose(1, 2).flatten(2)
