"""Convolutions of 3 x 3 by Winograd's method: a quarter of the multiplications.

A patch of 6 x 6 values becomes 4 x 4 results: both the patch and the filter are evaluated as polynomials at six points
in each direction, multiplied there, and the products interpolated. `native/winograd.cpp` does it block by block in the
processor's cache. Its points are those whose rounding error is smallest, two to three times that of the direct way.
"""

from typing import Any

import torch
from torch import Tensor

from ..native import kernels


def native_kernels(weight: Tensor) -> Any:
    """The kernels that take these filters, (filters, channels, 3, 3); None where there are none."""
    return kernels() if weight.numel() > 0 and weight.dtype == torch.float32 else None


def convolve_natively(data: Tensor, weight: Tensor, bias: Tensor | None, pad: tuple[int, int]) -> Tensor:
    """The convolution with stride 1 of data in channels-last order; so is the result.

    Only where `native_kernels` has some.

    Args:
        data: (batch, channels, height, width).
        weight: (filters, channels, 3, 3), in any order of memory.
        bias: (filters,).
        pad: zeros on both sides of the data.
    """
    result: Tensor = torch.ops.regluon.winograd_convolve.default(data, weight.contiguous(), bias, pad, False)
    return result


def data_gradient_natively(grad: Tensor, weight: Tensor, pad: tuple[int, int]) -> Tensor:
    """The gradient of the data of such a convolution: one itself, with the filters flipped.

    Args:
        grad: of the result, (batch, filters, height, width), in channels-last order.
        weight: (filters, channels, 3, 3), in any order of memory.
        pad: that of the convolution, at most 2.
    """
    rest = (2 - pad[0], 2 - pad[1])
    result: Tensor = torch.ops.regluon.winograd_convolve.default(grad, weight.contiguous(), None, rest, True)
    return result
