"""One step of an optimizer on one weight: `sgd_update`, `adam_update` and their kind.

The result is the new weight, to be written over the old one with `out=weight`; states are written by the operator.
`mp_` operators take a float32 copy of the weight among the states, compute with it and return it in the weight's dtype.
The mathematics is in update_rules/, which also serves the optimizers' own calls on whole lists of weights.
"""

from typing import Any

from torch import Tensor

from .common import expect_shape
from .registry import operator
from .update_rules import check_alike, run


def copies(*tensors: Tensor) -> list[Tensor]:
    """Tensors to write to in place of the given ones: operators leave their inputs alone."""
    return [tensor.detach().clone() for tensor in tensors]


def updated(rule: str, weight: Tensor, grad: Tensor, *states: Tensor, lr: float, wd: float, **params: Any) -> Any:
    """The new weight and states."""
    new, *updates = copies(weight, *states)
    run(rule, [new], [grad.detach()], *[[state] for state in updates], lr=[lr], wd=[wd], **params)
    return (new, updates) if states else new


def updated_mixed(
    rule: str, weight: Tensor, grad: Tensor, *states: Tensor, weight32: Tensor, lr: float, wd: float, **params: Any
) -> Any:
    """The new weight, states and float32 weight."""
    check_alike([weight], [grad], names=["grad"])
    expect_shape("weight32", weight32, tuple(weight.shape))
    *updates, new = copies(*states, weight32)
    wide = grad.detach().to(new.dtype)
    run(rule, [new], [wide], *[[state] for state in updates], lr=[lr], wd=[wd], **params)
    return new.to(weight.dtype, copy=True), [*updates, new]


@operator("sgd_update", "_sparse_sgd_update")
def sgd_update(
    weight: Tensor,
    grad: Tensor,
    *,
    lr: float,
    wd: float = 0.0,
    rescale_grad: float = 1.0,
    clip_gradient: float = -1.0,
    lazy_update: bool = True,
) -> Tensor:
    """Gradient descent: weight - lr * (clip(rescale_grad * grad) + wd * weight).

    Args:
        weight: what to update.
        grad: its gradient.
        lr: learning rate.
        wd: weight decay: how much of the weight is added to its gradient.
        rescale_grad: what to multiply the gradient by.
        clip_gradient: limits every element of the gradient to [-clip_gradient, clip_gradient]; below 0 means no limit.
        lazy_update: has no effect on dense gradients.
    """
    result: Tensor = updated("sgd", weight, grad, lr=lr, wd=wd, rescale_grad=rescale_grad, clip_gradient=clip_gradient)
    return result


@operator("sgd_mom_update", "_sparse_sgd_mom_update", auxiliary=("mom",))
def sgd_mom_update(
    weight: Tensor,
    grad: Tensor,
    mom: Tensor,
    *,
    lr: float,
    momentum: float = 0.0,
    wd: float = 0.0,
    rescale_grad: float = 1.0,
    clip_gradient: float = -1.0,
    lazy_update: bool = True,
) -> Any:
    """Gradient descent with momentum: mom becomes momentum * mom - the step of `sgd_update`, and is added.

    The parameters are those of `sgd_update`.
    """
    return updated(
        "sgd_momentum",
        *(weight, grad, mom),
        lr=lr,
        wd=wd,
        momentum=momentum,
        rescale_grad=rescale_grad,
        clip_gradient=clip_gradient,
    )


@operator("mp_sgd_update", auxiliary=("weight32",))
def mp_sgd_update(
    weight: Tensor,
    grad: Tensor,
    weight32: Tensor,
    *,
    lr: float,
    wd: float = 0.0,
    rescale_grad: float = 1.0,
    clip_gradient: float = -1.0,
    lazy_update: bool = True,
) -> Any:
    """`sgd_update` in float32 for a weight of lower precision."""
    return updated_mixed(
        "sgd",
        *(weight, grad),
        weight32=weight32,
        lr=lr,
        wd=wd,
        rescale_grad=rescale_grad,
        clip_gradient=clip_gradient,
    )


@operator("mp_sgd_mom_update", auxiliary=("mom", "weight32"))
def mp_sgd_mom_update(
    weight: Tensor,
    grad: Tensor,
    mom: Tensor,
    weight32: Tensor,
    *,
    lr: float,
    momentum: float = 0.0,
    wd: float = 0.0,
    rescale_grad: float = 1.0,
    clip_gradient: float = -1.0,
    lazy_update: bool = True,
) -> Any:
    """`sgd_mom_update` in float32 for a weight of lower precision."""
    return updated_mixed(
        "sgd_momentum",
        *(weight, grad, mom),
        weight32=weight32,
        lr=lr,
        wd=wd,
        momentum=momentum,
        rescale_grad=rescale_grad,
        clip_gradient=clip_gradient,
    )


@operator("nag_mom_update", auxiliary=("mom",))
def nag_mom_update(
    weight: Tensor,
    grad: Tensor,
    mom: Tensor,
    *,
    lr: float,
    momentum: float = 0.0,
    wd: float = 0.0,
    rescale_grad: float = 1.0,
    clip_gradient: float = -1.0,
) -> Any:
    """Nesterov's accelerated gradient: the step is taken once more after the momentum."""
    return updated(
        "nag",
        *(weight, grad, mom),
        lr=lr,
        wd=wd,
        momentum=momentum,
        rescale_grad=rescale_grad,
        clip_gradient=clip_gradient,
    )


@operator("mp_nag_mom_update", auxiliary=("mom", "weight32"))
def mp_nag_mom_update(
    weight: Tensor,
    grad: Tensor,
    mom: Tensor,
    weight32: Tensor,
    *,
    lr: float,
    momentum: float = 0.0,
    wd: float = 0.0,
    rescale_grad: float = 1.0,
    clip_gradient: float = -1.0,
) -> Any:
    """`nag_mom_update` in float32 for a weight of lower precision."""
    return updated_mixed(
        "nag",
        *(weight, grad, mom),
        weight32=weight32,
        lr=lr,
        wd=wd,
        momentum=momentum,
        rescale_grad=rescale_grad,
        clip_gradient=clip_gradient,
        decay_later=True,
    )


@operator("signsgd_update")
def signsgd_update(
    weight: Tensor,
    grad: Tensor,
    *,
    lr: float,
    wd: float = 0.0,
    rescale_grad: float = 1.0,
    clip_gradient: float = -1.0,
) -> Tensor:
    """Steps of one length: (1 - lr * wd) * weight - lr * sign(grad).

    The parameters are those of `sgd_update`; scaling and clipping change no sign.
    """
    result: Tensor = updated("sign_sgd", weight, grad, lr=lr, wd=wd)
    return result


@operator("signum_update", auxiliary=("mom",))
def signum_update(
    weight: Tensor,
    grad: Tensor,
    mom: Tensor,
    *,
    lr: float,
    momentum: float = 0.0,
    wd: float = 0.0,
    rescale_grad: float = 1.0,
    clip_gradient: float = -1.0,
    wd_lh: float = 0.0,
) -> Any:
    """Steps of one length in the direction of the average gradient's sign.

    Args:
        weight: what to update.
        grad: its gradient.
        mom: minus the average of gradient and decay.
        lr: length of the steps.
        momentum: how much of the average is kept.
        wd: weight decay, part of the average.
        rescale_grad: what to multiply the gradient by.
        clip_gradient: limit of the gradient's elements; below 0 means none.
        wd_lh: weight decay outside of the average.
    """
    return updated(
        "signum",
        *(weight, grad, mom),
        lr=lr,
        wd=wd,
        momentum=momentum,
        rescale_grad=rescale_grad,
        clip_gradient=clip_gradient,
        wd_lh=wd_lh,
    )


@operator("adam_update", "_sparse_adam_update", auxiliary=("mean", "var"))
def adam_update(
    weight: Tensor,
    grad: Tensor,
    mean: Tensor,
    var: Tensor,
    *,
    lr: float,
    beta1: float = 0.9,
    beta2: float = 0.999,
    epsilon: float = 1e-8,
    wd: float = 0.0,
    rescale_grad: float = 1.0,
    clip_gradient: float = -1.0,
    lazy_update: bool = True,
) -> Any:
    """Adam: weight - lr * mean / (sqrt(var) + epsilon); the caller's `lr` corrects the bias of the averages.

    Args:
        weight: what to update.
        grad: its gradient.
        mean: average of the gradient.
        var: average of its square.
        lr: learning rate.
        beta1: how much of `mean` is kept.
        beta2: how much of `var` is kept.
        epsilon: added to the root of `var`.
        wd: weight decay, added to the gradient before clipping.
        rescale_grad: what to multiply the gradient by.
        clip_gradient: limit of the gradient's elements; below 0 means none.
        lazy_update: has no effect on dense gradients.
    """
    return updated(
        "adam",
        *(weight, grad, mean, var),
        lr=lr,
        wd=wd,
        beta1=beta1,
        beta2=beta2,
        epsilon=epsilon,
        rescale_grad=rescale_grad,
        clip_gradient=clip_gradient,
    )


@operator("ftml_update", auxiliary=("d", "v", "z"))
def ftml_update(
    weight: Tensor,
    grad: Tensor,
    d: Tensor,
    v: Tensor,
    z: Tensor,
    *,
    lr: float,
    beta1: float = 0.6,
    beta2: float = 0.999,
    epsilon: float = 1e-8,
    t: int,
    wd: float = 0.0,
    rescale_grad: float = 1.0,
    clip_grad: float = -1.0,
) -> Any:
    """Follow the moving leader: -z / d.

    Args:
        weight: what to update.
        grad: its gradient.
        d: curvature.
        v: average of the squared gradient.
        z: average of the gradient, minus the growth of `d` times the weight.
        lr: learning rate.
        beta1: how much of `z` and `d` is kept.
        beta2: how much of `v` is kept.
        epsilon: added to the root of `v`.
        t: number of this update, from 1.
        wd: weight decay, added to the gradient before clipping.
        rescale_grad: what to multiply the gradient by.
        clip_grad: limit of the gradient's elements; below 0 means none.
    """
    return updated(
        "ftml",
        *(weight, grad, d, v, z),
        lr=lr,
        wd=wd,
        t=[t],
        beta1=beta1,
        beta2=beta2,
        epsilon=epsilon,
        rescale_grad=rescale_grad,
        clip_gradient=clip_grad,
    )


@operator("ftrl_update", "_sparse_ftrl_update", auxiliary=("z", "n"))
def ftrl_update(
    weight: Tensor,
    grad: Tensor,
    z: Tensor,
    n: Tensor,
    *,
    lr: float,
    lamda1: float = 0.01,
    beta: float = 1.0,
    wd: float = 0.0,
    rescale_grad: float = 1.0,
    clip_gradient: float = -1.0,
) -> Any:
    """Follow the regularized leader: weights that have not earned more than `lamda1` are 0.

    Args:
        weight: what to update.
        grad: its gradient.
        z: sum of the gradients, minus the growth of sqrt(n) / lr times the weight.
        n: sum of the squared gradients.
        lr: learning rate.
        lamda1: strength of the L1 regularization.
        beta: added to the root of `n`.
        wd: strength of the L2 regularization.
        rescale_grad: what to multiply the gradient by.
        clip_gradient: limit of the gradient's elements; below 0 means none.
    """
    return updated(
        "ftrl",
        *(weight, grad, z, n),
        lr=lr,
        wd=wd,
        lamda1=lamda1,
        beta=beta,
        rescale_grad=rescale_grad,
        clip_gradient=clip_gradient,
    )


@operator("rmsprop_update", auxiliary=("n",))
def rmsprop_update(
    weight: Tensor,
    grad: Tensor,
    n: Tensor,
    *,
    lr: float,
    gamma1: float = 0.95,
    epsilon: float = 1e-8,
    wd: float = 0.0,
    rescale_grad: float = 1.0,
    clip_gradient: float = -1.0,
    clip_weights: float = -1.0,
) -> Any:
    """RMSProp: weight - lr * grad / sqrt(n + epsilon), with the average `n` of the squared gradient.

    The parameters are those of `rmspropalex_update`.
    """
    return updated(
        "rmsprop",
        *(weight, grad, n),
        lr=lr,
        wd=wd,
        gamma1=gamma1,
        epsilon=epsilon,
        rescale_grad=rescale_grad,
        clip_gradient=clip_gradient,
        clip_weights=clip_weights,
    )


@operator("rmspropalex_update", auxiliary=("n", "g", "delta"))
def rmspropalex_update(
    weight: Tensor,
    grad: Tensor,
    n: Tensor,
    g: Tensor,
    delta: Tensor,
    *,
    lr: float,
    gamma1: float = 0.95,
    gamma2: float = 0.9,
    epsilon: float = 1e-8,
    wd: float = 0.0,
    rescale_grad: float = 1.0,
    clip_gradient: float = -1.0,
    clip_weights: float = -1.0,
) -> Any:
    """RMSProp with the mean taken out of the squares, and momentum.

    Args:
        weight: what to update.
        grad: its gradient.
        n: average of the squared gradient.
        g: average of the gradient.
        delta: the last step.
        lr: learning rate.
        gamma1: how much of the averages is kept.
        gamma2: how much of the last step is kept.
        epsilon: added before the root.
        wd: weight decay, added to the gradient before clipping.
        rescale_grad: what to multiply the gradient by.
        clip_gradient: limit of the gradient's elements; below 0 means none.
        clip_weights: limit of the new weight's elements; below 0 means none.
    """
    return updated(
        "rmsprop_centered",
        *(weight, grad, n, g, delta),
        lr=lr,
        wd=wd,
        gamma1=gamma1,
        gamma2=gamma2,
        epsilon=epsilon,
        rescale_grad=rescale_grad,
        clip_gradient=clip_gradient,
        clip_weights=clip_weights,
    )
