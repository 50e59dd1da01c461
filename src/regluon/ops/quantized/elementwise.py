"""Operators on quantized arrays: 8 bits in, and 8 or 32 bits out, each with its limits.

See quantization.py for what limits mean. None of these operators has a gradient.
"""

import math
from collections.abc import Iterable, Mapping
from typing import Any, Literal

import torch
from torch import Tensor

from ...errors import OpParamError, OpShapeError
from ..common import expect_shape, normal_axis, prod, same_shape
from ..dtype_rules import DATA, DtypeRule
from ..nn.pooling import Convention, PoolType, pooling
from ..params import DType, Shape
from ..registry import operator
from ..tensor.concatenation import concat
from ..tensor.gather import embedding
from .calibration import (
    INT32_LEVELS,
    RANGE_NAMES,
    calibrated,
    expect_8_bits,
    expect_dtype,
    expect_range,
    limits_of,
    magnitude,
    num_levels,
    product_range,
    to_levels,
    with_limits,
)

_Results = tuple[Tensor, ...]
_DATA_RANGE = limits_of("min_data", "max_data")
_PAIR_LIMITS = ("lhs_min", "lhs_max", "rhs_min", "rhs_max")
_PAIR_RANGES = limits_of(*_PAIR_LIMITS)
_AS_DATA = with_limits("min_data", "max_data", result=lambda _: DATA)


def _pair_shapes(lhs: Shape, **params: Any) -> dict[str, Shape]:
    return {"rhs": lhs, **_PAIR_RANGES(lhs, **params)}


def _embedding_shapes(data: Shape, *, input_dim: int, output_dim: int, **_: Any) -> dict[str, Shape]:
    return {"weight": (input_dim, output_dim), "min_weight": (1,), "max_weight": (1,)}


@operator(
    "_contrib_quantized_pooling",
    zero_gradient=True,
    outputs=3,
    returns_view=True,
    completes=_DATA_RANGE,
    dtypes=_AS_DATA,
    output_names=RANGE_NAMES,
)
def quantized_pooling(
    data: Tensor,
    min_data: Tensor,
    max_data: Tensor,
    *,
    kernel: Shape = (),
    pool_type: PoolType = "max",
    global_pool: bool = False,
    cudnn_off: bool = False,
    pooling_convention: Convention = "valid",
    stride: Shape = (),
    pad: Shape = (),
    p_value: int | None = None,
    count_include_pad: bool | None = None,
    layout: Literal["NCDHW", "NCHW", "NCW", "NDHWC", "NHWC", "NWC"] | None = None,
) -> _Results:
    """The maximum or the rounded mean over windows; parameters as those of `Pooling`.

    Args:
        data: int8 or uint8, with 2 or 3 spatial axes.
        min_data: limits of the data, and of the result, one element each.
        max_data: likewise.
        kernel: size of the windows.
        pool_type: 'max' or 'avg'.
        global_pool: takes the whole data as one window.
        cudnn_off: has no effect.
        pooling_convention: what happens to elements at the end that do not fill a window.
        stride: step of the windows, 1 if not given.
        pad: padding on both sides of the data, 0 if not given.
        p_value: has no effect.
        count_include_pad: whether padding, and what a window lacks at the end, counts in the mean; it does if not
            given.
        layout: order of the axes; channels first if not given.
    """
    expect_8_bits("data", data)
    expect_range(min_data=min_data, max_data=max_data)
    if pool_type not in ("max", "avg"):
        raise OpParamError(f"pool_type={pool_type!r}; expected 'max' or 'avg'")
    if data.dim() not in (4, 5):
        raise OpShapeError(f"expected data of 4 or 5 dimensions, got shape {tuple(data.shape)}")
    whole = pool_type == "avg" and not global_pool and count_include_pad is not False
    pooled = pooling(
        data.to(torch.float32),
        kernel=kernel,
        pool_type="sum" if whole else pool_type,
        global_pool=global_pool,
        pooling_convention=pooling_convention,
        stride=stride,
        pad=pad,
        count_include_pad=count_include_pad,
        layout=layout,
    )
    return to_levels(pooled / prod(kernel) if whole else pooled, data.dtype), min_data, max_data


@operator(
    "_contrib_quantized_act",
    has_gradient=False,
    outputs=3,
    returns_view=True,
    completes=_DATA_RANGE,
    dtypes=_AS_DATA,
    output_names=RANGE_NAMES,
)
def quantized_act(
    data: Tensor,
    min_data: Tensor,
    max_data: Tensor,
    *,
    act_type: Literal["relu", "sigmoid", "softrelu", "softsign", "tanh"],
) -> _Results:
    """max(x, 0); its limits stay as they are.

    Args:
        data: int8 or uint8; the result is int8 always, in MXNet too.
        min_data: limits of the data, one element each.
        max_data: likewise.
        act_type: only 'relu'.
    """
    expect_8_bits("data", data)
    expect_range(min_data=min_data, max_data=max_data)
    if act_type != "relu":
        raise OpParamError(f"act_type={act_type!r}; expected 'relu'")
    return (data.clamp(min=0) if data.dtype is torch.int8 else data.to(torch.int8)), min_data, max_data


@operator(
    "_contrib_quantized_flatten",
    zero_gradient=True,
    outputs=3,
    returns_view=True,
    completes=_DATA_RANGE,
    dtypes=_AS_DATA,
    output_names=RANGE_NAMES,
)
def quantized_flatten(data: Tensor, min_data: Tensor, max_data: Tensor) -> _Results:
    """Joins all axes but the first; the limits stay as they are."""
    expect_range(min_data=min_data, max_data=max_data)
    if data.dim() == 0:
        raise OpShapeError("expected at least one axis, got an array of shape ()")
    return data.reshape(data.shape[0], prod(data.shape[1:])), min_data, max_data


@operator(
    "_contrib_quantized_embedding",
    zero_gradient=True,
    outputs=3,
    returns_view=True,
    completes=_embedding_shapes,
    dtypes=with_limits("min_weight", "max_weight", result=lambda _: torch.int8, weights=("weight",)),
    output_names=RANGE_NAMES,
)
def quantized_embedding(
    data: Tensor,
    weight: Tensor,
    min_weight: Tensor,
    max_weight: Tensor,
    *,
    input_dim: int,
    output_dim: int,
    dtype: DType = torch.float32,
    sparse_grad: bool = False,
) -> _Results:
    """Replaces every index by a row of the weight; the limits stay as they are.

    Args:
        data: the indices; one out of range takes the first or last row.
        weight: int8, (input_dim, output_dim).
        min_weight: limits of the weight, one element each.
        max_weight: likewise.
        input_dim: the number of rows.
        output_dim: their length.
        dtype: has no effect.
        sparse_grad: has no effect.
    """
    expect_dtype("weight", weight, torch.int8)
    expect_range(min_weight=min_weight, max_weight=max_weight)
    return embedding(data, weight, input_dim=input_dim, output_dim=output_dim), min_weight, max_weight


def _common(dtypes: Iterable[torch.dtype]) -> torch.dtype:
    """The dtype of arrays of 8 bits that are joined or added; their limits do not count."""
    found = {dtype for dtype in dtypes if not dtype.is_floating_point}
    return torch.uint8 if found == {torch.uint8} else torch.int8


@operator(
    "_contrib_quantized_concat",
    zero_gradient=True,
    outputs=3,
    dtypes=DtypeRule(mixed=_common, outputs=(DATA, torch.float32, torch.float32)),
    output_names=RANGE_NAMES,
)
def quantized_concat(*data: Tensor, num_args: int, dim: int = 1) -> _Results:
    """Joins arrays along an axis, brought to common limits.

    Args:
        data: int8 or uint8 arrays, then the minimum and the maximum of each of them, one element each.
        num_args: number of arrays, not counting the limits.
        dim: the axis.

    Returns:
        The joined array, int8 unless all are uint8, and its limits.
    """
    if num_args < 1 or len(data) != 3 * num_args:
        raise OpParamError(f"num_args={num_args}; expected so many arrays and two limits for each, got {len(data)}")
    arrays, lows, highs = data[:num_args], data[num_args::2], data[num_args + 1 :: 2]
    for place, array in enumerate(arrays):
        expect_8_bits(f"data[{place}]", array)
        expect_range(**{f"minimum {place}": lows[place], f"maximum {place}": highs[place]})
    dtype = torch.uint8 if all(array.dtype is torch.uint8 for array in arrays) else torch.int8
    low = torch.stack(lows).detach().amin(0).clamp(max=0)
    high = torch.stack(highs).detach().amax(0).clamp(min=0)
    scale = num_levels(dtype) / magnitude(low, high)
    parts = [
        to_levels(array.to(torch.float32) * (scale / (num_levels(array.dtype) / magnitude(*limits))), dtype)
        for array, *limits in zip(arrays, lows, highs, strict=True)
    ]
    return concat(*parts, dim=dim), low, high


def _is_calibrated(params: Mapping[str, Any]) -> bool:
    return params["min_calib_range"] is not None and params["max_calib_range"] is not None


def _product_dtype(params: Mapping[str, Any]) -> torch.dtype:
    if params["enable_float_output"]:
        return torch.float32
    return torch.int8 if _is_calibrated(params) else torch.int32


def _pair_limits(lhs_min: Tensor, lhs_max: Tensor, rhs_min: Tensor, rhs_max: Tensor) -> tuple[Tensor, Tensor]:
    expect_range(lhs_min=lhs_min, lhs_max=lhs_max, rhs_min=rhs_min, rhs_max=rhs_max)
    return magnitude(lhs_min, lhs_max).detach(), magnitude(rhs_min, rhs_max).detach()


@operator(
    "_contrib_quantized_elemwise_add",
    has_gradient=False,
    outputs=3,
    completes=_pair_shapes,
    dtypes=with_limits(*_PAIR_LIMITS, result=lambda params: DATA if _is_calibrated(params) else torch.int32)._replace(
        mixed=_common
    ),
    output_names=RANGE_NAMES,
)
def quantized_elemwise_add(
    lhs: Tensor,
    rhs: Tensor,
    lhs_min: Tensor,
    lhs_max: Tensor,
    rhs_min: Tensor,
    rhs_max: Tensor,
    *,
    min_calib_range: float | None = None,
    max_calib_range: float | None = None,
) -> _Results:
    """Adds two arrays of one shape.

    Args:
        lhs: int8 or uint8.
        rhs: likewise.
        lhs_min: limits of `lhs`, one element each.
        lhs_max: likewise.
        rhs_min: limits of `rhs`.
        rhs_max: likewise.
        min_calib_range: limits of the result. With both given it has the dtype of the arrays, int8 if they differ;
            otherwise it is int32.
        max_calib_range: likewise.
    """
    expect_8_bits("lhs", lhs)
    expect_8_bits("rhs", rhs)
    same_shape(lhs, rhs)
    lhs_real, rhs_real = _pair_limits(lhs_min, lhs_max, rhs_min, rhs_max)
    limits = calibrated(min_calib_range, max_calib_range, lhs)
    if limits is None:
        high = lhs_real + rhs_real
        limits, dtype, levels = (-high, high), torch.int32, INT32_LEVELS
    else:
        dtype = lhs.dtype if lhs.dtype is rhs.dtype else torch.int8
        levels = num_levels(dtype)
    scale = levels / magnitude(*limits)
    terms = []
    for array, real in ((lhs, lhs_real), (rhs, rhs_real)):
        term = array.to(torch.float32) * (scale / (num_levels(array.dtype) / real))
        # Where dtypes differ MXNet brings uint8 to int8 first.
        is_brought = array.dtype is not dtype and dtype is not torch.int32
        terms.append(to_levels(term, dtype).to(torch.float32) if is_brought else term)
    return to_levels(terms[0] + terms[1], dtype), *limits


@operator(
    "_contrib_quantized_elemwise_mul",
    has_gradient=False,
    outputs=lambda params: 1 if params["enable_float_output"] else 3,
    completes=_pair_shapes,
    dtypes=with_limits(*_PAIR_LIMITS, result=_product_dtype),
    output_names=RANGE_NAMES,
)
def quantized_elemwise_mul(
    lhs: Tensor,
    rhs: Tensor,
    lhs_min: Tensor,
    lhs_max: Tensor,
    rhs_min: Tensor,
    rhs_max: Tensor,
    *,
    min_calib_range: float | None = None,
    max_calib_range: float | None = None,
    enable_float_output: bool = False,
) -> Tensor | _Results:
    """Multiplies two arrays of one shape.

    Args:
        lhs: int8.
        rhs: int8.
        lhs_min: limits of `lhs`, one element each.
        lhs_max: likewise.
        rhs_min: limits of `rhs`.
        rhs_max: likewise.
        min_calib_range: limits of the result. With both given it is int8, cut off; otherwise it is int32.
        max_calib_range: likewise.
        enable_float_output: whether to return real numbers alone.
    """
    expect_dtype("lhs", lhs, torch.int8)
    expect_dtype("rhs", rhs, torch.int8)
    same_shape(lhs, rhs)
    lhs_real, rhs_real = _pair_limits(lhs_min, lhs_max, rhs_min, rhs_max)
    products = lhs.to(torch.int32) * rhs.to(torch.int32)
    unit = (lhs_real / num_levels(torch.int8)) * (rhs_real / num_levels(torch.int8))
    if enable_float_output:
        return products * unit
    limits = calibrated(min_calib_range, max_calib_range, lhs)
    if limits is None:
        return products, *product_range(lhs, lhs_real, rhs_real)
    levels = products * (unit * (num_levels(torch.int8) / magnitude(*limits)))
    return to_levels(levels.trunc(), torch.int8), *limits


def _batch_norm_shapes(data: Shape, *, axis: int, **_: Any) -> dict[str, Shape]:
    shape = (data[normal_axis(axis, len(data))],)
    states = dict.fromkeys(("gamma", "beta", "moving_mean", "moving_var"), shape)
    return {**states, **_DATA_RANGE(data)}


@operator(
    "_contrib_quantized_batch_norm",
    zero_gradient=True,
    outputs=3,
    auxiliary=("moving_mean", "moving_var"),
    completes=_batch_norm_shapes,
    dtypes=with_limits(
        *("gamma", "beta", "moving_mean", "moving_var", "min_data", "max_data"), result=lambda _: torch.int8
    ),
    output_names=RANGE_NAMES,
)
def quantized_batch_norm(
    data: Tensor,
    gamma: Tensor,
    beta: Tensor,
    moving_mean: Tensor,
    moving_var: Tensor,
    min_data: Tensor,
    max_data: Tensor,
    *,
    eps: float = 0.0010000000474974513,  # 0.001 as a 32-bit float, although the parameter is a double
    momentum: float = 0.9,
    fix_gamma: bool = True,
    use_global_stats: bool = False,
    output_mean_var: bool = False,
    axis: int = 1,
    cudnn_off: bool = False,
    min_calib_range: float | None = None,
    max_calib_range: float | None = None,
) -> tuple[_Results, None]:
    """Batch normalization by the moving averages; the result is int8.

    Args:
        data: int8 or uint8, with the channels as axis 1.
        gamma: float32, (channels,), as are the next three; it counts whatever `fix_gamma` says.
        beta: as above.
        moving_mean: as above.
        moving_var: as above.
        min_data: limits of the data, one element each.
        max_data: likewise.
        eps: added to the variance.
        momentum: has no effect.
        fix_gamma: has no effect.
        use_global_stats: has no effect.
        output_mean_var: has no effect.
        axis: where the channels are: 1.
        cudnn_off: has no effect.
        min_calib_range: limits of the result; required.
        max_calib_range: likewise.
    """
    expect_8_bits("data", data)
    expect_range(min_data=min_data, max_data=max_data)
    limits = calibrated(min_calib_range, max_calib_range, data)
    if limits is None:
        raise OpParamError("min_calib_range and max_calib_range are missing; expected both limits of the result")
    channels = normal_axis(axis, data.dim())
    states = {"gamma": gamma, "beta": beta, "moving_mean": moving_mean, "moving_var": moving_var}
    for name, state in states.items():
        expect_dtype(name, state, torch.float32)
        expect_shape(name, state, (data.shape[channels],))
    levels = data.to(torch.float32)
    if data.dtype is torch.uint8:
        levels = (levels * (num_levels(torch.int8) / num_levels(torch.uint8))).round()
    real, scale = magnitude(min_data, max_data).detach(), num_levels(torch.int8) / magnitude(*limits)
    factor = gamma.detach() * torch.rsqrt(moving_var.detach() + eps)
    # oneDNN gets a variance of 1 and adds eps to it once more; so do we.
    slope = factor * real / magnitude(*limits) / math.sqrt(1 + eps)
    offset = (beta.detach() - moving_mean.detach() * factor) * scale
    shape = [-1 if i == channels else 1 for i in range(data.dim())]
    result = to_levels(levels * slope.reshape(shape) + offset.reshape(shape), torch.int8)
    return (result, *limits), None
