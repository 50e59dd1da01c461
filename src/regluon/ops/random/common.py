"""Checks and steps that samplers share."""

import math
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from ...dtypes import NAME_OF_TORCH
from ...errors import OpParamError, OpShapeError, OpTypeError
from ...torch_private import draw_standard_gamma
from ..params import Ctx, Rng, Shape

FLOATS = (torch.float16, torch.float32, torch.float64)


def checked_dtype(dtype: torch.dtype | None, choices: tuple[torch.dtype, ...], default: torch.dtype) -> torch.dtype:
    """The dtype of a result; refuses one that is not among the choices."""
    if dtype is None:
        return default
    if dtype not in choices:
        listed = ", ".join(NAME_OF_TORCH[each] for each in choices)
        raise OpTypeError(f"dtype={NAME_OF_TORCH[dtype]}; expected one of {listed}")
    return dtype


def working_dtype(dtype: torch.dtype) -> torch.dtype:
    """Gamma variates, and anything scaled afterwards, need more digits than float16 has."""
    return torch.float32 if dtype == torch.float16 else dtype


def positive(**params: float) -> None:
    """Refuses numbers that are not finite and above 0."""
    for name, value in params.items():
        if not 0 < value < math.inf:
            raise OpParamError(f"{name}={value:g}; expected a finite number above 0")


def not_negative(**params: float) -> None:
    """Refuses numbers that are not finite and at least 0."""
    for name, value in params.items():
        if not 0 <= value < math.inf:
            raise OpParamError(f"{name}={value:g}; expected a finite number of at least 0")


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


def above_0(**params: Tensor | float) -> None:
    """Refuses a number, or an array with one, that is not above 0."""
    for name, value in params.items():
        if any_of(value, lambda numbers: numbers <= 0):
            raise OpParamError(f"expected {name} above 0, got {shown(value)}")


def any_of(value: Tensor | float, question: Callable[[Any], Any]) -> bool:
    """Whether a number, or any element of an array that has data, has a property."""
    if isinstance(value, Tensor):
        return value.device.type != "meta" and bool(question(value.detach()).any())
    return bool(question(value))


def shown(value: Tensor | float) -> str:
    """A number, or what stands for an array, in an error text."""
    return "an array with an element outside of this" if isinstance(value, Tensor) else f"{value:g}"


def standard_gamma(alpha: Tensor, rng: Rng) -> Tensor:
    """Gamma variates of scale 1; alpha = 0 stands for the limit, the constant 0."""
    draws = draw_standard_gamma(alpha, rng)
    return draws.masked_fill(~(alpha >= 0), math.nan)


def poisson(rate: Tensor, rng: Rng) -> Tensor:
    """Poisson variates. Torch refuses tensors with a rate it cannot use, so those are drawn apart."""
    usable = (rate >= 0) & (rate < math.inf)
    return torch.poisson(rate.masked_fill(~usable, 0), generator=rng).masked_fill(~usable, math.nan)
