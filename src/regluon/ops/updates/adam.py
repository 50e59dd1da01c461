"""Adam and its relatives: averages of the gradient and of its square."""

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor
from torch.autograd.graph import increment_version

from ...torch_private import foreach, fused_adam
from .operators import operators
from .rule import (
    Rates,
    Tensors,
    by_rates,
    can_fuse,
    clip_,
    clipped,
    decayed,
    move_average,
    move_square_average,
    negative,
    rescaled,
    roots_plus,
    rule,
    scaled_parts,
)

_endless: dict[torch.device, Tensor] = {}


def _endless_steps(count: int, device: torch.device) -> Tensors:
    """Step counts for torch's Adam under which it corrects no bias: MXNet puts the correction into the rate."""
    step = _endless.get(device)
    if step is None:
        step = _endless[device] = torch.tensor(float("inf"), device=device)
    return [step] * count


@operators(
    "adam_update",
    "_sparse_adam_update",
    lazy=True,
    docs={"wd": "weight decay, added to the gradient before clipping."},
)
@rule("mean", "var")
def adam(
    weights: Tensors,
    grads: Tensors,
    means: Tensors,
    variances: Tensors,
    *,
    lr: Rates,
    beta1: float = 0.9,
    beta2: float = 0.999,
    epsilon: float = 1e-8,
    wd: Rates,
    rescale_grad: float = 1.0,
    clip_gradient: float = -1.0,
) -> None:
    """Adam: weight - lr * mean / (sqrt(var) + epsilon); the caller's `lr` corrects the bias of the averages."""
    if not can_fuse(weights, grads, means, variances):
        grads = clipped(decayed(rescaled(grads, rescale_grad), weights, wd), clip_gradient)
        move_average(means, grads, beta1)
        move_square_average(variances, grads, beta2)
        foreach.addcdiv_(weights, means, roots_plus(variances, epsilon), negative(lr))
        return
    betas = {"beta1": beta1, "beta2": beta2, "eps": epsilon}
    for rate, decay, lists in by_rates(lr, wd, grads, weights, means, variances):
        if rescale_grad == 1 and clip_gradient < 0:
            _fused_adam(lists, rate, decay, betas)
        elif weights[0].device.type == "cpu":
            for part in scaled_parts(rescale_grad, *lists):
                slopes, some, *_ = part
                _fused_adam(part, rate, _clip_with_decay(slopes, some, decay, clip_gradient), betas)
        else:
            slopes = foreach.mul(lists[0], rescale_grad)
            left = _clip_with_decay(slopes, lists[1], decay, clip_gradient)
            _fused_adam([slopes, *lists[1:]], rate, left, betas)


def _clip_with_decay(grads: Tensors, weights: Tensors, decay: float, limit: float) -> float:
    """Clips gradients in place, after adding the decay as MXNet does; returns the decay that is still to be added."""
    if limit < 0:
        return decay
    if decay:
        foreach.add_(grads, weights, alpha=decay)
    clip_(grads, limit)
    return 0.0


def _fused_adam(lists: Sequence[Tensors], lr: float, wd: float, betas: dict[str, Any]) -> None:
    grads, weights, means, variances = lists
    fused_adam(
        weights,
        grads,
        means,
        variances,
        [],
        _endless_steps(len(weights), weights[0].device),
        lr=lr,
        weight_decay=wd,
        amsgrad=False,
        maximize=False,
        **betas,
    )
    increment_version([*weights, *means, *variances])  # as in `_fused_sgd`


@operators(
    "_adamw_update",
    forms=("", "mp_", "multi_", "multi_mp_"),
    scaled=True,
    docs={
        "wd": "weight decay.",
        "rescale_grad": "(1,), what to multiply the gradient by; nothing is updated if it is 0, infinite or NaN.",
    },
)
@rule("mean", "var")
def adamw(
    weights: Tensors,
    grads: Tensors,
    means: Tensors,
    variances: Tensors,
    *,
    lr: Rates,
    beta1: float = 0.9,
    beta2: float = 0.999,
    epsilon: float = 1e-8,
    wd: Rates,
    eta: Rates,
    clip_gradient: float = -1.0,
) -> None:
    """Adam with decay apart from the gradient: weight - eta * (lr * mean / (sqrt(var) + epsilon) + wd * weight)."""
    grads = clipped(grads, clip_gradient)
    move_average(means, grads, beta1)
    move_square_average(variances, grads, beta2)
    foreach.mul_(weights, [1 - factor * decay for factor, decay in zip(eta, wd, strict=True)])
    rates = [-factor * rate for factor, rate in zip(eta, lr, strict=True)]
    foreach.addcdiv_(weights, means, roots_plus(variances, epsilon), rates)


@rule("mean", "infinity")
def adamax(
    weights: Tensors,
    grads: Tensors,
    means: Tensors,
    infinities: Tensors,
    *,
    lr: Rates,
    wd: Rates,
    beta1: float,
    beta2: float,
    rescale_grad: float = 1.0,
    clip_gradient: float = -1.0,
) -> None:
    """Adam with the largest recent gradient in place of the root of the mean square."""
    grads = clipped(decayed(rescaled(grads, rescale_grad), weights, wd), clip_gradient)
    move_average(means, grads, beta1)
    foreach.mul_(infinities, beta2)
    foreach.maximum_(infinities, foreach.abs(grads))
    foreach.addcdiv_(weights, means, infinities, negative(lr))


@rule("mean", "var")
def nadam(
    weights: Tensors,
    grads: Tensors,
    means: Tensors,
    variances: Tensors,
    *,
    lr: Rates,
    wd: Rates,
    beta1: float,
    beta2: float,
    epsilon: float,
    grad_factors: Sequence[float],
    mean_factors: Sequence[float],
    var_factors: Sequence[float],
    rescale_grad: float = 1.0,
    clip_gradient: float = -1.0,
) -> None:
    """weight -= lr * (grad * its factor + mean * its factor) / (sqrt(var * its factor) + epsilon)."""
    grads = clipped(decayed(rescaled(grads, rescale_grad), weights, wd), clip_gradient)
    move_average(means, grads, beta1)
    move_square_average(variances, grads, beta2)
    directions = foreach.mul(grads, grad_factors)
    foreach.add_(directions, foreach.mul(means, mean_factors))
    below = roots_plus(foreach.mul(variances, var_factors), epsilon)
    foreach.addcdiv_(weights, directions, below, negative(lr))
