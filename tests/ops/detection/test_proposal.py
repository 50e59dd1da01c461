"""Region proposals against plain loops, and error texts."""

from typing import Any

import numpy as np
import pytest

import mxnet as mx
from tests.ops.base import check_bad_input
from tests.ops.detection.test_boxes import suppressed

_PARAMS = {"scales": (2,), "ratios": (1,), "feature_stride": 8, "rpn_min_size": 2}


def _inputs(batch: int, height: int = 6, width: int = 7) -> list[np.ndarray]:
    state = np.random.RandomState(2)
    scores = state.permutation(batch * 2 * height * width).reshape(batch, 2, height, width) / 1000
    moves = state.normal(scale=0.2, size=(batch, 4, height, width))
    images = np.array([[height * 8, width * 8, 1]] * batch)
    return [each.astype("float32") for each in (scores, moves, images)]


def test_edges_moved_by_pixels() -> None:
    scores, moves, images = _inputs(2)
    moves *= 10
    params = {**_PARAMS, "rpn_post_nms_top_n": 15, "threshold": 0.3, "iou_loss": True, "output_score": True}
    arrays = [mx.nd.array(each) for each in (scores, moves, images)]
    regions, probabilities = (each.asnumpy() for each in mx.nd.contrib.MultiProposal(*arrays, **params))
    rows, columns = np.mgrid[:6, :7] * 8
    anchors = np.stack([columns - 4, rows - 4, columns + 11, rows + 11], -1).astype("float32")
    for image in range(2):
        boxes = (anchors + moves[image].transpose(1, 2, 0)).reshape(-1, 4)
        boxes = np.clip(boxes, 0, np.array([55, 47, 55, 47], "float32"))
        order = np.argsort(-scores[image, 1].ravel())
        kept = suppressed(boxes[order], np.zeros(42), 0.3, border=1)[:15]
        found = slice(15 * image, 15 * image + len(kept))
        np.testing.assert_allclose(regions[found, 1:], boxes[order][kept], rtol=1e-6)
        np.testing.assert_array_equal(probabilities[found, 0], scores[image, 1].ravel()[order][kept])
        assert (regions[15 * image : 15 * image + 15, 0] == image).all()


def test_too_few_are_repeated() -> None:
    arrays = [mx.nd.array(each) for each in _inputs(1)]
    params = {**_PARAMS, "rpn_pre_nms_top_n": 3, "rpn_post_nms_top_n": 8, "threshold": 1.0}
    regions = mx.nd.contrib.Proposal(*arrays, **params).asnumpy()
    np.testing.assert_array_equal(regions[3:6], regions[:3])
    np.testing.assert_array_equal(regions[6:], regions[:2])


def test_small_ones_serve_only_at_the_end() -> None:
    scores, moves, images = _inputs(1)
    moves[:, 2:] = -3  # all shrink, but one
    moves[:, :, 2, 3] = 0
    arrays = [mx.nd.array(each) for each in (scores, moves, images)]
    params = {**_PARAMS, "rpn_post_nms_top_n": 4, "output_score": True}
    regions, probabilities = mx.nd.contrib.Proposal(*arrays, **params)
    np.testing.assert_array_equal(regions.asnumpy()[0, 1:], [20, 12, 35, 27])
    np.testing.assert_array_equal(probabilities.asnumpy()[1:, 0], [-1, -1, -1])


@pytest.mark.parametrize(
    ("change", "text"),
    [
        ({"scales": (1, 2)}, "expected 4 channels of cls_prob"),
        ({"feature_stride": 4}, "needs more than the 6 x 7 places of cls_prob"),
        ({"feature_stride": 0}, r"feature_stride=0 and ratios=\(1.0,\); expected positive numbers"),
        ({"rpn_post_nms_top_n": -1}, "rpn_post_nms_top_n=-1; expected a number not below 0"),
    ],
)
def test_bad_parameters(change: dict[str, Any], text: str) -> None:
    arrays = [mx.nd.array(each) for each in _inputs(2)]
    check_bad_input(lambda: mx.nd.contrib.MultiProposal(*arrays, **{**_PARAMS, **change}), text)


def test_bad_inputs() -> None:
    scores, moves, images = (mx.nd.array(each) for each in _inputs(2))
    single, multi = mx.nd.contrib.Proposal, mx.nd.contrib.MultiProposal
    check_bad_input(lambda: single(scores, moves, images, **_PARAMS), "a batch of one image, got 2; MultiProposal")
    check_bad_input(lambda: multi(scores[0], moves, images, **_PARAMS), "expected cls_prob of shape")
    check_bad_input(lambda: multi(scores, moves[:, :2], images, **_PARAMS), r"bbox_pred of shape \(2, 4, 6, 7\)")
    check_bad_input(lambda: multi(scores, moves, images[:, :2], **_PARAMS), r"im_info of shape \(2, 3\)")
    check_bad_input(lambda: multi(scores.astype("float64"), moves, images, **_PARAMS), "expected float32, got cls_prob")
