"""Densities of the distributions that the samplers draw from, with gradients.

A parameter array of shape S describes one distribution per element, and `sample` has the shape S + T: T numbers, or for
Dirichlet T vectors, of each. Samples of discrete distributions, and of the uniform one, get a gradient of zero.
"""

import math
from typing import Any

import torch
from torch import Tensor

from ..dtypes import NAME_OF_TORCH
from ..error import OpShapeError, OpTypeError
from .common import grad_needed, one_element, same_dtype
from .registry import operator


class _Constant(torch.autograd.Function):
    """Hands a density on as one that depends on the sample with gradient zero: backward reaches the sample."""

    @staticmethod
    def forward(ctx: Any, density: Tensor, sample: Tensor) -> Tensor:
        return density.view_as(density)

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> tuple[Tensor, None]:
        return grads[0], None


def _constant_in(sample: Tensor, density: Tensor) -> Tensor:
    return _Constant.apply(density, sample) if grad_needed(sample) else density


def _check_dtypes(sample: Tensor, params: dict[str, Tensor]) -> None:
    same_dtype(sample=sample, **params)
    if not sample.is_floating_point():
        raise OpTypeError(f"expected floating inputs, got {NAME_OF_TORCH[sample.dtype]}; convert them with astype()")


def _aligned(sample: Tensor, **params: Tensor) -> list[Tensor]:
    """The sample and the parameters, these with an axis of length 1 for each further axis of the sample."""
    _check_dtypes(sample, params)
    aligned = [_working(sample)]
    for name, param in params.items():
        if param.shape != sample.shape[: param.ndim]:
            raise OpShapeError(
                f"expected a sample whose shape begins with that of {name}, {tuple(param.shape)}, "
                f"got {tuple(sample.shape)}"
            )
        if param.ndim != next(iter(params.values())).ndim:
            raise OpShapeError(
                "expected parameters of one shape, got "
                + ", ".join(f"{each} {tuple(tensor.shape)}" for each, tensor in params.items())
            )
        aligned.append(_working(param).reshape(param.shape + (1,) * (sample.ndim - param.ndim)))
    return aligned


def _working(tensor: Tensor) -> Tensor:
    """The gamma function loses all digits in float16: that one is computed in float32."""
    return tensor.float() if tensor.dtype == torch.float16 else tensor


def _finished(log_density: Tensor, is_log: bool, sample: Tensor) -> Tensor:
    return (log_density if is_log else torch.exp(log_density)).to(sample.dtype)


@operator("_random_pdf_uniform", "random_pdf_uniform")
def pdf_uniform(sample: Tensor, low: Tensor, high: Tensor, *, is_log: bool = False) -> Tensor:
    """The density 1 / (high - low); whether a sample lies in the interval is not looked at."""
    _, low, high = _aligned(sample, low=low, high=high)
    width = high - low
    density = -torch.log(width) if is_log else 1 / width
    return _constant_in(sample, density.expand(sample.shape).contiguous().to(sample.dtype))


@operator("_random_pdf_normal", "random_pdf_normal")
def pdf_normal(sample: Tensor, mu: Tensor, sigma: Tensor, *, is_log: bool = False) -> Tensor:
    """The density of the normal distribution with mean `mu` and standard deviation `sigma`."""
    values, mu, sigma = _aligned(sample, mu=mu, sigma=sigma)
    exponent = -0.5 * ((values - mu) / sigma) ** 2
    if is_log:
        return (exponent - torch.log(sigma) - 0.5 * math.log(2 * math.pi)).to(sample.dtype)
    return (torch.exp(exponent) / (sigma * math.sqrt(2 * math.pi))).to(sample.dtype)


@operator("_random_pdf_gamma", "random_pdf_gamma")
def pdf_gamma(sample: Tensor, alpha: Tensor, beta: Tensor, *, is_log: bool = False) -> Tensor:
    """The density of the gamma distribution of shape `alpha`; `beta` is the rate here, not the scale as in samplers."""
    values, alpha, beta = _aligned(sample, alpha=alpha, beta=beta)
    log_density = alpha * torch.log(beta) + (alpha - 1) * torch.log(values) - beta * values - torch.lgamma(alpha)
    return _finished(log_density, is_log, sample)


@operator("_random_pdf_exponential", "random_pdf_exponential")
def pdf_exponential(sample: Tensor, lam: Tensor, *, is_log: bool = False) -> Tensor:
    """The density of the exponential distribution with rate `lam`."""
    values, lam = _aligned(sample, lam=lam)
    return _finished(torch.log(lam) - lam * values, is_log, sample)


@operator("_random_pdf_poisson", "random_pdf_poisson")
def pdf_poisson(sample: Tensor, lam: Tensor, *, is_log: bool = False) -> Tensor:
    """The probability of counts under the Poisson distribution with mean `lam`."""
    counts, lam = _aligned(sample, lam=lam)
    counts = counts.detach()
    log_density = counts * torch.log(lam) - torch.lgamma(counts + 1) - lam
    return _constant_in(sample, _finished(log_density, is_log, sample))


def _negative_binomial(counts: Tensor, k: Tensor, p: Tensor) -> Tensor:
    """The logarithm of the probability of `counts` failures before `k` successes of probability `p`."""
    ways = torch.lgamma(counts + k) - torch.lgamma(counts + 1) - torch.lgamma(k)
    return ways + k * torch.log(p) + counts * torch.log(1 - p)


@operator("_random_pdf_negative_binomial", "random_pdf_negative_binomial")
def pdf_negative_binomial(sample: Tensor, k: Tensor, p: Tensor, *, is_log: bool = False) -> Tensor:
    """The probability of that many failures before the `k`-th success, each trial succeeding with probability `p`."""
    counts, k, p = _aligned(sample, k=k, p=p)
    return _constant_in(sample, _finished(_negative_binomial(counts.detach(), k, p), is_log, sample))


@operator("_random_pdf_generalized_negative_binomial", "random_pdf_generalized_negative_binomial")
def pdf_generalized_negative_binomial(sample: Tensor, mu: Tensor, alpha: Tensor, *, is_log: bool = False) -> Tensor:
    """The probability of counts under the negative binomial distribution with mean `mu` and dispersion `alpha`."""
    counts, mu, alpha = _aligned(sample, mu=mu, alpha=alpha)
    log_density = _negative_binomial(counts.detach(), 1 / alpha, 1 / (mu * alpha + 1))
    return _constant_in(sample, _finished(log_density, is_log, sample))


@operator("_random_pdf_dirichlet", "random_pdf_dirichlet")
def pdf_dirichlet(sample: Tensor, alpha: Tensor, *, is_log: bool = False) -> Tensor:
    """The density of Dirichlet distributions: the last axis of both inputs holds the components of a vector."""
    _check_dtypes(sample, {"alpha": alpha})
    fits = 1 <= alpha.ndim <= sample.ndim and alpha.shape[-1] == sample.shape[-1]
    if not fits or alpha.shape[:-1] != sample.shape[: alpha.ndim - 1]:
        raise OpShapeError(
            f"expected alpha of shape S + (k,) and a sample of shape S + T + (k,), "
            f"got {tuple(alpha.shape)} and {tuple(sample.shape)}"
        )
    between = (1,) * (sample.ndim - alpha.ndim)
    weights = _working(alpha).reshape(alpha.shape[:-1] + between + alpha.shape[-1:])
    normalizer = torch.lgamma(weights.sum(-1)) - torch.lgamma(weights).sum(-1)
    log_density = ((weights - 1) * torch.log(_working(sample))).sum(-1) + normalizer
    density = _finished(log_density, is_log, sample)
    return one_element(density) if sample.ndim == 1 else density
