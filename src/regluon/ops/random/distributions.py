"""Sample from distributions and evaluate their densities."""

import math
from abc import ABC, abstractmethod
from inspect import Parameter, signature
from typing import Any

import torch
from torch import Tensor

from ...dtypes import NAME_OF_TORCH
from ...errors import OpParamError, OpShapeError, OpTypeError
from ...torch_private import draw_standard_gamma
from ..common import grad_needed, one_element, same_dtype
from ..params import Rng
from ..registry import operator
from ..signatures import number, signed
from .common import not_negative, poisson, positive, standard_gamma, working_dtype


class Distribution(ABC):
    """A distribution.

    Attributes:
        name: what operators are called after.
        aliases: further names of the operator that takes numbers.
        numbers: the parameters where they are numbers, as `draw` takes them.
        arrays: names of the parameters where they are arrays.
        doc: what is drawn, with {0} and {1} for the names of the parameters.
        density_doc: what its density is, likewise.
        is_constant: whether the density counts as constant in the sample, which then gets a gradient of zero.
    """

    name: str
    aliases: tuple[str, ...] = ()
    numbers: list[Parameter]
    arrays: tuple[str, ...] = ()
    doc: str
    density_doc: str
    is_constant = False

    def __init__(self) -> None:
        self.numbers = list(signature(self.draw).parameters.values())[2:]
        self.arrays = self.arrays or tuple(each.name for each in self.numbers)

    @abstractmethod
    def draw(self, *args: Any, **kwargs: Any) -> Tensor:
        """Draws into an empty tensor, or in its place; refuses numbers outside of the distribution's domain.

        Takes the tensor, the generator and the parameters, whose names and defaults the operators have.
        """

    @abstractmethod
    def draw_each(self, *args: Any, **kwargs: Any) -> Tensor:
        """Draws one number for each element; NaN for elements outside of the domain: a check would wait for a GPU."""

    @abstractmethod
    def log_density(self, *args: Any, **kwargs: Any) -> Tensor:
        """The logarithm of the density at a sample, by arrays."""

    def density(self, *args: Any, **kwargs: Any) -> Tensor:
        """The density."""
        return torch.exp(self.log_density(*args, **kwargs))


class _Uniform(Distribution):
    name, aliases = "uniform", ("uniform",)
    doc = "Numbers spread evenly over [{0}, {1})"
    density_doc = "The density 1 / ({1} - {0}); whether a sample lies in the interval is not looked at."
    is_constant = True

    def draw(self, blank: Tensor, rng: Rng, low: float = 0.0, high: float = 1.0) -> Tensor:
        limit = torch.finfo(blank.dtype).max
        if not -limit <= low <= high <= limit:
            name = NAME_OF_TORCH[blank.dtype]
            raise OpParamError(f"low={low:g}, high={high:g}; expected low <= high, both within the range of {name}")
        return blank.uniform_(low, high, generator=rng)

    def draw_each(self, rng: Rng, low: Tensor, high: Tensor) -> Tensor:
        return torch.lerp(low, high, torch.rand(low.shape, dtype=low.dtype, device=low.device, generator=rng))

    def log_density(self, sample: Tensor, low: Tensor, high: Tensor) -> Tensor:
        return (-torch.log(high - low)).expand(sample.shape).contiguous()

    def density(self, sample: Tensor, low: Tensor, high: Tensor) -> Tensor:
        return (1 / (high - low)).expand(sample.shape).contiguous()


class _Normal(Distribution):
    name, aliases = "normal", ("normal",)
    arrays = ("mu", "sigma")
    doc = "Normal variates with mean `{0}` and standard deviation `{1}`"
    density_doc = "The density of the normal distribution with mean `{0}` and standard deviation `{1}`."

    def draw(self, blank: Tensor, rng: Rng, loc: float = 0.0, scale: float = 1.0) -> Tensor:
        positive(scale=scale)
        return blank.normal_(loc, scale, generator=rng)

    def draw_each(self, rng: Rng, mu: Tensor, sigma: Tensor) -> Tensor:
        draws = torch.randn(mu.shape, dtype=mu.dtype, device=mu.device, generator=rng)
        return torch.addcmul(mu, draws, sigma)

    def log_density(self, sample: Tensor, mu: Tensor, sigma: Tensor) -> Tensor:
        return -0.5 * ((sample - mu) / sigma) ** 2 - torch.log(sigma) - 0.5 * math.log(2 * math.pi)

    def density(self, sample: Tensor, mu: Tensor, sigma: Tensor) -> Tensor:
        return torch.exp(-0.5 * ((sample - mu) / sigma) ** 2) / (sigma * math.sqrt(2 * math.pi))


class _Gamma(Distribution):
    name = "gamma"
    doc = "Gamma variates of shape `{0}` and scale `{1}`: the mean is their product"
    density_doc = (
        "The density of the gamma distribution of shape `{0}`; `{1}` is the rate here, not the scale as in samplers."
    )

    def draw(self, blank: Tensor, rng: Rng, alpha: float = 1.0, beta: float = 1.0) -> Tensor:
        positive(alpha=alpha, beta=beta)
        return _gamma_like(blank, alpha, rng).mul_(beta).to(blank.dtype)

    def draw_each(self, rng: Rng, alpha: Tensor, beta: Tensor) -> Tensor:
        return standard_gamma(alpha, rng) * beta

    def log_density(self, sample: Tensor, alpha: Tensor, beta: Tensor) -> Tensor:
        return alpha * torch.log(beta) + (alpha - 1) * torch.log(sample) - beta * sample - torch.lgamma(alpha)


class _Exponential(Distribution):
    name = "exponential"
    doc = "Exponential variates of rate `{0}`: the mean is 1 / {0}"
    density_doc = "The density of the exponential distribution with rate `{0}`."

    def draw(self, blank: Tensor, rng: Rng, lam: float = 1.0) -> Tensor:
        positive(lam=lam)
        return blank.exponential_(lam, generator=rng)

    def draw_each(self, rng: Rng, lam: Tensor) -> Tensor:
        return torch.empty(lam.shape, dtype=lam.dtype, device=lam.device).exponential_(generator=rng) / lam

    def log_density(self, sample: Tensor, lam: Tensor) -> Tensor:
        return torch.log(lam) - lam * sample


class _Poisson(Distribution):
    name = "poisson"
    doc = "Poisson counts with mean `{0}`, as floats"
    density_doc = "The probability of counts under the Poisson distribution with mean `{0}`."
    is_constant = True

    def draw(self, blank: Tensor, rng: Rng, lam: float = 1.0) -> Tensor:
        not_negative(lam=lam)
        rate = torch.full_like(blank, lam, dtype=working_dtype(blank.dtype))
        return torch.poisson(rate, generator=rng).to(blank.dtype)

    def draw_each(self, rng: Rng, lam: Tensor) -> Tensor:
        return poisson(lam, rng)

    def log_density(self, sample: Tensor, lam: Tensor) -> Tensor:
        return sample * torch.log(lam) - torch.lgamma(sample + 1) - lam


class _NegativeBinomial(Distribution):
    name = "negative_binomial"
    doc = "How many trials fail before the `{0}`-th success, each succeeding with probability `{1}`, as floats"
    density_doc = (
        "The probability of that many failures before the `{0}`-th success, each trial succeeding with probability "
        "`{1}`."
    )
    is_constant = True

    def draw(self, blank: Tensor, rng: Rng, k: int = 1, p: float = 1.0) -> Tensor:
        not_negative(k=k)
        positive(p=p)
        # A Poisson count whose rate is a gamma variate; p above 1 leaves no room for failures, as in MXNet.
        rate = _gamma_like(blank, k, rng).mul_(max(0.0, (1 - p) / p))
        return torch.poisson(rate, generator=rng).to(blank.dtype)

    def draw_each(self, rng: Rng, k: Tensor, p: Tensor) -> Tensor:
        return poisson(standard_gamma(k, rng) * ((1 - p) / p).masked_fill(p > 1, 0), rng)

    def log_density(self, sample: Tensor, k: Tensor, p: Tensor) -> Tensor:
        ways = torch.lgamma(sample + k) - torch.lgamma(sample + 1) - torch.lgamma(k)
        return ways + k * torch.log(p) + sample * torch.log(1 - p)


class _GeneralizedNegativeBinomial(_NegativeBinomial):
    name = "generalized_negative_binomial"
    doc = "Counts with mean `{0}` and variance {0} + {1} * {0}**2, as floats"
    density_doc = (
        "The probability of counts under the negative binomial distribution with mean `{0}` and dispersion `{1}`."
    )

    def draw(self, blank: Tensor, rng: Rng, mu: float = 1.0, alpha: float = 1.0) -> Tensor:
        not_negative(mu=mu, alpha=alpha)
        if alpha == 0:
            rate = torch.full_like(blank, mu, dtype=working_dtype(blank.dtype))
        else:
            rate = _gamma_like(blank, 1 / alpha, rng).mul_(alpha * mu)
        return torch.poisson(rate, generator=rng).to(blank.dtype)

    def draw_each(self, rng: Rng, mu: Tensor, alpha: Tensor) -> Tensor:
        rate = standard_gamma((1 / alpha).masked_fill(alpha == 0, 1), rng) * alpha * mu
        return poisson(torch.where(alpha == 0, mu, rate), rng)

    def log_density(self, sample: Tensor, mu: Tensor, alpha: Tensor) -> Tensor:
        return super().log_density(sample, 1 / alpha, 1 / (mu * alpha + 1))


def _gamma_like(blank: Tensor, alpha: float, rng: Rng) -> Tensor:
    shapes = torch.full_like(blank, alpha, dtype=working_dtype(blank.dtype))
    return draw_standard_gamma(shapes, rng)


DISTRIBUTIONS: tuple[Distribution, ...] = (
    _Uniform(),
    _Normal(),
    _Gamma(),
    _Exponential(),
    _Poisson(),
    _NegativeBinomial(),
    _GeneralizedNegativeBinomial(),
)


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
