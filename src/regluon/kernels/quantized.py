"""Layers of compiled networks in 8 bits on a CPU: integer products, with what follows done on the way.

The kernels are oneDNN's, by way of torch. They multiply uint8 by int8, so data in int8 are moved up by 128 first,
unless none is negative. Where they are missing, the same is computed with floating numbers that hold the sums exactly.
"""

import functools
from collections.abc import Callable
from typing import Any, NamedTuple

import torch
from torch import Tensor

from ..torch_private import (
    convolve_8_bits,
    convolve_8_bits_and_add,
    has_8_bits,
    multiply_8_bits,
    pack_filters_8_bits,
    pack_matrix_8_bits,
)

_LAST = torch.channels_last
_MIDDLE = 128  # what int8 is moved up by
Kernel = Callable[[Tensor, Tensor | None], Tensor]  # from data and addend to the result


class Window(NamedTuple):
    """How filters move over the data.

    Attributes:
        stride: step of the filters.
        pad: zeros added on both sides of the data.
        dilate: distance between the elements of a filter.
        groups: number of groups of channels.
    """

    stride: tuple[int, ...]
    pad: tuple[int, ...]
    dilate: tuple[int, ...]
    groups: int


class Outcome(NamedTuple):
    """What becomes of the sums of products: factor * sum + offset, and more.

    Attributes:
        factor: for each filter or row.
        offset: likewise.
        addend_factor: of the levels of an array that is added.
        is_activated: whether numbers below 0 become 0.
        dtype: of the result; integers are rounded and cut off at their limits.
        bound: the largest magnitude of a result in real numbers.
    """

    factor: Tensor
    offset: Tensor
    addend_factor: float
    is_activated: bool
    dtype: torch.dtype
    bound: float


def is_available(tensor: Tensor) -> bool:
    """Return whether oneDNN's int8 kernels exist for the tensor's device and are exact on this processor."""
    return (
        has_8_bits
        and tensor.device.type == "cpu"
        and bool(torch.backends.mkldnn.is_available())
        and _has_exact_products()
    )


@functools.cache
def _has_exact_products() -> bool:
    """Return whether oneDNN's largest int8 products come out exact, as a matrix product and as a convolution.

    Processors without VNNI (AVX2 and older) add pairs of uint8 x int8 products in int16, which saturates at 32,767.
    """
    count, depth = 16, 64
    one, zero = torch.ones(count), torch.zeros(count)
    target: tuple[Any, ...] = (1.0, 0, torch.float32, "none", [], "")
    levels = torch.full((count, depth), 255, dtype=torch.uint8)
    packed = pack_matrix_8_bits(torch.full((count, depth), 127, dtype=torch.int8), None)
    products = multiply_8_bits(levels, 1.0, 0, packed, one, zero.int(), zero, *target)
    window: tuple[Any, ...] = ([1, 1], [0, 0], [1, 1], 1)
    filters = pack_filters_8_bits(torch.full((count, depth, 1, 1), 127, dtype=torch.int8), one, 1.0, 0, *window, None)
    image = levels.view(1, count, 1, depth).permute(0, 3, 1, 2)
    convolved = convolve_8_bits(image, 1.0, 0, filters, one, zero.int(), zero, *window, *target)
    return all(bool((found == 255 * 127 * depth).all()) for found in (products, convolved))


def exact_dtype(depth: int) -> torch.dtype:
    """A floating type that holds sums of so many products of 8 bits exactly; torch is fast with these."""
    return torch.float32 if depth * 255 * 128 < 2**24 else torch.float64


def _unsigned(data: Tensor, is_positive: bool) -> Tensor:
    if data.dtype is torch.uint8:
        return data
    levels = data.view(torch.uint8)
    return levels if is_positive else levels.bitwise_xor(_MIDDLE)


def _finished(sums: Tensor, outcome: Outcome, addend: Tensor | None) -> Tensor:
    """What becomes of sums, step by step; channels are the second axis."""
    shape = (1, -1, *(1,) * (sums.dim() - 2))
    result = sums * outcome.factor.to(sums.dtype).view(shape) + outcome.offset.to(sums.dtype).view(shape)
    if addend is not None:
        result = result + addend.to(sums.dtype) * outcome.addend_factor
    if outcome.is_activated:
        result = result.clamp_(min=0)
    if outcome.dtype.is_floating_point:
        return result.clamp_(-outcome.bound, outcome.bound).to(outcome.dtype)
    limits = torch.iinfo(outcome.dtype)
    return result.round_().clamp_(limits.min, limits.max).to(outcome.dtype)


def convolution(weight: Tensor, window: Window, outcome: Outcome, zero_point: int) -> Kernel:
    """A 2-D convolution of 8 bits.

    Args:
        weight: int8, (filters, channels of a group, height, width).
        window: how filters move.
        outcome: what becomes of the sums.
        zero_point: 128 for int8 that may be negative, else 0.
    """
    if not is_available(weight):
        return _plain_convolution(weight, window, outcome)
    stride, pad, dilate, groups = (list(part) if isinstance(part, tuple) else part for part in window)
    factor, offset, zeros = outcome.factor, outcome.offset, torch.zeros(len(weight), dtype=torch.int32)
    packed = pack_filters_8_bits(weight, factor, 1.0, zero_point, stride, pad, dilate, groups, None)
    unary, bound = "relu" if outcome.is_activated else "none", outcome.bound
    target: tuple[Any, ...] = (stride, pad, dilate, groups, 1.0, 0, outcome.dtype)
    is_real, gain = outcome.dtype.is_floating_point, outcome.addend_factor

    def kernel(data: Tensor, addend: Tensor | None) -> Tensor:
        levels = _unsigned(data, zero_point == 0).contiguous(memory_format=_LAST)
        if addend is None:
            found: Tensor = convolve_8_bits(
                levels, 1.0, zero_point, packed, factor, zeros, offset, *target, unary, [], ""
            )
            return found.clamp_(-bound, bound) if is_real else found
        addend = addend.clone(memory_format=_LAST)  # the kernel writes its result there
        source = (levels, 1.0, zero_point, packed, factor, zeros, addend, offset)
        found = convolve_8_bits_and_add(*source, *target, gain, 0, "sum", 1.0, unary, [], "")
        return found

    return kernel


def _plain_convolution(weight: Tensor, window: Window, outcome: Outcome) -> Kernel:
    exact = weight.to(exact_dtype(weight[0].numel()))

    def kernel(data: Tensor, addend: Tensor | None) -> Tensor:
        sums = torch.conv2d(data.to(exact.dtype), exact, None, window.stride, window.pad, window.dilate, window.groups)
        return _finished(sums, outcome, addend)

    return kernel


def dense(weight: Tensor, outcome: Outcome, zero_point: int) -> Kernel:
    """A product with a matrix of 8 bits, which rows of data are multiplied by.

    Args:
        weight: int8, (results, width of the data).
        outcome: what becomes of the sums; nothing is added.
        zero_point: 128 for int8 that may be negative, else 0.
    """
    if not is_available(weight):
        exact = weight.to(exact_dtype(weight.shape[1])).t()
        return lambda data, addend: _finished(data.to(exact.dtype) @ exact, outcome, addend)
    packed = pack_matrix_8_bits(weight, None)
    factor, offset, zeros = outcome.factor, outcome.offset, torch.zeros(len(weight), dtype=torch.int32)
    unary, bound = "relu" if outcome.is_activated else "none", outcome.bound
    is_real = outcome.dtype.is_floating_point

    def kernel(data: Tensor, addend: Tensor | None) -> Tensor:
        levels = _unsigned(data, zero_point == 0).contiguous()
        target: tuple[Any, ...] = (1.0, 0, outcome.dtype, unary, [], "")
        found: Tensor = multiply_8_bits(levels, 1.0, zero_point, packed, factor, zeros, offset, *target)
        return found.clamp_(-bound, bound) if is_real else found

    return kernel
