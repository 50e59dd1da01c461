"""Anchors, their targets and the suppression of boxes, as tensors of plain PyTorch: no loop over anchors or images."""

import torch
from networks_large import (
    MINING_OVERLAP,
    MINING_RATIO,
    NMS_TOP,
    OVERLAP,
    SCORE,
    SSD_RATIOS,
    SSD_SIZES,
    SUPPRESSION,
    VARIANCES,
)
from torch import Tensor


def anchors_of(sides: tuple[int, ...]) -> Tensor:
    """Corners of the anchors at all places of square maps, (anchors, 4)."""
    found = []
    for side, sizes in zip(sides, SSD_SIZES, strict=True):
        shapes = [(size, size) for size in sizes]
        shapes += [(sizes[0] * ratio**0.5, sizes[0] / ratio**0.5) for ratio in SSD_RATIOS[1:]]
        half = torch.tensor(shapes) / 2
        places = (torch.arange(side) + 0.5) / side
        down, right = torch.meshgrid(places, places, indexing="ij")
        centers = torch.stack([right, down], 2).unsqueeze(2)
        found.append(torch.cat([centers - half, centers + half], 3).reshape(-1, 4))
    return torch.cat(found)


def _areas(boxes: Tensor) -> Tensor:
    return (boxes[..., 2] - boxes[..., 0]) * (boxes[..., 3] - boxes[..., 1])


def overlaps_of(one: Tensor, other: Tensor) -> Tensor:
    """Intersection over union of each of (..., n, 4) with each of (..., m, 4)."""
    least = torch.maximum(one[..., :, None, :2], other[..., None, :, :2])
    most = torch.minimum(one[..., :, None, 2:], other[..., None, :, 2:])
    shared = (most - least).clamp(min=0).prod(-1)
    return shared / (_areas(one)[..., :, None] + _areas(other)[..., None, :] - shared)


def _centers_sizes(boxes: Tensor) -> tuple[Tensor, Tensor]:
    return (boxes[..., :2] + boxes[..., 2:]) / 2, boxes[..., 2:] - boxes[..., :2]


@torch.no_grad()
def targets(anchors: Tensor, objects: Tensor, scores: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """What should be seen at each anchor.

    Args:
        anchors: (anchors, 4) corners.
        objects: (batch, objects, 5) class and corners; class -1 for none.
        scores: (batch, anchors, classes) before softmax, background first.

    Returns:
        (batch, anchors, 4) shifts of boxes, (batch, anchors) whether there is an object, and (batch, anchors) classes:
        0 for the background that is taken most for something else, -1 for the rest of it.
    """
    exists = objects[..., 0] >= 0
    overlaps = overlaps_of(objects[..., 1:], anchors).masked_fill_(~exists.unsqueeze(2), -1)
    highest, nearest = overlaps.max(1)
    best = overlaps.argmax(2)  # each object has the anchor that overlaps it most, however little that is
    numbers = torch.arange(objects.shape[1]).expand_as(best)
    matched = torch.full_like(nearest, -1)
    matched.scatter_reduce_(1, best, torch.where(exists, numbers, -1), "amax")
    positive = (matched >= 0) | (highest > OVERLAP)
    chosen = torch.where(matched >= 0, matched, nearest)
    boxes = objects.gather(1, chosen.unsqueeze(2).expand(-1, -1, 5))

    candidates = ~positive & (highest < MINING_OVERLAP)
    background = scores.softmax(2)[..., 0].masked_fill(~candidates, 2.0)
    rank = background.argsort(1).argsort(1)
    negative = candidates & (rank < MINING_RATIO * positive.sum(1, keepdim=True))

    centers, sizes = _centers_sizes(anchors)
    box_centers, box_sizes = _centers_sizes(boxes[..., 1:])
    moves = torch.cat([(box_centers - centers) / sizes, (box_sizes / sizes).log()], 2)
    shifts = torch.where(positive.unsqueeze(2), moves / torch.tensor(VARIANCES), 0.0)
    classes = torch.where(positive, boxes[..., 0].long() + 1, torch.where(negative, 0, -1))
    return shifts, positive, classes


def suppressed(boxes: Tensor, limit: float) -> Tensor:
    """Which of boxes, best first, none that is kept and better overlaps by so much.

    A box is looked at again until nothing changes: as often as boxes take each other away in a chain, which is a few
    times, not once for every box.
    """
    above = torch.triu(overlaps_of(boxes, boxes) >= limit, diagonal=1)
    kept = ~above.any(0)
    while True:
        again = ~(above & kept.unsqueeze(1)).any(0)
        if torch.equal(again, kept):
            return kept
        kept = again


def detections(anchors: Tensor, scores: Tensor, shifts: Tensor) -> Tensor:
    """Class, score and corners of what is detected in one image, (detections, 6), best first."""
    rated, classes = scores.softmax(1)[:, 1:].max(1)
    rated, order = rated.topk(NMS_TOP)
    order = order[rated >= SCORE]
    rated, classes = rated[: order.numel()], classes[order]
    centers, sizes = _centers_sizes(anchors[order])
    moves = shifts[order] * torch.tensor(VARIANCES)
    centers, half = moves[:, :2] * sizes + centers, moves[:, 2:].exp() * sizes / 2
    boxes = torch.cat([centers - half, centers + half], 1).clamp(0, 1)
    # Boxes of different classes do not take each other away: they are moved apart.
    kept = suppressed(boxes + 2 * classes.unsqueeze(1), SUPPRESSION)
    return torch.cat([classes.unsqueeze(1), rated.unsqueeze(1), boxes], 1)[kept]
