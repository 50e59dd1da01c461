"""Convolutions that learn where to look: every element of the filter is moved by an offset that the data tell."""

from typing import Any, Literal, NamedTuple

import torch
from torch import Tensor

from ...errors import OpParamError, OpShapeError
from ..common import expect_floating, expect_shape, prod, reaching, same_dtype
from ..params import Shape
from ..registry import operator
from .checks import expect_bias, expect_window_fits, is_channels_last, per_axis, weighted

Layout = Literal["NCDHW", "NCHW", "NCW"]


class _Grid(NamedTuple):
    """Where an undisturbed filter looks, two numbers each: for the rows and for the columns."""

    kernel: Shape
    stride: Shape
    dilate: Shape
    pad: Shape
    outputs: Shape


def _weight_shapes(
    data: Shape, *, kernel: Shape, num_filter: int, num_group: int, no_bias: bool, **_: Any
) -> dict[str, Shape]:
    if len(data) != 4:
        raise OpShapeError(f"expected data of 4 dimensions (batch, channels, height, width), got {len(data)}")
    if num_filter < 1 or num_group < 1:
        raise OpParamError(f"num_filter={num_filter} and num_group={num_group}; expected numbers not below 1")
    channels = data[1]
    if channels % num_group or num_filter % num_group:
        raise OpShapeError(f"num_group={num_group} divides the {channels} channels or num_filter={num_filter} unevenly")
    shapes: dict[str, Shape] = {"weight": (num_filter, channels // num_group, *kernel)}
    return shapes if no_bias else {**shapes, "bias": (num_filter,)}


def _grid(sizes: Shape, kernel: Shape, stride: Shape, dilate: Shape, pad: Shape, layout: str | None) -> _Grid:
    if len(kernel) != 2 or min(kernel) < 1:
        raise OpParamError(f"kernel={kernel}; expected the sizes of 2 spatial axes, none below 1")
    is_channels_last(layout, 2)
    steps = per_axis("stride", stride, 2, 1, 1)
    dilates = per_axis("dilate", dilate, 2, 1, 1)
    pads = per_axis("pad", pad, 2, 0, 0)
    span = tuple(d * (k - 1) + 1 for k, d in zip(kernel, dilates, strict=True))
    expect_window_fits(sizes, span, pads)
    axes = zip(sizes, span, pads, steps, strict=True)
    return _Grid(kernel, steps, dilates, pads, tuple((n + 2 * p - s) // step + 1 for n, s, p, step in axes))


def _positions(grid: _Grid, axis: int, like: Tensor) -> Tensor:
    """Rows (axis 0) or columns (axis 1) the filter's elements stand on, to be added to (..., kernel, *outputs)."""
    taps = torch.arange(grid.kernel[axis], dtype=like.dtype, device=like.device) * grid.dilate[axis]
    steps = torch.arange(grid.outputs[axis], dtype=like.dtype, device=like.device) * grid.stride[axis]
    places = taps.unsqueeze(1) + (steps - grid.pad[axis])
    height, width = grid.kernel
    if axis == 0:
        return places.unsqueeze(1).expand(-1, width, -1).reshape(height * width, grid.outputs[0], 1)
    return places.unsqueeze(0).expand(height, -1, -1).reshape(height * width, 1, grid.outputs[1])


def _sample(data: Tensor, rows: Tensor, columns: Tensor, soft_border: bool) -> Tensor:
    """Values of images between their elements, by bilinear interpolation.

    Args:
        data: (batch, groups, channels, height, width).
        rows: (batch, groups, *places).
        columns: likewise.
        soft_border: whether the image fades to zero within one element around it; otherwise it ends at the first
            row and column, and the last ones reach one element further.

    Returns:
        (batch, groups, channels, number of places).
    """
    batch, groups, channels, height, width = data.shape
    places = prod(rows.shape[2:])
    if data.numel() == 0:  # everything is beyond the image
        return reaching(data.new_zeros((batch, groups, channels, places)), data, rows, columns)
    flat = data.reshape(batch, groups, channels, height * width)
    top, left = rows.detach().floor(), columns.detach().floor()
    down, right = rows - top, columns - left
    inside = (rows >= 0) & (columns >= 0) & (rows < height) & (columns < width)
    total: Tensor | None = None
    for row, row_share in ((top, 1 - down), (top + 1, down)):
        for column, column_share in ((left, 1 - right), (left + 1, right)):
            share = row_share * column_share
            if soft_border:
                inside = (row >= 0) & (column >= 0) & (row < height) & (column < width)
            share = torch.where(inside, share, 0).reshape(batch, groups, 1, places)
            # Clipped as numbers first: what is no place at all (infinite, NaN) must not become an index.
            place = row.nan_to_num().clamp(0, height - 1) * width + column.nan_to_num().clamp(0, width - 1)
            index = place.to(torch.int64).reshape(batch, groups, 1, places).expand(-1, -1, channels, -1)
            part = flat.gather(3, index) * share
            total = part if total is None else total + part
    assert total is not None
    return total


def _check_inputs(
    data: Tensor, weight: Tensor, bias: Tensor | None, shapes: dict[str, Shape], **others: Tensor
) -> None:
    expect_bias(bias, "bias" not in shapes)
    expect_floating(data)
    same_dtype(data=data, **others, weight=weight, bias=bias)
    expect_shape("weight", weight, shapes["weight"])
    if bias is not None:
        expect_shape("bias", bias, shapes["bias"])


def _convolve(
    data: Tensor,
    offset: Tensor,
    mask: Tensor | None,
    weight: Tensor,
    bias: Tensor | None,
    grid: _Grid,
    num_group: int,
    parts: int,
) -> Tensor:
    """Samples the data where the moved filters look, then multiplies by the weight."""
    batch, channels = data.shape[:2]
    if parts < 1 or channels % parts:
        raise OpParamError(f"num_deformable_group={parts} does not divide the {channels} channels evenly")
    taps = prod(grid.kernel)
    expect_shape("offset", offset, (batch, 2 * taps * parts, *grid.outputs))
    moves = offset.reshape(batch, parts, taps, 2, *grid.outputs)
    rows = moves[:, :, :, 0] + _positions(grid, 0, data)
    columns = moves[:, :, :, 1] + _positions(grid, 1, data)
    images = data.reshape(batch, parts, channels // parts, *data.shape[2:])
    sampled = _sample(images, rows, columns, soft_border=mask is not None)
    if mask is not None:
        expect_shape("mask", mask, (batch, taps * parts, *grid.outputs))
        sampled = sampled * mask.reshape(batch, parts, 1, taps * prod(grid.outputs))
    filters = weight.shape[0]
    elements = channels // num_group * taps
    windows = sampled.reshape(batch, num_group, elements, prod(grid.outputs))
    result = weight.reshape(num_group, filters // num_group, elements) @ windows
    result = result.reshape(batch, filters, *grid.outputs)
    return result if bias is None else result + bias.reshape(-1, 1, 1)


@operator("_contrib_DeformableConvolution", completes=_weight_shapes, takes=weighted("data", "offset"))
def deformable_convolution(
    data: Tensor,
    offset: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    *,
    kernel: Shape,
    stride: Shape = (),
    dilate: Shape = (),
    pad: Shape = (),
    num_filter: int,
    num_group: int = 1,
    num_deformable_group: int = 1,
    workspace: int = 1024,
    no_bias: bool = False,
    layout: Layout | None = None,
) -> Tensor:
    """Convolves images with filters whose elements are moved by offsets.

    Args:
        data: (batch, channels, height, width).
        offset: (batch, 2 * elements of the kernel * num_deformable_group, output height, output width): how far down
            and how far right each element of the filter is moved at each place. Beyond the image there are zeros.
        weight: (num_filter, channels / num_group, *kernel).
        bias: (num_filter,); left out with `no_bias`.
        kernel: height and width of the filters.
        stride: step of the filters, 1 if not given.
        dilate: distance between the elements of a filter, 1 if not given.
        pad: zeros added on both sides of the data, 0 if not given.
        num_filter: number of filters, hence of output channels.
        num_group: number of groups of channels that are convolved apart from each other.
        num_deformable_group: number of groups of channels that have offsets of their own.
        workspace: has no effect.
        no_bias: whether there is no bias.
        layout: order of the axes; NCHW is the only one.
    """
    shapes = _weight_shapes(
        tuple(data.shape), kernel=kernel, num_filter=num_filter, num_group=num_group, no_bias=no_bias
    )
    grid = _grid(tuple(data.shape[2:]), kernel, stride, dilate, pad, layout)
    _check_inputs(data, weight, bias, shapes, offset=offset)
    return _convolve(data, offset, None, weight, bias, grid, num_group, num_deformable_group)


@operator(
    "_contrib_ModulatedDeformableConvolution",
    completes=_weight_shapes,
    takes=weighted("data", "offset", "mask"),
)
def modulated_deformable_convolution(
    data: Tensor,
    offset: Tensor,
    mask: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    *,
    kernel: Shape,
    stride: Shape = (),
    dilate: Shape = (),
    pad: Shape = (),
    num_filter: int,
    num_group: int = 1,
    num_deformable_group: int = 1,
    workspace: int = 1024,
    no_bias: bool = False,
    im2col_step: int = 64,
    layout: Layout | None = None,
) -> Tensor:
    """Convolves images with filters whose elements are moved by offsets and weakened by a mask.

    Args:
        data: (batch, channels, height, width).
        offset: (batch, 2 * elements of the kernel * num_deformable_group, output height, output width): how far down
            and how far right each element of the filter is moved at each place. Beyond the image there are zeros,
            to which it fades within one element.
        mask: (batch, elements of the kernel * num_deformable_group, output height, output width): factor of what
            each element of the filter sees.
        weight: (num_filter, channels / num_group, *kernel).
        bias: (num_filter,); left out with `no_bias`.
        kernel: height and width of the filters.
        stride: step of the filters, 1 if not given.
        dilate: distance between the elements of a filter, 1 if not given.
        pad: zeros added on both sides of the data, 0 if not given.
        num_filter: number of filters, hence of output channels.
        num_group: number of groups of channels that are convolved apart from each other.
        num_deformable_group: number of groups of channels that have offsets and masks of their own.
        workspace: has no effect.
        no_bias: whether there is no bias.
        im2col_step: has no effect.
        layout: order of the axes; NCHW is the only one.
    """
    shapes = _weight_shapes(
        tuple(data.shape), kernel=kernel, num_filter=num_filter, num_group=num_group, no_bias=no_bias
    )
    grid = _grid(tuple(data.shape[2:]), kernel, stride, dilate, pad, layout)
    _check_inputs(data, weight, bias, shapes, offset=offset, mask=mask)
    return _convolve(data, offset, mask, weight, bias, grid, num_group, num_deformable_group)
