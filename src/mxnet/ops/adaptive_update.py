"""Optimizer steps with a rate of their own for each layer, row or element: LAMB, LARS, AdamW, AdaGrad."""

from typing import Any

import torch
from torch import Tensor

from ..error import OpShapeError, OpTypeError
from .common import expect_shape, same_dtype
from .optimizer_update import copies, updated
from .registry import operator
from .update_rules import check_alike, lamb_direction, lamb_move, rounded, run


def _direction(weight: Tensor, grad: Tensor, mean: Tensor, var: Tensor, wd: float, t: int, **params: Any) -> Any:
    means = copies(mean)
    variances = copies(var)
    check_alike([weight], [grad], means, variances, names=("grad", "mean", "var"))
    numbers = {name: rounded(value) for name, value in params.items()}
    (direction,) = lamb_direction([weight], [grad], means, variances, wd=[rounded(wd)], t=[t], **numbers)
    return direction, [*means, *variances]


def _moved(weight: Tensor, g: Tensor, r1: Tensor, r2: Tensor, lr: float, lower: float, upper: float) -> Tensor:
    check_alike([weight], [g], names=["g"])
    for name, norm in (("r1", r1), ("r2", r2)):
        expect_shape(name, norm, (1,))
    (new,) = copies(weight)
    norms = [norm.detach().to(new.dtype) for norm in (r1, r2)]
    lamb_move([new], [g.detach()], *norms, lr=[rounded(lr)], lower_bound=rounded(lower), upper_bound=rounded(upper))
    return new


@operator("lamb_update_phase1", auxiliary=("mean", "var"))
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
    return _direction(
        *(weight.detach(), grad.detach(), mean, var, wd, t),
        beta1=beta1,
        beta2=beta2,
        epsilon=epsilon,
        bias_correction=bias_correction,
        rescale_grad=rescale_grad,
        clip_gradient=clip_gradient,
    )


@operator("lamb_update_phase2")
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
    return _moved(weight, g, r1, r2, lr, lower_bound, upper_bound)


@operator("mp_lamb_update_phase1", auxiliary=("mean", "var"))
def mp_lamb_update_phase1(
    weight: Tensor,
    grad: Tensor,
    mean: Tensor,
    var: Tensor,
    weight32: Tensor,
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
    """`lamb_update_phase1` in float32 for a weight of lower precision; its result is float32."""
    check_alike([weight], [grad], names=["grad"])
    return _direction(
        *(weight32.detach(), grad.detach().to(weight32.dtype), mean, var, wd, t),
        beta1=beta1,
        beta2=beta2,
        epsilon=epsilon,
        bias_correction=bias_correction,
        rescale_grad=rescale_grad,
        clip_gradient=clip_gradient,
    )


@operator("mp_lamb_update_phase2", auxiliary=("weight32",))
def mp_lamb_update_phase2(
    weight: Tensor,
    g: Tensor,
    r1: Tensor,
    r2: Tensor,
    weight32: Tensor,
    *,
    lr: float,
    lower_bound: float = -1.0,
    upper_bound: float = -1.0,
) -> Any:
    """`lamb_update_phase2` in float32 for a weight of lower precision."""
    expect_shape("weight32", weight32, tuple(weight.shape))
    new = _moved(weight32, g, r1, r2, lr, lower_bound, upper_bound)
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


def adamw_step(
    weights: list[Tensor],
    grads: list[Tensor],
    means: list[Tensor],
    variances: list[Tensor],
    rescale_grad: Tensor,
    **params: Any,
) -> tuple[list[Tensor], list[Tensor], list[Tensor]]:
    """New weights, means and variances; the old ones if the factor is 0, infinite or NaN: a loss scale overflowed."""
    if rescale_grad.numel() < 1:
        raise OpShapeError("expected rescale_grad of one element, got none")
    factor = rescale_grad.detach().reshape(-1)[0]
    is_sound = torch.isfinite(factor) & (factor != 0)
    old = (weights, means, variances)
    new = [copies(*tensors) for tensors in old]
    scaled = [grad.detach() * factor.to(grad.dtype) for grad in grads]
    run("adamw", new[0], scaled, new[1], new[2], **params)
    first, second, third = (
        [torch.where(is_sound, after, before.detach()) for after, before in zip(*pair, strict=True)]
        for pair in zip(new, old, strict=True)
    )
    return first, second, third


@operator("_adamw_update", auxiliary=("mean", "var"))
def adamw_update(
    weight: Tensor,
    grad: Tensor,
    mean: Tensor,
    var: Tensor,
    rescale_grad: Tensor,
    *,
    lr: float,
    beta1: float = 0.9,
    beta2: float = 0.999,
    epsilon: float = 1e-8,
    wd: float = 0.0,
    eta: float,
    clip_gradient: float = -1.0,
) -> Any:
    """Adam with decay apart from the gradient: weight - eta * (lr * mean / (sqrt(var) + epsilon) + wd * weight).

    Args:
        weight: what to update.
        grad: its gradient.
        mean: average of the gradient.
        var: average of its square.
        rescale_grad: (1,), what to multiply the gradient by; nothing is updated if it is 0, infinite or NaN.
        lr: learning rate.
        beta1: how much of `mean` is kept.
        beta2: how much of `var` is kept.
        epsilon: added to the root of `var`.
        wd: weight decay.
        eta: what to multiply the whole step by.
        clip_gradient: limit of the gradient's elements; below 0 means none.
    """
    numbers: dict[str, Any] = {"beta1": beta1, "beta2": beta2, "epsilon": epsilon, "clip_gradient": clip_gradient}
    (new,), means, variances = adamw_step(
        [weight], [grad], [mean], [var], rescale_grad, lr=[lr], wd=[wd], eta=[eta], **numbers
    )
    return new, [*means, *variances]


@operator("_mp_adamw_update", auxiliary=("mean", "var", "weight32"))
def mp_adamw_update(
    weight: Tensor,
    grad: Tensor,
    mean: Tensor,
    var: Tensor,
    weight32: Tensor,
    rescale_grad: Tensor,
    *,
    lr: float,
    beta1: float = 0.9,
    beta2: float = 0.999,
    epsilon: float = 1e-8,
    wd: float = 0.0,
    eta: float,
    clip_gradient: float = -1.0,
) -> Any:
    """`_adamw_update` in float32 for a weight of lower precision."""
    check_alike([weight], [grad], names=["grad"])
    numbers: dict[str, Any] = {"beta1": beta1, "beta2": beta2, "epsilon": epsilon, "clip_gradient": clip_gradient}
    (new,), means, variances = adamw_step(
        *([weight32], [grad.to(weight32.dtype)], [mean], [var], rescale_grad),
        lr=[lr],
        wd=[wd],
        eta=[eta],
        **numbers,
    )
    return new.to(weight.dtype, copy=True), [*means, *variances, new]


@operator("_sparse_adagrad_update", auxiliary=("history",))
def adagrad_update(
    weight: Tensor,
    grad: Tensor,
    history: Tensor,
    *,
    lr: float,
    epsilon: float = 1e-7,
    wd: float = 0.0,
    rescale_grad: float = 1.0,
    clip_gradient: float = -1.0,
) -> Any:
    """AdaGrad: weight - lr * grad / sqrt(history + epsilon), with the sum of all squared gradients.

    Args:
        weight: what to update.
        grad: its gradient.
        history: sum of the squared gradients.
        lr: learning rate.
        epsilon: added before the root.
        wd: weight decay; only 0.
        rescale_grad: what to multiply the gradient by.
        clip_gradient: limit of the gradient's elements; below 0 means none.
    """
    return updated(
        "adagrad",
        *(weight, grad, history),
        lr=lr,
        wd=wd,
        epsilon=epsilon,
        rescale_grad=rescale_grad,
        clip_gradient=clip_gradient,
    )


@operator("_contrib_group_adagrad_update", auxiliary=("history",))
def group_adagrad_update(
    weight: Tensor,
    grad: Tensor,
    history: Tensor,
    *,
    lr: float,
    rescale_grad: float = 1.0,
    clip_gradient: float = -1.0,
    epsilon: float = 1e-5,
) -> Any:
    """AdaGrad with one rate for each row: its history is the sum of the rows' mean squares.

    Args:
        weight: what to update, of two or more axes.
        grad: its gradient.
        history: (rows, 1).
        lr: learning rate.
        rescale_grad: what to multiply the gradient by.
        clip_gradient: limit of the gradient's elements; below 0 means none.
        epsilon: added before the root.
    """
    if weight.dim() < 2:
        raise OpShapeError(f"expected a weight of two or more axes, got shape {tuple(weight.shape)}")
    if history.shape[:1] != weight.shape[:1] or history.numel() != weight.shape[0]:
        raise OpShapeError(f"expected history of shape {(weight.shape[0], 1)}, got {tuple(history.shape)}")
    return updated(
        "group_adagrad",
        *(weight, grad, history),
        lr=lr,
        wd=0.0,
        epsilon=epsilon,
        rescale_grad=rescale_grad,
        clip_gradient=clip_gradient,
    )
