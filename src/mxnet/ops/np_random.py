"""Random numbers of mx.np, from the generator of the context.

A parameter of a distribution is a number, given by name, or an array, given as an input: the arrays in the order of the
parameters that are None. Arrays are stretched to fit each other and `size`. Where the numbers are a smooth function of
the parameters and of noise that does not depend on them, they have a gradient, as in MXNet.
"""

import math
from collections.abc import Callable, Mapping
from typing import Any

import torch
from torch import Tensor

from ..error import OpParamError, OpShapeError
from .common import expect_floating, same_dtype
from .numpy.choice import any_of, at_least_0, checked_size, place_of, shown
from .params import Ctx, DType, Rng, Shape
from .registry import operator
from .sampling import FLOATS, checked_dtype, standard_gamma, working_dtype


def _given_as_arrays(*params: str) -> Callable[[Mapping[str, Any]], tuple[str, ...]]:
    """The inputs in force: as many as parameters are not given as numbers."""
    return lambda given: ("input1", "input2")[: sum(given[name] is None for name in params)]


def _parameters(inputs: tuple[Tensor | None, ...], **numbers: float | None) -> list[Tensor | float]:
    """The parameters in order, each the number given or else the next of the arrays."""
    arrays = [array for array in inputs if array is not None]
    wanted = [name for name, number in numbers.items() if number is None]
    if len(arrays) != len(wanted):
        listed = ", ".join(wanted) or "none"
        raise OpParamError(f"received {len(arrays)} array(s) for the parameters that are not numbers: {listed}")
    same_dtype(**dict(zip(wanted, arrays, strict=True)))
    remaining = iter(arrays)
    return [next(remaining) if number is None else number for number in numbers.values()]


def _result_shape(params: list[Tensor | float], size: Shape | None, batch: bool) -> tuple[int, ...]:
    """The shape of the result: `size`, into which the arrays must fit, or, of a batch, `size` before their shape."""
    shapes = [tuple(param.shape) for param in params if isinstance(param, Tensor)]
    common = _stretched(shapes)
    if size is None:
        return common
    checked_size(size)
    if batch:
        return (*size, *common)
    if _stretched([common, size]) != tuple(size):
        raise OpShapeError(f"size={size}; expected a shape that the parameters of shape {common} can be stretched to")
    return tuple(size)


def _stretched(shapes: list[tuple[int, ...]]) -> tuple[int, ...]:
    try:
        return tuple(torch.broadcast_shapes(*shapes))
    except RuntimeError:
        listed = " and ".join(map(str, shapes))
        raise OpShapeError(f"expected shapes that can be stretched to fit each other, got {listed}") from None


def _blank(
    params: list[Tensor | float],
    size: Shape | None,
    dtype: torch.dtype,
    ctx: Ctx | None,
    rng: Rng | None,
    batch: bool = False,
) -> Tensor:
    """Memory for the noise, in a dtype to compute in."""
    arrays = [param for param in params if isinstance(param, Tensor)]
    device = arrays[0].device if arrays else place_of(ctx, rng)
    return torch.empty(_result_shape(params, size, batch), dtype=working_dtype(dtype), device=device)


def _converted(params: list[Tensor | float], like: Tensor) -> list[Any]:
    return [param.to(like.dtype) if isinstance(param, Tensor) else param for param in params]


def _above_0(**params: Tensor | float) -> None:
    for name, value in params.items():
        if any_of(value, lambda numbers: numbers <= 0):
            raise OpParamError(f"expected {name} above 0, got {shown(value)}")


# A place and a scale.


def _located(
    noise: Callable[[Tensor, Rng], Tensor],
    inputs: tuple[Tensor | None, ...],
    loc: float | None,
    scale: float | None,
    size: Shape | None,
    ctx: Ctx | None,
    dtype: torch.dtype,
    rng: Rng,
    batch: bool = False,
) -> Tensor:
    """loc + scale * noise, and its gradient with respect to both."""
    target = checked_dtype(dtype, FLOATS, torch.float32)
    params = _parameters(inputs, loc=loc, scale=scale)
    at_least_0(scale=params[1])
    blank = _blank(params, size, target, ctx, rng, batch)
    place, factor = _converted(params, blank)
    return _scaled(noise(blank, rng), factor, place).to(target)


def _scaled(noise: Tensor, factor: Tensor | float, place: Tensor | float) -> Tensor:
    """place + factor * noise, in the memory of the noise if both are numbers."""
    if isinstance(factor, Tensor) or isinstance(place, Tensor):
        return noise * factor + place
    scaled = noise if factor == 1 else noise.mul_(factor)
    return scaled if place == 0 else scaled.add_(place)


def _normal_noise(blank: Tensor, rng: Rng) -> Tensor:
    return blank.normal_(generator=rng)


def _gumbel_noise(blank: Tensor, rng: Rng) -> Tensor:
    return -torch.log(blank.exponential_(generator=rng))


def _logistic_noise(blank: Tensor, rng: Rng) -> Tensor:
    even = blank.uniform_(generator=rng)
    tiny = torch.finfo(blank.dtype).tiny
    return torch.log(even.clamp_min(tiny)) - torch.log1p(-even)


@operator("_npi_normal", takes=_given_as_arrays("loc", "scale"))
def np_normal(
    input1: Tensor | None = None,
    input2: Tensor | None = None,
    *,
    loc: float | None,
    scale: float | None,
    size: Shape | None = None,
    ctx: Ctx | None = None,
    dtype: DType = torch.float32,
    rng: Rng,
) -> Tensor:
    """Normal variates with mean `loc` and standard deviation `scale`.

    Args:
        input1: the first parameter that is an array.
        input2: the second one.
        loc: the mean, if it is a number.
        scale: the standard deviation, if it is a number.
        size: the shape of the result; that of the parameters if there is none.
        ctx: where to make the result.
        dtype: a floating dtype.
        rng: supplied by the caller's surroundings.
    """
    return _located(_normal_noise, (input1, input2), loc, scale, size, ctx, dtype, rng)


@operator("_npi_normal_n", takes=_given_as_arrays("loc", "scale"))
def np_normal_n(
    input1: Tensor | None = None,
    input2: Tensor | None = None,
    *,
    loc: float | None,
    scale: float | None,
    size: Shape | None = None,
    ctx: Ctx | None = None,
    dtype: DType = torch.float32,
    rng: Rng,
) -> Tensor:
    """Normal variates as `np.random.normal` draws, but `size` comes before the shape of the parameters."""
    return _located(_normal_noise, (input1, input2), loc, scale, size, ctx, dtype, rng, batch=True)


@operator("_npi_gumbel", takes=_given_as_arrays("loc", "scale"))
def np_gumbel(
    input1: Tensor | None = None,
    input2: Tensor | None = None,
    *,
    loc: float | None,
    scale: float | None,
    size: Shape | None = None,
    ctx: Ctx | None = None,
    rng: Rng,
) -> Tensor:
    """Gumbel variates, float32; the arguments are those of `np.random.normal`."""
    return _located(_gumbel_noise, (input1, input2), loc, scale, size, ctx, torch.float32, rng)


@operator("_npi_logistic", takes=_given_as_arrays("loc", "scale"))
def np_logistic(
    input1: Tensor | None = None,
    input2: Tensor | None = None,
    *,
    loc: float | None,
    scale: float | None,
    size: Shape | None = None,
    ctx: Ctx | None = None,
    rng: Rng,
) -> Tensor:
    """Logistic variates, float32; the arguments are those of `np.random.normal`."""
    return _located(_logistic_noise, (input1, input2), loc, scale, size, ctx, torch.float32, rng)


# One parameter. The result is a function of it and of exponential variates.


def _one_parameter(
    input1: Tensor | None, number: float | None, size: Shape | None, ctx: Ctx | None, rng: Rng
) -> tuple[Any, Tensor]:
    params = _parameters((input1,), parameter=number)
    blank = _blank(params, size, torch.float32, ctx, rng)
    return _converted(params, blank)[0], blank.exponential_(generator=rng)


@operator("_npi_exponential", takes=_given_as_arrays("scale"))
def np_exponential(
    input1: Tensor | None = None,
    *,
    scale: float | None = 1.0,
    size: Shape | None = None,
    ctx: Ctx | None = None,
    rng: Rng,
) -> Tensor:
    """Exponential variates with mean `scale`, float32.

    Args:
        input1: the parameter, if it is an array.
        scale: the parameter, if it is a number.
        size: the shape of the result; that of the parameter if there is none.
        ctx: where to make the result.
        rng: supplied by the caller's surroundings.
    """
    factor, noise = _one_parameter(input1, scale, size, ctx, rng)
    at_least_0(scale=factor)
    return noise * factor


@operator("_npi_rayleigh", takes=_given_as_arrays("scale"))
def np_rayleigh(
    input1: Tensor | None = None,
    *,
    scale: float | None = 1.0,
    size: Shape | None = None,
    ctx: Ctx | None = None,
    rng: Rng,
) -> Tensor:
    """Rayleigh variates with mode `scale`, float32; the arguments are those of `np.random.exponential`."""
    factor, noise = _one_parameter(input1, scale, size, ctx, rng)
    at_least_0(scale=factor)
    return torch.sqrt(2 * noise) * factor


@operator("_npi_weibull", takes=_given_as_arrays("a"))
def np_weibull(
    input1: Tensor | None = None,
    *,
    a: float | None = None,
    size: Shape | None = None,
    ctx: Ctx | None = None,
    rng: Rng,
) -> Tensor:
    """Weibull variates of shape `a` and scale 1, float32; the arguments are those of `np.random.exponential`."""
    shape, noise = _one_parameter(input1, a, size, ctx, rng)
    _above_0(a=shape)
    return noise ** (1 / shape)


@operator("_npi_pareto", takes=_given_as_arrays("a"))
def np_pareto(
    input1: Tensor | None = None,
    *,
    a: float | None = None,
    size: Shape | None = None,
    ctx: Ctx | None = None,
    rng: Rng,
) -> Tensor:
    """Pareto variates of shape `a` that begin at 0, float32; the arguments are those of `np.random.exponential`."""
    shape, noise = _one_parameter(input1, a, size, ctx, rng)
    _above_0(a=shape)
    return torch.expm1(noise / shape)


@operator("_npi_powerd", takes=_given_as_arrays("a"), zero_gradient=True)
def np_powerd(input1: Tensor | None = None, *, a: float | None = None, size: Shape | None = None, rng: Rng) -> Tensor:
    """Numbers from 0 to 1 with the density a * x**(a - 1), float32, without gradient."""
    shape, noise = _one_parameter(None if input1 is None else input1.detach(), a, size, None, rng)
    _above_0(a=shape)
    return torch.exp(-noise / shape)


# Without gradient.


def _uniform(
    inputs: tuple[Tensor | None, ...],
    low: float | None,
    high: float | None,
    size: Shape | None,
    ctx: Ctx | None,
    dtype: torch.dtype,
    rng: Rng,
    batch: bool = False,
) -> Tensor:
    target = checked_dtype(dtype, FLOATS, torch.float32)
    params = _parameters(tuple(each if each is None else each.detach() for each in inputs), low=low, high=high)
    blank = _blank(params, size, target, ctx, rng, batch)
    start, end = _converted(params, blank)
    return _scaled(blank.uniform_(generator=rng), end - start, start).to(target)


@operator("_npi_uniform", takes=_given_as_arrays("low", "high"), zero_gradient=True)
def np_uniform(
    input1: Tensor | None = None,
    input2: Tensor | None = None,
    *,
    low: float | None,
    high: float | None,
    size: Shape | None = None,
    ctx: Ctx | None = None,
    dtype: DType = torch.float32,
    rng: Rng,
) -> Tensor:
    """Numbers spread evenly over [low, high), without gradient; the other arguments are those of `np.random.normal`."""
    return _uniform((input1, input2), low, high, size, ctx, dtype, rng)


@operator("_npi_uniform_n", takes=_given_as_arrays("low", "high"), zero_gradient=True)
def np_uniform_n(
    input1: Tensor | None = None,
    input2: Tensor | None = None,
    *,
    low: float | None,
    high: float | None,
    size: Shape | None = None,
    ctx: Ctx | None = None,
    dtype: DType = torch.float32,
    rng: Rng,
) -> Tensor:
    """Numbers as `np.random.uniform` draws, but `size` comes before the shape of the parameters."""
    return _uniform((input1, input2), low, high, size, ctx, dtype, rng, batch=True)


@operator("_npi_gamma", takes=_given_as_arrays("shape", "scale"), zero_gradient=True)
def np_gamma(
    input1: Tensor | None = None,
    input2: Tensor | None = None,
    *,
    shape: float | None,
    scale: float | None,
    size: Shape | None = None,
    ctx: Ctx | None = None,
    dtype: DType = torch.float32,
    rng: Rng,
) -> Tensor:
    """Gamma variates, without gradient: the mean is shape * scale; the arguments are those of `np.random.normal`."""
    target = checked_dtype(dtype, FLOATS, torch.float32)
    params = _parameters(
        tuple(each if each is None else each.detach() for each in (input1, input2)), shape=shape, scale=scale
    )
    for each in params:
        if isinstance(each, Tensor):
            expect_floating(each, "the parameter")
    _above_0(shape=params[0], scale=params[1])
    blank = _blank(params, size, target, ctx, rng)
    alpha, factor = _converted(params, blank)
    draws = standard_gamma(blank.copy_(alpha) if isinstance(alpha, Tensor) else blank.fill_(alpha), rng)
    return (draws * factor).to(target)


@operator(
    "_npi_bernoulli",
    takes=lambda given: ("input1",) if given["prob"] is None and given["logit"] is None else (),
    zero_gradient=True,
)
def np_bernoulli(
    input1: Tensor | None = None,
    *,
    prob: float | None,
    logit: float | None,
    size: Shape | None = None,
    ctx: Ctx | None = None,
    dtype: DType = torch.float32,
    is_logit: bool,
    rng: Rng,
) -> Tensor:
    """Ones with a probability, else zeros; without gradient.

    Args:
        input1: the probability, or its logit, if it is an array.
        prob: the probability, if it is a number.
        logit: the logit of the probability, if that is a number.
        size: the shape of the result; that of the parameter if there is none.
        ctx: where to make the result.
        dtype: the dtype of the result.
        is_logit: whether it is the logit that is given.
        rng: supplied by the caller's surroundings.
    """
    target = checked_dtype(dtype, (torch.bool, *FLOATS, torch.int32, torch.uint8), torch.float32)
    params = _parameters((None if input1 is None else input1.detach(),), parameter=logit if is_logit else prob)
    if not is_logit and any_of(params[0], lambda chances: (chances < 0) | (chances > 1)):
        raise OpParamError(f"expected probabilities from 0 to 1, got {shown(params[0])}")
    blank = _blank(params, size, torch.float32, ctx, rng)
    (chance,) = _converted(params, blank)
    if is_logit:
        chance = (
            torch.sigmoid(chance) if isinstance(chance, Tensor) else 1 / (1 + math.exp(-min(max(chance, -700), 700)))
        )
    return (blank.uniform_(generator=rng) < chance).to(target)
