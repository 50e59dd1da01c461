"""Build BERT and a single-shot detector with plain PyTorch.

BERT computes query, key and value in one product and attention in one call. The detector matches anchors and
suppresses boxes with tensor operations, without a loop over anchors or images.
"""

import constants
import inputs
import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional as F

# -- BERT --------------------------------------------------------------------------------------------------------------


class _Layer(nn.Module):
    def __init__(self):
        super().__init__()
        self.queries_keys_values = nn.Linear(constants.BERT_UNITS, 3 * constants.BERT_UNITS)
        self.projection = nn.Linear(constants.BERT_UNITS, constants.BERT_UNITS)
        self.first_norm = nn.LayerNorm(constants.BERT_UNITS, eps=1e-12)
        self.wide, self.narrow = (
            nn.Linear(constants.BERT_UNITS, constants.BERT_WIDE),
            nn.Linear(constants.BERT_WIDE, constants.BERT_UNITS),
        )
        self.second_norm = nn.LayerNorm(constants.BERT_UNITS, eps=1e-12)

    def forward(self, x):
        heads = self.queries_keys_values(x).unflatten(-1, (3, constants.BERT_HEADS, -1)).permute(2, 0, 3, 1, 4)
        mixed = F.scaled_dot_product_attention(*heads.unbind())
        x = self.first_norm(self.projection(mixed.transpose(1, 2).flatten(2)) + x)
        return self.second_norm(self.narrow(F.gelu(self.wide(x))) + x)


class _Classifier(nn.Module):
    def __init__(self):
        super().__init__()
        self.words = nn.Embedding(constants.BERT_WORDS, constants.BERT_UNITS)
        self.positions = nn.Embedding(constants.BERT_POSITIONS, constants.BERT_UNITS)
        self.norm = nn.LayerNorm(constants.BERT_UNITS, eps=1e-12)
        self.layers = nn.Sequential(*(_Layer() for _ in range(constants.BERT_LAYERS)))
        self.pooler = nn.Linear(constants.BERT_UNITS, constants.BERT_UNITS)
        self.output = nn.Linear(constants.BERT_UNITS, constants.BERT_CLASSES)

    def forward(self, tokens):
        x = self.norm(self.words(tokens) + self.positions.weight[: tokens.shape[1]])
        return self.output(torch.tanh(self.pooler(self.layers(x)[:, 0])))


class FusedFill:
    """Fill layers that fuse three of Gluon's: concatenate the values, and shift the numbers of later parameters."""

    def __init__(self):
        self._shift = 0

    def __call__(self, number: int, shape, kind: str) -> np.ndarray:
        place = number + self._shift
        if shape[0] != 3 * constants.BERT_UNITS:
            return inputs.uniform(place, shape, kind)
        if kind == "bias":
            self._shift += 4  # one weight and one bias for three of each
        # In Gluon the bias of a layer is between its weight and the weight of the next one.
        return np.concatenate([inputs.uniform(place + i, (constants.BERT_UNITS, *shape[1:]), kind) for i in (0, 2, 4)])


# -- Anchors, their targets, and suppression of boxes ------------------------------------------------------------------


def _make_anchors(sides: tuple[int, ...]) -> Tensor:
    """Return the corners of the anchors at all places of square maps, (anchors, 4)."""
    found = []
    for side, sizes in zip(sides, constants.SSD_SIZES, strict=True):
        shapes = [(size, size) for size in sizes]
        shapes += [(sizes[0] * ratio**0.5, sizes[0] / ratio**0.5) for ratio in constants.SSD_RATIOS[1:]]
        half = torch.tensor(shapes) / 2
        places = (torch.arange(side) + 0.5) / side
        down, right = torch.meshgrid(places, places, indexing="ij")
        centers = torch.stack([right, down], 2).unsqueeze(2)
        found.append(torch.cat([centers - half, centers + half], 3).reshape(-1, 4))
    return torch.cat(found)


def _areas(boxes: Tensor) -> Tensor:
    return (boxes[..., 2] - boxes[..., 0]) * (boxes[..., 3] - boxes[..., 1])


def _overlaps(one: Tensor, other: Tensor) -> Tensor:
    """Return the intersection over union of each of (..., n, 4) with each of (..., m, 4)."""
    least = torch.maximum(one[..., :, None, :2], other[..., None, :, :2])
    most = torch.minimum(one[..., :, None, 2:], other[..., None, :, 2:])
    shared = (most - least).clamp(min=0).prod(-1)
    return shared / (_areas(one)[..., :, None] + _areas(other)[..., None, :] - shared)


def _centers_sizes(boxes: Tensor) -> tuple[Tensor, Tensor]:
    return (boxes[..., :2] + boxes[..., 2:]) / 2, boxes[..., 2:] - boxes[..., :2]


@torch.no_grad()
def _make_targets(anchors: Tensor, objects: Tensor, scores: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Return the training targets of each anchor.

    Args:
        anchors: (anchors, 4) corners.
        objects: (batch, objects, 5) class and corners; class -1 for none.
        scores: (batch, anchors, classes) before softmax, background first.

    Returns:
        (batch, anchors, 4) offsets of boxes, (batch, anchors) whether the anchor is matched, and (batch, anchors)
        classes: 0 for mined background (least certain), -1 for ignored background.
    """
    exists = objects[..., 0] >= 0
    overlaps = _overlaps(objects[..., 1:], anchors).masked_fill_(~exists.unsqueeze(2), -1)
    highest, nearest = overlaps.max(1)
    best = overlaps.argmax(2)  # each object gets the anchor that overlaps it most
    numbers = torch.arange(objects.shape[1]).expand_as(best)
    matched = torch.full_like(nearest, -1)
    matched.scatter_reduce_(1, best, torch.where(exists, numbers, -1), "amax")
    positive = (matched >= 0) | (highest > constants.OVERLAP)
    chosen = torch.where(matched >= 0, matched, nearest)
    boxes = objects.gather(1, chosen.unsqueeze(2).expand(-1, -1, 5))

    candidates = ~positive & (highest < constants.MINING_OVERLAP)
    background = scores.softmax(2)[..., 0].masked_fill(~candidates, 2.0)
    rank = background.argsort(1).argsort(1)
    negative = candidates & (rank < constants.MINING_RATIO * positive.sum(1, keepdim=True))

    centers, sizes = _centers_sizes(anchors)
    box_centers, box_sizes = _centers_sizes(boxes[..., 1:])
    moves = torch.cat([(box_centers - centers) / sizes, (box_sizes / sizes).log()], 2)
    offsets = torch.where(positive.unsqueeze(2), moves / torch.tensor(constants.VARIANCES), 0.0)
    classes = torch.where(positive, boxes[..., 0].long() + 1, torch.where(negative, 0, -1))
    return offsets, positive, classes


def _suppress(boxes: Tensor, limit: float) -> Tensor:
    """Return a mask of the boxes, best first, that no better kept box overlaps by the limit.

    Iterates to a fixed point: as often as the longest chain of boxes that suppress each other, which is a few times.
    """
    above = torch.triu(_overlaps(boxes, boxes) >= limit, diagonal=1)
    kept = ~above.any(0)
    while True:
        again = ~(above & kept.unsqueeze(1)).any(0)
        if torch.equal(again, kept):
            return kept
        kept = again


def _decode(anchors: Tensor, scores: Tensor, offsets: Tensor) -> Tensor:
    """Return class, score and corners of the detections in one image, (detections, 6), best first."""
    scored, classes = scores.softmax(1)[:, 1:].max(1)
    scored, order = scored.topk(constants.NMS_TOP)
    order = order[scored >= constants.SCORE]
    scored, classes = scored[: order.numel()], classes[order]
    centers, sizes = _centers_sizes(anchors[order])
    moves = offsets[order] * torch.tensor(constants.VARIANCES)
    centers, half = moves[:, :2] * sizes + centers, moves[:, 2:].exp() * sizes / 2
    boxes = torch.cat([centers - half, centers + half], 1).clamp(0, 1)
    # Boxes of different classes are moved apart, so that they do not suppress each other.
    kept = _suppress(boxes + 2 * classes.unsqueeze(1), constants.SUPPRESSION)
    return torch.cat([classes.unsqueeze(1), scored.unsqueeze(1), boxes], 1)[kept]


# -- The detector ------------------------------------------------------------------------------------------------------


def _unit(previous: int, channels: int, kernel: int, stride: int = 1, groups: int = 1) -> list[nn.Module]:
    convolution = nn.Conv2d(previous, channels, kernel, stride, kernel // 2, groups=groups, bias=False)
    return [convolution, nn.BatchNorm2d(channels), nn.ReLU(inplace=True)]


def _stages() -> tuple[nn.ModuleList, list[int]]:
    """Return MobileNet 1.0 cut where boxes are predicted, with further stages; and the channels of each stage."""
    layers, previous = _unit(3, 32, 3, 2), 32
    stages, widths = nn.ModuleList(), []
    for number, (channels, stride) in enumerate(constants.MOBILE, 1):
        layers += [*_unit(previous, previous, 3, stride, previous), *_unit(previous, channels, 1)]
        previous = channels
        if number in constants.TAPS:
            stages.append(nn.Sequential(*layers))
            widths.append(channels)
            layers = []
    for narrow, wide in constants.EXTRA:
        stages.append(nn.Sequential(*_unit(previous, narrow, 1), *_unit(narrow, wide, 3, 2)))
        widths.append(wide)
        previous = wide
    return stages, widths


class _Detector(nn.Module):
    def __init__(self):
        super().__init__()
        self.stages, widths = _stages()
        self.classes = nn.ModuleList(
            nn.Conv2d(width, constants.SSD_ANCHORS * (constants.SSD_CLASSES + 1), 3, padding=1) for width in widths
        )
        self.boxes = nn.ModuleList(nn.Conv2d(width, constants.SSD_ANCHORS * 4, 3, padding=1) for width in widths)
        # Made once, as they depend on the size of images only. Not a buffer, as `fill` overwrites buffers.
        self.anchors = _make_anchors(tuple(constants.SSD_SIDE // 8 // 2**i for i in range(len(constants.SSD_SIZES))))

    def forward(self, x):
        scores, offsets = [], []
        for stage, classes, boxes in zip(self.stages, self.classes, self.boxes, strict=True):
            x = stage(x)
            scores.append(classes(x).permute(0, 2, 3, 1).flatten(1))
            offsets.append(boxes(x).permute(0, 2, 3, 1).flatten(1))
        return self.anchors, torch.cat(scores, 1).unflatten(1, (-1, constants.SSD_CLASSES + 1)), torch.cat(offsets, 1)


class _Detections(nn.Module):
    def __init__(self):
        super().__init__()
        self.detector = _Detector()

    def forward(self, x):
        anchors, scores, offsets = self.detector(x)
        return _decode(anchors, scores[0], offsets[0].unflatten(0, (-1, 4)))


def multibox_loss(anchors, scores, offsets, objects):
    target, mask, label = _make_targets(anchors, objects, scores)
    classes = F.cross_entropy(scores.flatten(0, 1), label.flatten(), ignore_index=-1, reduction="sum") / label.numel()
    return classes + F.smooth_l1_loss(offsets.unflatten(1, (-1, 4)) * mask.unsqueeze(2), target)


bert = _Classifier
ssd = _Detector
ssd_detections = _Detections
