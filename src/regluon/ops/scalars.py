"""A number as an element of a dtype, converted as C does it: where torch refuses what does not fit, MXNet never did."""

import ctypes
import math
import struct

import torch
from torch import Tensor

LARGEST_SINGLE = torch.finfo(torch.float32).max
_SMALLEST_SINGLE = torch.finfo(torch.float32).tiny
_BITS = {torch.uint8: 8, torch.int8: 8, torch.int32: 32, torch.int64: 64}


def single(value: float) -> float:
    """A number as MXNet's parameters of single precision hold it; beyond its range it is infinite."""
    return ctypes.c_float(value).value


def fitted(value: float, dtype: torch.dtype) -> float | int | bool:
    """A number as an element of this dtype: floats are rounded or infinite, integers cut off and run over."""
    if dtype.is_floating_point:
        return as_float(value, dtype)
    return value != 0 if dtype is torch.bool else as_integer(value, dtype)


def as_float(value: float, dtype: torch.dtype) -> float:
    """A number as an element of a floating dtype. Double and single precision are left to torch where they fit."""
    if dtype is torch.float32:
        fits = _SMALLEST_SINGLE <= value <= LARGEST_SINGLE or -LARGEST_SINGLE <= value <= -_SMALLEST_SINGLE
        return value if fits or value == 0 else single(value)
    if dtype is torch.float64:
        return value
    value = single(value)
    if dtype is torch.float16:
        try:
            return float(struct.unpack("e", struct.pack("e", value))[0])
        except OverflowError:
            return math.copysign(math.inf, value)
    return float(torch.tensor(value, dtype=torch.float32).to(dtype))


def as_integer(value: float, dtype: torch.dtype) -> int:
    """A number as an element of an integer dtype, as a cast on x86 does it."""
    if 0 <= value < 128:  # the common case, which every dtype holds
        return int(value)
    bits = _BITS[dtype]
    width = max(bits, 32)  # smaller integers are cut out of 32 bits
    bound = 1 << (width - 1)
    whole = math.trunc(value) if math.isfinite(value) else bound
    if not -bound <= whole < bound:
        whole = -bound
    whole &= (1 << bits) - 1
    return whole - (1 << bits) if dtype is not torch.uint8 and whole >> (bits - 1) else whole


def number(value: float, dtype: torch.dtype, device: torch.device) -> Tensor:
    """A number as an array without axes."""
    return torch.scalar_tensor(fitted(value, dtype), dtype=dtype, device=device)
