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
    plain = params["pooling_convention"] == "valid"
    ends = pads if plain else _ends(call, sizes, kernel, strides, pads)
    attrs = {"kernel_shape": kernel, "strides": strides}
    # ONNX wants padding smaller than the window; a border of its own has no such limit.
    fits = all(max(p, e) < k for p, e, k in zip(pads, ends, kernel, strict=True))
    if kind == "max":
        if fits:
            return call.op("MaxPool", data, pads=pads + ends, **attrs)
        lowest = float(np.finfo(call.dtype()).min)
        return call.op("MaxPool", _bordered(call, data, pads, ends, lowest), **attrs)
    if kind == "avg" and fits and (ends == pads or params["count_include_pad"] is False):
        include = 0 if params["count_include_pad"] is False else 1
        return call.op("AveragePool", data, pads=pads + ends, count_include_pad=include, **attrs)
    if kind != "avg":
        data = _powered(call, data)
    means = call.op("AveragePool", _bordered(call, data, pads, ends, 0), **attrs)
    if kind != "avg":
        return _root(call, call.op("Mul", means, call.number(prod(kernel))))
    counts = _counts(call, sizes, kernel, strides, pads, ends)
    return call.op("Mul", means, call.constant(prod(kernel) / counts, call.dtype()))


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


def _bordered(call: Call, data: str, pads: list[int], ends: list[int], value: float) -> str:
    if not any(pads + ends):
        return data
    return call.op("Pad", data, call.ints(0, 0, *pads, 0, 0, *ends), call.number(value), mode="constant")


def _counts(
    call: Call, sizes: tuple[int, ...], kernel: list[int], strides: list[int], pads: list[int], ends: list[int]
) -> np.ndarray:
    """Over how many elements each mean is taken: padding may count, what lies beyond it does not."""
    if any(size <= 0 for size in sizes):
        raise Untranslatable("needs data of a fixed size, because its windows count differently at the border")
    include = call.params["count_include_pad"] is not False
    total = np.ones(())
    for size, width, stride, pad, end in zip(sizes, kernel, strides, pads, ends, strict=True):
        first = np.arange((size + pad + end - width) // stride + 1) * stride - pad
        last = first + width
        count = np.minimum(last, size + pad) - first if include else np.minimum(last, size) - np.maximum(first, 0)
        total = total[..., None] * np.maximum(count, 1)
    return total


def _power(call: Call) -> int:
    return call.params["p_value"] or 1 if call.params["pool_type"] == "lp" else 1


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
