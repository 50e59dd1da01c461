"""The distributions of `mx.nd.random`: their parameters, how to draw from them, and their densities.

operators.py makes the operators: `_random_*`, `_random_*_like`, `_sample_*` and `_random_pdf_*` of each.
"""

import math
from abc import ABC, abstractmethod
from inspect import Parameter, signature
from typing import Any

import torch
from torch import Tensor

from ...dtypes import NAME_OF_TORCH
from ...errors import OpParamError
from ...torch_private import draw_standard_gamma
from ..params import Rng
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
