"""Greedy suppression of boxes: of those that overlap, the best stays."""

from typing import NamedTuple

import torch
from torch import Tensor

from ...native import kernels

# Tables of overlaps stay in the cache, and just below the size from which torch shares the work among threads: for
# so many small steps the threads would wait for each other longer than they compute.
_TILE = (1 << 15) - 1
_LARGEST_BLOCK = 180  # boxes compared with each other at once
_FIRST_BLOCK = 64


def overlaps_of(rows: Tensor, columns: Tensor, border: float) -> Tensor:
    """Shared part of the areas of boxes (5, ..., n) and (5, ..., m), four edges and the area each: (..., n, m)."""
    left, top, right, bottom, area = rows.unsqueeze(-1)
    other_left, other_top, other_right, other_bottom, other_area = columns.unsqueeze(-2)
    width = torch.minimum(right, other_right).sub_(torch.maximum(left, other_left))
    height = torch.minimum(bottom, other_bottom).sub_(torch.maximum(top, other_top))
    if border:
        width += border
        height += border
    shared = width.clamp_(min=0).mul_(height.clamp_(min=0))
    return shared.div_((area + other_area).sub_(shared))


def _survivors(alike: Tensor) -> Tensor:
    """Which boxes (..., n) are kept, given which ones (rows) would suppress which later ones (columns).

    Each round takes the boxes kept so far for the right ones and sees whom they suppress. After n rounds at least
    the first n answers are right, and as a rule a few rounds suffice for all.
    """
    places = torch.arange(alike.shape[-1], device=alike.device)
    suppresses = (alike & (places.unsqueeze(1) < places)).to(torch.float32)
    kept = torch.ones(alike.shape[:-1], device=alike.device)
    while True:
        again = 1 - (suppresses * kept.unsqueeze(-1)).amax(-2)
        if torch.equal(again, kept):
            return kept > 0
        kept = again


class _Rule(NamedTuple):
    """Which overlaps suppress a box; see `keep_best`."""

    threshold: float
    inclusive: bool
    border: float

    def holds(self, overlaps: Tensor) -> Tensor:
        """Whether a box of such an overlap is suppressed."""
        return overlaps >= self.threshold if self.inclusive else overlaps > self.threshold


def _keep_in_turn(boxes: Tensor, rule: _Rule, limit: int | None = None) -> Tensor:
    """Block after block: first what the boxes kept before suppress, then the boxes of the block among themselves."""
    count = boxes.shape[1]
    keep = torch.zeros(count, dtype=torch.bool, device=boxes.device)
    kept = torch.empty_like(boxes)
    total = start = 0
    length = _FIRST_BLOCK if count > _LARGEST_BLOCK else _LARGEST_BLOCK
    while start < count and (limit is None or total < limit):
        stop = min(start + length, count)
        block, places = boxes[:, start:stop], torch.arange(start, stop, device=boxes.device)
        if total:
            step = _TILE // length
            parts = [overlaps_of(kept[:, i : min(i + step, total)], block, rule.border) for i in range(0, total, step)]
            most = torch.stack([part.amax(0) for part in parts]).amax(0)
            places = places[~rule.holds(most)]
            block = boxes[:, places]
        if places.shape[0]:
            places = places[_survivors(rule.holds(overlaps_of(block, block, rule.border)))]
        keep[places] = True
        kept[:, total : total + places.shape[0]] = boxes[:, places]
        total += places.shape[0]
        start, length = stop, min(2 * length, _LARGEST_BLOCK)
    if limit is not None and total > limit:
        keep[keep.nonzero()[limit:, 0]] = False
    return keep


def _keep_in_groups(boxes: Tensor, groups: Tensor, rule: _Rule) -> Tensor:
    """Large groups one after the other, small ones side by side, those of a similar size together."""
    keep = torch.zeros(boxes.shape[1], dtype=torch.bool, device=boxes.device)
    counts = torch.unique_consecutive(groups, return_counts=True)[1]
    starts = counts.cumsum(0) - counts
    counts, order = counts.sort()
    starts, sizes = starts[order], counts.tolist()
    first = 0
    while first < len(sizes) and sizes[first] <= _LARGEST_BLOCK:
        # As many as fit into a table, each as long as the last and longest of them.
        last = first + 1
        while last < len(sizes) and (last + 1 - first) * sizes[last] ** 2 <= _TILE:
            last += 1
        places = torch.arange(sizes[last - 1], device=boxes.device)
        index = starts[first:last].unsqueeze(1) + places
        inside = places < counts[first:last].unsqueeze(1)
        # What follows a group in its row is not of it, but comes later, and so suppresses none of it.
        block = boxes[:, index.clamp(max=boxes.shape[1] - 1)]
        kept = _survivors(rule.holds(overlaps_of(block, block, rule.border)))
        keep[index[inside]] = kept[inside]
        first = last
    for start, size in zip(starts[first:].tolist(), sizes[first:], strict=True):
        keep[start : start + size] = _keep_in_turn(boxes[:, start : start + size], rule)
    return keep


def keep_best(
    edges: Tensor,
    areas: Tensor,
    threshold: float,
    groups: Tensor | None = None,
    *,
    inclusive: bool = False,
    border: float = 0.0,
    limit: int | None = None,
) -> Tensor:
    """Greedy suppression: keeps each box that no kept box before it overlaps by more than the threshold.

    Args:
        edges: (n, 4) left, top, right, bottom, best box first within a group.
        areas: (n,).
        threshold: largest shared part of the areas that two kept boxes may have.
        groups: (n,) whole numbers, sorted; boxes of different groups do not suppress each other.
        inclusive: whether an overlap equal to the threshold suppresses.
        border: added to the width and height of what two boxes share, for edges that are whole pixels.
        limit: how many boxes are wanted, if there are no groups; later ones are not kept.

    Returns:
        (n,), true for what is kept.
    """
    work = edges.to(torch.float32) if edges.dtype == torch.float16 else edges
    boxes = torch.cat([work.T, areas.to(work.dtype).unsqueeze(0)])
    # Boxes without area, or of numbers that are none, overlap nothing; 0/0 would spoil the maxima.
    boxes = torch.where(boxes.isfinite().all(0), boxes, 0).contiguous()
    boxes[4].masked_fill_(boxes[4] == 0, torch.finfo(boxes.dtype).tiny)
    ours = kernels()
    if ours is not None and boxes.is_cpu and boxes.dtype == torch.float32:
        kept: Tensor = ours.suppress(boxes, groups, threshold, inclusive, border, -1 if limit is None else limit)
        return kept
    rule = _Rule(threshold, inclusive, border)
    return _keep_in_turn(boxes, rule, limit) if groups is None else _keep_in_groups(boxes, groups, rule)


def suppress_by_class(
    edges: Tensor, areas: Tensor, images: Tensor, classes: Tensor | None, threshold: float, *, inclusive: bool = False
) -> Tensor:
    """`keep_best` for boxes sorted by image and score: only boxes of one image and class suppress each other."""
    if classes is None:
        return keep_best(edges, areas, threshold, images, inclusive=inclusive)
    groups, order = ((images << 32) + classes).sort(stable=True)
    kept = keep_best(edges[order], areas[order], threshold, groups, inclusive=inclusive)
    return torch.empty_like(kept).index_copy_(0, order, kept)
