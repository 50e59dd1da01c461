"""Normalizations with what stands around them, and batch normalization folded into layers."""

from collections.abc import Mapping
from typing import Any

import torch
from torch import Tensor

from ...kernels.eligibility import kernels_for
from ...ops.gradient import Arguments, Grads, Needs, Rule
from ...ops.nn.checks import optional
from ...ops.nn.normalization import (
    batch_norm,
    batch_norm_backward,
    batch_norm_forward,
    check_layer_norm,
    layer_norm,
    layer_norm_backward,
    layer_norm_forward,
)
from ...ops.params import Training
from ...ops.registry import find
from ...ops.shape_rules import like_data
from .table import fused


class BatchNormActivated(Rule):
    """In training, with relu behind it, perhaps of a sum."""

    worth = 2

    keeps_output = True

    @staticmethod
    def applies(params: Mapping[str, Any]) -> bool:
        return bool(params.get("training"))

    @staticmethod
    def forward(arguments: Arguments, params: dict[str, Any], needs: Needs) -> tuple[Any, Any]:
        other = (*arguments, None)[5]
        data = arguments[0]
        assert data is not None
        if other is not None and (other.shape != data.shape or other.dtype is not data.dtype):
            batch_norm_activated(*arguments, **params)  # says what is wrong
        return batch_norm_forward(arguments[:5], other, True, params)

    @staticmethod
    def backward(saved: Any, grads: Grads, needs: Needs) -> Grads:
        assert grads[0] is not None
        return batch_norm_backward(saved, grads[0], len(needs) > 5, True, needs)


def _added_layer_norm(
    data: Tensor, other: Tensor, gamma: Tensor, beta: Tensor, bias: Tensor | None, eps: float, in_place: bool
) -> tuple[Tensor, Any]:
    ours = kernels_for(data, other, gamma, beta, bias)
    if ours is None:
        total = data if bias is None else data.add_(bias) if in_place else data + bias
        return layer_norm_forward(total.add_(other) if in_place else total + other, gamma, beta, eps)
    if in_place:
        result, mean, inverse = ours.added_layer_norm_(data, other, bias, gamma, beta, eps)
        return result, (data, mean, inverse, gamma, beta, ours)
    total, result, mean, inverse = ours.added_layer_norm(data, other, bias, gamma, beta, eps)
    return result, (total, mean, inverse, gamma, beta, ours)


def _added_layer_norm_gradients(saved: Any, grad: Tensor, needs: Needs) -> Grads:
    of_data, of_other, of_gamma, of_beta, of_bias = (*needs, False)[:5]
    wanted = (of_data or of_other, of_gamma, of_beta, of_bias)
    total, gamma, beta, *bias = layer_norm_backward(saved, grad, wanted)
    return total if of_data else None, total if of_other else None, gamma, beta, *bias


class AddedLayerNorm(Rule):
    """Of a sum, along the last axis; the sum is kept."""

    worth = 2

    @staticmethod
    def forward(arguments: Arguments, params: dict[str, Any], needs: Needs) -> tuple[Any, Any]:
        return AddedLayerNorm._checked(arguments, params, False)

    @staticmethod
    def forward_in_place(arguments: Arguments, params: dict[str, Any], needs: Needs) -> tuple[Any, Any]:
        """Writes the sum over the data."""
        return AddedLayerNorm._checked(arguments, params, True)

    @staticmethod
    def _checked(arguments: Arguments, params: dict[str, Any], in_place: bool) -> tuple[Any, Any]:
        data, other, gamma, beta, bias = (*arguments, None)[:5]
        assert data is not None
        is_ordinary = other is not None and other.shape == data.shape and other.dtype is data.dtype
        if not is_ordinary or (bias is not None and bias.shape != data.shape[-1:]):
            added_layer_norm(data, other, gamma, beta, bias, **params)  # says what is wrong
        check_layer_norm(data, gamma, beta)
        eps = params.get("eps", 1e-5)
        return _added_layer_norm(data, other, gamma, beta, bias, eps, in_place)  # type: ignore[arg-type]

    @staticmethod
    def backward(saved: Any, grads: Grads, needs: Needs) -> Grads:
        return _added_layer_norm_gradients(saved, grads[0], needs)  # type: ignore[arg-type]


@fused("_added_layer_norm", takes=optional("data", "other", "gamma", "beta", bias="has_bias"), gradient=AddedLayerNorm)
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


@fused(
    "_batch_norm_activated",
    auxiliary=("moving_mean", "moving_var"),
    takes=optional("data", "gamma", "beta", "moving_mean", "moving_var", other="has_other"),
    gradient=BatchNormActivated,
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


def _scale(gamma: Tensor, moving_var: Tensor, eps: float, fix_gamma: bool) -> Tensor:
    """What batch normalization by moving averages multiplies every channel by."""
    inverse = torch.rsqrt(moving_var + eps)
    return inverse if fix_gamma else gamma * inverse


@fused("_folded_weight", shape=like_data)
def folded_weight(weight: Tensor, gamma: Tensor, moving_var: Tensor, *, eps: float, fix_gamma: bool) -> Tensor:
    """The weight of a layer with the batch normalization behind it in it; filters are the first axis."""
    scale = _scale(gamma, moving_var, eps, fix_gamma).to(weight.dtype)
    return weight * scale.reshape(-1, *(1,) * (weight.dim() - 1))


@fused("_folded_bias", shape=like_data)
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
