"""Densities of the distributions that samplers draw from, with gradients; generated from the table but for Dirichlet.

A parameter array of shape S describes one distribution per element, and `sample` has the shape S + T: T numbers, or for
Dirichlet T vectors, of each. Samples of discrete distributions, and of the uniform one, get a gradient of zero.
"""

from typing import Any

import torch
from torch import Tensor

from ...dtypes import NAME_OF_TORCH
from ...errors import OpShapeError, OpTypeError
from ..common import grad_needed, one_element, same_dtype
from ..registry import operator
from ..signatures import number, signed
from .distributions import DISTRIBUTIONS, Distribution


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


def _declare(distribution: Distribution) -> None:
    names, is_constant = distribution.arrays, distribution.is_constant
    functions = distribution.density, distribution.log_density

    def density(sample: Tensor, *params: Tensor, is_log: bool = False) -> Tensor:
        values, *aligned = _aligned(sample, **dict(zip(names, params, strict=True)))
        if is_constant:
            values = values.detach()
        found = functions[is_log](values, *aligned).to(sample.dtype)
        return _constant_in(sample, found) if is_constant else found

    name = f"_random_pdf_{distribution.name}"
    text = distribution.density_doc.format(*distribution.arrays)
    operator(name, name[1:])(
        signed(density, name, text, ("sample", *distribution.arrays), [number("is_log", bool, False)])
    )


for _each in DISTRIBUTIONS:
    _declare(_each)


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
    density = (log_density if is_log else torch.exp(log_density)).to(sample.dtype)
    return one_element(density) if sample.ndim == 1 else density
