"""Operators that make arrays from nothing."""

import math

import torch
from torch import Tensor

from ..error import OpParamError
from .params import Ctx, DType, Shape
from .registry import operator


@operator("_zeros")
def zeros(*, shape: Shape = (), ctx: Ctx | None = None, dtype: DType = torch.float32) -> Tensor:
    """An array of zeros."""
    assert ctx is not None
    return torch.zeros(shape, dtype=dtype, device=ctx.device)


@operator("_zeros_without_dtype")
def zeros_without_dtype(*, shape: Shape = (), ctx: Ctx | None = None, dtype: int = -1) -> Tensor:
    """An array of float32 zeros; saved graphs contain it where the dtype was open."""
    assert ctx is not None
    return torch.zeros(shape, dtype=torch.float32, device=ctx.device)


@operator("_ones")
def ones(*, shape: Shape = (), ctx: Ctx | None = None, dtype: DType = torch.float32) -> Tensor:
    """An array of ones."""
    assert ctx is not None
    return torch.ones(shape, dtype=dtype, device=ctx.device)


@operator("_full", "_npi_full")
def full(*, shape: Shape = (), ctx: Ctx | None = None, dtype: DType = torch.float32, value: float) -> Tensor:
    """An array filled with one value."""
    assert ctx is not None
    return torch.full(shape, value, dtype=torch.float64, device=ctx.device).to(dtype)


def arange_length(start: float, stop: float, step: float) -> int:
    """How many numbers lie in [start, stop) at this step."""
    if step == 0:
        raise OpParamError("step=0; expected a step that leads from start to stop")
    return max(0, math.ceil((stop - start) / step))


@operator("_arange")
def arange(
    *,
    start: float,
    stop: float | None = None,
    step: float = 1.0,
    repeat: int = 1,
    infer_range: bool = False,
    ctx: Ctx | None = None,
    dtype: DType = torch.float32,
) -> Tensor:
    """Evenly spaced numbers, each repeated `repeat` times; `start` alone counts from 0 up to it."""
    assert ctx is not None
    if stop is None:
        start, stop = 0.0, start
    count = arange_length(start, stop, step)
    numbers = torch.arange(count, dtype=torch.float64, device=ctx.device) * step + start
    return numbers.repeat_interleave(repeat, output_size=count * repeat).to(dtype)


@operator("_linspace", "_npi_linspace")
def linspace(
    *,
    start: float,
    stop: float | None = None,
    step: float = 1.0,
    repeat: int = 1,
    infer_range: bool = False,
    ctx: Ctx | None = None,
    dtype: DType = torch.float32,
) -> Tensor:
    """Evenly spaced numbers from `start` to just before `stop`."""
    return arange(start=start, stop=stop, step=step, repeat=repeat, ctx=ctx, dtype=dtype)


@operator("_eye")
def eye(*, N: int, M: int = 0, k: int = 0, ctx: Ctx | None = None, dtype: DType = torch.float32) -> Tensor:
    """A matrix with ones on the k-th diagonal."""
    assert ctx is not None
    width = M if M > 0 else N
    rows = torch.arange(N, device=ctx.device).unsqueeze(1)
    columns = torch.arange(width, device=ctx.device).unsqueeze(0)
    return (columns - rows == k).to(dtype)
