"""Region proposals."""

import math
from collections.abc import Mapping
from typing import Any

import torch
from torch import Tensor

from ...errors import OpParamError, OpShapeError
from ..common import expect_shape
from ..params import Floats
from ..precision import single
from ..registry import operator
from .multibox import expect_single
from .suppression import keep_best


def _num_outputs(params: Mapping[str, Any]) -> int:
    return 2 if params["output_score"] else 1


def _anchors(height: int, width: int, stride: int, ratios: Floats, scales: Floats, device: torch.device) -> Tensor:
    """Corners of the anchors of every place, (height * width * kinds, 4): whole pixels, both ends included."""
    center = 0.5 * (stride - 1)
    spread = []
    for ratio in ratios:
        across = math.floor(math.sqrt(math.floor(stride * stride / ratio)) + 0.5)
        down = math.floor(across * ratio + 0.5)
        for scale in scales:
            right, below = 0.5 * (across * scale - 1), 0.5 * (down * scale - 1)
            spread.append((center - right, center - below, center + right, center + below))
    kinds = torch.tensor(spread, device=device)
    rows, columns = (torch.arange(length, device=device) * stride for length in (height, width))
    shifts = torch.stack([columns.expand(height, -1), rows.unsqueeze(1).expand(-1, width)], 2).repeat(1, 1, 2)
    return (shifts.unsqueeze(2) + kinds).reshape(-1, 4)


def _moved(anchors: Tensor, deltas: Tensor, iou_loss: bool) -> Tensor:
    """The anchors as the network wants them: (batch, anchors, 4)."""
    if iou_loss:
        return anchors + deltas
    sizes = anchors[:, 2:] - anchors[:, :2] + 1
    centers = anchors[:, :2] + 0.5 * (sizes - 1)
    centers, sizes = deltas[..., :2] * sizes + centers, torch.exp(deltas[..., 2:]) * sizes
    half = 0.5 * (sizes - 1)
    return torch.cat([centers - half, centers + half], 2)


def _best(boxes: Tensor, scores: Tensor, before: int, after: int, threshold: float) -> tuple[Tensor, Tensor]:
    """The best proposals of an image that do not overlap each other too much; repeated if there are too few."""
    order = scores.sort(descending=True, stable=True).indices[:before]
    boxes = boxes[order]
    sizes = boxes[:, 2:] - boxes[:, :2] + 1
    kept = keep_best(boxes, sizes[:, 0] * sizes[:, 1], single(threshold), border=1.0, limit=after).nonzero()[:, 0]
    chosen = kept[torch.arange(after, device=kept.device) % kept.shape[0]]
    return boxes[chosen], scores[order[chosen]]


def _check(cls_prob: Tensor, bbox_pred: Tensor, im_info: Tensor, ratios: Floats, scales: Floats, after: int) -> None:
    expect_single(cls_prob=cls_prob, bbox_pred=bbox_pred, im_info=im_info)
    if cls_prob.dim() != 4:
        raise OpShapeError(
            f"expected cls_prob of shape (batch, 2 * anchors, height, width), got {tuple(cls_prob.shape)}"
        )
    batch, channels, height, width = cls_prob.shape
    kinds = len(ratios) * len(scales)
    if channels != 2 * kinds:
        raise OpShapeError(
            f"expected {2 * kinds} channels of cls_prob, background and object for each of {len(ratios)} ratios and "
            f"{len(scales)} scales, got {channels}"
        )
    expect_shape("bbox_pred", bbox_pred, (batch, 4 * kinds, height, width))
    expect_shape("im_info", im_info, (batch, 3))
    if after < 0:
        raise OpParamError(f"rpn_post_nms_top_n={after}; expected a number not below 0")


def _propose(
    cls_prob: Tensor,
    bbox_pred: Tensor,
    im_info: Tensor,
    *,
    rpn_pre_nms_top_n: int,
    rpn_post_nms_top_n: int,
    threshold: float,
    rpn_min_size: int,
    scales: Floats,
    ratios: Floats,
    feature_stride: int,
    output_score: bool,
    iou_loss: bool,
) -> Tensor | tuple[Tensor, Tensor]:
    _check(cls_prob, bbox_pred, im_info, ratios, scales, rpn_post_nms_top_n)
    if feature_stride < 1 or not all(ratio > 0 for ratio in ratios):
        raise OpParamError(f"feature_stride={feature_stride} and ratios={ratios}; expected positive numbers")
    batch, height, width = cls_prob.shape[0], *cls_prob.shape[2:]
    total = batch * rpn_post_nms_top_n
    if cls_prob.is_meta or not total or not cls_prob.numel():
        regions, scores = cls_prob.new_zeros(total, 5), cls_prob.new_zeros(total, 1)
        return (regions, scores) if output_score else regions
    cls_prob, bbox_pred, im_info = cls_prob.detach(), bbox_pred.detach(), im_info.detach()
    kinds = len(ratios) * len(scales)
    real = (im_info[:, :2] / feature_stride).to(torch.int64)
    if bool((real > torch.tensor((height, width), device=real.device)).any()):
        raise OpShapeError(
            f"an image of im_info needs more than the {height} x {width} places of cls_prob at feature_stride="
            f"{feature_stride}"
        )
    anchors = _anchors(height, width, feature_stride, ratios, scales, cls_prob.device)
    deltas = bbox_pred.reshape(batch, kinds, 4, height, width).permute(0, 3, 4, 1, 2).reshape(batch, -1, 4)
    boxes = _moved(anchors, deltas, iou_loss)
    ends = (im_info[:, [1, 0, 1, 0]] - 1).unsqueeze(1)
    boxes = torch.minimum(boxes, ends).clamp_(min=0)
    rows, columns = torch.arange(height, device=real.device), torch.arange(width, device=real.device)
    outside = (rows >= real[:, :1]).unsqueeze(2) | (columns >= real[:, 1:]).unsqueeze(1)
    scores = cls_prob[:, kinds:].permute(0, 2, 3, 1).masked_fill(outside.unsqueeze(3), -1).reshape(batch, -1)
    smallest = (rpn_min_size * im_info[:, 2]).reshape(-1, 1, 1)
    small = (boxes[..., 2:] - boxes[..., :2] + 1 < smallest).any(2)
    # What is too small grows and goes to the end: it serves only where there is nothing else.
    growth = torch.cat([-smallest, -smallest, smallest, smallest], 2) / 2
    boxes = torch.where(small.unsqueeze(2), boxes + growth, boxes)
    scores = scores.masked_fill(small, -1)
    before = scores.shape[1] if rpn_pre_nms_top_n <= 0 else rpn_pre_nms_top_n
    parts = [_best(boxes[i], scores[i], before, rpn_post_nms_top_n, threshold) for i in range(batch)]
    images = torch.arange(batch, device=real.device).repeat_interleave(rpn_post_nms_top_n).to(cls_prob.dtype)
    regions = torch.cat([images.unsqueeze(1), torch.cat([part[0] for part in parts])], 1)
    return (regions, torch.cat([part[1] for part in parts]).unsqueeze(1)) if output_score else regions


@operator(
    "_contrib_Proposal",
    outputs=_num_outputs,
    zero_gradient=True,
    reads_values=True,
    total_outputs=2,
    output_names=("output", "score"),
)
def proposal(
    cls_prob: Tensor,
    bbox_pred: Tensor,
    im_info: Tensor,
    *,
    rpn_pre_nms_top_n: int = 6000,
    rpn_post_nms_top_n: int = 300,
    threshold: float = 0.699999988,
    rpn_min_size: int = 16,
    scales: Floats = (4.0, 8.0, 16.0, 32.0),
    ratios: Floats = (0.5, 1.0, 2.0),
    feature_stride: int = 16,
    output_score: bool = False,
    iou_loss: bool = False,
) -> Tensor | tuple[Tensor, Tensor]:
    """Proposes regions of an image where there may be an object: `MultiProposal` for a batch of one image."""
    if cls_prob.dim() == 4 and cls_prob.shape[0] != 1:
        raise OpShapeError(f"expected a batch of one image, got {cls_prob.shape[0]}; MultiProposal takes more")
    return multi_proposal(
        cls_prob,
        bbox_pred,
        im_info,
        rpn_pre_nms_top_n=rpn_pre_nms_top_n,
        rpn_post_nms_top_n=rpn_post_nms_top_n,
        threshold=threshold,
        rpn_min_size=rpn_min_size,
        scales=scales,
        ratios=ratios,
        feature_stride=feature_stride,
        output_score=output_score,
        iou_loss=iou_loss,
    )


@operator(
    "_contrib_MultiProposal",
    outputs=_num_outputs,
    zero_gradient=True,
    reads_values=True,
    total_outputs=2,
    output_names=("output", "score"),
)
def multi_proposal(
    cls_prob: Tensor,
    bbox_pred: Tensor,
    im_info: Tensor,
    *,
    rpn_pre_nms_top_n: int = 6000,
    rpn_post_nms_top_n: int = 300,
    threshold: float = 0.699999988,
    rpn_min_size: int = 16,
    scales: Floats = (4.0, 8.0, 16.0, 32.0),
    ratios: Floats = (0.5, 1.0, 2.0),
    feature_stride: int = 16,
    output_score: bool = False,
    iou_loss: bool = False,
) -> Tensor | tuple[Tensor, Tensor]:
    """Proposes regions of images where there may be an object.

    Args:
        cls_prob: (batch, 2 * anchors, height, width) probabilities of background, then of objects.
        bbox_pred: (batch, 4 * anchors, height, width) how to move and stretch each anchor.
        im_info: (batch, 3) height, width and scale of each image.
        rpn_pre_nms_top_n: how many of the best anchors are looked at, all if not positive.
        rpn_post_nms_top_n: how many regions to propose for an image.
        threshold: a region that overlaps a better one by more is left out.
        rpn_min_size: smallest height and width of a region, before the image was scaled.
        scales: sizes of the anchors, in strides.
        ratios: height by width of the anchors.
        feature_stride: pixels from one place of the feature map to the next.
        output_score: whether to return the probabilities, too.
        iou_loss: whether `bbox_pred` holds the shifts of the four edges, in pixels.

    Returns:
        (batch * rpn_post_nms_top_n, 5) number of the image and corners; the best are repeated if there are too few.
    """
    return _propose(
        cls_prob,
        bbox_pred,
        im_info,
        rpn_pre_nms_top_n=rpn_pre_nms_top_n,
        rpn_post_nms_top_n=rpn_post_nms_top_n,
        threshold=threshold,
        rpn_min_size=rpn_min_size,
        scales=scales,
        ratios=ratios,
        feature_stride=feature_stride,
        output_score=output_score,
        iou_loss=iou_loss,
    )
