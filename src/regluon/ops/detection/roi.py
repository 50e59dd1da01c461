"""Pooling of regions.

A pooled value is a sum over places of the feature map, or the largest number there. So the operators work out which
places each bin of each region looks at, and with which weights; see roi_taps.py for the rest.
"""

from typing import NamedTuple

import torch
from torch import Tensor

from ...errors import OpParamError, OpShapeError
from ..common import expect_floating, expect_shape, same_dtype
from ..params import Shape
from ..precision import single
from ..registry import operator
from .roi_taps import (
    Largest,
    Taps,
    WeightedSums,
    assembled,
    bin_edges,
    corner_taps,
    crossed,
    per_bin,
    ragged,
    round_half_away,
    sample_axis,
    table_of,
    windows_of,
)


class _Regions(NamedTuple):
    """Regions as they are given."""

    images: Tensor  # (regions,) number of the image
    known: Tensor  # (regions,) whether there is such an image
    numbers: Tensor  # (regions, 4 or 5) the rest


def _check(data: Tensor, rois: Tensor, spatial_scale: float, width: int = 5) -> None:
    same_dtype(data=data, rois=rois)
    expect_floating(data)
    if data.dim() != 4:
        raise OpShapeError(f"expected data of 4 dimensions (batch, channels, height, width), got {data.dim()}")
    if rois.dim() != 2 or rois.shape[1] != width:
        raise OpShapeError(
            f"expected rois of shape (regions, {width}), number of the image first, got {tuple(rois.shape)}"
        )
    if not 0 <= spatial_scale <= 1:
        raise OpParamError(f"spatial_scale={spatial_scale}; expected a number from 0 to 1")


def _pooled(pooled_size: Shape) -> tuple[int, int]:
    if len(pooled_size) != 2 or min(pooled_size) < 1:
        raise OpParamError(f"pooled_size={pooled_size}; expected height and width, none below 1")
    return pooled_size[0], pooled_size[1]


def _read(rois: Tensor, batch: int) -> _Regions:
    """Sorts out regions of images that do not exist: a negative number marks a region that is to be left out."""
    values = rois.detach()
    if values.dtype == torch.float16:
        values = values.to(torch.float32)
    images = values[:, 0].nan_to_num(-1).to(torch.int64)
    known = (values[:, 0] > -1) & (images < batch)
    return _Regions(torch.where(known, images, 0), known, values[:, 1:])


@operator(
    "ROIPooling",
    "_npx_roi_pooling",
    zero_inputs=("rois",),
    reads_values=True,
    total_outputs=2,
    output_names=("output", "maxidx"),
)
def roi_pooling(data: Tensor, rois: Tensor, *, pooled_size: Shape, spatial_scale: float) -> Tensor:
    """Divides each region into bins and takes the largest number of each.

    Args:
        data: (batch, channels, height, width).
        rois: (regions, 5) number of the image and corners; regions of images that do not exist give 0.
        pooled_size: height and width of the result.
        spatial_scale: by which the corners are multiplied to be places of the data.

    Returns:
        (regions, channels, *pooled_size).
    """
    _check(data, rois, spatial_scale)
    pooled = _pooled(pooled_size)
    batch, channels, height, width = data.shape
    count = rois.shape[0] * pooled[0] * pooled[1]
    if data.is_meta or not count or not data.numel():
        return data.new_zeros(rois.shape[0], channels, *pooled)
    regions = _read(rois, batch)
    corners = round_half_away(regions.numbers * single(spatial_scale))
    sizes = (corners[:, 2:] - corners[:, :2] + 1).clamp(min=1)
    edges = (
        bin_edges(corners[:, 1], sizes[:, 1], pooled[0], height, whole_starts=True),
        bin_edges(corners[:, 0], sizes[:, 0], pooled[1], width, whole_starts=True),
    )
    bags, rows, columns = windows_of(edges, regions.known)
    images = per_bin(regions.images, pooled[0] * pooled[1])
    index = (images[bags] * height + rows) * width + columns
    return assembled(Largest.apply(table_of(data), index, bags, count), pooled, data)


def _blocks(images: Tensor, classes: int, bins: int, group_size: int) -> Tensor:
    """For every bin of every region and class: which block of channels it looks at, counted over images and classes."""
    along = (torch.arange(bins, device=images.device) * group_size // bins).clamp(0, group_size - 1)
    groups = (along.unsqueeze(1) * group_size + along).reshape(-1)
    first = images.unsqueeze(1) * classes + torch.arange(classes, device=images.device)
    return (first.reshape(-1, 1) * group_size * group_size + groups).reshape(-1)


def _check_groups(data: Tensor, output_dim: int, pooled_size: int, group_size: int) -> int:
    """Number of groups along an axis, after checks."""
    group_size = group_size or pooled_size
    for name, value in (("output_dim", output_dim), ("pooled_size", pooled_size), ("group_size", group_size)):
        if value < 1:
            raise OpParamError(f"{name}={value}; expected a number not below 1")
    needed = output_dim * group_size * group_size
    if data.shape[1] < needed:
        raise OpShapeError(
            f"expected at least {needed} channels, output_dim={output_dim} for each of {group_size} x {group_size} "
            f"groups, got {data.shape[1]}"
        )
    return group_size


@operator("_contrib_PSROIPooling", zero_inputs=("rois",), reads_values=True)
def psroi_pooling(
    data: Tensor, rois: Tensor, *, spatial_scale: float, output_dim: int, pooled_size: int, group_size: int = 0
) -> Tensor:
    """Divides each region into bins and takes the mean of each, in channels that belong to the place of the bin.

    Args:
        data: (batch, output_dim * group_size * group_size, height, width).
        rois: (regions, 5) number of the image and corners; regions of images that do not exist give 0.
        spatial_scale: by which the corners are multiplied to be places of the data.
        output_dim: number of channels of the result.
        pooled_size: height and width of the result.
        group_size: number of groups of channels down and across, `pooled_size` if 0.

    Returns:
        (regions, output_dim, pooled_size, pooled_size).
    """
    _check(data, rois, spatial_scale)
    group_size = _check_groups(data, output_dim, pooled_size, group_size)
    batch, _, height, width = data.shape
    pooled = (pooled_size, pooled_size)
    bins = pooled_size * pooled_size
    if data.is_meta or not rois.shape[0] or not data.numel():
        return data.new_zeros(rois.shape[0], output_dim, *pooled)
    regions = _read(rois, batch)
    whole, scale = round_half_away(regions.numbers), single(spatial_scale)
    starts = whole[:, :2] * scale
    sizes = ((whole[:, 2:] + 1) * scale - starts).clamp(min=0.1)
    edges = (
        bin_edges(starts[:, 1], sizes[:, 1], pooled_size, height, whole_starts=False),
        bin_edges(starts[:, 0], sizes[:, 0], pooled_size, width, whole_starts=False),
    )
    bags, rows, columns = windows_of(edges, regions.known)
    blocks = _blocks(regions.images, 1, pooled_size, group_size)
    index = (blocks[bags] * height + rows) * width + columns
    table = table_of(data[:, : output_dim * group_size * group_size], group_size * group_size)
    shares = 1 / torch.bincount(bags, minlength=rois.shape[0] * bins).to(table.dtype)
    sums = WeightedSums.apply(table, shares[bags], index, bags, rois.shape[0] * bins)
    return assembled(sums, pooled, data)


@operator("_contrib_ROIAlign", zero_inputs=("rois",), reads_values=True)
def roi_align(
    data: Tensor,
    rois: Tensor,
    *,
    pooled_size: Shape,
    spatial_scale: float,
    sample_ratio: int = -1,
    position_sensitive: bool = False,
    aligned: bool = False,
) -> Tensor:
    """Divides each region into bins and takes the mean of samples of each, interpolated between the places.

    Args:
        data: (batch, channels, height, width).
        rois: (regions, 5) number of the image and corners; regions of images that do not exist give 0.
        pooled_size: height and width of the result.
        spatial_scale: by which the corners are multiplied to be places of the data.
        sample_ratio: number of samples of a bin down and across; as many as it has places if not positive.
        position_sensitive: whether each bin has channels of its own.
        aligned: whether corners count from the edge of the first place, not from its center.

    Returns:
        (regions, channels, *pooled_size); channels / bins, if `position_sensitive`.
    """
    _check(data, rois, spatial_scale)
    pooled = _pooled(pooled_size)
    batch, channels, height, width = data.shape
    bins = pooled[0] * pooled[1]
    groups = bins if position_sensitive else 1
    if channels % groups:
        raise OpShapeError(f"position_sensitive: expected channels in multiples of {bins} bins, got {channels}")
    if data.is_meta or not rois.shape[0] or not data.numel():
        return data.new_zeros(rois.shape[0], channels // groups, *pooled)
    regions = _read(rois, batch)
    corners = regions.numbers * single(spatial_scale) - (0.5 if aligned else 0.0)
    sizes = corners[:, 2:] - corners[:, :2]
    if not aligned:
        sizes = sizes.clamp(min=1)
    elif bool((regions.known & ~(sizes > 0).all(1)).any()):
        raise OpShapeError("aligned: expected regions of some height and width, got one that has none")
    # What is left out must not decide how many samples there are.
    sizes = torch.where(regions.known.unsqueeze(1), sizes, 1.0)
    down = sample_axis(corners[:, 1], sizes[:, 1], pooled[0], height, sample_ratio)
    across = sample_axis(corners[:, 0], sizes[:, 0], pooled[1], width, sample_ratio)
    shares = regions.known.to(corners.dtype) / (down.samples * across.samples)
    down = down._replace(weights=down.weights * shares.reshape(-1, 1, 1))
    taps = crossed(down, across, sample_ratio > 0)
    block = per_bin(regions.images * groups, bins)
    if position_sensitive:
        block = block + torch.arange(bins, device=block.device).repeat(rois.shape[0])
    index = (block[taps.bags] * height + taps.rows) * width + taps.columns
    table = table_of(data, groups)
    sums = WeightedSums.apply(table, taps.weights.to(table.dtype), index, taps.bags, rois.shape[0] * bins)
    return assembled(sums, pooled, data)


@operator("_contrib_RROIAlign", zero_inputs=("rois",), reads_values=True)
def rroi_align(
    data: Tensor, rois: Tensor, *, pooled_size: Shape, spatial_scale: float, sampling_ratio: int = -1
) -> Tensor:
    """`ROIAlign` for regions that are turned.

    Args:
        data: (batch, channels, height, width).
        rois: (regions, 6) number of the image, center, width, height, and the angle in degrees, counter-clockwise;
            regions of images that do not exist give 0.
        pooled_size: height and width of the result.
        spatial_scale: by which centers and sizes are multiplied to be places of the data.
        sampling_ratio: number of samples of a bin down and across; as many as it has places if not positive.

    Returns:
        (regions, channels, *pooled_size).
    """
    _check(data, rois, spatial_scale, 6)
    pooled = _pooled(pooled_size)
    batch, channels, height, width = data.shape
    bins = pooled[0] * pooled[1]
    if data.is_meta or not rois.shape[0] or not data.numel():
        return data.new_zeros(rois.shape[0], channels, *pooled)
    regions = _read(rois, batch)
    numbers = torch.where(regions.known.unsqueeze(1), regions.numbers, 0.0)
    centers, sizes = (numbers[:, :4] * single(spatial_scale)).split(2, 1)
    sizes = sizes.clamp(min=1)
    angles = torch.deg2rad(numbers[:, 4].to(torch.float64)).to(sizes.dtype)
    steps = sizes / torch.tensor((pooled[1], pooled[0]), dtype=sizes.dtype, device=sizes.device)
    samples = torch.full_like(steps, sampling_ratio) if sampling_ratio > 0 else steps.nan_to_num(0, 0, 0).ceil()
    counts = samples.to(torch.int64)
    bags, place = ragged(per_bin(counts.prod(1), bins))
    region = torch.div(bags, bins, rounding_mode="floor")
    line = torch.div(bags, pooled[1], rounding_mode="floor")
    inner_row = torch.div(place, counts[region, 0], rounding_mode="floor")
    inner = torch.stack([place - inner_row * counts[region, 0], inner_row], 1)
    bin_of = torch.stack([bags - line * pooled[1], line - region * pooled[0]], 1)
    inner_steps = (inner + 0.5) * steps[region] / samples[region]
    points = -sizes[region] / 2 + bin_of * steps[region] + inner_steps
    cosine, sine = torch.cos(angles)[region], torch.sin(angles)[region]
    columns = points[:, 0] * cosine + points[:, 1] * sine + centers[region, 0]
    rows = points[:, 1] * cosine - points[:, 0] * sine + centers[region, 1]
    weights = (regions.known / samples.prod(1))[region]
    taps = corner_taps(bags, rows, columns, weights, (height, width))
    index = (per_bin(regions.images, bins)[taps.bags] * height + taps.rows) * width + taps.columns
    table = table_of(data)
    sums = WeightedSums.apply(table, taps.weights.to(table.dtype), index, taps.bags, rois.shape[0] * bins)
    return assembled(sums, pooled, data)


def _check_moves(rois: Tensor, trans: Tensor | None, output_dim: int, part_size: int, no_trans: bool) -> int:
    """Number of classes, after checks of `trans`."""
    if no_trans:
        if trans is not None:
            raise OpParamError("received trans although no_trans=True; leave one of them out")
        return 1
    if trans is None:
        raise OpShapeError("input trans is missing; give it, or set no_trans=True")
    same_dtype(rois=rois, trans=trans)
    if trans.dim() != 4 or trans.shape[1] < 2 or trans.shape[1] % 2:
        raise OpShapeError(f"expected trans of shape (regions, 2 * classes, parts, parts), got {tuple(trans.shape)}")
    expect_shape("trans", trans, (rois.shape[0], trans.shape[1], part_size, part_size))
    classes = trans.shape[1] // 2
    if output_dim % classes:
        raise OpShapeError(f"output_dim={output_dim} cannot be divided among the {classes} classes of trans")
    return classes


def _moves(trans: Tensor, classes: int, part_size: int, pooled_size: int, trans_std: float) -> Tensor:
    """How far each bin is moved across and down, in sizes of the region: (2, regions, classes, bins, bins)."""
    numbers = torch.arange(pooled_size, device=trans.device, dtype=trans.dtype)
    parts = (numbers / pooled_size * part_size).floor().to(torch.int64)
    moves = trans.reshape(-1, classes, 2, part_size, part_size)[..., parts.unsqueeze(1), parts]
    return moves.movedim(2, 0) * single(trans_std)


def _sample_points(starts: Tensor, sizes: Tensor, bins: int, samples: int) -> tuple[Tensor, Tensor]:
    """Columns and rows of the samples of bins that are not moved: (regions, classes, bins, bins, samples, samples)."""
    numbers = torch.arange(bins, device=sizes.device, dtype=sizes.dtype).unsqueeze(1)
    inner = torch.arange(samples, device=sizes.device, dtype=sizes.dtype)
    steps = (sizes / bins).reshape(-1, 2, 1, 1)
    points = numbers * steps + starts.reshape(-1, 2, 1, 1) + inner * (steps / samples)
    return points[:, 0].reshape(-1, 1, 1, bins, 1, samples), points[:, 1].reshape(-1, 1, bins, 1, samples, 1)


def _mean_taps(columns: Tensor, rows: Tensor, known: Tensor, lengths: tuple[int, int]) -> Taps:
    """Taps for the mean of the samples of each bin; those more than half a place outside do not count."""
    columns, rows = torch.broadcast_tensors(columns, rows)
    inside = (columns >= -0.5) & (columns <= lengths[1] - 0.5) & (rows >= -0.5) & (rows <= lengths[0] - 0.5)
    inside = inside & known.reshape(-1, 1, 1, 1, 1, 1)
    weights = inside.to(rows.dtype) / inside.sum((4, 5), keepdim=True).clamp(min=1)
    samples = inside.shape[4] * inside.shape[5]
    bags = torch.arange(inside.numel() // samples, device=rows.device).repeat_interleave(samples)
    return corner_taps(bags, rows.reshape(-1), columns.reshape(-1), weights.reshape(-1), lengths)


@operator(
    "_contrib_DeformablePSROIPooling", zero_inputs=("rois",), total_outputs=2, output_names=("output", "top_count")
)
def deformable_psroi_pooling(
    data: Tensor,
    rois: Tensor,
    trans: Tensor | None = None,
    *,
    spatial_scale: float,
    output_dim: int,
    group_size: int,
    pooled_size: int,
    part_size: int = 0,
    sample_per_part: int = 1,
    trans_std: float = 0.0,
    no_trans: bool = False,
) -> Tensor:
    """`PSROIPooling` with bins that are moved, and that take the mean of samples between the places.

    Args:
        data: (batch, output_dim * group_size * group_size, height, width).
        rois: (regions, 5) number of the image and corners; regions of images that do not exist give 0.
        trans: (regions, 2 * classes, part_size, part_size) how far to move each part across and down, in sizes of the
            region; the channels of the result are divided among the classes. Left out with `no_trans`.
        spatial_scale: by which the corners are multiplied to be places of the data.
        output_dim: number of channels of the result.
        group_size: number of groups of channels down and across.
        pooled_size: height and width of the result.
        part_size: number of parts down and across, `pooled_size` if 0.
        sample_per_part: number of samples of a bin down and across.
        trans_std: factor of `trans`.
        no_trans: whether bins are not moved.

    Returns:
        (regions, output_dim, pooled_size, pooled_size).
    """
    _check(data, rois, spatial_scale)
    _check_groups(data, output_dim, pooled_size, group_size)
    part_size = part_size or pooled_size
    if sample_per_part < 1 or not 0 <= trans_std <= 1:
        raise OpParamError(f"{sample_per_part=} and {trans_std=}; expected a number not below 1, and one from 0 to 1")
    classes = _check_moves(rois, trans, output_dim, part_size, no_trans)
    batch, _, height, width = data.shape
    count, groups = rois.shape[0], group_size * group_size
    if data.is_meta or not count or not data.numel():
        return data.new_zeros(count, output_dim, pooled_size, pooled_size)
    regions = _read(rois, batch)
    whole, scale = round_half_away(regions.numbers), single(spatial_scale)
    starts = whole[:, :2] * scale - 0.5
    sizes = ((whole[:, 2:] + 1) * scale - 0.5 - starts).clamp(min=0.1)
    columns, rows = _sample_points(starts, sizes, pooled_size, sample_per_part)
    if trans is not None:
        moves = _moves(trans, classes, part_size, pooled_size, trans_std).to(sizes.dtype)
        columns = columns + (moves[0] * sizes[:, 0].reshape(-1, 1, 1, 1))[..., None, None]
        rows = rows + (moves[1] * sizes[:, 1].reshape(-1, 1, 1, 1))[..., None, None]
    taps = _mean_taps(columns, rows, regions.known, (height, width))
    blocks = _blocks(regions.images, classes, pooled_size, group_size)
    index = (blocks[taps.bags] * height + taps.rows) * width + taps.columns
    table = table_of(data[:, : output_dim * groups].reshape(batch * classes, -1, height, width), groups)
    sums = WeightedSums.apply(table, taps.weights.to(table.dtype), index, taps.bags, blocks.shape[0])
    result = assembled(sums, (pooled_size, pooled_size), data)
    return result.reshape(count, output_dim, pooled_size, pooled_size)
