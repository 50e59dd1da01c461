"""Rates of their own for each layer: LAMB, in one step and in MXNet's two phases, and LARS."""

import inspect
from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor

from ...errors import OpTypeError
from ...torch_private import foreach
from ..common import expect_shape, same_dtype
from ..registry import operator
from ..signatures import signed
from .operators import operators
from .rule import (
    Rates,
    Tensors,
    check_alike,
    clipped,
    decayed,
    move_average,
    move_square_average,
    negative,
    rescaled,
    roots_plus,
    rounded,
    rule,
)


def _direction(
    weights: Tensors,
    grads: Tensors,
    means: Tensors,
    variances: Tensors,
    *,
    beta1: float,
    beta2: float,
    epsilon: float,
    wd: Rates,
    rescale_grad: float,
    clip_gradient: float,
    bias_correction: bool,
    t: Sequence[int],
) -> Tensors:
    """mean / (sqrt(var) + epsilon) + wd * weight. Updates the averages, not the weights."""
    grads = clipped(rescaled(grads, rescale_grad), clip_gradient)
    move_average(means, grads, beta1)
    move_square_average(variances, grads, beta2)
    if bias_correction:
        firsts = foreach.div(means, [1 - beta1**count for count in t])
        seconds = foreach.div(variances, [1 - beta2**count for count in t])
    else:
        firsts, seconds = means, variances
    return decayed(foreach.div(firsts, roots_plus(seconds, epsilon)), weights, wd)


def _move(
    weights: Tensors,
    directions: Tensors,
    weight_norms: Tensor,
    direction_norms: Tensor,
    *,
    lr: Rates,
    lower_bound: float,
    upper_bound: float,
) -> None:
    """weight -= lr * |weight| / |direction| * direction; a bound below 0 means none."""
    if lower_bound >= 0:
        weight_norms = weight_norms.clamp_min(lower_bound)
    if upper_bound >= 0:
        weight_norms = weight_norms.clamp_max(upper_bound)
    is_zero = (weight_norms == 0) | (direction_norms == 0)
    ratios = torch.where(is_zero, 1.0, weight_norms / direction_norms).unbind()
    steps = foreach.mul(directions, negative(lr))
    foreach.mul_(steps, ratios)
    foreach.add_(weights, steps)


@operators(
    "_lamb_update",
    forms=("multi_", "multi_mp_"),
    count="num_tensors",
    names={"lr": "learning_rates"},
    docs={
        "wd": "weight decay.",
        "lower_bound": "the least that a weight's norm counts as; below 0 means no bound.",
        "upper_bound": "the most that a weight's norm counts as; below 0 means no bound.",
    },
)
@rule("mean", "var")
def lamb(
    weights: Tensors,
    grads: Tensors,
    means: Tensors,
    variances: Tensors,
    *,
    lr: Rates,
    beta1: float = 0.9,
    beta2: float = 0.999,
    epsilon: float = 1e-6,
    wd: Rates,
    rescale_grad: float = 1.0,
    lower_bound: float = -1.0,
    upper_bound: float = -1.0,
    clip_gradient: float = -1.0,
    bias_correction: bool = True,
    t: Sequence[int],
) -> None:
    """Both phases of LAMB on many weights: Adam's direction with decay, made as long as lr times the weight."""
    directions = _direction(
        *(weights, grads, means, variances),
        beta1=beta1,
        beta2=beta2,
        epsilon=epsilon,
        wd=wd,
        rescale_grad=rescale_grad,
        clip_gradient=clip_gradient,
        bias_correction=bias_correction,
        t=t,
    )
    norms = [torch.stack(foreach.norm(tensors)) for tensors in (weights, directions)]
    _move(weights, directions, *norms, lr=lr, lower_bound=lower_bound, upper_bound=upper_bound)


def _with_copy(plain: Callable[..., Any]) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Gives a function the signature of another one with a further input, `weight32`."""
    taken = inspect.signature(plain).parameters.values()
    inputs = [each.name for each in taken if each.kind is not each.KEYWORD_ONLY]
    numbers = [each for each in taken if each.kind is each.KEYWORD_ONLY]
    return lambda function: signed(
        function, function.__name__, inspect.getdoc(function) or "", (*inputs, "weight32"), numbers
    )


@operator("lamb_update_phase1", has_gradient=False, auxiliary=("mean", "var"))
def lamb_update_phase1(
    weight: Tensor,
    grad: Tensor,
    mean: Tensor,
    var: Tensor,
    *,
    beta1: float = 0.9,
    beta2: float = 0.999,
    epsilon: float = 1e-6,
    t: int,
    bias_correction: bool = True,
    wd: float,
    rescale_grad: float = 1.0,
    clip_gradient: float = -1.0,
) -> Any:
    """The direction of a LAMB step: mean / (sqrt(var) + epsilon) + wd * weight.

    Args:
        weight: what to update.
        grad: its gradient.
        mean: average of the gradient.
        var: average of its square.
        beta1: how much of `mean` is kept.
        beta2: how much of `var` is kept.
        epsilon: added to the root of `var`.
        t: number of this update, from 1.
        bias_correction: whether to undo that the averages began at 0.
        wd: weight decay.
        rescale_grad: what to multiply the gradient by.
        clip_gradient: limit of the gradient's elements; below 0 means none.
    """
    weights, grads, means, variances = (
        [weight.detach()],
        [grad.detach()],
        [mean.detach().clone()],
        [var.detach().clone()],
    )
    check_alike(weights, grads, means, variances, names=("grad", "mean", "var"))
    (direction,) = _direction(
        *(weights, grads, means, variances),
        beta1=rounded(beta1),
        beta2=rounded(beta2),
        epsilon=rounded(epsilon),
        wd=[rounded(wd)],
        rescale_grad=rounded(rescale_grad),
        clip_gradient=rounded(clip_gradient),
        bias_correction=bias_correction,
        t=[t],
    )
    return direction, [*means, *variances]


@operator("mp_lamb_update_phase1", has_gradient=False, auxiliary=("mean", "var"))
@_with_copy(lamb_update_phase1)
def mp_lamb_update_phase1(
    weight: Tensor, grad: Tensor, mean: Tensor, var: Tensor, weight32: Tensor, **numbers: Any
) -> Any:
    """`lamb_update_phase1` in float32 for a weight of lower precision; its result is float32."""
    check_alike([weight], [grad], names=["grad"])
    return lamb_update_phase1(weight32, grad.to(weight32.dtype), mean, var, **numbers)


@operator("lamb_update_phase2", has_gradient=False)
def lamb_update_phase2(
    weight: Tensor,
    g: Tensor,
    r1: Tensor,
    r2: Tensor,
    *,
    lr: float,
    lower_bound: float = -1.0,
    upper_bound: float = -1.0,
) -> Tensor:
    """Goes in a LAMB direction, by `lr` times the length of the weight: weight - lr * r1 / r2 * g.

    Args:
        weight: what to update.
        g: the direction, from `lamb_update_phase1`.
        r1: (1,), the weight's norm.
        r2: (1,), the direction's norm. If either is 0, their ratio counts as 1.
        lr: learning rate.
        lower_bound: the least that r1 counts as; below 0 means no bound.
        upper_bound: the most that r1 counts as; below 0 means no bound.
    """
    check_alike([weight], [g], names=["g"])
    for name, norm in (("r1", r1), ("r2", r2)):
        expect_shape(name, norm, (1,))
    new = weight.detach().clone()
    norms = [norm.detach().to(new.dtype) for norm in (r1, r2)]
    bounds = {"lower_bound": rounded(lower_bound), "upper_bound": rounded(upper_bound)}
    _move([new], [g.detach()], *norms, lr=[rounded(lr)], **bounds)
    return new


@operator("mp_lamb_update_phase2", has_gradient=False, auxiliary=("weight32",))
@_with_copy(lamb_update_phase2)
def mp_lamb_update_phase2(weight: Tensor, g: Tensor, r1: Tensor, r2: Tensor, weight32: Tensor, **numbers: Any) -> Any:
    """`lamb_update_phase2` in float32 for a weight of lower precision."""
    expect_shape("weight32", weight32, tuple(weight.shape))
    new = lamb_update_phase2(weight32, g, r1, r2, **numbers)
    return new.to(weight.dtype, copy=True), [new]


@operator("multi_lars")
def multi_lars(
    lrs: Tensor,
    weights_sum_sq: Tensor,
    grads_sum_sq: Tensor,
    wds: Tensor,
    *,
    eta: float,
    eps: float,
    rescale_grad: float = 1.0,
) -> Tensor:
    """Learning rates scaled layer by layer: lr * eta * |weight| / (|grad| + wd * |weight| + eps).

    Args:
        lrs: the learning rates of all layers.
        weights_sum_sq: sums of squares of the weights, from `multi_sum_sq`.
        grads_sum_sq: likewise of the gradients. If either sum of a layer is 0, its rate stays.
        wds: weight decays.
        eta: how far a step may go, compared with the weight's norm.
        eps: added to the denominator.
        rescale_grad: what to multiply the gradients' norms by.
    """
    if lrs.dtype is not torch.float32:
        raise OpTypeError("expected learning rates of float32")
    same_dtype(lrs=lrs, weights_sum_sq=weights_sum_sq, grads_sum_sq=grads_sum_sq, wds=wds)
    for name, tensor in (("weights_sum_sq", weights_sum_sq), ("grads_sum_sq", grads_sum_sq), ("wds", wds)):
        expect_shape(name, tensor, tuple(lrs.shape))
    weight_norms, grad_norms = weights_sum_sq.sqrt(), grads_sum_sq.sqrt() * rescale_grad
    scaled = lrs * (eta * weight_norms / (grad_norms + wds * weight_norms + eps))
    return torch.where((weights_sum_sq > 0) & (grads_sum_sq > 0), scaled, lrs)
