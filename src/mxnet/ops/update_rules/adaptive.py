"""Learning rates that adapt to the gradients seen: FTML, FTRL, RMSProp, AdaGrad, AdaDelta."""

import math
from collections.abc import Sequence

import torch

from .steps import (
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


@rule("d", "v", "z")
def ftml(
    weights: Tensors,
    grads: Tensors,
    ds: Tensors,
    vs: Tensors,
    zs: Tensors,
    *,
    lr: Rates,
    wd: Rates,
    t: Sequence[int],
    beta1: float,
    beta2: float,
    epsilon: float,
    rescale_grad: float = 1.0,
    clip_gradient: float = -1.0,
) -> None:
    """Follow the moving leader: weight = -z / d."""
    grads = clipped(decayed(rescaled(grads, rescale_grad), weights, wd), clip_gradient)
    move_square_average(vs, grads, beta2)
    new = roots_plus(torch._foreach_div(vs, [1 - beta2**count for count in t]), epsilon)
    factors = [(1 - beta1**count) / rate if rate else math.inf for count, rate in zip(t, lr, strict=True)]
    torch._foreach_mul_(new, factors)
    torch._foreach_mul_(ds, -beta1)
    torch._foreach_add_(ds, new)
    move_average(zs, grads, beta1)
    torch._foreach_addcmul_(zs, ds, weights, value=-1)
    torch._foreach_copy_(ds, new)
    torch._foreach_copy_(weights, torch._foreach_neg(torch._foreach_div(zs, new)))


@rule("z", "n")
def ftrl(
    weights: Tensors,
    grads: Tensors,
    zs: Tensors,
    ns: Tensors,
    *,
    lr: Rates,
    wd: Rates,
    lamda1: float,
    beta: float,
    rescale_grad: float = 1.0,
    clip_gradient: float = -1.0,
) -> None:
    """Follow the regularized leader: weights whose |z| stays below lamda1 are 0."""
    grads = clipped(rescaled(grads, rescale_grad), clip_gradient)
    before = torch._foreach_sqrt(ns)
    torch._foreach_addcmul_(ns, grads, grads)
    roots = torch._foreach_sqrt(ns)
    growth = torch._foreach_sub(roots, before)
    torch._foreach_div_(growth, lr)
    torch._foreach_add_(zs, grads)
    torch._foreach_addcmul_(zs, growth, weights, value=-1)
    torch._foreach_add_(roots, beta)
    torch._foreach_div_(roots, lr)
    torch._foreach_add_(roots, wd)
    # sign(z) * lamda1 - z where |z| > lamda1, else 0: z limited to the interval, minus z.
    inside = torch._foreach_clamp_max(zs, lamda1)
    torch._foreach_clamp_min_(inside, -lamda1)
    torch._foreach_sub_(inside, zs)
    torch._foreach_copy_(weights, torch._foreach_div(inside, roots))


@rule("n")
def rmsprop(
    weights: Tensors,
    grads: Tensors,
    ns: Tensors,
    *,
    lr: Rates,
    wd: Rates,
    gamma1: float,
    epsilon: float,
    rescale_grad: float = 1.0,
    clip_gradient: float = -1.0,
    clip_weights: float = -1.0,
) -> None:
    """weight -= lr * grad / sqrt(n + epsilon), with the average n of the squared gradient."""
    grads = clipped(decayed(rescaled(grads, rescale_grad), weights, wd), clip_gradient)
    move_square_average(ns, grads, gamma1)
    roots = torch._foreach_add(ns, epsilon)
    torch._foreach_sqrt_(roots)
    torch._foreach_addcdiv_(weights, grads, roots, negative(lr))
    _clip_weights(weights, clip_weights)


@rule("n", "g", "delta")
def rmsprop_centered(
    weights: Tensors,
    grads: Tensors,
    ns: Tensors,
    gs: Tensors,
    deltas: Tensors,
    *,
    lr: Rates,
    wd: Rates,
    gamma1: float,
    gamma2: float,
    epsilon: float,
    rescale_grad: float = 1.0,
    clip_gradient: float = -1.0,
    clip_weights: float = -1.0,
) -> None:
    """delta = gamma2 * delta - lr * grad / sqrt(n - g ** 2 + epsilon); weight += delta."""
    grads = clipped(decayed(rescaled(grads, rescale_grad), weights, wd), clip_gradient)
    move_square_average(ns, grads, gamma1)
    move_average(gs, grads, gamma1)
    roots = torch._foreach_addcmul(ns, gs, gs, value=-1)
    torch._foreach_add_(roots, epsilon)
    torch._foreach_sqrt_(roots)
    torch._foreach_mul_(deltas, gamma2)
    torch._foreach_addcdiv_(deltas, grads, roots, negative(lr))
    torch._foreach_add_(weights, deltas)
    _clip_weights(weights, clip_weights)


def _clip_weights(weights: Tensors, limit: float) -> None:
    if limit >= 0:
        clip_(weights, limit)


@rule("history")
def adagrad(
    weights: Tensors,
    grads: Tensors,
    histories: Tensors,
    *,
    lr: Rates,
    wd: Rates,
    epsilon: float,
    rescale_grad: float = 1.0,
    clip_gradient: float = -1.0,
) -> None:
    """weight -= lr * (grad / sqrt(history + epsilon) + wd * weight), with the sum of squares in history."""
    grads = clipped(rescaled(grads, rescale_grad), clip_gradient)
    torch._foreach_addcmul_(histories, grads, grads)
    _divide_and_move(weights, grads, histories, lr, wd, epsilon)


@rule()
def group_adagrad(
    weights: Tensors,
    grads: Tensors,
    histories: Tensors,
    *,
    lr: Rates,
    wd: Rates,
    epsilon: float,
    rescale_grad: float = 1.0,
    clip_gradient: float = -1.0,
) -> None:
    """Adagrad with one number of history a row: the mean of its squares."""
    grads = clipped(rescaled(grads, rescale_grad), clip_gradient)
    squares = torch._foreach_mul(grads, grads)
    means = [
        square.flatten(1).mean(1).reshape(history.shape) for square, history in zip(squares, histories, strict=True)
    ]
    torch._foreach_add_(histories, means)
    by_row = [
        history.reshape(-1, *[1] * (weight.dim() - 1)).expand_as(weight)
        for history, weight in zip(histories, weights, strict=True)
    ]
    _divide_and_move(weights, grads, by_row, lr, wd, epsilon)


def _divide_and_move(
    weights: Tensors, grads: Tensors, histories: Tensors, lr: Rates, wd: Rates, epsilon: float
) -> None:
    roots = torch._foreach_add(histories, epsilon)
    torch._foreach_sqrt_(roots)
    steps = decayed(torch._foreach_div(grads, roots), weights, wd)
    torch._foreach_add_(weights, torch._foreach_mul(steps, negative(lr)))


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
    steps = torch._foreach_add(deltas, epsilon)
    torch._foreach_sqrt_(steps)
    below = torch._foreach_add(squares, epsilon)
    torch._foreach_sqrt_(below)
    torch._foreach_div_(steps, below)
    torch._foreach_mul_(steps, grads)
    move_square_average(deltas, steps, rho)
    torch._foreach_sub_(weights, decayed(steps, weights, wd))
