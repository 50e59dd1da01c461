"""Random numbers of mx.np, from the generator of the context, generated from one function for each distribution.

A parameter of a distribution is a number, given by name, or an array, given as an input: the arrays in the order of the
parameters that are None. Arrays are stretched to fit each other and `size`. Where the numbers are a smooth function of
the parameters and of noise that does not depend on them, they have a gradient, as in MXNet.
"""

import inspect
import math
from collections.abc import Callable, Mapping
from inspect import signature
from typing import Any, NamedTuple

import torch
from torch import Tensor

from ...errors import OpParamError, OpShapeError
from ..common import expect_floating, same_dtype
from ..dtype_rules import PARAM, DtypeRule
from ..params import Ctx, DType, Rng, Shape
from ..registry import operator
from ..signatures import REQUIRED, number, signed
from .common import (
    FLOATS,
    above_0,
    any_of,
    at_least_0,
    checked_dtype,
    checked_size,
    place_of,
    shown,
    standard_gamma,
    working_dtype,
)

_DTYPES = DtypeRule(free=("input1", "input2"), outputs=(PARAM,))
_SINGLE = DtypeRule(free=("input1", "input2"), outputs=(torch.float32,))


def _given_as_arrays(*params: str) -> Callable[[Mapping[str, Any]], tuple[str, ...]]:
    """The inputs in force: as many as parameters are not given as numbers."""
    return lambda given: ("input1", "input2")[: sum(given[name] is None for name in params)]


def _parameters(inputs: tuple[Tensor | None, ...], numbers: Mapping[str, float | None]) -> list[Tensor | float]:
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


class _Traits(NamedTuple):
    """What operators of a distribution check and take.

    Attributes:
        above: parameters that must be above 0.
        at_least: parameters that must not be below 0.
        has_dtype: whether the dtype can be chosen; float32 otherwise.
        has_ctx: whether the context can be.
        has_gradient: whether the numbers have a gradient with respect to the parameters.
        is_real: whether arrays must be floating.
    """

    above: tuple[str, ...] = ()
    at_least: tuple[str, ...] = ()
    has_dtype: bool = False
    has_ctx: bool = True
    has_gradient: bool = True
    is_real: bool = False


def _operators(*forms: str, **traits: Any) -> Callable[[Callable[..., Tensor]], Callable[..., Tensor]]:
    """Declares operators that draw by the decorated function.

    It takes empty memory and the generator, then the parameters: those of the operators, with their defaults. In the
    form "_n", `size` comes before the shape of the parameters.
    """

    def declare(function: Callable[..., Tensor]) -> Callable[..., Tensor]:
        for form in forms or ("",):
            _declare(function, form, _Traits(**traits))
        return function

    return declare


def _declare(function: Callable[..., Tensor], form: str, traits: _Traits) -> None:
    params = {name: each.default for name, each in list(signature(function).parameters.items())[2:]}
    order = {name: None if default is REQUIRED else default for name, default in params.items()}
    checks = [at_least_0 if name in traits.at_least else above_0 if name in traits.above else None for name in params]
    has_gradient, is_real, is_batch = traits.has_gradient, traits.is_real, form == "_n"

    def draw(
        *inputs: Tensor | None,
        size: Shape | None = None,
        ctx: Ctx | None = None,
        dtype: DType = torch.float32,
        rng: Rng,
        **given: Any,
    ) -> Tensor:
        target = checked_dtype(dtype, FLOATS, torch.float32)
        if inputs and not has_gradient:
            inputs = tuple(array if array is None else array.detach() for array in inputs)
        values = _parameters(inputs, {**order, **given})
        for name, check, value in zip(order, checks, values, strict=True):
            if is_real and isinstance(value, Tensor):
                expect_floating(value, "the parameter")
            if check is not None:
                check(**{name: value})
        blank = _blank(values, size, target, ctx, rng, is_batch)
        drawn = function(blank, rng, *_converted(values, blank))
        return drawn if drawn.dtype is target else drawn.to(target)

    given_as_number = "this parameter, if it is a number."
    numbers: dict[str, Any] = {name: (float | None, default, given_as_number) for name, default in params.items()}
    numbers["size"] = (Shape | None, None, "the shape of the result; that of the parameters if there is none.")
    if traits.has_ctx:
        numbers["ctx"] = (Ctx | None, None, "where to make the result.")
    if traits.has_dtype:
        numbers["dtype"] = (DType, torch.float32, "a floating dtype.")
    numbers["rng"] = (Rng, REQUIRED, "supplied by the caller's surroundings.")
    texts = {"input1": "the first parameter that is an array.", "input2": "the second one."}
    inputs = tuple(texts)[: len(params)]
    summary = f"Numbers as `np.random.{function.__name__}` draws; `size` comes before the shape of the parameters."
    arguments = [f"    {name}: {texts[name]}" for name in inputs]
    arguments += [f"    {name}: {text}" for name, (_, _, text) in numbers.items()]
    doc = "\n".join([summary if form else inspect.getdoc(function) or "", "", "Args:", *arguments])
    name = f"_npi_{function.__name__}{form}"
    signed(draw, name, doc, inputs, [number(key, *each[:2]) for key, each in numbers.items()], optional=True)
    operator(
        name,
        takes=_given_as_arrays(*params),
        zero_gradient=not traits.has_gradient,
        dtypes=_DTYPES if traits.has_dtype else _SINGLE,
        **({"total_outputs": 2} if traits.has_gradient else {}),  # MXNet keeps the noise for the gradient
    )(draw)


def _scaled(noise: Tensor, factor: Tensor | float, place: Tensor | float) -> Tensor:
    """place + factor * noise, in the memory of the noise if both are numbers."""
    if isinstance(factor, Tensor) or isinstance(place, Tensor):
        return noise * factor + place
    scaled = noise if factor == 1 else noise.mul_(factor)
    return scaled if place == 0 else scaled.add_(place)


@_operators("", "_n", at_least=("scale",), has_dtype=True)
def normal(blank: Tensor, rng: Rng, loc: Any, scale: Any) -> Tensor:
    """Normal variates with mean `loc` and standard deviation `scale`."""
    return _scaled(blank.normal_(generator=rng), scale, loc)


@_operators(at_least=("scale",))
def gumbel(blank: Tensor, rng: Rng, loc: Any, scale: Any) -> Tensor:
    """Gumbel variates, float32."""
    return _scaled(-torch.log(blank.exponential_(generator=rng)), scale, loc)


@_operators(at_least=("scale",))
def logistic(blank: Tensor, rng: Rng, loc: Any, scale: Any) -> Tensor:
    """Logistic variates, float32."""
    even = blank.uniform_(generator=rng)
    tiny = torch.finfo(blank.dtype).tiny
    return _scaled(torch.log(even.clamp_min(tiny)) - torch.log1p(-even), scale, loc)


@_operators(at_least=("scale",))
def exponential(blank: Tensor, rng: Rng, scale: Any = 1.0) -> Tensor:
    """Exponential variates with mean `scale`, float32."""
    return blank.exponential_(generator=rng) * scale


@_operators(at_least=("scale",))
def rayleigh(blank: Tensor, rng: Rng, scale: Any = 1.0) -> Tensor:
    """Rayleigh variates with mode `scale`, float32."""
    return torch.sqrt(2 * blank.exponential_(generator=rng)) * scale


@_operators(above=("a",))
def weibull(blank: Tensor, rng: Rng, a: Any = None) -> Tensor:
    """Weibull variates of shape `a` and scale 1, float32."""
    return blank.exponential_(generator=rng) ** (1 / a)


@_operators(above=("a",))
def pareto(blank: Tensor, rng: Rng, a: Any = None) -> Tensor:
    """Pareto variates of shape `a` that begin at 0, float32."""
    return torch.expm1(blank.exponential_(generator=rng) / a)


@_operators(above=("a",), has_ctx=False, has_gradient=False)
def powerd(blank: Tensor, rng: Rng, a: Any = None) -> Tensor:
    """Numbers from 0 to 1 with the density a * x**(a - 1), float32, without gradient."""
    return torch.exp(-blank.exponential_(generator=rng) / a)


@_operators("", "_n", has_dtype=True, has_gradient=False)
def uniform(blank: Tensor, rng: Rng, low: Any, high: Any) -> Tensor:
    """Numbers spread evenly over [low, high), without gradient."""
    return _scaled(blank.uniform_(generator=rng), high - low, low)


@_operators(above=("shape", "scale"), has_dtype=True, has_gradient=False, is_real=True)
def gamma(blank: Tensor, rng: Rng, shape: Any, scale: Any) -> Tensor:
    """Gamma variates, without gradient: the mean is shape * scale."""
    return standard_gamma(blank.copy_(shape) if isinstance(shape, Tensor) else blank.fill_(shape), rng) * scale


@operator(
    "_npi_bernoulli",
    takes=lambda given: ("input1",) if given["prob"] is None and given["logit"] is None else (),
    zero_gradient=True,
    dtypes=_DTYPES,
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
    params = _parameters((None if input1 is None else input1.detach(),), {"parameter": logit if is_logit else prob})
    if not is_logit and any_of(params[0], lambda chances: (chances < 0) | (chances > 1)):
        raise OpParamError(f"expected probabilities from 0 to 1, got {shown(params[0])}")
    blank = _blank(params, size, torch.float32, ctx, rng)
    (chance,) = _converted(params, blank)
    if is_logit:
        chance = (
            torch.sigmoid(chance) if isinstance(chance, Tensor) else 1 / (1 + math.exp(-min(max(chance, -700), 700)))
        )
    return (blank.uniform_(generator=rng) < chance).to(target)
