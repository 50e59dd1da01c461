"""Choose quantization thresholds from data."""

from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Literal, TypeAlias

import numpy as np
import torch
from numpy.lib.stride_tricks import sliding_window_view
from torch import Tensor

from ...dtypes import NAME_OF_TORCH
from ...errors import OpParamError, OpShapeError, OpTypeError
from ..common import expect_shape
from ..dtype_rules import DtypeRule, Source
from ..params import Shape
from ..registry import operator

Array: TypeAlias = np.ndarray[Any, np.dtype[np.float32]]
Integers: TypeAlias = np.ndarray[Any, np.dtype[np.int64]]
Bools: TypeAlias = np.ndarray[Any, np.dtype[np.bool_]]

_EPS = np.float32(1e-4)
_COLUMNS = 64
_NO_COUNTS = "hist has numbers that are no counts; expected whole numbers, none below 0"


def best_threshold(counts: Array, edges: Array, levels: int) -> tuple[np.float32, np.float32]:
    """The threshold with the least divergence, and that divergence.

    Args:
        counts: float32, an odd number of bins.
        edges: float32, where bins begin, and where the last one ends.
        levels: number of levels after quantizing, at most the number of bins.
    """
    if not np.isfinite(counts).all() or (counts < 0).any():
        raise OpParamError(_NO_COUNTS)
    histogram = _Histogram(counts, levels)
    with ThreadPoolExecutor(torch.get_num_threads()) as threads:
        found = np.concatenate(list(threads.map(histogram.divergences, histogram.groups())))
    best = int(found.argmin())
    threshold: np.float32 = edges[histogram.middle + levels // 2 + best + 1]
    return threshold, np.minimum(found[best], np.finfo(np.float32).max)


class _Histogram:
    """A histogram and the sums that all thresholds need of it.

    A threshold is named by its reach, the number of bins that are kept on either side of the one in the middle.
    """

    def __init__(self, counts: Array, levels: int) -> None:
        self.counts, self.levels, self.middle = counts, levels, len(counts) // 2
        self.sums = np.add.accumulate(counts)
        whole = np.trunc(counts).astype(np.int64)
        # What comes before each bin, to take sums over ranges of bins: whole numbers, so the order is all the same.
        self.totals = np.concatenate([[0], np.cumsum(whole)])
        self.filled = np.concatenate([[0], np.cumsum(whole != 0)])

    def groups(self) -> Iterator[Integers]:
        """Reaches in rising order, in groups with one number of bins to a level."""
        reaches = np.arange(self.levels // 2, self.middle + 1)
        changes = np.flatnonzero(np.diff((2 * reaches + 1) // self.levels)) + 1
        for part in np.split(reaches, changes):
            yield from np.split(part, range(_COLUMNS, len(part), _COLUMNS))

    def divergences(self, reaches: Integers) -> Array:
        """How far the bins that are kept change by quantizing, for each reach; infinite if nothing is left of them."""
        num_bins = 2 * reaches + 1
        before = self._kept(reaches)
        is_filled = before != 0
        after = self._quantized(reaches, len(before))
        np.multiply(after, is_filled, out=after)
        is_inside = np.arange(num_bins[0], num_bins[-1])[:, None] < num_bins
        with np.errstate(all="ignore"):  # in columns that have too little in them
            is_bare = _smooth(before, is_filled, num_bins) | _smooth(after, after != 0, num_bins)
            for histogram in (before, after):
                histogram[num_bins[0] :] *= is_inside
                np.divide(histogram, _sums(histogram), out=histogram)
                np.copyto(histogram[num_bins[0] :], 1, where=~is_inside)  # the logarithm of 1 to 1 adds nothing
            if not ((before > 0).all(axis=0) & (after > 0).all(axis=0) | is_bare).all():
                raise OpParamError(_NO_COUNTS)
            np.divide(before, after, out=after)
            np.multiply(before, np.log(after.astype(np.float64)).astype(np.float32), out=after)
        found = _sums(after)
        found[is_bare] = np.inf
        return found

    def _kept(self, reaches: Integers) -> Array:
        """The bins within reach, a column for each: what lies beyond is moved to the last one, on either side."""
        near, far = int(reaches[0]), int(reaches[-1])
        result = self._windows(self.middle - far, 2 * far + 1, len(reaches))[:, ::-1].copy()
        result[0] = self.sums[self.middle - reaches]
        beyond = self._windows(self.middle + near, self.middle - near + 1, len(reaches)).copy()
        result[2 * reaches, np.arange(len(reaches))] = _sums(beyond)
        for column, reach in enumerate(reaches):
            result[2 * reach + 1 :, column] = 0
        return result

    def _windows(self, start: int, length: int, num_columns: int) -> Array:
        """Bins from `start` on as a column, those from the next one on beside it, and so on; zeros after the last."""
        padded = np.concatenate([self.counts[start : start + length + num_columns], np.zeros(num_columns, np.float32)])
        return sliding_window_view(padded, num_columns)[:length]

    def _quantized(self, reaches: Integers, num_rows: int) -> Array:
        """Each level's numbers spread evenly over its bins that are not empty."""
        size = (2 * int(reaches[0]) + 1) // self.levels
        begins = (self.middle - reaches) + np.arange(self.levels + 1)[:, None] * size
        begins[-1] = self.middle + reaches + 1  # the last level takes what remains
        begins[0] += 1  # the first bin itself takes no part in quantizing: MXNet leaves it out
        total = np.diff(self.totals[begins], axis=0).astype(np.float32)
        filled = np.diff(self.filled[begins], axis=0).astype(np.float32)
        share = np.divide(total, filled, out=np.zeros_like(total), where=filled > 0)
        num_bins = np.full(self.levels, size)
        num_bins[-1] = num_rows - size * (self.levels - 1)
        return np.repeat(share, num_bins, axis=0)


def _smooth(histograms: Array, is_filled: Bools, num_bins: Integers) -> Bools:
    """Gives empty bins a little, taken from the others, so that no logarithm of 0 arises; says where too few have any.

    Args:
        histograms: one in each column, changed in place.
        is_filled: which bins are not empty.
        num_bins: how many bins each column has.
    """
    num_filled = np.count_nonzero(is_filled, axis=0).astype(np.float32)
    taken = _EPS * (num_bins.astype(np.float32) - num_filled) / num_filled
    np.subtract(histograms, np.multiply(is_filled, taken, dtype=np.float32), out=histograms)
    np.add(histograms, np.multiply(~is_filled, _EPS, dtype=np.float32), out=histograms)
    is_bare: Bools = ~(taken < 1)
    return is_bare


def _sums(columns: Array) -> Array:
    """The sum of each column, one number after the other, each sum rounded."""
    if columns.shape[1] == 1:  # NumPy adds numbers that lie side by side in pairs
        last: Array = np.add.accumulate(columns, axis=0)[-1]
        return last
    sums: Array = np.add.reduce(columns, axis=0)
    return sums


OutType = Literal["auto", "int8", "uint8"]
INT32_LEVELS = float(torch.iinfo(torch.int32).max)
_DTYPES = {"int8": torch.int8, "uint8": torch.uint8}


def num_levels(dtype: torch.dtype) -> float:
    """Levels on one side of zero. Half a level more than there are: what rounds up to the last one still counts."""
    return 127.5 if dtype is torch.int8 else 255.5


def expect_dtype(name: str, tensor: Tensor, *dtypes: torch.dtype) -> None:
    """Refuses an input that has none of these dtypes; without data float32 may stand for one not known yet."""
    if tensor.dtype not in dtypes and not tensor.is_meta:
        expected = " or ".join(NAME_OF_TORCH[dtype] for dtype in dtypes)
        raise OpTypeError(f"expected {name} of {expected}, got {NAME_OF_TORCH[tensor.dtype]}")


def expect_8_bits(name: str, tensor: Tensor) -> None:
    """Refuses an input that is not quantized."""
    expect_dtype(name, tensor, torch.int8, torch.uint8)


def expect_range(**limits: Tensor | None) -> None:
    """Refuses limits that are not float32 arrays of one element."""
    for name, limit in limits.items():
        if limit is None:
            raise OpTypeError(f"input {name} is missing; expected a float32 array of one element")
        expect_dtype(name, limit, torch.float32)
        expect_shape(name, limit, (1,))


def limits_of(*names: str) -> Callable[..., dict[str, Shape]]:
    """A rule for `completes`: limits have one element each."""

    def shapes(data: Shape, **_: Any) -> dict[str, Shape]:
        return dict.fromkeys(names, (1,))

    return shapes


_RANGE = limits_of("min_range", "max_range")
RANGE_NAMES = ("output", "min_output", "max_output")  # of the outputs of quantized layers


def with_limits(*names: str, result: Callable[[Mapping[str, Any]], Source], weights: tuple[str, ...] = ()) -> DtypeRule:
    """Dtypes of an operator on quantized arrays: limits are single, whatever the data have.

    Args:
        names: the limits among the inputs, and others in single precision.
        result: the dtype of the quantized result, from the parameters.
        weights: inputs of int8, whatever the data have.
    """
    fixed = {**dict.fromkeys(names, torch.float32), **dict.fromkeys(weights, torch.int8)}
    return DtypeRule(tuple(fixed), lambda params: (result(params), torch.float32, torch.float32), fixed=fixed)


def _chosen(params: Mapping[str, Any]) -> torch.dtype:
    return _chosen_dtype(params["out_type"], params["min_calib_range"], params["max_calib_range"])


def magnitude(low: Tensor, high: Tensor) -> Tensor:
    """The larger of the magnitudes of both limits."""
    return torch.maximum(low.abs(), high.abs())


def calibrated(low: float | None, high: float | None, like: Tensor) -> tuple[Tensor, Tensor] | None:
    """The limits given as parameters, as arrays; None unless both are given."""
    return None if low is None or high is None else _as_arrays(low, high, like)


def _as_arrays(low: float, high: float, like: Tensor) -> tuple[Tensor, Tensor]:
    kind: Any = {"dtype": torch.float32, "device": like.device}
    return torch.full((1,), low, **kind), torch.full((1,), high, **kind)


def level_scale(levels: float, real: Tensor) -> Tensor:
    """How many levels there are to 1; a large number where all is 0, so that 0 stays 0."""
    # Torch divides a number by an array as the number times 1 / array, which rounds twice.
    return torch.where(real == 0, INT32_LEVELS, torch.full_like(real, levels) / real)


def to_levels(values: Tensor, dtype: torch.dtype) -> Tensor:
    """Rounds to whole numbers, halves to the even one, and keeps them within the range of an integer type."""
    if dtype.is_floating_point:  # not known yet: see expect_dtype
        return values.to(dtype)
    limits = torch.iinfo(dtype)
    if dtype is torch.int32:  # its limits are no float32
        values = values.to(torch.float64)
    return values.round().clamp(limits.min, limits.max).to(dtype)


def product_range(data: Tensor, data_real: Tensor, weight_real: Tensor) -> tuple[Tensor, Tensor]:
    """The limits of int32 sums of products, from the magnitudes of both factors."""
    unit = (data_real / 127) * (weight_real / (127 if data.dtype is torch.int8 else 255))
    high = unit * INT32_LEVELS
    return -high, high


def _chosen_dtype(out_type: str, low: float | None, high: float | None) -> torch.dtype:
    if out_type != "auto":
        return _DTYPES[out_type]
    return torch.uint8 if low is not None and high is not None and low >= 0 else torch.int8


@operator(
    "_contrib_quantize",
    outputs=3,
    returns_view=True,
    zero_gradient=True,
    completes=_RANGE,
    dtypes=with_limits("min_range", "max_range", result=lambda params: _DTYPES[params["out_type"]]),
)
def quantize(
    data: Tensor, min_range: Tensor, max_range: Tensor, *, out_type: Literal["int8", "uint8"] = "uint8"
) -> tuple[Tensor, ...]:
    """Quantizes real numbers within given limits.

    Args:
        data: float32.
        min_range: the least number, one element.
        max_range: the largest number, one element.
        out_type: what to make; in uint8 everything below 0 becomes 0.

    Returns:
        The quantized array and its limits; for int8 these are as far from 0 on both sides.
    """
    expect_dtype("data", data, torch.float32)
    expect_range(min_range=min_range, max_range=max_range)
    data, min_range, max_range = data.detach(), min_range.detach(), max_range.detach()
    real = magnitude(min_range, max_range)
    if out_type == "uint8":
        return to_levels(data * level_scale(255, real), torch.uint8), min_range, max_range
    return to_levels(data * level_scale(127, real), torch.int8), -real, real


@operator("_contrib_quantize_v2", outputs=3, returns_view=True, zero_gradient=True, dtypes=with_limits(result=_chosen))
def quantize_v2(
    data: Tensor,
    *,
    out_type: OutType = "int8",
    min_calib_range: float | None = None,
    max_calib_range: float | None = None,
) -> tuple[Tensor, ...]:
    """Quantizes real numbers within limits that are known, or else found in the data.

    Args:
        data: float32; what is quantized already passes as it is.
        out_type: what to make. 'auto' makes uint8 if the least number is known not to be negative.
        min_calib_range: the least number; that of the data if not both are given.
        max_calib_range: the largest number.

    Returns:
        The quantized array and its limits; for int8 these are as far from 0 on both sides.
    """
    expect_dtype("data", data, torch.float32, torch.int8, torch.uint8)
    data = data.detach()
    dtype = _chosen_dtype(out_type, min_calib_range, max_calib_range)
    limits = calibrated(min_calib_range, max_calib_range, data)
    if data.dtype is not torch.float32:
        expect_dtype("data", data, dtype)
        levels = num_levels(dtype)
        return data, *(limits or _as_arrays(0.0 if dtype is torch.uint8 else -levels, levels, data))
    if not data.numel():
        raise OpShapeError("expected at least one number to quantize")
    low, high = limits or tuple(limit.reshape(1) for limit in data.aminmax())
    real = magnitude(low, high)
    result = to_levels(data * level_scale(num_levels(dtype), real), dtype)
    return (result, low, high) if dtype is torch.uint8 else (result, -real, real)


@operator(
    "_contrib_quantize_asym",
    outputs=3,
    zero_gradient=True,
    output_names=("output", "scale", "shift"),
    dtypes=with_limits(result=lambda _: torch.uint8),
)
def quantize_asym(
    data: Tensor, *, min_calib_range: float | None = None, max_calib_range: float | None = None
) -> tuple[Tensor, ...]:
    """Quantizes real numbers to uint8 so that the levels cover exactly the range of the numbers.

    Args:
        data: float32.
        min_calib_range: the least number; that of the data if not both are given.
        max_calib_range: the largest number.

    Returns:
        The quantized array, and the scale and the shift with which it is x * scale + shift, rounded.
    """
    expect_dtype("data", data, torch.float32)
    if not data.numel():
        raise OpShapeError("expected at least one number to quantize")
    data = data.detach()
    limits = calibrated(min_calib_range, max_calib_range, data)
    low, high = limits or tuple(limit.reshape(1) for limit in data.aminmax())
    scale = 255 / (high - low)
    shift = 255 - high * scale
    return to_levels(data * scale + shift, torch.uint8), scale, shift


@operator(
    "_contrib_dequantize",
    zero_gradient=True,
    completes=_RANGE,
    dtypes=with_limits("min_range", "max_range", result=lambda _: torch.float32),
)
def dequantize(
    data: Tensor, min_range: Tensor, max_range: Tensor, *, out_type: Literal["float32"] = "float32"
) -> Tensor:
    """The real numbers that a quantized array stands for.

    Args:
        data: int8 or uint8.
        min_range: the least number, one element.
        max_range: the largest number, one element.
        out_type: 'float32'.
    """
    expect_8_bits("data", data)
    expect_range(min_range=min_range, max_range=max_range)
    return data.to(torch.float32) * (magnitude(min_range, max_range).detach() / num_levels(data.dtype))


@operator(
    "_contrib_requantize",
    outputs=3,
    zero_gradient=True,
    completes=_RANGE,
    dtypes=with_limits("min_range", "max_range", result=_chosen),
)
def requantize(
    data: Tensor,
    min_range: Tensor,
    max_range: Tensor,
    *,
    out_type: OutType = "int8",
    min_calib_range: float | None = None,
    max_calib_range: float | None = None,
) -> tuple[Tensor, ...]:
    """Quantizes int32, the type of sums of products, to 8 bits.

    Args:
        data: int32.
        min_range: what the least int32 stands for, one element.
        max_range: what the largest int32 stands for, one element.
        out_type: what to make. 'auto' makes uint8 if the least number is known not to be negative.
        min_calib_range: the least number; that of the data if not both are given.
        max_calib_range: the largest number.

    Returns:
        The quantized array and its limits.
    """
    expect_dtype("data", data, torch.int32)
    expect_range(min_range=min_range, max_range=max_range)
    dtype = _chosen_dtype(out_type, min_calib_range, max_calib_range)
    unit = magnitude(min_range, max_range).detach() / INT32_LEVELS
    limits = calibrated(min_calib_range, max_calib_range, data)
    if limits is not None:
        real = magnitude(*limits)
    else:
        if not data.numel():
            raise OpShapeError("expected at least one number to quantize")
        low, high = data.aminmax()
        real = magnitude(low.to(torch.float32), high.to(torch.float32)).reshape(1) * unit
    levels = 127 if dtype is torch.int8 else 255
    result = to_levels(data.to(torch.float32) * (unit * level_scale(levels, real)), dtype)
    return result, -real if dtype is torch.int8 else torch.zeros_like(real), real


@operator(
    "_contrib_calibrate_entropy",
    has_gradient=False,
    outputs=2,
    reads_values=True,
    output_names=("threshold", "divergence"),
)
def calibrate_entropy(hist: Tensor, hist_edges: Tensor, *, num_quantized_bins: int = 255) -> tuple[Tensor, Tensor]:
    """The threshold at which numbers are best cut off before quantizing: the one that changes their histogram least.

    The change is the divergence (Kullback and Leibler) of the histogram after quantizing from the one before.

    Args:
        hist: how many numbers fell into each bin, float32; the bin in the middle holds zero.
        hist_edges: where bins begin, and where the last one ends.
        num_quantized_bins: number of levels.

    Returns:
        The threshold and the divergence, one element each.
    """
    expect_dtype("hist", hist, torch.float32)
    expect_dtype("hist_edges", hist_edges, torch.float32)
    num_bins = hist.numel()
    if hist_edges.numel() != num_bins + 1:
        raise OpShapeError(f"expected hist_edges of {num_bins + 1} elements, got {hist_edges.numel()}")
    if not 1 <= num_quantized_bins <= num_bins or num_bins % 2 == 0:
        raise OpParamError(
            f"num_quantized_bins={num_quantized_bins}; expected at least 1, at most the number of bins, and an odd "
            f"number of bins, got {num_bins}"
        )
    if hist.device.type == "meta":
        return hist.new_empty(1), hist.new_empty(1)
    counts, edges = hist.detach().reshape(-1).cpu().numpy(), hist_edges.detach().reshape(-1).cpu().numpy()
    threshold, divergence = best_threshold(counts, edges, num_quantized_bins)
    return hist.new_tensor([threshold]), hist.new_tensor([divergence])
