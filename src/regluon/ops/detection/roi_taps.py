"""Which places of a feature map the bins of regions look at, and with which weights: taps, and sums over them.

Kernels made for sparse tables of word vectors do the sums, with one row for each place of the map and the channels as
its columns.
"""

from typing import Any, NamedTuple

import torch
from torch import Tensor


class WeightedSums(torch.autograd.Function):
    """Sums of weighted rows of a table. Its gradient is the same sum with rows and results exchanged."""

    @staticmethod
    def forward(ctx: Any, table: Tensor, weights: Tensor, rows: Tensor, bags: Tensor, count: int) -> Tensor:
        """Result `bags[i]` gets `weights[i] * table[rows[i]]`; the bags do not fall."""
        ctx.save_for_backward(table, weights, rows, bags)
        starts = torch.searchsorted(bags, torch.arange(count, device=bags.device))
        if not rows.shape[0]:
            return table.new_zeros(count, table.shape[1])
        return torch.embedding_bag(table, rows, starts, False, 0, False, weights)[0]

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> tuple[Tensor | None, ...]:
        """Gradients of the table and of the weights."""
        table, weights, rows, bags = ctx.saved_tensors
        grad = grads[0].contiguous()
        of_table = of_weights = None
        if ctx.needs_input_grad[0]:
            sorted_rows, order = rows.sort(stable=True)
            of_table = WeightedSums.apply(grad, weights[order], bags[order], sorted_rows, table.shape[0])
        if ctx.needs_input_grad[1]:
            of_weights = (table[rows] * grad[bags]).sum(1)
        return of_table, of_weights, None, None, None


class Largest(torch.autograd.Function):
    """The largest of some rows of a table, column by column; the first one counts among equals."""

    @staticmethod
    def forward(ctx: Any, table: Tensor, rows: Tensor, bags: Tensor, count: int) -> Tensor:
        """Result `bags[i]` is compared with `table[rows[i]]`; 0 where there is nothing to compare."""
        starts = torch.searchsorted(bags, torch.arange(count, device=bags.device))
        if not rows.shape[0]:
            result, places = table.new_zeros(count, table.shape[1]), rows.new_full((count, table.shape[1]), -1)
        else:
            result, _, sizes, places = torch.embedding_bag(table, rows, starts, False, 2)
            places = places.masked_fill(sizes.unsqueeze(1) == 0, -1)
        ctx.save_for_backward(places)
        ctx.rows = table.shape[0]
        return result

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> tuple[Tensor | None, ...]:
        """Sends each gradient to where the largest number was."""
        (places,) = ctx.saved_tensors
        known = torch.where(places >= 0, grads[0], 0)
        table = torch.zeros(ctx.rows, known.shape[1], dtype=known.dtype, device=known.device)
        return table.scatter_add(0, places.clamp(min=0), known), None, None, None


class Taps(NamedTuple):
    """Where bins look: the bin, the row and the column of each tap, and its weight."""

    bags: Tensor
    rows: Tensor
    columns: Tensor
    weights: Tensor


def round_half_away(values: Tensor) -> Tensor:
    """Rounds halves away from zero, as C does."""
    return torch.trunc(values + torch.copysign(torch.full_like(values, 0.5), values))


def table_of(data: Tensor, groups: int = 1) -> Tensor:
    """The map with one row for each image, group of channels and place; single precision at least."""
    batch, channels, height, width = data.shape
    work = data.to(torch.float32) if data.dtype == torch.float16 else data
    work = work.reshape(batch, channels // groups, groups, height * width)
    return work.permute(0, 2, 3, 1).reshape(-1, channels // groups)


def per_bin(values: Tensor, bins: int) -> Tensor:
    """Numbers of regions, repeated for each of their bins."""
    return values.repeat_interleave(bins)


def assembled(sums: Tensor, pooled: tuple[int, int], like: Tensor) -> Tensor:
    """Results (regions * bins, channels) as (regions, channels, *pooled)."""
    channels = sums.shape[1]
    result = sums.reshape(-1, pooled[0] * pooled[1], channels).transpose(1, 2)
    return result.reshape(-1, channels, *pooled).to(like.dtype).contiguous()


def ragged(counts: Tensor) -> tuple[Tensor, Tensor]:
    """For lists of these lengths, one after the other: the number of the list, and the place in it."""
    bags = torch.arange(counts.shape[0], device=counts.device).repeat_interleave(counts)
    starts = counts.cumsum(0) - counts
    return bags, torch.arange(bags.shape[0], device=counts.device) - starts[bags]


def _windows(tops: Tensor, bottoms: Tensor, lefts: Tensor, rights: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Bin, row and column of every place in the windows [top, bottom) x [left, right)."""
    wide = (rights - lefts).clamp(min=0)
    bags, place = ragged((bottoms - tops).clamp(min=0) * wide)
    down = torch.div(place, wide[bags], rounding_mode="floor")
    return bags, tops[bags] + down, lefts[bags] + place - down * wide[bags]


def bin_edges(starts: Tensor, sizes: Tensor, bins: int, limit: int, *, whole_starts: bool) -> tuple[Tensor, Tensor]:
    """First place and place after the last of each bin along one axis, (regions, bins), within the map.

    With `whole_starts` the bins are rounded before they are moved to the start of the region.
    """
    numbers = torch.arange(bins + 1, device=sizes.device, dtype=sizes.dtype)
    ends = sizes.unsqueeze(1) / bins * numbers
    starts = starts.unsqueeze(1)
    if whole_starts:
        first, last = ends[:, :-1].floor() + starts, ends[:, 1:].ceil() + starts
    else:
        ends = ends + starts
        first, last = ends[:, :-1].floor(), ends[:, 1:].ceil()
    return tuple(edge.nan_to_num().clamp(0, limit).to(torch.int64) for edge in (first, last))  # type: ignore[return-value]


def windows_of(
    edges: tuple[tuple[Tensor, Tensor], tuple[Tensor, Tensor]], known: Tensor
) -> tuple[Tensor, Tensor, Tensor]:
    """`_windows` of the edges of all bins along both axes; regions that are left out have none."""
    (tops, bottoms), (lefts, rights) = edges
    bottoms = torch.where(known.unsqueeze(1), bottoms, tops)
    shape = (tops.shape[0], tops.shape[1], lefts.shape[1])
    down = [edge.unsqueeze(2).expand(shape).reshape(-1) for edge in (tops, bottoms)]
    across = [edge.unsqueeze(1).expand(shape).reshape(-1) for edge in (lefts, rights)]
    return _windows(*down, *across)


class Axis(NamedTuple):
    """What bins look at along one axis: (regions, bins, 2 * samples) places and weights."""

    places: Tensor
    weights: Tensor
    samples: Tensor  # (regions,) how many samples a bin has


def between(points: Tensor, length: int) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """The places before and after each point, how near it is to the latter, and whether it counts.

    A point may lie one place outside of the map, and is taken to its edge then.
    """
    counts = (points >= -1) & (points <= length)
    inner = points.nan_to_num().clamp(0, length - 1)
    low, high = inner.detach().floor(), inner.detach().ceil()
    return low.to(torch.int64), high.to(torch.int64), inner - low, counts


def sample_axis(starts: Tensor, sizes: Tensor, bins: int, length: int, ratio: int) -> Axis:
    """Spreads samples over the bins of an axis, and each sample over the two places around it."""
    steps = sizes / bins
    samples = torch.full_like(steps, ratio) if ratio > 0 else steps.nan_to_num(0, 0, 0).ceil().clamp(min=0)
    most = ratio if ratio > 0 else int(samples.max())
    numbers = torch.arange(bins, device=steps.device, dtype=steps.dtype).unsqueeze(1)
    inner = torch.arange(most, device=steps.device, dtype=steps.dtype) + 0.5
    step, count = steps.reshape(-1, 1, 1), samples.reshape(-1, 1, 1)
    points = starts.reshape(-1, 1, 1) + numbers * step + inner * step / count
    low, high, share, counts = between(points, length)
    places = torch.stack([low, high], 3).flatten(2)
    weights = (torch.stack([1 - share, share], 3) * counts.unsqueeze(3)).flatten(2)
    return Axis(places, weights, samples.to(torch.int64))


def crossed(down: Axis, across: Axis, uniform: bool) -> Taps:
    """Combines what bins look at along both axes."""
    regions, high, tall = down.places.shape
    wide, broad = across.places.shape[1:]
    if uniform:
        shape = (regions, high, wide, tall, broad)
        parts = [each.reshape(regions, high, 1, tall, 1).expand(shape).reshape(-1) for each in down[:2]]
        parts += [each.reshape(regions, 1, wide, 1, broad).expand(shape).reshape(-1) for each in across[:2]]
        rows, row_weights, columns, column_weights = parts
        bags = torch.arange(regions * high * wide, device=rows.device).repeat_interleave(tall * broad)
    else:
        # Numbers of samples differ: a list for each bin, as long as it has taps.
        inner = per_bin(2 * across.samples, high * wide)
        bags, place = ragged(per_bin(4 * down.samples * across.samples, high * wide))
        row = torch.div(place, inner[bags], rounding_mode="floor")
        column = place - row * inner[bags]
        region = torch.div(bags, high * wide, rounding_mode="floor")
        line = torch.div(bags, wide, rounding_mode="floor")
        row += line * tall
        column += (region * wide + bags - line * wide) * broad
        rows, row_weights = down.places.flatten()[row], down.weights.flatten()[row]
        columns, column_weights = across.places.flatten()[column], across.weights.flatten()[column]
    return Taps(bags, rows, columns, row_weights * column_weights)


def corner_taps(bags: Tensor, rows: Tensor, columns: Tensor, weights: Tensor, lengths: tuple[int, int]) -> Taps:
    """Spreads points of the map over the four places around each; those more than one place outside do not count."""
    top, bottom, down, row_counts = between(rows, lengths[0])
    left, right, across, column_counts = between(columns, lengths[1])
    row_shares = torch.stack([1 - down, down], 1) * (weights * row_counts * column_counts).unsqueeze(1)
    shares = row_shares.unsqueeze(2) * torch.stack([1 - across, across], 1).unsqueeze(1)
    tall = torch.stack([top, bottom], 1).unsqueeze(2).expand(-1, -1, 2)
    wide = torch.stack([left, right], 1).unsqueeze(1).expand(-1, 2, -1)
    return Taps(bags.repeat_interleave(4), tall.reshape(-1), wide.reshape(-1), shares.reshape(-1))
