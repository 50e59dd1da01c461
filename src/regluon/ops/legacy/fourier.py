"""Fourier transforms of real signals, and sketches, which belong together: compact bilinear pooling uses both."""

from typing import Any

import torch
from torch import Tensor

from ...errors import OpParamError, OpShapeError
from ..common import expect_floating, expect_shape, same_dtype
from ..params import Shape
from ..registry import operator


def _expect_signals(data: Tensor) -> None:
    expect_floating(data)
    if data.dim() not in (2, 4):
        raise OpShapeError(f"expected data of 2 or 4 dimensions, got shape {tuple(data.shape)}")


def _exact(data: Tensor) -> Tensor:
    return data if data.dtype is torch.float64 else data.float()


@operator("_contrib_fft")
def fft(data: Tensor, *, compute_size: int = 128) -> Tensor:
    """The Fourier transform along the last axis.

    Args:
        data: real signals, with 2 or 4 axes.
        compute_size: has no effect.

    Returns:
        Real and imaginary parts by turns along the last axis, which is twice as long.
    """
    _expect_signals(data)
    transformed = torch.fft.fft(_exact(data))
    return torch.view_as_real(transformed).flatten(-2).to(data.dtype)


@operator("_contrib_ifft")
def ifft(data: Tensor, *, compute_size: int = 128) -> Tensor:
    """The inverse Fourier transform along the last axis, not divided by the length: divide to undo `fft`.

    Args:
        data: real and imaginary parts by turns, with 2 or 4 axes.
        compute_size: has no effect.

    Returns:
        The real parts, half as many.
    """
    _expect_signals(data)
    if data.shape[-1] % 2:
        raise OpShapeError(f"expected pairs of numbers along the last axis, got a length of {data.shape[-1]}")
    pairs = _exact(data).reshape(*data.shape[:-1], data.shape[-1] // 2, 2).contiguous()
    return torch.fft.ifft(torch.view_as_complex(pairs), norm="forward").real.to(data.dtype)


def _hash_shapes(data: Shape, **_: Any) -> dict[str, Shape]:
    return {"h": (1, data[-1]), "s": (1, data[-1])}


@operator("_contrib_count_sketch", completes=_hash_shapes)
def count_sketch(data: Tensor, h: Tensor, s: Tensor, *, out_dim: int, processing_batch_size: int = 32) -> Tensor:
    """Adds up the elements along the last axis in fewer places, each element with a sign of its own.

    Args:
        data: 2 or 4 axes, the last of length n.
        h: (1, n); the place of each element, from 0 to out_dim - 1.
        s: (1, n); its sign, 1 or -1.
        out_dim: number of places.
        processing_batch_size: has no effect.
    """
    _expect_signals(data)
    same_dtype(data=data, h=h, s=s)
    if out_dim < 1:
        raise OpParamError(f"out_dim={out_dim}; expected at least 1")
    expect_shape("h", h, (1, data.shape[-1]))
    expect_shape("s", s, (1, data.shape[-1]))
    places = h.detach().reshape(-1).to(torch.int64)
    sums = data.new_zeros((*data.shape[:-1], out_dim))
    return sums.index_add(-1, places, data * s.detach().reshape(-1))
