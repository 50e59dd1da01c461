"""Anchors of single-shot detectors: making them, matching them with objects, reading detections off them."""

import functools
import math
from typing import NamedTuple

import torch
from torch import Tensor

from ...dtypes import NAME_OF_TORCH
from ...errors import OpParamError, OpShapeError, OpTypeError
from ..common import expect_shape
from ..params import Floats
from ..precision import single
from ..registry import operator, shape_of
from ..shape_rules import Params, Result, Specs
from .boxes import match_best, pair_keys
from .suppression import suppress_by_class


def expect_single(**inputs: Tensor) -> None:
    """Refuses inputs that are not float32: the only dtype these operators have in MXNet."""
    for name, tensor in inputs.items():
        if tensor.dtype != torch.float32:
            raise OpTypeError(
                f"expected float32, got {name} of {NAME_OF_TORCH[tensor.dtype]}; convert it with astype('float32')"
            )


def _expect_anchors(anchor: Tensor) -> None:
    if anchor.dim() != 3 or anchor.shape[0] != 1 or anchor.shape[1] < 1 or anchor.shape[2] != 4:
        raise OpShapeError(f"expected anchor of shape (1, anchors, 4), got {tuple(anchor.shape)}")


def _expect_variances(variances: Floats) -> None:
    if len(variances) != 4:
        raise OpParamError(f"variances={variances}; expected 4 numbers: x, y, width, height")


@operator("_contrib_MultiBoxPrior", "_npx_multibox_prior", zero_gradient=True)
def multibox_prior(
    data: Tensor,
    *,
    sizes: Floats = (1.0,),
    ratios: Floats = (1.0,),
    clip: bool = False,
    steps: Floats = (-1.0, -1.0),
    offsets: Floats = (0.5, 0.5),
) -> Tensor:
    """Makes anchors around every place of a feature map: corners as parts of the image's height and width.

    Args:
        data: (batch, channels, height, width); only the lengths matter.
        sizes: heights of the anchors of the first ratio.
        ratios: width by height; those after the first make anchors of the first size.
        clip: whether to cut off what lies outside of the image.
        steps: distance of neighbouring centers down and to the right; taken from the feature map if not positive.
        offsets: where the first center lies, down and to the right, in steps.

    Returns:
        (1, height * width * (len(sizes) + len(ratios) - 1), 4).
    """
    expect_single(data=data)
    if data.dim() < 4 or min(data.shape[2:4]) < 1:
        raise OpShapeError(f"expected data of shape (batch, channels, height, width), got {tuple(data.shape)}")
    if not sizes or not ratios:
        raise OpParamError(f"sizes={sizes} and ratios={ratios}; expected at least one of each")
    if len(steps) != 2 or steps[0] * steps[1] < 0:
        raise OpParamError(f"steps={steps}; expected two numbers, down and right, both positive or both not")
    if len(offsets) != 2 or not all(0 <= offset <= 1 for offset in offsets):
        raise OpParamError(f"offsets={offsets}; expected two numbers from 0 to 1, down and right")
    wanted = (*data.shape[2:4], sizes, ratios, clip, steps, offsets, data.device)
    # In a trace of torch's, tensors stand for others: none of them may be kept, nor a kept one be met.
    if type(data) is not Tensor or torch.compiler.is_compiling():
        return _anchors(*wanted)
    return _known_anchors(*wanted).clone()


def _anchors(
    height: int,
    width: int,
    sizes: Floats,
    ratios: Floats,
    clip: bool,
    steps: Floats,
    offsets: Floats,
    device: torch.device,
) -> Tensor:
    if min(steps) <= 0:
        steps = (1 / height, 1 / width)
    kinds = [(size, math.sqrt(ratios[0])) for size in sizes] + [(sizes[0], math.sqrt(ratio)) for ratio in ratios[1:]]
    halves = [(size * height / width * root / 2, size / root / 2) for size, root in kinds]
    spread = torch.tensor([(-right, -down, right, down) for right, down in halves], device=device)
    rows = (torch.arange(height, device=device) + offsets[0]) * steps[0]
    columns = (torch.arange(width, device=device) + offsets[1]) * steps[1]
    centers = torch.stack([columns.expand(height, -1), rows.unsqueeze(1).expand(-1, width)], 2).repeat(1, 1, 2)
    anchors = (centers.unsqueeze(2) + spread).reshape(1, -1, 4)
    return anchors.clamp_(0, 1) if clip else anchors


# A detector asks for the same anchors in every call, twenty calls of torch for each of its maps.
_known_anchors = functools.lru_cache(maxsize=64)(_anchors)


@shape_of("_contrib_MultiBoxPrior")
def _anchors_shape(specs: Specs, params: Params) -> Result:
    data, steps, offsets = specs[0], params["steps"], params["offsets"]
    if data is None or data[1] != torch.float32 or len(data[0]) < 4 or min(data[0][2:4]) < 1:
        return None
    count = len(params["sizes"]) + len(params["ratios"]) - 1
    is_usual = params["sizes"] and params["ratios"] and len(steps) == 2 and steps[0] * steps[1] >= 0
    if not is_usual or len(offsets) != 2 or not all(0 <= offset <= 1 for offset in offsets):
        return None
    return [((1, data[0][2] * data[0][3] * count, 4), data[1])]


class _Matches(NamedTuple):
    """Anchors and the objects of their images, (batch, anchors) each."""

    positive: Tensor  # whether the anchor stands for an object
    labels: Tensor  # number of the object it overlaps most, or is matched with
    overlaps: Tensor  # its overlap with the object it overlaps most


def _label_counts(label: Tensor) -> Tensor:
    """How many labels each image has: a class of -1 ends them."""
    ends = label[:, :, 0] == -1
    # A label after the end does not count, so only the first -1 of an image is looked at.
    first = ends & (ends.cumsum(1) == 1)
    if bool((first & (label[:, :, 1:5] != -1).any(2)).any()):
        raise OpShapeError("a label of class -1 marks the end of the labels and must be -1 in its coordinates, too")
    return torch.where(ends.any(1), ends.to(torch.int8).argmax(1), label.shape[1])


def _match_anchors(anchor: Tensor, label: Tensor, counts: Tensor, overlap_threshold: float) -> _Matches:
    """Gives every object its best anchor, the best pair first, then every anchor that overlaps enough an object."""
    edges = label[:, :, 1:5].unsqueeze(3)
    anchors = anchor[0].T.contiguous()
    number, most = anchors.shape[1], label.shape[1]
    across = (torch.minimum(edges[:, :, 2], anchors[2]) - torch.maximum(edges[:, :, 0], anchors[0])).clamp_(min=0)
    down = (torch.minimum(edges[:, :, 3], anchors[3]) - torch.maximum(edges[:, :, 1], anchors[1])).clamp_(min=0)
    shared = across.mul_(down)
    areas = (anchors[2] - anchors[0]) * (anchors[3] - anchors[1])
    joint = areas + (edges[:, :, 2] - edges[:, :, 0]) * (edges[:, :, 3] - edges[:, :, 1]) - shared
    overlaps = shared.div_(joint).masked_fill_(joint == 0, 0.0)
    # The lower anchor, then the lower object, comes first among equal overlaps.
    ties = torch.arange(number * most, device=label.device).reshape(number, most).T.contiguous()
    valid = (torch.arange(most, device=label.device) < counts.unsqueeze(1)).unsqueeze(2)
    keys = pair_keys(overlaps, ties, valid)
    best = keys.amax(1)
    room = max(ties.numel() - 1, 1).bit_length()
    nearest = ((1 << room) - 1 - (best & ((1 << room) - 1))) - torch.arange(number, device=label.device) * most
    nearest = torch.where(best >= 0, nearest, 0)
    highest = torch.where(best >= 0, overlaps.gather(1, nearest.unsqueeze(1)).squeeze(1), -1.0)
    partners, _ = match_best(torch.where(overlaps > single(1e-6), keys, -1))
    # One more column takes what is written for objects without an anchor.
    places = torch.where(partners >= 0, partners, number)
    matched = torch.full((label.shape[0], number + 1), -1, device=label.device)
    matched.scatter_(1, places, torch.arange(most, device=label.device).expand_as(places))
    matched = matched[:, :number]
    positive = matched >= 0
    if overlap_threshold > 0:
        positive = positive | (highest > single(overlap_threshold))
    return _Matches(positive, torch.where(matched >= 0, matched, nearest), highest)


def _hard_negatives(matches: _Matches, cls_pred: Tensor, present: Tensor, ratio: float, threshold: float) -> Tensor:
    """The anchors without object that the network takes least for background, in proportion to those with one."""
    candidates = ~matches.positive & (matches.overlaps < single(threshold))
    positives = matches.positive.sum(1)
    wanted = (positives * single(ratio)).to(torch.int64)
    wanted = torch.minimum(wanted, matches.positive.shape[1] - positives)
    found = candidates.sum(1)
    if bool((present & (found < wanted)).any()):
        raise OpParamError(
            f"negative_mining_ratio={ratio} asks for {int(wanted.max())} negative anchors in an image, but "
            f"negative_mining_thresh={threshold} leaves fewer; raise the one or lower the other"
        )
    background = torch.softmax(cls_pred, 1)[:, 0].masked_fill(~candidates, torch.inf)
    order = background.sort(dim=1, stable=True).indices
    chosen = torch.arange(order.shape[1], device=order.device) < wanted.unsqueeze(1)
    return torch.zeros_like(candidates).scatter_(1, order, chosen)


def _check_target(anchor: Tensor, label: Tensor, cls_pred: Tensor, variances: Floats, mining: bool) -> None:
    expect_single(anchor=anchor, label=label, cls_pred=cls_pred)
    _expect_anchors(anchor)
    if label.dim() != 3 or label.shape[1] < 1 or label.shape[2] < 5:
        raise OpShapeError(
            f"expected label of shape (batch, labels, 5 or more), class and corners first, got {tuple(label.shape)}"
        )
    if cls_pred.dim() != 3 or cls_pred.shape[2] != anchor.shape[1]:
        raise OpShapeError(
            f"expected cls_pred of shape (batch, classes, {anchor.shape[1]} anchors), got {tuple(cls_pred.shape)}"
        )
    if mining:
        expect_shape("cls_pred", cls_pred, (label.shape[0], *cls_pred.shape[1:]))
    _expect_variances(variances)


@operator(
    "_contrib_MultiBoxTarget",
    "_npx_multibox_target",
    outputs=3,
    zero_gradient=True,
    reads_values=True,
    output_names=("loc_target", "loc_mask", "cls_target"),
)
def multibox_target(
    anchor: Tensor,
    label: Tensor,
    cls_pred: Tensor,
    *,
    overlap_threshold: float = 0.5,
    ignore_label: float = -1.0,
    negative_mining_ratio: float = -1.0,
    negative_mining_thresh: float = 0.5,
    minimum_negative_samples: int = 0,
    variances: Floats = (0.1, 0.1, 0.2, 0.2),
) -> tuple[Tensor, Tensor, Tensor]:
    """Says what a single-shot detector should predict at each anchor.

    Args:
        anchor: (1, anchors, 4) corners.
        label: (batch, labels, 5 or more) class and corners of the objects; -1 after the last one.
        cls_pred: (batch, classes, anchors) predictions before softmax, background first.
        overlap_threshold: an anchor stands for an object that it overlaps by more; only the best one of each object if
            not positive.
        ignore_label: class of anchors that are to be left out of the loss.
        negative_mining_ratio: number of background anchors for each one with an object, the hardest ones; all
            background anchors if not positive.
        negative_mining_thresh: background anchors overlap objects by less.
        minimum_negative_samples: has no effect, as in MXNet.
        variances: by which shift and stretch are divided.

    Returns:
        (batch, anchors * 4) shift and stretch, (batch, anchors * 4) a mask of them, and (batch, anchors) classes, 0
        for background.
    """
    mining = negative_mining_ratio > 0
    _check_target(anchor, label, cls_pred, variances, mining)
    if mining and negative_mining_thresh <= 0:
        raise OpParamError(f"negative_mining_thresh={negative_mining_thresh}; expected a positive number")
    batch, number = label.shape[0], anchor.shape[1]
    if label.is_meta:
        return label.new_empty(batch, number * 4), label.new_empty(batch, number * 4), label.new_empty(batch, number)
    anchor, label, cls_pred = anchor.detach(), label.detach(), cls_pred.detach()
    counts = _label_counts(label)
    label = label[:, : max(int(counts.max()), 1), :5]
    matches = _match_anchors(anchor, label, counts, overlap_threshold)
    present = counts > 0
    negative = ~matches.positive
    if mining:
        negative = _hard_negatives(matches, cls_pred, present, negative_mining_ratio, negative_mining_thresh)
    chosen = label.gather(1, matches.labels.unsqueeze(2).expand(-1, -1, 5))
    classes = torch.where(negative & present.unsqueeze(1), 0.0, ignore_label)
    classes = torch.where(matches.positive, chosen[:, :, 0] + 1, classes)
    sizes, centers = anchor[..., 2:] - anchor[..., :2], (anchor[..., :2] + anchor[..., 2:]) * 0.5
    box_sizes, box_centers = chosen[..., 3:] - chosen[..., 1:3], (chosen[..., 1:3] + chosen[..., 3:]) * 0.5
    moves = torch.cat([(box_centers - centers) / sizes, torch.log(box_sizes / sizes)], 2)
    moves = moves / torch.tensor(variances, device=label.device)
    taken = matches.positive.unsqueeze(2).expand(-1, -1, 4)
    return torch.where(taken, moves, 0.0).flatten(1), taken.to(label.dtype).flatten(1), classes


def _decoded(anchor: Tensor, loc_pred: Tensor, variances: Floats, clip: bool) -> Tensor:
    """Corners of the boxes that the predictions make of the anchors."""
    sizes, centers = anchor[..., 2:] - anchor[..., :2], (anchor[..., :2] + anchor[..., 2:]) / 2
    moves = loc_pred.reshape(loc_pred.shape[0], -1, 4) * torch.tensor(variances, device=anchor.device)
    centers, half = moves[..., :2] * sizes + centers, torch.exp(moves[..., 2:]) * sizes / 2
    boxes = torch.cat([centers - half, centers + half], 2)
    return boxes.clamp_(0, 1) if clip else boxes


def _order(scores: Tensor, valid: Tensor, sort: bool, nms_topk: int) -> Tensor:
    """Anchors in the order of their detections: the valid ones first, the best ones sorted before the rest."""
    number = scores.shape[1]
    sorted_ones = 0 if not sort else nms_topk if 0 < nms_topk < number else number
    parts = []
    if sorted_ones:
        ranked = scores.masked_fill(~valid, -torch.inf).sort(dim=1, descending=True, stable=True).indices
        parts.append(ranked[:, :sorted_ones])
    if sorted_ones < number:
        places = torch.where(valid, valid.cumsum(1) - 1, number)  # one more column takes what is not valid
        numbers = torch.arange(number, device=scores.device).expand_as(places)
        front = torch.zeros(scores.shape[0], number + 1, dtype=torch.int64, device=scores.device)
        parts.append(front.scatter_(1, places, numbers)[:, sorted_ones:number])
    return torch.cat(parts, 1)


def _suppress(found: Tensor, valid: Tensor, threshold: float, force_suppress: bool, nms_topk: int) -> None:
    """Takes away the class of sorted detections (batch, anchors, 6) that a better one overlaps, or beyond the limit."""
    chosen = valid
    if 0 < nms_topk < found.shape[1]:
        chosen = valid & (torch.arange(found.shape[1], device=found.device) < nms_topk)
    candidates, images = found[chosen], chosen.nonzero()[:, 0]
    edges = candidates[:, 2:]
    areas = (edges[:, 2] - edges[:, 0]) * (edges[:, 3] - edges[:, 1])
    classes = None if force_suppress else candidates[:, 0].to(torch.int64)
    kept = suppress_by_class(edges, areas, images, classes, single(threshold), inclusive=True)
    found[:, :, 0].masked_fill_(~torch.zeros_like(chosen).masked_scatter_(chosen, kept), -1)


@operator("_contrib_MultiBoxDetection", "_npx_multibox_detection", zero_gradient=True, reads_values=True)
def multibox_detection(
    cls_prob: Tensor,
    loc_pred: Tensor,
    anchor: Tensor,
    *,
    clip: bool = True,
    threshold: float = 0.00999999978,
    background_id: int = 0,
    nms_threshold: float = 0.5,
    force_suppress: bool = False,
    variances: Floats = (0.1, 0.1, 0.2, 0.2),
    nms_topk: int = -1,
) -> Tensor:
    """Reads detections off the predictions of a single-shot detector.

    Args:
        cls_prob: (batch, classes, anchors) probabilities, background first.
        loc_pred: (batch, anchors * 4) shift and stretch of the anchors.
        anchor: (1, anchors, 4) corners.
        clip: whether to cut off what lies outside of the image.
        threshold: smallest probability of a detection.
        background_id: has no effect, as in MXNet.
        nms_threshold: a detection that overlaps a better one by as much is taken away; none if not from 0 to 1.
        force_suppress: whether detections of different classes take each other away, too.
        variances: by which shift and stretch are multiplied.
        nms_topk: how many of the best detections are looked at, all if not positive.

    Returns:
        (batch, anchors, 6) class, probability and corners, best first; class -1 for what was taken away, and -1
        everywhere after the last detection.
    """
    expect_single(cls_prob=cls_prob, loc_pred=loc_pred, anchor=anchor)
    _expect_anchors(anchor)
    _expect_variances(variances)
    number = anchor.shape[1]
    if cls_prob.dim() != 3 or cls_prob.shape[1] < 1 or cls_prob.shape[2] != number:
        raise OpShapeError(
            f"expected cls_prob of shape (batch, classes, {number} anchors), got {tuple(cls_prob.shape)}"
        )
    batch = cls_prob.shape[0]
    expect_shape("loc_pred", loc_pred, (batch, number * 4))
    if cls_prob.is_meta or cls_prob.shape[1] < 2:
        return cls_prob.new_full((batch, number, 6), -1)
    cls_prob, loc_pred, anchor = cls_prob.detach(), loc_pred.detach(), anchor.detach()
    scores, classes = cls_prob[:, 1:].max(1)
    valid = (scores > -1) & (scores >= single(threshold))
    boxes = _decoded(anchor, loc_pred, variances, clip)
    found = torch.cat([classes.to(scores.dtype).unsqueeze(2), scores.unsqueeze(2), boxes], 2)
    suppressing = 0 < nms_threshold <= 1
    order = _order(scores, valid, suppressing, nms_topk)
    found = found.gather(1, order.unsqueeze(2).expand(-1, -1, 6))
    valid = torch.arange(number, device=valid.device) < valid.sum(1, keepdim=True)
    if suppressing:
        _suppress(found, valid, nms_threshold, force_suppress, nms_topk)
    return found.masked_fill_(~valid.unsqueeze(2), -1)
