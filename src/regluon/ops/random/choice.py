"""Choosing among numbers, classes, rows and positions, and counting outcomes."""

import math

import torch
from torch import Tensor

from ...dtypes import NAME_OF_TORCH
from ...errors import OpParamError, OpShapeError, OpTypeError
from ..common import expect_floating, one_element, prod
from ..dtype_rules import DtypeRule
from ..params import Ctx, DType, Floats, Rng, Shape
from ..registry import operator
from .common import FLOATS, any_of, at_least_0, checked_dtype, checked_size, place_of
from .operators import checked_shape

_MOST_DRAWS = 1 << 22  # numbers held at once while counting outcomes


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
    return torch.randint(low, high, checked_shape(shape), dtype=integer, device=ctx.device, generator=rng)


@operator(
    "_sample_multinomial",
    "sample_multinomial",
    outputs=lambda params: 2 if params["get_prob"] else 1,
    zero_inputs=("data",),  # of the classes; probabilities have a gradient
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


# Of mx.np.


@operator(
    "_npi_choice",
    takes=lambda given: ("input1", "input2")[: (given["a"] is None) + given["weighted"]],
    zero_gradient=True,
    dtypes=DtypeRule(free=("input1", "input2"), outputs=(torch.int64,)),
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


@operator(
    "_npi_multinomial",
    takes=lambda given: ("a",) if given["pvals"] is None else (),
    zero_gradient=True,
    dtypes=DtypeRule(free=("a",), outputs=(torch.int64,)),
)
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
