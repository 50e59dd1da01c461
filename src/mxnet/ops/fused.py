"""Steps of our own that compiled networks are rewritten to; no saved graph contains them."""

from typing import Literal

import torch
from torch import Tensor

from .activation import activation
from .fully_connected import fully_connected
from .gather import classes_on, pick
from .neural import weighted
from .registry import operator
from .softmax import log_softmax


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


@operator("_fully_connected_activated", takes=weighted("data"))
def fully_connected_activated(
    data: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    *,
    num_hidden: int,
    no_bias: bool = False,
    flatten: bool = True,
    act_type: Literal["relu", "sigmoid", "tanh"],
) -> Tensor:
    """A dense layer and the activation behind it: the parameters are those of FullyConnected and Activation."""
    result = fully_connected(data, weight, bias, num_hidden=num_hidden, no_bias=no_bias, flatten=flatten)
    return activation(result, act_type=act_type)


@operator("_cross_entropy")
def cross_entropy(data: Tensor, index: Tensor) -> Tensor:
    """The negated logarithm of the softmax of one class per row, as `-pick(log_softmax(data), index, keepdims=True)`.

    Args:
        data: scores, the classes on the last axis.
        index: a class for each row; one out of range counts as the nearest.
    """
    if data.dim() == 2 and data.is_floating_point() and index.shape in (data.shape[:1], (data.shape[0], 1)):
        classes = classes_on(index, data.shape[1]).reshape(-1)
        return torch.nn.functional.cross_entropy(data, classes, reduction="none").unsqueeze(-1)
    return -pick(log_softmax(data, axis=-1), index, axis=-1, keepdims=True)
