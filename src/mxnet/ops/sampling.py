"""Operators that draw random numbers, from the generator of the array's context.

Three forms: `_random_*` with numbers as parameters, `_random_*_like` that takes shape and dtype from an array, and
`_sample_*` with one distribution per element of the parameter arrays. Numbers outside of a distribution's domain are
refused; elements of arrays cannot be, without waiting for a device: they give NaN.
"""

import math

import torch
from torch import Tensor

from ..config import switches
from ..dtypes import NAME_OF_TORCH
from ..error import OpParamError, OpShapeError, OpTypeError
from .common import expect_shape, one_element, prod, same_dtype
from .params import Ctx, DType, Rng, Shape
from .registry import operator

FLOATS = (torch.float16, torch.float32, torch.float64)


def checked_dtype(dtype: torch.dtype | None, choices: tuple[torch.dtype, ...], default: torch.dtype) -> torch.dtype:
    """The dtype of a result; refuses one that is not among the choices."""
    if dtype is None:
        return default
    if dtype not in choices:
        listed = ", ".join(NAME_OF_TORCH[each] for each in choices)
        raise OpTypeError(f"dtype={NAME_OF_TORCH[dtype]}; expected one of {listed}")
    return dtype


def _checked_shape(shape: Shape) -> Shape:
    """Refuses a shape that is left out or open: in MXNet's shapes nothing and 0 mean unknown."""
    if switches.np_shape:
        if any(length is None or length < 0 for length in shape):
            raise OpShapeError(f"shape={shape}; expected lengths of at least 0")
    elif not shape or any(length is None or length < 1 for length in shape):
        raise OpShapeError(
            f"shape={shape}; expected the shape of the result, such as (2, 3), with lengths of at least 1"
        )
    return shape


def _blank(shape: Shape, dtype: torch.dtype | None, ctx: Ctx | None) -> Tensor:
    """Memory for the numbers to be drawn."""
    assert ctx is not None
    return torch.empty(_checked_shape(shape), dtype=checked_dtype(dtype, FLOATS, torch.float32), device=ctx.device)


def _blank_like(data: Tensor) -> Tensor:
    if not data.is_floating_point():
        raise OpTypeError(f"expected a floating array, got {NAME_OF_TORCH[data.dtype]}; convert it with astype()")
    return torch.empty(data.shape, dtype=data.dtype, device=data.device)


def _positive(**params: float) -> None:
    for name, value in params.items():
        if not 0 < value < math.inf:
            raise OpParamError(f"{name}={value:g}; expected a finite number above 0")


def _not_negative(**params: float) -> None:
    for name, value in params.items():
        if not 0 <= value < math.inf:
            raise OpParamError(f"{name}={value:g}; expected a finite number of at least 0")


def standard_gamma(alpha: Tensor, rng: Rng) -> Tensor:
    """Gamma variates of scale 1; alpha = 0 stands for the limit, the constant 0."""
    draws = torch._standard_gamma(alpha, generator=rng)
    return draws.masked_fill(~(alpha >= 0), math.nan)


def _poisson(rate: Tensor, rng: Rng) -> Tensor:
    """Poisson variates. Torch refuses tensors with a rate it cannot use, so those are drawn apart."""
    usable = (rate >= 0) & (rate < math.inf)
    return torch.poisson(rate.masked_fill(~usable, 0), generator=rng).masked_fill(~usable, math.nan)


def working_dtype(dtype: torch.dtype) -> torch.dtype:
    """Gamma variates, and anything scaled afterwards, need more digits than float16 has."""
    return torch.float32 if dtype == torch.float16 else dtype


# Drawing with numbers as parameters, into `blank` or in its place.


def _draw_uniform(blank: Tensor, low: float, high: float, rng: Rng) -> Tensor:
    limit = torch.finfo(blank.dtype).max
    if not -limit <= low <= high <= limit:
        raise OpParamError(
            f"low={low:g}, high={high:g}; expected low <= high, both within the range of {NAME_OF_TORCH[blank.dtype]}"
        )
    return blank.uniform_(low, high, generator=rng)


def _draw_normal(blank: Tensor, loc: float, scale: float, rng: Rng) -> Tensor:
    _positive(scale=scale)
    return blank.normal_(loc, scale, generator=rng)


def _draw_exponential(blank: Tensor, lam: float, rng: Rng) -> Tensor:
    _positive(lam=lam)
    return blank.exponential_(lam, generator=rng)


def _draw_gamma(blank: Tensor, alpha: float, beta: float, rng: Rng) -> Tensor:
    _positive(alpha=alpha, beta=beta)
    shapes = torch.full_like(blank, alpha, dtype=working_dtype(blank.dtype))
    return torch._standard_gamma(shapes, generator=rng).mul_(beta).to(blank.dtype)


def _draw_poisson(blank: Tensor, lam: float, rng: Rng) -> Tensor:
    _not_negative(lam=lam)
    rate = torch.full_like(blank, lam, dtype=working_dtype(blank.dtype))
    return torch.poisson(rate, generator=rng).to(blank.dtype)


def _draw_negative_binomial(blank: Tensor, k: float, p: float, rng: Rng) -> Tensor:
    _not_negative(k=k)
    _positive(p=p)
    # A Poisson count whose rate is a gamma variate; p above 1 leaves no room for failures, as in MXNet.
    shapes = torch.full_like(blank, k, dtype=working_dtype(blank.dtype))
    rate = torch._standard_gamma(shapes, generator=rng).mul_(max(0.0, (1 - p) / p))
    return torch.poisson(rate, generator=rng).to(blank.dtype)


def _draw_generalized_negative_binomial(blank: Tensor, mu: float, alpha: float, rng: Rng) -> Tensor:
    _not_negative(mu=mu, alpha=alpha)
    if alpha == 0:
        return _draw_poisson(blank, mu, rng)
    shapes = torch.full_like(blank, 1 / alpha, dtype=working_dtype(blank.dtype))
    rate = torch._standard_gamma(shapes, generator=rng).mul_(alpha * mu)
    return torch.poisson(rate, generator=rng).to(blank.dtype)


# Numbers as parameters.


@operator("_random_uniform", "random_uniform", "uniform")
def random_uniform(
    *,
    low: float = 0.0,
    high: float = 1.0,
    shape: Shape = (),
    ctx: Ctx | None = None,
    dtype: DType | None = None,
    rng: Rng,
) -> Tensor:
    """Numbers spread evenly over [low, high)."""
    return _draw_uniform(_blank(shape, dtype, ctx), low, high, rng)


@operator("_random_normal", "normal", "random_normal")
def random_normal(
    *,
    loc: float = 0.0,
    scale: float = 1.0,
    shape: Shape = (),
    ctx: Ctx | None = None,
    dtype: DType | None = None,
    rng: Rng,
) -> Tensor:
    """Normal variates with mean `loc` and standard deviation `scale`."""
    return _draw_normal(_blank(shape, dtype, ctx), loc, scale, rng)


@operator("_random_gamma", "random_gamma")
def random_gamma(
    *,
    alpha: float = 1.0,
    beta: float = 1.0,
    shape: Shape = (),
    ctx: Ctx | None = None,
    dtype: DType | None = None,
    rng: Rng,
) -> Tensor:
    """Gamma variates of shape `alpha` and scale `beta`: the mean is their product."""
    return _draw_gamma(_blank(shape, dtype, ctx), alpha, beta, rng)


@operator("_random_exponential", "random_exponential")
def random_exponential(
    *, lam: float = 1.0, shape: Shape = (), ctx: Ctx | None = None, dtype: DType | None = None, rng: Rng
) -> Tensor:
    """Exponential variates of rate `lam`: the mean is 1 / lam."""
    return _draw_exponential(_blank(shape, dtype, ctx), lam, rng)


@operator("_random_poisson", "random_poisson")
def random_poisson(
    *, lam: float = 1.0, shape: Shape = (), ctx: Ctx | None = None, dtype: DType | None = None, rng: Rng
) -> Tensor:
    """Poisson counts with mean `lam`, as floats."""
    return _draw_poisson(_blank(shape, dtype, ctx), lam, rng)


@operator("_random_negative_binomial", "random_negative_binomial")
def random_negative_binomial(
    *, k: int = 1, p: float = 1.0, shape: Shape = (), ctx: Ctx | None = None, dtype: DType | None = None, rng: Rng
) -> Tensor:
    """How many trials fail before the `k`-th success, each succeeding with probability `p`, as floats."""
    return _draw_negative_binomial(_blank(shape, dtype, ctx), k, p, rng)


@operator("_random_generalized_negative_binomial", "random_generalized_negative_binomial")
def random_generalized_negative_binomial(
    *,
    mu: float = 1.0,
    alpha: float = 1.0,
    shape: Shape = (),
    ctx: Ctx | None = None,
    dtype: DType | None = None,
    rng: Rng,
) -> Tensor:
    """Counts with mean `mu` and variance mu + alpha * mu**2, as floats."""
    return _draw_generalized_negative_binomial(_blank(shape, dtype, ctx), mu, alpha, rng)


@operator("_random_randint", "_npi_random_randint", "random_randint")
def random_randint(
    *, low: int, high: int, shape: Shape = (), ctx: Ctx | None = None, dtype: DType | None = None, rng: Rng
) -> Tensor:
    """Whole numbers from `low` to `high` - 1, each as likely as the others."""
    assert ctx is not None
    integer = checked_dtype(dtype, (torch.int32, torch.int64), torch.int32)
    if low >= high:
        raise OpParamError(f"low={low}, high={high}; expected low < high: the numbers end at high - 1")
    bounds = torch.iinfo(integer)
    if low < bounds.min or high - 1 > bounds.max:
        raise OpParamError(f"low={low}, high={high}; expected numbers within {NAME_OF_TORCH[integer]}")
    return torch.randint(low, high, _checked_shape(shape), dtype=integer, device=ctx.device, generator=rng)


# Shape and dtype of an array.


@operator("_random_uniform_like", zero_gradient=True)
def random_uniform_like(data: Tensor, *, low: float = 0.0, high: float = 1.0, rng: Rng) -> Tensor:
    """Numbers spread evenly over [low, high), as many as `data` has."""
    return _draw_uniform(_blank_like(data), low, high, rng)


@operator("_random_normal_like", zero_gradient=True)
def random_normal_like(data: Tensor, *, loc: float = 0.0, scale: float = 1.0, rng: Rng) -> Tensor:
    """Normal variates with mean `loc` and standard deviation `scale`, as many as `data` has."""
    return _draw_normal(_blank_like(data), loc, scale, rng)


@operator("_random_gamma_like", zero_gradient=True)
def random_gamma_like(data: Tensor, *, alpha: float = 1.0, beta: float = 1.0, rng: Rng) -> Tensor:
    """Gamma variates of shape `alpha` and scale `beta`, as many as `data` has."""
    return _draw_gamma(_blank_like(data), alpha, beta, rng)


@operator("_random_exponential_like", zero_gradient=True)
def random_exponential_like(data: Tensor, *, lam: float = 1.0, rng: Rng) -> Tensor:
    """Exponential variates of rate `lam`, as many as `data` has."""
    return _draw_exponential(_blank_like(data), lam, rng)


@operator("_random_poisson_like", zero_gradient=True)
def random_poisson_like(data: Tensor, *, lam: float = 1.0, rng: Rng) -> Tensor:
    """Poisson counts with mean `lam`, as many as `data` has."""
    return _draw_poisson(_blank_like(data), lam, rng)


@operator("_random_negative_binomial_like", zero_gradient=True)
def random_negative_binomial_like(data: Tensor, *, k: int = 1, p: float = 1.0, rng: Rng) -> Tensor:
    """Failures before the `k`-th success of probability `p`, as many counts as `data` has elements."""
    return _draw_negative_binomial(_blank_like(data), k, p, rng)


@operator("_random_generalized_negative_binomial_like", zero_gradient=True)
def random_generalized_negative_binomial_like(data: Tensor, *, mu: float = 1.0, alpha: float = 1.0, rng: Rng) -> Tensor:
    """Counts with mean `mu` and variance mu + alpha * mu**2, as many as `data` has elements."""
    return _draw_generalized_negative_binomial(_blank_like(data), mu, alpha, rng)


# One distribution per element of the parameters: the result has their shape, followed by `shape`.


def _spread(shape: Shape, dtype: torch.dtype, **params: Tensor) -> list[Tensor]:
    """The parameters, each repeated over the numbers to be drawn from it, in a dtype to compute in."""
    same_dtype(**params)
    if any(length is None or length < 1 for length in shape):
        raise OpShapeError(f"shape={shape}; expected the lengths of further axes, each at least 1")
    first = next(iter(params.values()))
    spread = []
    for name, param in params.items():
        expect_shape(name, param, tuple(first.shape))
        column = param.detach().to(working_dtype(dtype)).reshape(param.shape + (1,) * len(shape))
        spread.append(column.expand(*param.shape, *shape))
    return spread


@operator("_sample_uniform", "sample_uniform", zero_gradient=True)
def sample_uniform(low: Tensor, high: Tensor, *, shape: Shape = (), dtype: DType | None = None, rng: Rng) -> Tensor:
    """Numbers spread evenly over each interval [low, high)."""
    floating = checked_dtype(dtype, FLOATS, torch.float32)
    low, high = _spread(shape, floating, low=low, high=high)
    draws = torch.rand(low.shape, dtype=low.dtype, device=low.device, generator=rng)
    return torch.lerp(low, high, draws).to(floating)


@operator("_sample_normal", "sample_normal", zero_gradient=True)
def sample_normal(mu: Tensor, sigma: Tensor, *, shape: Shape = (), dtype: DType | None = None, rng: Rng) -> Tensor:
    """Normal variates with each mean `mu` and standard deviation `sigma`."""
    floating = checked_dtype(dtype, FLOATS, torch.float32)
    mu, sigma = _spread(shape, floating, mu=mu, sigma=sigma)
    draws = torch.randn(mu.shape, dtype=mu.dtype, device=mu.device, generator=rng)
    return torch.addcmul(mu, draws, sigma).to(floating)


@operator("_sample_gamma", "sample_gamma", zero_gradient=True)
def sample_gamma(alpha: Tensor, beta: Tensor, *, shape: Shape = (), dtype: DType | None = None, rng: Rng) -> Tensor:
    """Gamma variates of each shape `alpha` and scale `beta`."""
    floating = checked_dtype(dtype, FLOATS, torch.float32)
    alpha, beta = _spread(shape, floating, alpha=alpha, beta=beta)
    return (standard_gamma(alpha, rng) * beta).to(floating)


@operator("_sample_exponential", "sample_exponential", zero_gradient=True)
def sample_exponential(lam: Tensor, *, shape: Shape = (), dtype: DType | None = None, rng: Rng) -> Tensor:
    """Exponential variates of each rate `lam`."""
    floating = checked_dtype(dtype, FLOATS, torch.float32)
    (lam,) = _spread(shape, floating, lam=lam)
    draws = torch.empty(lam.shape, dtype=lam.dtype, device=lam.device).exponential_(generator=rng)
    return (draws / lam).to(floating)


@operator("_sample_poisson", "sample_poisson", zero_gradient=True)
def sample_poisson(lam: Tensor, *, shape: Shape = (), dtype: DType | None = None, rng: Rng) -> Tensor:
    """Poisson counts with each mean `lam`, as floats."""
    floating = checked_dtype(dtype, FLOATS, torch.float32)
    (lam,) = _spread(shape, floating, lam=lam)
    return _poisson(lam, rng).to(floating)


@operator("_sample_negative_binomial", "sample_negative_binomial", zero_gradient=True)
def sample_negative_binomial(
    k: Tensor, p: Tensor, *, shape: Shape = (), dtype: DType | None = None, rng: Rng
) -> Tensor:
    """Failures before each `k`-th success of probability `p`, as floats."""
    floating = checked_dtype(dtype, FLOATS, torch.float32)
    k, p = _spread(shape, floating, k=k, p=p)
    odds = ((1 - p) / p).masked_fill(p > 1, 0)
    return _poisson(standard_gamma(k, rng) * odds, rng).to(floating)


@operator("_sample_generalized_negative_binomial", "sample_generalized_negative_binomial", zero_gradient=True)
def sample_generalized_negative_binomial(
    mu: Tensor, alpha: Tensor, *, shape: Shape = (), dtype: DType | None = None, rng: Rng
) -> Tensor:
    """Counts with each mean `mu` and variance mu + alpha * mu**2, as floats."""
    floating = checked_dtype(dtype, FLOATS, torch.float32)
    mu, alpha = _spread(shape, floating, mu=mu, alpha=alpha)
    shapes = (1 / alpha).masked_fill(alpha == 0, 1)
    rate = standard_gamma(shapes, rng) * alpha * mu
    return _poisson(torch.where(alpha == 0, mu, rate), rng).to(floating)


# Choosing among classes or rows.


@operator(
    "_sample_multinomial",
    "sample_multinomial",
    outputs=lambda params: 2 if params["get_prob"] else 1,
    zero_gradient=True,
)
def sample_multinomial(
    data: Tensor, *, shape: Shape = (), get_prob: bool = False, dtype: DType = torch.int32, rng: Rng
) -> Tensor | tuple[Tensor, Tensor]:
    """Classes drawn with the probabilities in the last axis of `data`, again and again from all of them.

    Args:
        data: probabilities, or weights that are not negative.
        shape: how many classes to draw per distribution; the result has the leading axes of `data`, then these.
        get_prob: also return the logarithm of the chosen elements of `data`, which has a gradient: what
            reinforcement learning multiplies with the reward.
        dtype: type of the class numbers.
        rng: supplied by the caller's surroundings.
    """
    choices = (*FLOATS, torch.int32, torch.uint8)
    checked_dtype(dtype, choices, torch.int32)
    if not data.is_floating_point():
        raise OpTypeError(f"expected floating probabilities, got {NAME_OF_TORCH[data.dtype]}; use astype()")
    if data.ndim == 0 or data.shape[-1] == 0:
        raise OpShapeError(f"expected at least one class in the last axis, got shape {tuple(data.shape)}")
    if any(length is None or length < 0 for length in shape):
        raise OpShapeError(f"shape={shape}; expected lengths of at least 0")
    rows = data.reshape(-1, data.shape[-1])
    # A class is the place of an even number among the running totals; in float32, rare classes of many would be lost.
    totals = rows.detach().double().cumsum(1)
    even = torch.rand(len(rows), prod(shape), dtype=torch.float64, device=data.device, generator=rng)
    chosen = torch.searchsorted(totals, even * totals[:, -1:], right=True).clamp_(max=rows.shape[1] - 1)
    size = (*data.shape[:-1], *shape)
    classes = _sized(chosen, size).to(dtype)
    return (classes, _sized(torch.log(rows.gather(1, chosen)), size)) if get_prob else classes


def _sized(values: Tensor, size: tuple[int, ...]) -> Tensor:
    return values.reshape(size) if size else one_element(values.reshape(()))


@operator("_sample_unique_zipfian", outputs=2)
def sample_unique_zipfian(*, range_max: int, shape: Shape = (), rng: Rng) -> tuple[Tensor, Tensor]:
    """Classes below `range_max` without repetition in a row, small ones far more often: for sampled softmax.

    Returns:
        The classes, of shape (rows, classes per row), and how many draws with repetition each row would have taken.
    """
    if len(shape) != 2 or any(length is None or length < 1 for length in shape):
        raise OpShapeError(f"shape={shape}; expected (rows, classes per row)")
    if not shape[1] <= range_max:
        raise OpParamError(
            f"range_max={range_max}, shape={shape}; expected at least as many classes as are drawn per row"
        )
    device = torch.device("meta") if rng is None else rng.device
    chances = _zipfian_chances(range_max, device)
    # The first classes to appear are those whose exponential clocks, ticking as fast as they are likely, ring first.
    clocks = torch.empty(shape[0], range_max, dtype=torch.float64, device=device).exponential_(generator=rng)
    chosen = torch.topk(clocks / chances, shape[1], dim=1, largest=False).indices
    # Before each new class, classes already seen come up a geometrically distributed number of times.
    drawn = chances[chosen]
    seen = drawn.cumsum(1) - drawn
    even = torch.rand(shape, dtype=torch.float64, device=device, generator=rng)
    repeats = torch.floor(torch.log1p(-even) / torch.log(seen.clamp(0, 1 - 1e-15)))
    return chosen, shape[1] + repeats.sum(1).to(torch.int64)


def _zipfian_chances(range_max: int, device: torch.device) -> Tensor:
    """The probability of every class: an even number on a logarithmic scale from 1 to `range_max`, rounded, less 1."""
    if range_max == 1:
        return torch.ones(1, dtype=torch.float64, device=device)
    edges = torch.arange(range_max + 1, dtype=torch.float64, device=device) + 0.5
    widths = torch.log(edges.clamp(1, range_max)).diff()
    return widths / math.log(range_max)


@operator("_shuffle", "_npi_shuffle", "shuffle")
def shuffle(data: Tensor, *, rng: Rng) -> Tensor:
    """The slices along the first axis in random order."""
    if data.ndim == 0:
        raise OpShapeError("expected an array of at least one dimension, got shape ()")
    order = torch.randperm(data.shape[0], device=data.device, generator=rng)
    return data.index_select(0, order)
