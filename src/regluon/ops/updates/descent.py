"""Gradient descent, with momentum, by sign, with delayed gradients."""

from torch.autograd.graph import increment_version

from ...torch_private import foreach, fused_sgd
from .operators import operators
from .rule import Rates, Tensors, by_rates, can_fuse, clipped, decayed, negative, rescaled, rule

_MIN_FUSED_RATE = 1e-6  # below it, 1 + lr loses digits
_ALL_FORMS = ("", "mp_", "multi_", "multi_mp_", "preloaded_multi_", "preloaded_multi_mp_")


@operators("sgd_update", "_sparse_sgd_update", forms=_ALL_FORMS, lazy=True)
@rule()
def sgd(
    weights: Tensors, grads: Tensors, *, lr: Rates, wd: Rates, rescale_grad: float = 1.0, clip_gradient: float = -1.0
) -> None:
    """Gradient descent: weight -= lr * (clip(rescale_grad * grad) + wd * weight)."""
    if clip_gradient < 0 and rescale_grad and isinstance(lr[0], float) and can_fuse(weights, grads):
        for rate, decay, (some, slopes) in by_rates(lr, wd, weights, grads):
            _fused_sgd(some, slopes, [], rate * rescale_grad, decay / rescale_grad, 0.0, 0.0)
        return
    steps = decayed(clipped(rescaled(grads, rescale_grad), clip_gradient), weights, wd)
    foreach.add_(weights, foreach.mul(steps, negative(lr)))


def _fused_sgd(
    weights: Tensors, grads: Tensors, moms: Tensors, lr: float, wd: float, momentum: float, dampening: float
) -> None:
    fused_sgd(
        weights,
        grads,
        moms,
        weight_decay=wd,
        momentum=momentum,
        lr=lr,
        dampening=dampening,
        nesterov=False,
        maximize=False,
        is_first_step=False,
    )
    increment_version([*weights, *moms])  # torch forgets to: what is kept of parameters would not be computed again


@operators(
    "sgd_mom_update",
    "_sparse_sgd_mom_update",
    forms=_ALL_FORMS,
    lazy=True,
    first=("lr", "wd"),
    docs={"mom": "the last step."},
)
@rule("mom")
def sgd_momentum(
    weights: Tensors,
    grads: Tensors,
    moms: Tensors,
    *,
    lr: Rates,
    momentum: float = 0.0,
    wd: Rates,
    rescale_grad: float = 1.0,
    clip_gradient: float = -1.0,
) -> None:
    """Gradient descent with momentum: mom becomes momentum * mom - the step of `sgd_update`, and is added."""
    is_plain = clip_gradient < 0 and momentum and rescale_grad and isinstance(lr[0], float)
    if is_plain and min(lr) * rescale_grad > _MIN_FUSED_RATE and can_fuse(weights, grads, moms):
        # Torch has mom = momentum * mom + (1 - dampening) * (grad + wd * weight); weight -= lr * mom.
        for rate, decay, (some, slopes, speeds) in by_rates(lr, wd, weights, grads, moms):
            dampening = 1 + rate * rescale_grad
            _fused_sgd(some, slopes, speeds, -1.0, decay / rescale_grad, momentum, dampening)
        return
    steps = decayed(clipped(rescaled(grads, rescale_grad), clip_gradient), weights, wd)
    foreach.mul_(moms, momentum)
    foreach.add_(moms, foreach.mul(steps, negative(lr)))
    foreach.add_(weights, moms)


@operators("nag_mom_update", forms=("", "mp_"), docs={"mom": "the last step."})
@rule("mom")
def nag(
    weights: Tensors,
    grads: Tensors,
    moms: Tensors,
    *,
    lr: Rates,
    momentum: float = 0.0,
    wd: Rates,
    rescale_grad: float = 1.0,
    clip_gradient: float = -1.0,
) -> None:
    """Nesterov's accelerated gradient: mom = momentum * mom - step; weight += momentum * mom - step."""
    # mom gets the decay of the new weight: with out=weight, MXNet's operator writes the weight before it computes mom.
    steps = decayed(clipped(rescaled(grads, rescale_grad), clip_gradient), weights, wd)
    steps = foreach.mul(steps, negative(lr))
    foreach.mul_(moms, momentum)
    foreach.add_(moms, steps)
    foreach.add_(steps, moms, alpha=momentum)
    foreach.add_(weights, steps)
    if any(wd):
        foreach.mul_(steps, [-rate * decay for rate, decay in zip(lr, wd, strict=True)])
        foreach.add_(moms, steps)


@operators("signsgd_update")
@rule()
def sign_sgd(
    weights: Tensors, grads: Tensors, *, lr: Rates, wd: Rates, rescale_grad: float = 1.0, clip_gradient: float = -1.0
) -> None:
    """Steps of one length: (1 - lr * wd) * weight - lr * sign(grad). Scaling and clipping change no sign."""
    signs = foreach.sign(grads)
    foreach.mul_(signs, negative(lr))
    foreach.mul_(weights, [1 - rate * decay for rate, decay in zip(lr, wd, strict=True)])
    foreach.add_(weights, signs)


@operators(
    "signum_update",
    docs={
        "mom": "minus the average of gradient and decay.",
        "lr": "length of the steps.",
        "wd": "weight decay, part of the average.",
        "wd_lh": "weight decay outside of the average.",
    },
)
@rule("mom")
def signum(
    weights: Tensors,
    grads: Tensors,
    moms: Tensors,
    *,
    lr: Rates,
    momentum: float = 0.0,
    wd: Rates,
    rescale_grad: float = 1.0,
    clip_gradient: float = -1.0,
    wd_lh: float = 0.0,
) -> None:
    """Steps of one length in the direction of the average gradient's sign."""
    slopes = decayed(clipped(rescaled(grads, rescale_grad), clip_gradient), weights, wd)
    foreach.mul_(moms, momentum)
    foreach.add_(moms, slopes, alpha=momentum - 1)
    signs = foreach.sign(moms)
    foreach.mul_(signs, lr)
    if wd_lh:
        foreach.mul_(weights, [1 - rate * wd_lh for rate in lr])
    foreach.add_(weights, signs)


@rule("previous", "mom")
def delay_compensated(
    weights: Tensors,
    grads: Tensors,
    previous: Tensors,
    moms: Tensors | None = None,
    *,
    lr: Rates,
    wd: Rates,
    momentum: float,
    lamda: float,
    rescale_grad: float = 1.0,
    clip_gradient: float = -1.0,
) -> None:
    """The sgd step with lamda * grad ** 2 * (weight - previous weight) added to the gradient."""
    slopes = clipped(rescaled(grads, rescale_grad), clip_gradient)
    steps = decayed(slopes, weights, wd)
    moved = foreach.sub(weights, previous)
    steps = foreach.add(steps, foreach.mul(foreach.mul(slopes, slopes), moved), alpha=lamda)
    foreach.mul_(steps, negative(lr))
    foreach.copy_(previous, weights)
    if moms is not None:
        foreach.mul_(moms, momentum)
        foreach.add_(moms, steps)
        steps = moms
    foreach.add_(weights, steps)
