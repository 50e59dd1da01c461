"""Operators that make arrays from nothing."""

import math

import torch
from torch import Tensor

from ...config import switches
from ...dtypes import NAME_OF_FLAG, torch_dtype
from ...errors import OpParamError, OpShapeError
from ..params import Ctx, DType, Shape
from ..precision import fitted
from ..registry import operator, shape_of
from ..shape_rules import Params, Result, Specs


def _known(shape: Shape) -> Shape:
    """Refuses a shape that leaves something open: without NumPy shapes, () and 0 mean unknown."""
    unknown = not shape or 0 in shape
    if min(shape, default=0) < 0 or (unknown and not switches.np_shape):
        raise OpShapeError(f"shape={shape} is not known; expected positive lengths, such as shape=(2, 3)")
    return shape


@operator("_zeros")
def zeros(*, shape: Shape = (), ctx: Ctx | None = None, dtype: DType = torch.float32) -> Tensor:
    """An array of zeros."""
    assert ctx is not None
    return torch.zeros(_known(shape), dtype=dtype, device=ctx.device)


@operator("_zeros_without_dtype")
def zeros_without_dtype(*, shape: Shape = (), ctx: Ctx | None = None, dtype: int = -1) -> Tensor:
    """An array of zeros; the dtype is a number as in files, or -1 where it was left open, which makes float32."""
    assert ctx is not None
    if dtype != -1 and dtype not in NAME_OF_FLAG:
        raise OpParamError(f"dtype={dtype}; expected -1 or one of {', '.join(map(str, NAME_OF_FLAG))}")
    name = NAME_OF_FLAG.get(dtype, "float32")
    return torch.zeros(_known(shape), dtype=torch_dtype(name), device=ctx.device)


@operator("_ones")
def ones(*, shape: Shape = (), ctx: Ctx | None = None, dtype: DType = torch.float32) -> Tensor:
    """An array of ones."""
    assert ctx is not None
    return torch.ones(_known(shape), dtype=dtype, device=ctx.device)


@operator("_full", "_npi_full")
def full(*, shape: Shape = (), ctx: Ctx | None = None, dtype: DType = torch.float32, value: float) -> Tensor:
    """An array filled with one value."""
    assert ctx is not None
    # `nd.full` makes arrays without elements too.
    known = shape if shape and min(shape) >= 0 else _known(shape)
    return torch.full(known, fitted(value, dtype), dtype=dtype, device=ctx.device)


def arange_length(start: float, stop: float, step: float) -> int:
    """How many numbers lie in [start, stop) at this step; refuses a step that does not lead there."""
    if step == 0 or (stop - start) / step <= 0:
        raise OpParamError(f"start={start}, stop={stop}, step={step}; expected a step that leads from start to stop")
    return math.ceil((stop - start) / step)


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
    """Evenly spaced numbers, each repeated `repeat` times; `start` alone counts from 0 up to it.

    Start and step get the dtype first: integers count in whole steps. `infer_range` says in a graph that the length
    follows from where the numbers are used.
    """
    assert ctx is not None
    if stop is None:
        if infer_range:
            raise OpShapeError("the length is not known: infer_range leaves it open; expected a stop")
        start, stop = 0.0, start
    if repeat < 1:
        raise OpParamError(f"repeat={repeat}; expected at least 1")
    count = arange_length(start, stop, step)
    # float16 could not count beyond 2048.
    exact = dtype if dtype in (torch.float32, torch.float64) else torch.float32
    exact = exact if dtype.is_floating_point else torch.int64
    places = torch.arange(count, dtype=exact, device=ctx.device)
    kept = exact if dtype.is_floating_point else dtype
    numbers = (places * fitted(step, kept) + fitted(start, kept)).to(dtype)
    return numbers.repeat_interleave(repeat, output_size=count * repeat) if repeat > 1 else numbers


@operator("_linspace", "_npi_linspace")
def linspace(
    *,
    start: float,
    stop: float,
    step: float = 1.0,
    repeat: int = 1,
    infer_range: bool = False,
    ctx: Ctx | None = None,
    dtype: DType = torch.float32,
    num: int,
    endpoint: bool = True,
) -> Tensor:
    """Evenly spaced numbers over an interval.

    Args:
        start: the first number.
        stop: the end of the interval.
        step: not to be used, like `repeat` and `infer_range`; MXNet lists them, and refuses them.
        repeat: not to be used.
        infer_range: not to be used.
        ctx: where to put the array.
        dtype: of the numbers.
        num: how many.
        endpoint: whether `stop` is the last one; otherwise it is the one that would come next.
    """
    assert ctx is not None
    if num < 0:
        raise OpParamError(f"num={num}; expected a number of points, at least 0")
    if step != 1 or repeat != 1 or infer_range:
        raise OpParamError(
            f"step={step}, repeat={repeat}, infer_range={infer_range} have no use here; expected num alone"
        )
    gaps = num - 1 if endpoint else num
    places = torch.arange(num, dtype=torch.float64, device=ctx.device)
    return (places * ((stop - start) / max(gaps, 1)) + start).to(dtype)


@operator("_eye")
def eye(*, N: int, M: int = 0, k: int = 0, ctx: Ctx | None = None, dtype: DType = torch.float32) -> Tensor:
    """A matrix of N rows and M columns, N if not given, with ones on the k-th diagonal."""
    assert ctx is not None
    if N < 0:
        raise OpParamError(f"N={N}; expected a number of rows, at least 0")
    width = M if M > 0 else N
    rows = torch.arange(N, device=ctx.device).unsqueeze(1)
    columns = torch.arange(width, device=ctx.device).unsqueeze(0)
    return (columns - rows == k).to(dtype)


@shape_of("_zeros", "_ones", "_full")
def _made_shape(specs: Specs, params: Params) -> Result:
    """Arrays of one number."""
    shape = params["shape"]
    if not shape or min(shape) < 1 or not isinstance(params["dtype"], torch.dtype):
        return None
    return [(tuple(shape), params["dtype"])]


@shape_of("_arange")
def _range_shape(specs: Specs, params: Params) -> Result:
    start, stop, step = params["start"], params["stop"], params["step"]
    if stop is None:
        if params["infer_range"]:
            return None
        start, stop = 0.0, start
    if params["repeat"] < 1 or step == 0 or (stop - start) / step <= 0 or not isinstance(params["dtype"], torch.dtype):
        return None
    return [((math.ceil((stop - start) / step) * params["repeat"],), params["dtype"])]
