"""Pooling, with the windows exactly where MXNet puts them."""

from math import prod

import numpy as np

from ..call import Call
from ..table import Untranslatable, translates
from .convolution import is_channels_last, per_axis, to_back, to_front


@translates("Pooling", "Pooling_v1")
def pooling(call: Call) -> str:
    """Pools data that have their channels first."""
    rank, data = call.rank(), call.x
    last = is_channels_last(call)
    if last:
        data = call.transpose(data, to_front(call, rank))
    if call.params["global_pool"]:
        result = _global(call, data)
    else:
        sizes = call.shape()[1:-1] if last else call.shape()[2:]
        result = _windows(call, data, sizes)
    return call.transpose(result, to_back(rank)) if last else result


def _global(call: Call, data: str) -> str:
    kind = call.params["pool_type"]
    if kind in ("max", "avg"):
        return call.op("GlobalMaxPool" if kind == "max" else "GlobalAveragePool", data)
    axes = call.ints(*range(2, call.rank()))
    return _root(call, call.op("ReduceSum", _powered(call, data), axes, keepdims=1))


def _windows(call: Call, data: str, sizes: tuple[int, ...]) -> str:
    params, count = call.params, len(sizes)
    kernel, kind = list(params["kernel"]), params["pool_type"]
    strides, pads = per_axis(params["stride"], count, 1), per_axis(params["pad"], count, 0)
    if any(pad >= width for pad, width in zip(pads, kernel, strict=True)):
        raise Untranslatable(f"has pad={tuple(pads)}, not below kernel={tuple(kernel)}: windows without any data")
    plain = params["pooling_convention"] == "valid"
    ends = pads if plain else _ends(call, sizes, kernel, strides, pads)
    # ONNX wants padding smaller than the window; a last window that lies wholly in the padding is added afterwards.
    empty = [int(end >= width) for end, width in zip(ends, kernel, strict=True)]
    ends = [max(end - stride * far, 0) for end, stride, far in zip(ends, strides, empty, strict=True)]
    attrs = {"kernel_shape": kernel, "strides": strides, "pads": pads + ends}
    include = params.get("count_include_pad") is not False
    if kind == "max":
        lowest = float(np.finfo(call.dtype()).min)
        return _extended(call, call.op("MaxPool", data, **attrs), empty, lowest)
    if kind != "avg":
        sums = call.op("AveragePool", _powered(call, data), count_include_pad=1, **attrs)
        result = _root(call, call.op("Mul", sums, call.number(prod(kernel))))
    elif ends == pads or not include:
        result = call.op("AveragePool", data, count_include_pad=int(include), **attrs)
    else:
        means = call.op("AveragePool", data, count_include_pad=1, **attrs)
        factors = prod(kernel) / _counts(sizes, kernel, strides, pads, ends)
        result = call.op("Mul", means, call.constant(factors, call.dtype()))
    return _extended(call, result, empty, 0)


def _ends(call: Call, sizes: tuple[int, ...], kernel: list[int], strides: list[int], pads: list[int]) -> list[int]:
    """The padding after the data with which the last, partial window is a whole one."""
    if any(size <= 0 for size in sizes):
        raise Untranslatable(f"pooling_convention={call.params['pooling_convention']!r} needs data of a fixed size")
    ends = []
    for size, width, stride, pad in zip(sizes, kernel, strides, pads, strict=True):
        if call.params["pooling_convention"] == "same":
            outputs = -(-size // stride)
        else:
            outputs = -(-(size + 2 * pad - width) // stride) + 1
        ends.append(max((outputs - 1) * stride + width - size - pad, 0))
    return ends


def _extended(call: Call, result: str, empty: list[int], value: float) -> str:
    """The result with what windows without data give at the end of each axis."""
    if not any(empty):
        return result
    amounts = call.ints(*[0] * (len(empty) + 4), *empty)
    return call.op("Pad", result, amounts, call.number(value), mode="constant")


def _counts(
    sizes: tuple[int, ...], kernel: list[int], strides: list[int], pads: list[int], ends: list[int]
) -> np.ndarray:
    """Over how many elements each mean is taken: padding counts, what lies beyond it does not."""
    total = np.ones(())
    for size, width, stride, pad, end in zip(sizes, kernel, strides, pads, ends, strict=True):
        first = np.arange((size + pad + end - width) // stride + 1) * stride - pad
        total = total[..., None] * np.maximum(np.minimum(first + width, size + pad) - first, 1)
    return total


def _power(call: Call) -> int:
    return call.params.get("p_value") or 1 if call.params["pool_type"] == "lp" else 1


def _powered(call: Call, data: str) -> str:
    return data if _power(call) == 1 else call.op("Pow", data, call.number(_power(call)))


def _root(call: Call, sums: str) -> str:
    if _power(call) == 1:
        return sums
    if _power(call) == 2:
        return call.op("Sqrt", sums)
    return call.op("Mul", call.op("Sign", sums), call.op("Pow", call.op("Abs", sums), call.number(1 / 3)))


@translates("_contrib_AdaptiveAvgPooling2D")
def adaptive_avg_pooling(call: Call) -> str:
    """A global mean, or windows where the regions are all of one size."""
    wanted = call.params["output_size"] or (1,)
    outputs = (wanted[0], wanted[-1])
    if outputs == (1, 1):
        return call.op("GlobalAveragePool", call.x)
    kernel = [call.length(axis) // size for axis, size in zip((2, 3), outputs, strict=True)]
    if any(call.length(axis) % size for axis, size in zip((2, 3), outputs, strict=True)):
        raise Untranslatable(f"output_size={wanted} divides data of shape {call.shape()} into regions of unequal size")
    return call.op("AveragePool", call.x, kernel_shape=kernel, strides=kernel)
