"""Boxes: overlap, suppression, matching, encoding."""

from typing import Any, Literal

import torch
from torch import Tensor

from ...errors import OpIndexError, OpParamError, OpShapeError
from ..common import expect_floating, expect_shape, grad_needed, prod, same_dtype
from ..precision import single
from ..registry import operator, shape_of
from ..shape_rules import Params, Result, Specs, one_float_dtype
from .suppression import overlaps_of, suppress_by_class

Format = Literal["center", "corner"]


def corners(boxes: Tensor, box_format: Format) -> Tensor:
    """Boxes (..., 4) as left, top, right and bottom edges."""
    if box_format == "corner":
        return boxes
    centre, half = boxes[..., :2], boxes[..., 2:] / 2
    return torch.cat([centre - half, centre + half], -1)


def _areas(boxes: Tensor, box_format: Format) -> Tensor:
    """Areas of boxes (..., 4); what is turned inside out has none."""
    sizes = boxes[..., 2:] - boxes[..., :2] if box_format == "corner" else boxes[..., 2:]
    return torch.where((sizes < 0).any(-1), 0, sizes[..., 0] * sizes[..., 1])


class _Moved(torch.autograd.Function):
    """Rows of an array put into other places; only what was moved has a gradient."""

    @staticmethod
    def forward(ctx: Any, rows: Tensor, sources: Tensor, places: Tensor, moved: Tensor) -> Tensor:
        """Puts `moved` to the places; it stands for the rows at the sources, if written in another format."""
        ctx.save_for_backward(sources, places)
        return torch.full_like(rows, -1).index_copy_(0, places, moved)

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> tuple[Tensor | None, ...]:
        """Sends the gradients of the places back to the sources."""
        sources, places = ctx.saved_tensors
        grad = grads[0]
        return torch.zeros_like(grad).index_copy(0, sources, grad[places]), None, None, None


def _reformatted(boxes: Tensor, to: Format) -> Tensor:
    """Boxes in the other format. Those whose first number is negative stay as they are, as in MXNet."""
    if to == "corner":
        changed = corners(boxes, "center")
    else:
        changed = torch.cat([(boxes[:, :2] + boxes[:, 2:]) / 2, boxes[:, 2:] - boxes[:, :2]], 1)
    return torch.where(boxes[:, :1] < 0, boxes, changed)


def _check_nms(data: Tensor, coord_start: int, score_index: int, id_index: int) -> None:
    expect_floating(data)
    if data.dim() < 2:
        raise OpShapeError(f"expected data of at least 2 dimensions (..., boxes, numbers of a box), got {data.dim()}")
    width = data.shape[-1]
    if width < (6 if id_index >= 0 else 5):
        raise OpShapeError(
            f"expected at least {6 if id_index >= 0 else 5} numbers a box (4 coordinates, a score"
            f"{', an id' if id_index >= 0 else ''}), got {width}"
        )
    if coord_start < 0 or coord_start + 4 > width:
        raise OpIndexError(f"coord_start={coord_start} leaves no room for 4 coordinates among {width} numbers")
    taken = {"score_index": score_index} if id_index < 0 else {"score_index": score_index, "id_index": id_index}
    for name, index in taken.items():
        if not 0 <= index < width:
            raise OpIndexError(f"{name}={index} is out of range; expected 0 to {width - 1}")
        if coord_start <= index < coord_start + 4:
            raise OpParamError(f"{name}={index} is one of the coordinates {coord_start} to {coord_start + 3}")
    if id_index == score_index:
        raise OpParamError(f"id_index and score_index are both {id_index}")


def _best_first(scores: Tensor, valid: Tensor, topk: int) -> tuple[Tensor, Tensor]:
    """Numbers of the valid boxes among all of a batch, best first in each image, and the number of their images."""
    ranked = scores.masked_fill(~valid, -torch.inf).sort(dim=1, descending=True, stable=True).indices[:, :topk]
    images, places = valid.gather(1, ranked).nonzero().unbind(1)
    return ranked[images, places] + images * scores.shape[1], images


@operator(
    "_contrib_box_nms", "_contrib_box_non_maximum_suppression", returns_view=True, reads_values=True, total_outputs=2
)
def box_nms(
    data: Tensor,
    *,
    overlap_thresh: float = 0.5,
    valid_thresh: float = 0.0,
    topk: int = -1,
    coord_start: int = 2,
    score_index: int = 1,
    id_index: int = -1,
    background_id: int = -1,
    force_suppress: bool = False,
    in_format: Format = "corner",
    out_format: Format = "corner",
) -> Tensor:
    """Removes boxes that overlap a better one; what is left comes first, best first, and -1 fills the rest.

    Args:
        data: (..., boxes, numbers): each box has a score, four coordinates, perhaps an id, perhaps more.
        overlap_thresh: a box is removed if it shares a larger part of its area with a better one.
        valid_thresh: boxes whose score does not exceed it are removed first.
        topk: how many of the best boxes take part, -1 for all; with 0 the data stay as they are.
        coord_start: place of the first coordinate.
        score_index: place of the score.
        id_index: place of the id of the class; only boxes of one class remove each other. -1 if there is none.
        background_id: boxes with this id are removed first.
        force_suppress: whether boxes of different classes remove each other, too.
        in_format: whether coordinates are corners or center, width and height.
        out_format: how to write them.
    """
    _check_nms(data, coord_start, score_index, id_index)
    if topk == 0 or data.is_meta or not data.numel():
        return data
    boxes, width = data.shape[-2:]
    rows = data.reshape(-1, width)
    values = rows.detach()
    scores = values[:, score_index].reshape(-1, boxes)
    valid = scores > single(valid_thresh)
    if id_index >= 0:
        valid &= values[:, id_index].reshape(-1, boxes) != background_id
    sources, images = _best_first(scores, valid, boxes if topk < 0 else topk)
    candidates = values[sources]
    coordinates = candidates[:, coord_start : coord_start + 4]
    classes = candidates[:, id_index].to(torch.int64) if id_index >= 0 and not force_suppress else None
    kept = suppress_by_class(
        corners(coordinates, in_format), _areas(coordinates, in_format), images, classes, single(overlap_thresh)
    )
    sources, images, moved = sources[kept], images[kept], candidates[kept]
    # Counts from the start of each image.
    starts = torch.searchsorted(images, torch.arange(scores.shape[0], device=data.device))
    places = torch.arange(images.shape[0], device=data.device) + (images * boxes - starts[images])
    if in_format != out_format:
        moved[:, coord_start : coord_start + 4] = _reformatted(moved[:, coord_start : coord_start + 4], out_format)
    if grad_needed(data):
        return _Moved.apply(rows, sources, places, moved).reshape(data.shape)
    return torch.full_like(rows, -1).index_copy_(0, places, moved).reshape(data.shape)


@operator("_contrib_box_iou", zero_gradient=True)
def box_iou(lhs: Tensor, rhs: Tensor, *, format: Format = "corner") -> Tensor:
    """Overlap of every box of one array with every box of the other: shared area by joint area.

    Args:
        lhs: (..., 4).
        rhs: (..., 4).
        format: whether coordinates are corners or center, width and height.
    """
    same_dtype(lhs=lhs, rhs=rhs)
    expect_floating(lhs, "lhs")
    for name, boxes in (("lhs", lhs), ("rhs", rhs)):
        if boxes.dim() < 2 or boxes.shape[-1] != 4:
            raise OpShapeError(
                f"expected {name} of shape (..., 4) with at least 2 dimensions, got {tuple(boxes.shape)}"
            )
    pair = []
    for boxes in (lhs.detach().reshape(-1, 4), rhs.detach().reshape(-1, 4)):
        pair.append(torch.cat([corners(boxes, format).T, _areas(boxes, format).unsqueeze(0)]))
    # Where nothing is shared, no area at all may make it 0/0.
    overlaps = overlaps_of(pair[0], pair[1], 0.0).nan_to_num_(0.0, torch.inf, -torch.inf)
    return overlaps.reshape(lhs.shape[:-1] + rhs.shape[:-1])


def pair_keys(scores: Tensor, ties: Tensor, valid: Tensor) -> Tensor:
    """Whole numbers in the order of scores (batch, rows, columns); among equal ones the lowest of `ties` is largest.

    Pairs that are not valid get -1. Single precision has room in a 64-bit key for the score and the tie.
    """
    if scores.dtype == torch.float64:
        flat = scores.flatten(1)
        by_tie = ties.flatten().argsort()
        order = by_tie[flat[:, by_tie].sort(dim=1, stable=True, descending=True).indices]
        ranks = torch.arange(flat.shape[1] - 1, -1, -1, device=flat.device).expand_as(order)
        keys = torch.empty_like(order).scatter_(1, order, ranks).reshape(scores.shape)
    else:
        bits = (scores.to(torch.float32) + 0.0).view(torch.int32)  # minus zero becomes zero
        bits = torch.where(bits < 0, bits ^ 0x7FFFFFFF, bits).to(torch.int64) + (1 << 31)
        room = max(ties.numel() - 1, 1).bit_length()
        keys = bits.bitwise_left_shift_(room).add_((1 << room) - 1).sub_(ties)
    return torch.where(valid, keys, -1)


def match_best(keys: Tensor) -> tuple[Tensor, Tensor]:
    """Matches rows and columns greedily, the pair of the largest key first.

    A pair that is the best one of its row and of its column is matched by the greedy order, too, whatever came
    before: so all of these are matched at once, and a few rounds do the work of many steps.

    Args:
        keys: (batch, rows, columns), no two alike, -1 for pairs that may not be matched.

    Returns:
        (batch, rows) the column of each row, -1 for none, and the key of the pair.
    """
    rows, columns = keys.shape[1:]
    keys = torch.nn.functional.pad(keys, (0, 1), value=-1)  # one more column, for rows with nothing to write off
    best, where = keys.max(2)
    matched, value = torch.full_like(where, -1), torch.full_like(best, -1)
    while True:
        rivals = keys.gather(2, where.unsqueeze(1).expand(-1, rows, -1))
        rivals = rivals.masked_fill((matched >= 0).unsqueeze(2), -1).amax(1)
        agreed = (best >= 0) & (rivals == best)
        matched, value = torch.where(agreed, where, matched), torch.where(agreed, best, value)
        taken = torch.where(agreed, where, columns)
        keys.scatter_(2, taken.unsqueeze(1).expand(-1, rows, -1), -1)
        left = ((best >= 0) & ~agreed).nonzero()
        best = torch.full_like(best, -1)
        if not left.shape[0]:
            return matched, value
        best[left[:, 0], left[:, 1]], where[left[:, 0], left[:, 1]] = keys[left[:, 0], left[:, 1]].max(1)


@operator("_contrib_bipartite_matching", outputs=2, zero_gradient=True, reads_values=True)
def bipartite_matching(
    data: Tensor, *, is_ascend: bool = False, threshold: float, topk: int = -1
) -> tuple[Tensor, Tensor]:
    """Matches rows with columns, the pair of the best score first, until no score is good enough.

    Args:
        data: (..., rows, columns) scores.
        is_ascend: whether the lowest score is the best.
        threshold: scores must be above it, or below it with `is_ascend`.
        topk: one less than the largest number of matches, as in MXNet; no limit if not positive.

    Returns:
        (..., rows) the column of each row, and (..., columns) the row of each column; -1 where there is none.
    """
    expect_floating(data)
    if data.dim() < 2:
        raise OpShapeError(f"expected data of at least 2 dimensions (..., rows, columns), got {data.dim()}")
    rows, columns = data.shape[-2:]
    row_shape, column_shape = data.shape[:-1], (*data.shape[:-2], columns)
    if data.is_meta or not data.numel():
        return data.new_full(row_shape, -1), data.new_full(column_shape, -1)
    scores = data.detach().reshape(-1, rows, columns)
    limit = single(threshold)
    valid = scores < limit if is_ascend else scores > limit
    ties = torch.arange(rows * columns, device=data.device).reshape(rows, columns)
    keys = pair_keys(-scores if is_ascend else scores, ties, valid)
    swapped = rows > columns
    partner, value = match_best(keys.transpose(1, 2).contiguous() if swapped else keys)
    if topk > 0 and topk + 1 < partner.shape[1]:
        least = value.sort(dim=1, descending=True).values[:, topk : topk + 1]
        partner = torch.where(value >= least, partner, -1)
    other = torch.full((scores.shape[0], max(rows, columns) + 1), -1, device=data.device)
    places = torch.where(partner >= 0, partner, other.shape[1] - 1)
    numbers = torch.arange(partner.shape[1], device=data.device).expand_as(partner)
    other = other.scatter_(1, places, numbers)[:, :-1]
    of_rows, of_columns = (other, partner) if swapped else (partner, other)
    return of_rows.to(data.dtype).reshape(row_shape), of_columns.to(data.dtype).reshape(column_shape)


@operator("_contrib_box_encode", outputs=2, zero_gradient=True)
def box_encode(
    samples: Tensor, matches: Tensor, anchors: Tensor, refs: Tensor, means: Tensor, stds: Tensor
) -> tuple[Tensor, Tensor]:
    """Says how anchors have to be moved and stretched to become the boxes they are matched with.

    Args:
        samples: (batch, anchors), above 0.5 for anchors that take part.
        matches: (batch, anchors) number of the box of each anchor.
        anchors: (batch, anchors, 4) corners.
        refs: (batch, boxes, 4) corners.
        means: (4,) subtracted from the result.
        stds: (4,) by which it is then divided.

    Returns:
        (batch, anchors, 4) shift of the center by the size of the anchor, and logarithm of the stretch; and a mask of
        that shape. Both are 0 for anchors that do not take part.
    """
    same_dtype(samples=samples, matches=matches, anchors=anchors, refs=refs, means=means, stds=stds)
    expect_floating(anchors, "anchors")
    for name, boxes in (("anchors", anchors), ("refs", refs)):
        if boxes.dim() != 3 or boxes.shape[2] != 4:
            raise OpShapeError(f"expected {name} of shape (batch, number, 4), got {tuple(boxes.shape)}")
    batch, count = anchors.shape[:2]
    expect_shape("samples", samples, (batch, count))
    expect_shape("matches", matches, (batch, count))
    expect_shape("refs", refs, (batch, refs.shape[1], 4))
    expect_shape("means", means, (4,))
    expect_shape("stds", stds, (4,))
    if not prod(refs.shape):
        raise OpShapeError(f"expected at least one box to match with, got refs of shape {tuple(refs.shape)}")
    anchors, refs, means, stds = anchors.detach(), refs.detach(), means.detach(), stds.detach()
    taken = (samples > 0.5).unsqueeze(2)
    # Anchors that do not take part are often matched with -1.
    index = matches.nan_to_num().to(torch.int64).clamp(0, refs.shape[1] - 1).unsqueeze(2).expand(-1, -1, 4)
    boxes = refs.gather(1, index)
    sizes, box_sizes = anchors[..., 2:] - anchors[..., :2], boxes[..., 2:] - boxes[..., :2]
    centers, box_centers = anchors[..., :2] + sizes * 0.5, boxes[..., :2] + box_sizes * 0.5
    moves = torch.cat([(box_centers - centers) / sizes, torch.log(box_sizes / sizes)], 2)
    return torch.where(taken, (moves - means) / stds, 0), taken.to(anchors.dtype).expand(-1, -1, 4).contiguous()


@operator("_contrib_box_decode", zero_gradient=True)
def box_decode(
    data: Tensor,
    anchors: Tensor,
    *,
    std0: float = 1.0,
    std1: float = 1.0,
    std2: float = 1.0,
    std3: float = 1.0,
    clip: float = -1.0,
    format: Format = "center",
) -> Tensor:
    """Moves and stretches anchors as a network says; the reverse of `box_encode`.

    Args:
        data: (batch, anchors, 4) shift of the center and logarithm of the stretch.
        anchors: (1, anchors, 4).
        std0: factor of the first number, and so on.
        std1: factor of the second.
        std2: factor of the third.
        std3: factor of the fourth.
        clip: largest logarithm of a stretch, if positive.
        format: whether the anchors are corners or center, width and height. The result is corners.
    """
    same_dtype(data=data, anchors=anchors)
    expect_floating(data)
    if data.dim() != 3 or data.shape[2] != 4:
        raise OpShapeError(f"expected data of shape (batch, anchors, 4), got {tuple(data.shape)}")
    expect_shape("anchors", anchors, (1, data.shape[1], 4))
    data, anchors = data.detach(), anchors.detach()
    centers, sizes = anchors[..., :2], anchors[..., 2:]
    if format == "corner":
        sizes = sizes - centers
        centers = centers + sizes * 0.5
    factors = torch.tensor([single(std) for std in (std0, std1, std2, std3)], dtype=data.dtype, device=data.device)
    moves = data * factors
    stretch = moves[..., 2:]
    if clip > 0:
        stretch = stretch.clamp(max=single(clip))
    centers, half = moves[..., :2] * sizes + centers, torch.exp(stretch) * sizes * 0.5
    return torch.cat([centers - half, centers + half], 2)


@shape_of("_contrib_box_encode")
def _encoded_shape(specs: Specs, params: Params) -> Result:
    shapes = [spec[0] for spec in specs if spec is not None]
    if not one_float_dtype(specs) or len(shapes) != 6 or specs[2] is None:
        return None
    samples, matches, anchors, refs, means, stds = shapes
    fits = len(anchors) == len(refs) == 3 and anchors[::2] == refs[::2] and anchors[2] == 4 and 0 not in refs
    fits = fits and samples == matches == anchors[:2] and means == stds == (4,)
    return [specs[2]] * 2 if fits else None


@shape_of("_contrib_box_decode")
def _decoded_shape(specs: Specs, params: Params) -> Result:
    data, anchors = specs
    if data is None or anchors is None or not one_float_dtype(specs):
        return None
    fits = len(data[0]) == 3 and data[0][2] == 4 and anchors[0] == (1, *data[0][1:])
    return [data] if fits else None


@shape_of("_contrib_box_iou")
def _overlap_shape(specs: Specs, params: Params) -> Result:
    lhs, rhs = specs
    if lhs is None or rhs is None or not one_float_dtype(specs) or lhs[0][-1:] != (4,) or rhs[0][-1:] != (4,):
        return None
    return [((*lhs[0][:-1], *rhs[0][:-1]), lhs[1])] if len(lhs[0]) > 1 and len(rhs[0]) > 1 else None
