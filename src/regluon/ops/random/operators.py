"""Samplers of `mx.nd.random`, generated from the table of distributions.

Three forms: `_random_*` with numbers as parameters, `_random_*_like` that takes shape and dtype from an array, and
`_sample_*` with one distribution per element of the parameter arrays. Densities, `_random_pdf_*`, are in density.py.
"""

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from ...config import switches
from ...dtypes import NAME_OF_TORCH
from ...errors import OpShapeError, OpTypeError
from ..common import expect_shape, same_dtype
from ..params import Ctx, DType, Rng, Shape
from ..registry import operator
from ..signatures import number, signed
from .common import FLOATS, checked_dtype, working_dtype
from .distributions import DISTRIBUTIONS, Distribution


def checked_shape(shape: Shape) -> Shape:
    """Refuses a shape that is left out or open: in MXNet's shapes nothing and 0 mean unknown."""
    if switches.np_shape:
        if any(length is None or length < 0 for length in shape):
            raise OpShapeError(f"shape={shape}; expected lengths of at least 0")
    elif not shape or any(length is None or length < 1 for length in shape):
        raise OpShapeError(
            f"shape={shape}; expected the shape of the result, such as (2, 3), with lengths of at least 1"
        )
    return shape


def _declare_random(distribution: Distribution) -> None:
    """Numbers as parameters."""
    fill = distribution.draw

    def draw(*, shape: Shape = (), ctx: Ctx, dtype: DType | None = None, rng: Rng, **given: Any) -> Tensor:
        lengths = checked_shape(shape)
        blank = torch.empty(lengths, dtype=checked_dtype(dtype, FLOATS, torch.float32), device=ctx.device)
        return fill(blank, rng, **given)

    name = f"_random_{distribution.name}"
    last = number("shape", Shape, ()), number("ctx", Ctx | None, None), number("dtype", DType | None, None)
    numbers = (*_numbers(distribution), *last, number("rng", Rng))
    text = distribution.doc.format(*(each.name for each in distribution.numbers))
    operator(name, name[1:], *distribution.aliases)(signed(draw, name, f"{text}.", (), numbers))


def _declare_like(distribution: Distribution) -> None:
    """Numbers as parameters, shape and dtype of an array."""
    fill = distribution.draw

    def draw(data: Tensor, *, rng: Rng, **given: Any) -> Tensor:
        if not data.is_floating_point():
            raise OpTypeError(f"expected a floating array, got {NAME_OF_TORCH[data.dtype]}; convert it with astype()")
        blank = torch.empty(data.shape, dtype=data.dtype, device=data.device)
        return fill(blank, rng, **given)

    name = f"_random_{distribution.name}_like"
    text = f"{distribution.doc.format(*(each.name for each in distribution.numbers))}; as many as `data` has elements."
    numbers = (*_numbers(distribution), number("rng", Rng))
    operator(name, zero_gradient=True)(signed(draw, name, text, ("data",), numbers))


def _declare_sample(distribution: Distribution) -> None:
    """One distribution per element of the parameters: the result has their shape, followed by `shape`."""
    names, draw_each = distribution.arrays, distribution.draw_each

    def draw(*arrays: Tensor, shape: Shape = (), dtype: DType | None = None, rng: Rng) -> Tensor:
        target = checked_dtype(dtype, FLOATS, torch.float32)
        return draw_each(rng, *_spread(shape, target, names, arrays)).to(target)

    name = f"_sample_{distribution.name}"
    text = f"{distribution.doc.format(*distribution.arrays)}; for each element of the parameters."
    numbers = number("shape", Shape, ()), number("dtype", DType | None, None), number("rng", Rng)
    operator(name, name[1:], zero_gradient=True)(signed(draw, name, text, distribution.arrays, numbers))


def _numbers(distribution: Distribution) -> list[Any]:
    return [number(each.name, each.annotation, each.default) for each in distribution.numbers]


def _spread(shape: Shape, dtype: torch.dtype, names: Sequence[str], arrays: Sequence[Tensor]) -> list[Tensor]:
    """The parameters, each repeated over the numbers to be drawn from it, in a dtype to compute in."""
    params = dict(zip(names, arrays, strict=True))
    same_dtype(**params)
    if any(length is None or length < 1 for length in shape):
        raise OpShapeError(f"shape={shape}; expected the lengths of further axes, each at least 1")
    spread = []
    for name, param in params.items():
        expect_shape(name, param, tuple(arrays[0].shape))
        column = param.detach().to(working_dtype(dtype)).reshape(param.shape + (1,) * len(shape))
        spread.append(column.expand(*param.shape, *shape))
    return spread


for _each in DISTRIBUTIONS:
    _declare_random(_each)
    _declare_like(_each)
    _declare_sample(_each)
