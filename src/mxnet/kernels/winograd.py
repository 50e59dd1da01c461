"""Convolutions of 3 x 3 by Winograd's method: a quarter of the multiplications.

A patch of 6 x 6 values becomes 4 x 4 results: both the patch and the filter are evaluated as polynomials at six points
in each direction, multiplied there, and the products interpolated. For all patches at once the products are 36 matrix
products. The points are those whose rounding error is smallest, two to three times that of the direct way.

`native/winograd.cpp` does the same in one pass, block by block in the processor's cache, from filters as they are.
"""

import functools
from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor
from torch.nn.functional import pad as padded

from ..native import kernels

SIDE, PATCH, TAPS = 4, 6, 3  # of the results, of what they are made from, and of the filter
_POINTS = (0.0, 1.0, -1.0, 2.0, -0.5)  # and infinity
_AT_ONES = PATCH + 1  # number of the product at the point (1, 1): its value is added to each result alike
_CACHE = 1 << 20  # values of transformed patches that are worked on at a time: more leave the processor's cache
_LANES = 8  # numbers of filters and of channels that native kernels take are multiples of it


def _coefficients(roots: Sequence[float]) -> list[float]:
    """Of the polynomial with these roots, beginning with the constant."""
    found = [1.0]
    for root in roots:
        found = [low - root * same for low, same in zip([0.0, *found], [*found, 0.0], strict=True)]
    return found


@functools.cache
def _transforms() -> tuple[Tensor, Tensor, Tensor]:
    """The matrices that take patches (36 values) and filters (9) to the points, and products (36) to results (16)."""
    patch, taps, results = (torch.zeros(*size, dtype=torch.float64) for size in ((6, 6), (6, 3), (4, 6)))
    for number, point in enumerate(_POINTS):
        others = [*_POINTS[:number], *_POINTS[number + 1 :]]
        patch[number, :-1] = torch.tensor(_coefficients(others))
        scale = torch.tensor([point - other for other in others], dtype=torch.float64).prod()
        taps[number] = torch.tensor([point**power for power in range(TAPS)]) / scale
        results[:, number] = torch.tensor([point**power for power in range(SIDE)])
    patch[-1] = torch.tensor(_coefficients(_POINTS))
    taps[-1, -1] = results[-1, -1] = 1
    both = [torch.kron(matrix, matrix).float() for matrix in (patch, taps, results)]
    return both[0], both[1], both[2]


def filters_at_points(weight: Tensor) -> Tensor:
    """Filters (filters, channels, 3, 3) as matrices (36, channels, filters)."""
    count, channels = weight.shape[:2]
    _, transform, _ = _transforms()
    rows = weight.permute(2, 3, 1, 0).reshape(TAPS * TAPS, channels * count)
    return transform.mm(rows).view(PATCH * PATCH, channels, count)


def convolve(data: Tensor, filters: Tensor, bias: Tensor | None, pad: tuple[int, int]) -> Tensor:
    """The convolution with stride 1 of data in channels-last order; so is the result.

    Args:
        data: (batch, channels, height, width).
        filters: made by `filters_at_points`.
        bias: (filters,).
        pad: zeros on both sides of the data.
    """
    batch, channels, height, width = data.shape
    height, width = height + 2 * pad[0] - 2, width + 2 * pad[1] - 2
    count = filters.shape[2]
    down, across = -(-height // SIDE), -(-width // SIDE)
    images = data.permute(0, 2, 3, 1)
    result = data.new_empty(batch, down, SIDE, across, SIDE, count)
    step = max(1, _CACHE // (PATCH * PATCH * down * across * max(channels, count)))
    for first in range(0, batch, step):
        part = _patches(images[first : first + step], pad, down, across)
        result[first : first + step].permute(2, 4, 0, 1, 3, 5).copy_(_results(part, filters, bias, down, across))
    whole = result.view(batch, down * SIDE, across * SIDE, count)
    return whole[:, :height, :width].contiguous().permute(0, 3, 1, 2)


def _patches(images: Tensor, pad: tuple[int, int], down: int, across: int) -> Tensor:
    """The patches at the points: (36, patches of all images, channels)."""
    _, height, width, channels = images.shape
    below, right = SIDE * down + 2 - height - pad[0], SIDE * across + 2 - width - pad[1]
    images = padded(images, (0, 0, pad[1], right, pad[0], below))
    each, row, column, _ = images.stride()
    shape = (PATCH, PATCH, images.shape[0], down, across, channels)
    patches = images.as_strided(shape, (row, column, each, SIDE * row, SIDE * column, 1))
    transform, _, _ = _transforms()
    return transform.mm(patches.reshape(PATCH * PATCH, -1)).view(PATCH * PATCH, -1, channels)


def _results(patches: Tensor, filters: Tensor, bias: Tensor | None, down: int, across: int) -> Tensor:
    """Results from patches at the points: (4, 4, images, down, across, filters)."""
    products = torch.bmm(patches, filters)
    if bias is not None:
        products[_AT_ONES].add_(bias)
    _, _, transform = _transforms()
    return transform.mm(products.view(PATCH * PATCH, -1)).view(SIDE, SIDE, -1, down, across, filters.shape[2])


# -- by kernels of our own -------------------------------------------------------------------------------------------


def native_kernels(weight: Tensor) -> Any:
    """The kernels that take these filters, (filters, channels, 3, 3); None where there are none."""
    count, channels = weight.shape[:2]
    is_whole = count % _LANES == 0 and channels % _LANES == 0 and weight.numel() > 0
    return kernels() if is_whole and weight.dtype == torch.float32 else None


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
    """The gradient of the data of such a convolution: one itself, with the filters turned around.

    Args:
        grad: of the result, (batch, filters, height, width), in channels-last order.
        weight: (filters, channels, 3, 3), in any order of memory.
        pad: that of the convolution, at most 2.
    """
    rest = (2 - pad[0], 2 - pad[1])
    result: Tensor = torch.ops.regluon.winograd_convolve.default(grad, weight.contiguous(), None, rest, True)
    return result
