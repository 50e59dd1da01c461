"""Arrays that mx.np makes from numbers."""

import math

import torch
from torch import Tensor

from ...errors import OpParamError, OpShapeError
from ..params import Ctx, DType, Shape
from ..precision import fitted
from ..registry import operator, shape_of
from ..shape_rules import Params, Result, Specs
from ..tensor.creation import arange as legacy_arange

# The parameter dtype may be None in all of these: Python functions hand on what they were given.


def _lengths(shape: Shape) -> Shape:
    """Refuses negative lengths: in graphs -1 stands for one that is not known yet."""
    if any(length < 0 for length in shape):
        raise OpShapeError(f"shape={shape} is not known; expected lengths of at least 0, such as shape=(2, 3)")
    return shape


@operator("_npi_zeros")
def zeros(*, shape: Shape = (), ctx: Ctx | None = None, dtype: DType | None = torch.float32) -> Tensor:
    """An array of zeros."""
    assert ctx is not None
    return torch.zeros(_lengths(shape), dtype=dtype or torch.float32, device=ctx.device)


@operator("_npi_ones")
def ones(*, shape: Shape = (), ctx: Ctx | None = None, dtype: DType | None = torch.float32) -> Tensor:
    """An array of ones."""
    assert ctx is not None
    return torch.ones(_lengths(shape), dtype=dtype or torch.float32, device=ctx.device)


@operator("_npi_full_like", zero_gradient=True)
def full_like(a: Tensor, *, fill_value: float, ctx: Ctx | None = None, dtype: DType | None = None) -> Tensor:
    """An array of the shape, and if no other is given the dtype, of another one, filled with one value."""
    assert ctx is not None
    dtype = a.dtype if dtype is None else dtype
    return torch.full(a.shape, fitted(fill_value, dtype), dtype=dtype, device=a.device)


@operator("_npi_arange")
def arange(
    *,
    start: float,
    stop: float | None = None,
    step: float = 1.0,
    repeat: int = 1,
    infer_range: bool = False,
    ctx: Ctx | None = None,
    dtype: DType | None = torch.float32,
) -> Tensor:
    """Evenly spaced numbers; `start` alone counts from 0 up to it.

    Start and step get the dtype first: integers count in whole steps. `repeat` is not to be used.
    """
    assert ctx is not None
    dtype = dtype or torch.float32
    if stop is None:
        if infer_range:
            raise OpShapeError("the length is not known: infer_range leaves it open; expected a stop")
        start, stop = 0.0, start
    if step == 0 or repeat != 1:
        raise OpParamError(f"step={step}, repeat={repeat}; expected a step other than 0 and no repetitions")
    if (stop - start) / step <= 0:
        return torch.zeros((0,), dtype=dtype, device=ctx.device)
    numbers: Tensor = legacy_arange(start=start, stop=stop, step=step, ctx=ctx, dtype=dtype)
    return numbers


@operator("_npi_logspace")
def logspace(
    *,
    start: float,
    stop: float,
    num: int,
    endpoint: bool = True,
    base: float = 10.0,
    ctx: Ctx | None = None,
    dtype: DType | None = torch.float32,
) -> Tensor:
    """Powers of `base` with evenly spaced exponents.

    Args:
        start: the first exponent.
        stop: the end of the exponents.
        num: how many.
        endpoint: whether `stop` is the last one; otherwise it is the one that would come next.
        base: what is raised.
        ctx: where to put the array.
        dtype: of the powers.
    """
    assert ctx is not None
    if num < 0:
        raise OpParamError(f"num={num}; expected a number of points, at least 0")
    gap = (stop - start) / max(num - 1 if endpoint else num, 1)
    exponents = torch.arange(num, dtype=torch.float64, device=ctx.device) * gap + start
    return torch.pow(base, exponents).to(dtype or torch.float32)


@operator("_npi_eye")
def eye(
    *, N: int, M: int | None = None, k: int = 0, ctx: Ctx | None = None, dtype: DType | None = torch.float32
) -> Tensor:
    """A matrix of N rows and M columns, N if not given, with ones on the k-th diagonal."""
    assert ctx is not None
    width = N if M is None else M
    if N < 0 or width < 0:
        raise OpParamError(f"N={N}, M={M}; expected numbers of rows and columns, at least 0")
    rows = torch.arange(N, device=ctx.device).unsqueeze(1)
    columns = torch.arange(width, device=ctx.device).unsqueeze(0)
    return (columns - rows == k).to(dtype or torch.float32)


@operator("_npi_identity")
def identity(*, shape: Shape = (), ctx: Ctx | None = None, dtype: DType | None = torch.float32) -> Tensor:
    """A square matrix with ones on the diagonal."""
    assert ctx is not None
    if len(_lengths(shape)) != 2 or shape[0] != shape[1]:
        raise OpShapeError(f"shape={shape}; expected two equal lengths, such as shape=(3, 3)")
    return torch.eye(shape[0], dtype=dtype or torch.float32, device=ctx.device)


@operator("_npi_indices")
def indices(*, dimensions: Shape, dtype: DType | None = torch.int32, ctx: Ctx | None = None) -> Tensor:
    """The place of every element of an array of this shape: one array for each axis, put together along a new one."""
    assert ctx is not None
    if any(length < 0 for length in dimensions):
        raise OpParamError(f"dimensions={dimensions}; expected lengths of at least 0, such as dimensions=(2, 3)")
    dtype = dtype or torch.int32
    if not dimensions:
        return torch.zeros((0,), dtype=dtype, device=ctx.device)
    counts = [torch.arange(length, device=ctx.device) for length in dimensions]
    return torch.stack(torch.meshgrid(counts, indexing="ij")).to(dtype)


def _window(M: int | None, ctx: Ctx | None, dtype: DType | None, weights: tuple[float, ...]) -> Tensor:
    """A sum of cosines over M points: weights[i] cos(2 pi i n / (M - 1)), and 1 for a single point."""
    assert ctx is not None
    dtype = dtype or torch.float32
    if M is None:
        raise OpParamError("parameter M is required; expected the number of points, such as M=12")
    if M <= 1:
        return torch.ones((max(M, 0),), dtype=dtype, device=ctx.device)
    angles = torch.arange(M, dtype=torch.float64, device=ctx.device) * (2 * math.pi / (M - 1))
    values = sum(weight * torch.cos(angles * i) for i, weight in enumerate(weights))
    assert isinstance(values, Tensor)
    return values.to(dtype)


@operator("_npi_hanning")
def hanning(*, M: int | None = None, ctx: Ctx | None = None, dtype: DType | None = torch.float32) -> Tensor:
    """The Hann window of M points: a raised cosine that ends in zeros."""
    return _window(M, ctx, dtype, (0.5, -0.5))


@operator("_npi_hamming")
def hamming(*, M: int | None = None, ctx: Ctx | None = None, dtype: DType | None = torch.float32) -> Tensor:
    """The Hamming window of M points: a raised cosine that ends above zero."""
    return _window(M, ctx, dtype, (0.54, -0.46))


@operator("_npi_blackman")
def blackman(*, M: int | None = None, ctx: Ctx | None = None, dtype: DType | None = torch.float32) -> Tensor:
    """The Blackman window of M points: two cosines, with less leakage than one."""
    return _window(M, ctx, dtype, (0.42, -0.5, 0.08))


@shape_of("_npi_zeros", "_npi_ones")
def _made_shape(specs: Specs, params: Params) -> Result:
    """Arrays of one number."""
    shape, dtype = params["shape"], params["dtype"]
    return [(tuple(shape), dtype)] if isinstance(dtype, torch.dtype) and min(shape, default=0) >= 0 else None
