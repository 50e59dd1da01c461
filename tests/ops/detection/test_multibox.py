"""Single-shot detectors: targets and detections against plain loops, and error texts."""

from typing import Any

import numpy as np
import pytest

import mxnet as mx
from tests.ops.base import check_bad_input
from tests.ops.detection.test_boxes import overlaps, random_boxes


def _labels(state: np.random.RandomState, counts: list[int]) -> np.ndarray:
    labels = np.full((len(counts), max(counts) + 2, 5), -1, "float32")
    for image, count in enumerate(counts):
        labels[image, :count, 0] = state.randint(0, 20, count)
        labels[image, :count, 1:] = np.clip(random_boxes(state, count, 0.6), 0, 1)
    return labels


def _expected_classes(anchors: np.ndarray, labels: np.ndarray, threshold: float) -> np.ndarray:
    """Classes of the anchors of an image with objects."""
    shared = np.stack([overlaps(label[1:], anchors) for label in labels if label[0] >= 0], 1)
    matched = np.full(len(anchors), -1)
    free = shared.copy()
    while free.max() > 1e-6:
        anchor, label = np.unravel_index(free.argmax(), free.shape)
        matched[anchor] = label
        free[anchor], free[:, label] = -1, -1
    nearest = np.where((matched < 0) & (shared.max(1) > threshold), shared.argmax(1), matched)
    return np.where(nearest >= 0, labels[nearest, 0] + 1, 0)


@pytest.mark.parametrize("threshold", [0.1, 0.5])
def test_targets(threshold: float) -> None:
    state = np.random.RandomState(4)
    anchors, labels = np.clip(random_boxes(state, 500, 0.5), 0, 1), _labels(state, [9, 1, 0, 30])
    arrays = [mx.nd.array(anchors[None]), mx.nd.array(labels), mx.nd.zeros((4, 21, 500))]
    _, mask, classes = (a.asnumpy() for a in mx.nd.contrib.MultiBoxTarget(*arrays, overlap_threshold=threshold))
    for image in (0, 1, 3):
        np.testing.assert_array_equal(classes[image], _expected_classes(anchors, labels[image], threshold))
    assert (classes[2] == -1).all()
    np.testing.assert_array_equal(mask.reshape(4, 500, 4), np.repeat((classes > 0)[..., None], 4, 2))


def test_hard_negatives_are_taken_least_for_background() -> None:
    state = np.random.RandomState(5)
    anchors, labels = np.clip(random_boxes(state, 300, 0.5), 0, 1), _labels(state, [4, 7])
    scores = state.normal(size=(2, 5, 300)).astype("float32")
    arrays = [mx.nd.array(a) for a in (anchors[None], labels, scores)]
    classes = mx.nd.contrib.MultiBoxTarget(*arrays, negative_mining_ratio=2, negative_mining_thresh=0.5)[2].asnumpy()
    for image in range(2):
        background = np.exp(scores[image])[0] / np.exp(scores[image]).sum(0)
        chosen, left_out = background[classes[image] == 0], background[classes[image] == -1]
        assert len(chosen) == 2 * (classes[image] > 0).sum()
        assert chosen.max() < left_out.min()


def test_priors_lie_around_their_centers() -> None:
    anchors = mx.nd.contrib.MultiBoxPrior(mx.nd.zeros((1, 1, 2, 4)), sizes=(0.5, 0.2), ratios=(1, 4)).asnumpy()[0]
    assert anchors.shape == (24, 4)
    centers = (anchors[:, :2] + anchors[:, 2:]) / 2
    np.testing.assert_allclose(centers[:3], [[0.125, 0.25]] * 3, atol=1e-6)
    sizes = anchors[:3, 2:] - anchors[:3, :2]
    np.testing.assert_allclose(sizes, [[0.25, 0.5], [0.1, 0.2], [0.5, 0.25]], atol=1e-6)


def test_detections_of_anchors_that_are_right() -> None:
    """Without moves, a detection is its anchor; the worse one of a pair alike loses its class."""
    anchors = mx.nd.array([[[0, 0, 0.5, 0.5], [0, 0, 0.5, 0.5], [0.5, 0.5, 1, 1], [0, 0.5, 0.5, 1]]])
    prob = mx.nd.array([[[0.1, 0.3, 0.2, 1.0], [0.2, 0.7, 0.5, 0.0], [0.7, 0.0, 0.3, 0.0]]])
    zeros = mx.nd.zeros((1, 16))
    out = mx.nd.contrib.MultiBoxDetection(prob, zeros, anchors).asnumpy()[0]
    np.testing.assert_array_equal(out[:, 0], [1, 0, 0, -1])
    out = mx.nd.contrib.MultiBoxDetection(prob, zeros, anchors, force_suppress=True).asnumpy()[0]
    np.testing.assert_array_equal(out[:, 0], [1, -1, 0, -1])
    np.testing.assert_allclose(out[:3, 1], [0.7, 0.7, 0.5])
    np.testing.assert_array_equal(out[3], [-1] * 6)


@pytest.mark.parametrize(
    ("params", "text"),
    [
        ({"sizes": ()}, "expected at least one of each"),
        ({"steps": (0.5, -1)}, r"steps=\(0.5, -1.0\); expected two numbers"),
        ({"offsets": (2, 0)}, r"offsets=\(2.0, 0.0\); expected two numbers from 0 to 1"),
    ],
)
def test_bad_priors(params: dict[str, Any], text: str) -> None:
    check_bad_input(lambda: mx.nd.contrib.MultiBoxPrior(mx.nd.zeros((1, 1, 2, 2)), **params), text)


def test_bad_inputs() -> None:
    contrib, zeros = mx.nd.contrib, mx.nd.zeros
    anchors, labels, scores = zeros((1, 3, 4)), zeros((2, 1, 5)), zeros((2, 4, 3))
    target, detection = contrib.MultiBoxTarget, contrib.MultiBoxDetection
    check_bad_input(lambda: contrib.MultiBoxPrior(zeros((2, 3, 4))), r"\(batch, channels, height, width\)")
    check_bad_input(lambda: contrib.MultiBoxPrior(zeros((1, 1, 3, 4)).astype("float64")), "expected float32, got data")
    check_bad_input(lambda: target(zeros((2, 3, 4)), labels, scores), r"anchor of shape \(1, anchors, 4\)")
    check_bad_input(lambda: target(anchors, zeros((2, 1, 4)), scores), "expected label of shape")
    check_bad_input(lambda: target(anchors, labels, zeros((2, 4, 5))), r"\(batch, classes, 3 anchors\)")
    check_bad_input(lambda: target(anchors, labels, scores, variances=(1,)), "expected 4 numbers")
    check_bad_input(lambda: target(anchors, zeros((2, 2, 5)) - mx.nd.array([1, 0, 0, 0, 0]), scores), "marks the end")
    mining = {"negative_mining_ratio": 3.0}
    check_bad_input(lambda: target(anchors, labels, scores, negative_mining_thresh=0, **mining), "a positive number")
    check_bad_input(lambda: target(anchors, labels, scores[:1], **mining), r"cls_pred of shape \(2, 4, 3\)")
    same = mx.nd.array([[[0, 0, 1, 1], [0, 0, 1, 0.9], [0, 0, 1, 0.8]]])
    few = {"overlap_threshold": 0.95, "negative_mining_thresh": 0.5, **mining}
    label = mx.nd.array([[[1, 0, 0, 1, 1]]])
    check_bad_input(lambda: target(same, label, scores[:1], **few), "asks for 2 negative anchors")
    check_bad_input(lambda: detection(scores, zeros((2, 8)), anchors), r"loc_pred of shape \(2, 12\)")
    check_bad_input(lambda: detection(zeros((2, 4, 5)), zeros((2, 12)), anchors), "expected cls_prob of shape")


def test_anchors_that_are_asked_for_again_are_arrays_of_their_own() -> None:
    data = mx.nd.zeros((1, 3, 4, 5))
    first = mx.nd.contrib.MultiBoxPrior(data, sizes=(0.5, 0.25))
    expected = first.asnumpy()
    first[:] = 7
    np.testing.assert_array_equal(mx.nd.contrib.MultiBoxPrior(data, sizes=(0.5, 0.25)).asnumpy(), expected)
    other = mx.nd.contrib.MultiBoxPrior(data, sizes=(0.5, 0.25), clip=True).asnumpy()
    np.testing.assert_array_equal(other, expected.clip(0, 1))
