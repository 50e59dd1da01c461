"""Learning rates that adapt to the gradients seen: FTML, FTRL, RMSProp, AdaGrad, AdaDelta."""

import math
from collections.abc import Sequence

from ...errors import OpShapeError
from ...torch_private import foreach
from .operators import operators
from .rule import (
    Rates,
    Tensors,
    clip_,
    clipped,
    decayed,
    move_average,
    move_square_average,
    negative,
    rescaled,
    roots_plus,
    rule,
)

_EARLY_DECAY = {"wd": "weight decay, added to the gradient before clipping."}


@operators(
    "ftml_update",
    names={"clip_gradient": "clip_grad"},
    docs={
        **_EARLY_DECAY,
        "d": "curvature.",
        "v": "average of the squared gradient.",
        "z": "average of the gradient, minus the growth of `d` times the weight.",
        "beta1": "how much of `z` and `d` is kept.",
        "beta2": "how much of `v` is kept.",
        "epsilon": "added to the root of `v`.",
    },
)
@rule("d", "v", "z")
def ftml(
    weights: Tensors,
    grads: Tensors,
    ds: Tensors,
    vs: Tensors,
    zs: Tensors,
    *,
    lr: Rates,
    beta1: float = 0.6,
    beta2: float = 0.999,
    epsilon: float = 1e-8,
    t: Sequence[int],
    wd: Rates,
    rescale_grad: float = 1.0,
    clip_gradient: float = -1.0,
) -> None:
    """Follow the moving leader: weight = -z / d."""
    grads = clipped(decayed(rescaled(grads, rescale_grad), weights, wd), clip_gradient)
    move_square_average(vs, grads, beta2)
    new = roots_plus(foreach.div(vs, [1 - beta2**count for count in t]), epsilon)
    factors = [(1 - beta1**count) / rate if rate else math.inf for count, rate in zip(t, lr, strict=True)]
    foreach.mul_(new, factors)
    foreach.mul_(ds, -beta1)
    foreach.add_(ds, new)
    move_average(zs, grads, beta1)
    foreach.addcmul_(zs, ds, weights, value=-1)
    foreach.copy_(ds, new)
    foreach.copy_(weights, foreach.neg(foreach.div(zs, new)))


@operators(
    "ftrl_update",
    "_sparse_ftrl_update",
    docs={
        "z": "sum of the gradients, minus the growth of sqrt(n) / lr times the weight.",
        "n": "sum of the squared gradients.",
        "lamda1": "strength of the L1 regularization.",
        "beta": "added to the root of `n`.",
        "wd": "strength of the L2 regularization.",
    },
)
@rule("z", "n")
def ftrl(
    weights: Tensors,
    grads: Tensors,
    zs: Tensors,
    ns: Tensors,
    *,
    lr: Rates,
    lamda1: float = 0.01,
    beta: float = 1.0,
    wd: Rates,
    rescale_grad: float = 1.0,
    clip_gradient: float = -1.0,
) -> None:
    """Follow the regularized leader: weights whose |z| stays below `lamda1` are 0."""
    grads = clipped(rescaled(grads, rescale_grad), clip_gradient)
    before = foreach.sqrt(ns)
    foreach.addcmul_(ns, grads, grads)
    roots = foreach.sqrt(ns)
    growth = foreach.sub(roots, before)
    foreach.div_(growth, lr)
    foreach.add_(zs, grads)
    foreach.addcmul_(zs, growth, weights, value=-1)
    foreach.add_(roots, beta)
    foreach.div_(roots, lr)
    foreach.add_(roots, wd)
    # sign(z) * lamda1 - z where |z| > lamda1, else 0: z limited to the interval, minus z.
    inside = foreach.clamp_max(zs, lamda1)
    foreach.clamp_min_(inside, -lamda1)
    foreach.sub_(inside, zs)
    foreach.copy_(weights, foreach.div(inside, roots))


_RMSPROP_DOCS = {
    **_EARLY_DECAY,
    "n": "average of the squared gradient.",
    "g": "average of the gradient.",
    "delta": "the last step.",
    "gamma1": "how much of the averages is kept.",
    "gamma2": "how much of the last step is kept.",
    "epsilon": "added before the root.",
    "clip_weights": "limit of the new weight's elements; below 0 means none.",
}


@operators("rmsprop_update", docs=_RMSPROP_DOCS)
@rule("n")
def rmsprop(
    weights: Tensors,
    grads: Tensors,
    ns: Tensors,
    *,
    lr: Rates,
    gamma1: float = 0.95,
    epsilon: float = 1e-8,
    wd: Rates,
    rescale_grad: float = 1.0,
    clip_gradient: float = -1.0,
    clip_weights: float = -1.0,
) -> None:
    """RMSProp: weight - lr * grad / sqrt(n + epsilon), with the average `n` of the squared gradient."""
    grads = clipped(decayed(rescaled(grads, rescale_grad), weights, wd), clip_gradient)
    move_square_average(ns, grads, gamma1)
    roots = foreach.add(ns, epsilon)
    foreach.sqrt_(roots)
    foreach.addcdiv_(weights, grads, roots, negative(lr))
    _clip_weights(weights, clip_weights)


@operators("rmspropalex_update", docs=_RMSPROP_DOCS)
@rule("n", "g", "delta")
def rmsprop_centered(
    weights: Tensors,
    grads: Tensors,
    ns: Tensors,
    gs: Tensors,
    deltas: Tensors,
    *,
    lr: Rates,
    gamma1: float = 0.95,
    gamma2: float = 0.9,
    epsilon: float = 1e-8,
    wd: Rates,
    rescale_grad: float = 1.0,
    clip_gradient: float = -1.0,
    clip_weights: float = -1.0,
) -> None:
    """RMSProp with the mean taken out of the squares, and momentum.

    delta = gamma2 * delta - lr * grad / sqrt(n - g ** 2 + epsilon); weight += delta.
    """
    grads = clipped(decayed(rescaled(grads, rescale_grad), weights, wd), clip_gradient)
    move_square_average(ns, grads, gamma1)
    move_average(gs, grads, gamma1)
    roots = foreach.addcmul(ns, gs, gs, value=-1)
    foreach.add_(roots, epsilon)
    foreach.sqrt_(roots)
    foreach.mul_(deltas, gamma2)
    foreach.addcdiv_(deltas, grads, roots, negative(lr))
    foreach.add_(weights, deltas)
    _clip_weights(weights, clip_weights)


def _clip_weights(weights: Tensors, limit: float) -> None:
    if limit >= 0:
        clip_(weights, limit)


@operators(
    "_sparse_adagrad_update",
    docs={
        "history": "sum of the squared gradients.",
        "epsilon": "added before the root.",
        "wd": "weight decay; only 0.",
    },
)
@rule("history")
def adagrad(
    weights: Tensors,
    grads: Tensors,
    histories: Tensors,
    *,
    lr: Rates,
    epsilon: float = 1e-7,
    wd: Rates,
    rescale_grad: float = 1.0,
    clip_gradient: float = -1.0,
) -> None:
    """AdaGrad: weight - lr * grad / sqrt(history + epsilon), with the sum of all squared gradients."""
    grads = clipped(rescaled(grads, rescale_grad), clip_gradient)
    foreach.addcmul_(histories, grads, grads)
    _divide_and_move(weights, grads, histories, lr, wd, epsilon)


@operators(
    "_contrib_group_adagrad_update",
    fixed={"wd": [0.0]},
    docs={
        "weight": "what to update, of two or more axes.",
        "history": "(rows, 1).",
        "epsilon": "added before the root.",
    },
)
@rule("history", alike=False)
def group_adagrad(
    weights: Tensors,
    grads: Tensors,
    histories: Tensors,
    *,
    lr: Rates,
    wd: Rates,
    rescale_grad: float = 1.0,
    clip_gradient: float = -1.0,
    epsilon: float = 1e-5,
) -> None:
    """AdaGrad with one rate for each row: its history is the sum of the rows' mean squares."""
    for weight, history in zip(weights, histories, strict=True):
        if weight.dim() < 2:
            raise OpShapeError(f"expected a weight of two or more axes, got shape {tuple(weight.shape)}")
        if history.shape[:1] != weight.shape[:1] or history.numel() != weight.shape[0]:
            raise OpShapeError(f"expected history of shape {(weight.shape[0], 1)}, got {tuple(history.shape)}")
    grads = clipped(rescaled(grads, rescale_grad), clip_gradient)
    squares = foreach.mul(grads, grads)
    means = [
        square.flatten(1).mean(1).reshape(history.shape) for square, history in zip(squares, histories, strict=True)
    ]
    foreach.add_(histories, means)
    by_row = [
        history.reshape(-1, *[1] * (weight.dim() - 1)).expand_as(weight)
        for history, weight in zip(histories, weights, strict=True)
    ]
    _divide_and_move(weights, grads, by_row, lr, wd, epsilon)


def _divide_and_move(
    weights: Tensors, grads: Tensors, histories: Tensors, lr: Rates, wd: Rates, epsilon: float
) -> None:
    roots = foreach.add(histories, epsilon)
    foreach.sqrt_(roots)
    steps = decayed(foreach.div(grads, roots), weights, wd)
    foreach.add_(weights, foreach.mul(steps, negative(lr)))


@rule("acc_g", "acc_delta")
def adadelta(
    weights: Tensors,
    grads: Tensors,
    squares: Tensors,
    deltas: Tensors,
    *,
    wd: Rates,
    rho: float,
    epsilon: float,
    rescale_grad: float = 1.0,
    clip_gradient: float = -1.0,
) -> None:
    """Steps as long as the past ones: no learning rate."""
    grads = clipped(rescaled(grads, rescale_grad), clip_gradient)
    move_square_average(squares, grads, rho)
    steps = foreach.add(deltas, epsilon)
    foreach.sqrt_(steps)
    below = foreach.add(squares, epsilon)
    foreach.sqrt_(below)
    foreach.div_(steps, below)
    foreach.mul_(steps, grads)
    move_square_average(deltas, steps, rho)
    foreach.sub_(weights, decayed(steps, weights, wd))
