"""Functions of each element that torch lacks, or whose gradient torch computes from other values than MXNet."""

import math
from typing import Any

import torch
from torch import Tensor

from ..common import grad_needed
from ..gradient import recomputed


class _CubeRoot(torch.autograd.Function):
    """torch has no cube root, and a power of 1/3 is neither exact for cubes nor differentiable below zero."""

    @staticmethod
    def forward(ctx: Any, data: Tensor) -> Tensor:
        root = torch.abs(data).pow(1 / 3)
        # One Newton step makes the roots of cubes exact; it has nothing to divide by at 0 and at infinity.
        better = root - (root * root * root - torch.abs(data)) / (3 * root * root)
        result = torch.copysign(torch.where(torch.isfinite(better), better, root), data)
        ctx.save_for_backward(result)
        return result

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        (root,) = ctx.saved_tensors
        return gradients[0] / (3 * root * root)


def cbrt(data: Tensor) -> Tensor:
    """The cube root."""
    return _CubeRoot.apply(data)


def rcbrt(data: Tensor) -> Tensor:
    """One divided by the cube root."""
    return recomputed(lambda values: torch.reciprocal(cbrt(values)), data)


def reciprocal(data: Tensor) -> Tensor:
    """One divided by the number."""
    return recomputed(torch.reciprocal, data)  # torch computes the gradient from the result


def rsqrt(data: Tensor) -> Tensor:
    """One divided by the square root."""
    return recomputed(torch.rsqrt, data)


def expm1(data: Tensor) -> Tensor:
    """exp(x) - 1."""
    return recomputed(torch.expm1, data)


class _InverseErf(torch.autograd.Function):
    """The inverse of the error function; its gradient is computed from the result, as in MXNet."""

    @staticmethod
    def forward(ctx: Any, data: Tensor) -> Tensor:
        result = torch.erfinv(data)
        ctx.save_for_backward(result)
        return result

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        (result,) = ctx.saved_tensors
        return gradients[0] * torch.exp(result * result) * (math.sqrt(math.pi) / 2)


def erfinv(data: Tensor) -> Tensor:
    """The inverse of the error function."""
    return _InverseErf.apply(data) if grad_needed(data) else torch.erfinv(data)


class _LogGamma(torch.autograd.Function):
    """The logarithm of the gamma function's size; its gradient at the poles, 0, -1, -2 and so on, is infinite."""

    @staticmethod
    def forward(ctx: Any, data: Tensor) -> Tensor:
        ctx.save_for_backward(data)
        return torch.lgamma(data)

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        (data,) = ctx.saved_tensors
        pole = (data <= 0) & (data == torch.floor(data))
        return gradients[0] * torch.digamma(data).masked_fill(pole, math.inf)


def log_gamma(data: Tensor) -> Tensor:
    """The logarithm of the gamma function's size."""
    return _LogGamma.apply(data) if grad_needed(data) else torch.lgamma(data)


def gamma_function(data: Tensor) -> Tensor:
    """exp(lgamma) with the sign, which changes at every whole number below zero; those are poles."""
    size = torch.exp(log_gamma(data))
    whole = torch.floor(data)
    odd = (data < 0) & (torch.remainder(whole, 2) == 1)
    signed = torch.where(odd | (torch.signbit(data) & (data == 0)), -size, size)
    return torch.where((data < 0) & (data == whole), math.nan, signed)
