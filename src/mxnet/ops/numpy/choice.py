"""Choosing positions and counting outcomes in mx.np, and what its random operators share."""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from ...error import OpParamError, OpShapeError
from ..common import expect_floating, prod
from ..params import Ctx, Floats, Rng, Shape
from ..registry import operator

_MOST_DRAWS = 1 << 22  # numbers held at once while counting outcomes


def place_of(ctx: Ctx | None, rng: Rng | None) -> torch.device:
    """Where to draw numbers when there is no array to tell."""
    if ctx is not None:
        return ctx.device
    return torch.device("meta") if rng is None else rng.device


def checked_size(size: Shape) -> Shape:
    """Refuses lengths below 0."""
    if any(length is None or length < 0 for length in size):
        raise OpShapeError(f"size={size}; expected lengths of at least 0")
    return size


def at_least_0(**params: Tensor | float) -> None:
    """Refuses a number, or an array with one, below 0."""
    for name, value in params.items():
        if any_of(value, lambda numbers: numbers < 0):
            raise OpParamError(f"expected {name} of at least 0, got {shown(value)}")


def any_of(value: Tensor | float, question: Callable[[Any], Any]) -> bool:
    """Whether a number, or any element of an array that has data, has a property."""
    if isinstance(value, Tensor):
        return value.device.type != "meta" and bool(question(value.detach()).any())
    return bool(question(value))


def shown(value: Tensor | float) -> str:
    """A number, or what stands for an array, in an error text."""
    return "an array with an element outside of this" if isinstance(value, Tensor) else f"{value:g}"


@operator(
    "_npi_choice",
    takes=lambda given: ("input1", "input2")[: (given["a"] is None) + given["weighted"]],
    zero_gradient=True,
)
def np_choice(
    input1: Tensor | None = None,
    input2: Tensor | None = None,
    *,
    a: int | None,
    size: Shape | None,
    ctx: Ctx | None = None,
    replace: bool = True,
    weighted: bool = False,
    rng: Rng,
) -> Tensor:
    """Positions below a number, or in an array, as int64.

    Args:
        input1: the array to choose from, or the weights if there is only a number.
        input2: the weights, if there is an array to choose from.
        a: the number of positions, if there is no array.
        size: the shape of the result; a single position if there is none.
        ctx: where to make the result.
        replace: whether a position can be chosen again.
        weighted: whether there are weights: a position is chosen as often as its weight says.
        rng: supplied by the caller's surroundings.
    """
    inputs = [each for each in (input1, input2) if each is not None]
    if len(inputs) != (a is None) + weighted:
        raise OpParamError(f"received {len(inputs)} array(s) with a={a}, weighted={weighted}; expected as these say")
    if a is None and inputs[0].dim() == 0:
        raise OpShapeError("expected an array to choose from, got a single number")
    count = inputs[0].shape[0] if a is None else a
    shape = checked_size(size or ())
    number = prod(shape)
    if count < 1 or (not replace and number > count):
        raise OpParamError(f"cannot choose {number} of {count} positions{'' if replace else ' without repetition'}")
    device = inputs[0].device if inputs else place_of(ctx, rng)
    if not weighted:
        if replace:
            return torch.randint(count, shape, device=device, generator=rng)
        return torch.randperm(count, device=device, generator=rng)[:number].reshape(shape).clone()
    return _weighted_choice(inputs[-1].detach(), count, number, replace, rng).reshape(shape)


def _weighted_choice(weights: Tensor, count: int, number: int, replace: bool, rng: Rng) -> Tensor:
    if tuple(weights.shape) != (count,):
        raise OpShapeError(f"expected {count} weights, got shape {tuple(weights.shape)}")
    expect_floating(weights, "the weights")
    at_least_0(weights=weights)
    chances = weights.to(torch.float64)
    if replace:
        totals = chances.cumsum(0)
        even = torch.rand(number, dtype=torch.float64, device=weights.device, generator=rng)
        return torch.searchsorted(totals, even * totals[-1], right=True).clamp_(max=count - 1)
    # Chosen are the positions whose exponential clocks, ticking as fast as the weights say, ring first.
    clocks = torch.empty_like(chances).exponential_(generator=rng)
    return torch.topk(clocks / chances, number, largest=False).indices


@operator("_npi_multinomial", takes=lambda given: ("a",) if given["pvals"] is None else (), zero_gradient=True)
def np_multinomial(
    a: Tensor | None = None, *, n: int, pvals: Floats | None = None, size: Shape | None = None, rng: Rng
) -> Tensor:
    """How often each of several outcomes occurs in `n` trials, as int64.

    Args:
        a: the probabilities of the outcomes, if they are an array; the last outcome gets what is missing to 1.
        n: how many trials.
        pvals: the probabilities, if they are numbers.
        size: how many such experiments; the result has one more axis, for the outcomes.
        rng: supplied by the caller's surroundings.
    """
    if (a is None) == (pvals is None):
        raise OpParamError("expected the probabilities as an array or as pvals, and not both")
    if n < 0:
        raise OpParamError(f"n={n}; expected at least 0")
    if a is None:
        chances = torch.tensor(pvals, dtype=torch.float64, device=place_of(None, rng))
    else:
        chances = a.detach().to(torch.float64)
    if chances.dim() != 1:
        raise OpShapeError(f"expected a vector of probabilities, got shape {tuple(chances.shape)}")
    if any_of(chances, lambda values: (values < 0) | (values.sum() > 1 + 1e-6)):
        raise OpParamError("expected probabilities of at least 0 whose sum is at most 1")
    shape = checked_size(size or ())
    return _outcome_counts(chances, n, prod(shape), rng).reshape(*shape, chances.shape[0])


def _outcome_counts(chances: Tensor, trials: int, rows: int, rng: Rng) -> Tensor:
    """One row of counts per experiment, a part of the trials at a time."""
    counts = torch.zeros(rows, chances.shape[0], dtype=torch.int64, device=chances.device)
    if counts.device.type == "meta" or counts.numel() == 0:
        return counts
    edges = chances[:-1].cumsum(0)
    part = max(1, _MOST_DRAWS // rows)
    for start in range(0, trials, part):
        width = min(part, trials - start)
        even = torch.rand(rows, width, dtype=torch.float64, device=chances.device, generator=rng)
        outcomes = torch.searchsorted(edges, even, right=True)
        counts.scatter_add_(1, outcomes, torch.ones_like(outcomes))
    return counts
