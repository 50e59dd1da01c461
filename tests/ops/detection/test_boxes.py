"""Boxes: suppression and matching against plain loops, what a block boundary may not change, and error texts."""

from typing import Any

import numpy as np
import pytest
import torch

import mxnet as mx
from regluon.ops.detection import suppression
from tests.ops.base import check_bad_input


def random_boxes(state: np.random.RandomState, count: int, size: float) -> np.ndarray:
    """Corners, (count, 4)."""
    centers, halves = state.uniform(0, 1, (count, 2)), state.uniform(0.1 * size, size, (count, 2)) / 2
    return np.concatenate([centers - halves, centers + halves], 1).astype("float32")


def overlaps(box: np.ndarray, others: np.ndarray, border: float = 0) -> np.ndarray:
    """Shared area by joint area, in single precision, step by step as MXNet computes it."""
    low, high = np.maximum(box[:2], others[:, :2]), np.minimum(box[2:], others[:, 2:])
    sides = np.maximum(high - low + np.float32(border), np.float32(0))
    shared = sides[:, 0] * sides[:, 1]
    area, areas = ((b[:, 2] - b[:, 0] + border) * (b[:, 3] - b[:, 1] + border) for b in (box[None], others))
    return shared / (area + areas - shared)


def suppressed(corners: np.ndarray, groups: np.ndarray, threshold: float, border: float = 0) -> list[int]:
    """Numbers of the boxes that greedy suppression keeps."""
    alive = np.ones(len(corners), bool)
    kept = []
    for i in range(len(corners)):
        if alive[i]:
            kept.append(i)
            rest = slice(i + 1, None)
            hit = overlaps(corners[i], corners[rest], border) > np.float32(threshold)
            alive[rest] &= ~(hit & (groups[rest] == groups[i]))
    return kept


@pytest.mark.parametrize(
    ("count", "size", "classes", "threshold"),
    [
        (150, 0.5, 3, 0.4),
        (179, 0.5, 1, 0.3),
        (181, 0.4, 3, 0.5),
        (700, 0.2, 1, 0.1),
        (900, 0.4, 2, 0.3),
        (1000, 0.5, 60, 0.3),
        (900, 0.3, 7, 0.0),
        (500, 0.3, 2, 0.2),
    ],
)
def test_nms_is_greedy(count: int, size: float, classes: int, threshold: float) -> None:
    state = np.random.RandomState(count)
    images = []
    for _ in range(2):
        ids, scores = state.randint(0, classes, (count, 1)), state.permutation(count)[:, None] / count + 0.01
        images.append(np.concatenate([ids, scores, random_boxes(state, count, size)], 1).astype("float32"))
    out = mx.nd.contrib.box_nms(mx.nd.array(np.stack(images)), overlap_thresh=threshold, id_index=0).asnumpy()
    for data, result in zip(images, out, strict=True):
        ranked = data[np.argsort(-data[:, 1])]
        kept = suppressed(ranked[:, 2:], ranked[:, 0], threshold)
        np.testing.assert_array_equal(result[: len(kept)], ranked[kept])
        assert (result[len(kept) :] == -1).all()


def test_nms_of_a_long_chain() -> None:
    """Each box is suppressed by the one before it, unless that one is suppressed itself: every second one stays."""
    left = np.arange(400, dtype="float32")
    corners = np.stack([left, np.zeros(400), left + 2, np.ones(400)], 1)
    data = np.concatenate([np.linspace(1, 0.5, 400)[:, None], corners], 1)
    out = mx.nd.contrib.box_nms(mx.nd.array(data), overlap_thresh=0.3, score_index=0, coord_start=1).asnumpy()
    np.testing.assert_array_equal(out[:200, 1], left[::2])
    assert (out[200:] == -1).all()


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_nms_does_not_stumble_over_a_broken_box(value: float) -> None:
    data = np.array(
        [[0.9, 0, 0, 1, value], [0.8, 0, 0, 1, 1], [0.7, 0, 0, 1, 1.1], [0.6, 2, 2, 2, 2], [0.5, 2, 2, 2, 2]]
    )
    out = mx.nd.contrib.box_nms(mx.nd.array(data), score_index=0, coord_start=1).asnumpy()
    np.testing.assert_allclose(out[:, 0], [0.9, 0.8, 0.6, 0.5, -1], rtol=1e-6)


def test_nms_gradient_reaches_what_is_left() -> None:
    data = mx.nd.array([[0.5, 0, 0, 1, 1], [0.9, 0, 0, 1, 1.1], [0.2, 3, 3, 4, 4]])
    data.attach_grad()
    with mx.autograd.record():
        out = mx.nd.contrib.box_nms(data, score_index=0, coord_start=1, out_format="center")
    out.backward(mx.nd.arange(15).reshape((3, 5)))
    np.testing.assert_array_equal(data.grad.asnumpy(), [[0] * 5, [0, 1, 2, 3, 4], [5, 6, 7, 8, 9]])


def test_nms_of_nothing() -> None:
    empty = torch.zeros(0, 4)
    assert suppression.keep_best(empty, empty[:, 0], 0.5).shape == (0,)
    assert suppression.suppress_by_class(empty, empty[:, 0], empty[:, 0].long(), empty[:, 0].long(), 0.5).shape == (0,)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize(("rows", "columns"), [(40, 30), (7, 25), (1, 1)])
def test_matching_is_greedy(rows: int, columns: int, dtype: str) -> None:
    state = np.random.RandomState(rows)
    scores = state.randint(-20, 20, (3, rows, columns)).astype(dtype)  # with many ties
    of_rows, of_columns = mx.nd.contrib.bipartite_matching(mx.nd.array(scores, dtype=dtype), threshold=-5)
    for image in range(3):
        expected_rows, expected_columns = np.full(rows, -1), np.full(columns, -1)
        for place in np.argsort(-scores[image].ravel(), kind="stable"):
            row, column = divmod(int(place), columns)
            if scores[image, row, column] > -5 and expected_rows[row] < 0 and expected_columns[column] < 0:
                expected_rows[row], expected_columns[column] = column, row
        np.testing.assert_array_equal(of_rows.asnumpy()[image], expected_rows)
        np.testing.assert_array_equal(of_columns.asnumpy()[image], expected_columns)


def test_encode_and_decode_are_reverse() -> None:
    state = np.random.RandomState(3)
    anchors, refs = random_boxes(state, 6, 0.5)[None], random_boxes(state, 4, 0.5)[None]
    matches = state.randint(0, 4, (1, 6)).astype("float32")
    arrays = [mx.nd.array(a) for a in (np.ones((1, 6)), matches, anchors, refs, np.zeros(4), np.full(4, 0.1))]
    moves, mask = mx.nd.contrib.box_encode(*arrays)
    stds = {f"std{i}": 0.1 for i in range(4)}
    decoded = mx.nd.contrib.box_decode(moves, arrays[2], format="corner", **stds)
    np.testing.assert_allclose(decoded.asnumpy()[0], refs[0, matches[0].astype(int)], atol=1e-5)
    assert mask.asnumpy().all()


def test_encode_ignores_the_match_of_what_does_not_take_part() -> None:
    anchors, ones = mx.nd.array([[[0, 0, 1, 1]]]), mx.nd.ones((4,))
    moves, mask = mx.nd.contrib.box_encode(mx.nd.zeros((1, 1)), -mx.nd.ones((1, 1)), anchors, anchors, ones, ones)
    assert not moves.asnumpy().any()
    assert not mask.asnumpy().any()


@pytest.mark.parametrize(
    ("params", "text"),
    [
        ({"coord_start": 3}, "coord_start=3 leaves no room for 4 coordinates among 6 numbers"),
        ({"score_index": 6}, "score_index=6 is out of range; expected 0 to 5"),
        ({"score_index": 2}, "score_index=2 is one of the coordinates 2 to 5"),
        ({"id_index": 1}, "id_index and score_index are both 1"),
        ({"in_format": "edges"}, "parameter in_format: received 'edges'"),
    ],
)
def test_bad_nms_parameters(params: dict[str, Any], text: str) -> None:
    check_bad_input(lambda: mx.nd.contrib.box_nms(mx.nd.ones((1, 3, 6)), **params), text)


def test_bad_inputs() -> None:
    contrib, ones = mx.nd.contrib, mx.nd.ones
    check_bad_input(lambda: contrib.box_nms(ones((5,))), "at least 2 dimensions")
    check_bad_input(lambda: contrib.box_nms(ones((3, 4))), "expected at least 5 numbers a box")
    check_bad_input(lambda: contrib.box_nms(ones((3, 6)).astype("int32")), "expected floating-point numbers")
    check_bad_input(lambda: contrib.box_iou(ones((3, 5)), ones((3, 4))), r"expected lhs of shape \(\.\.\., 4\)")
    check_bad_input(lambda: contrib.box_iou(ones((3, 4)), ones((3, 4)).astype("float64")), "inputs of one dtype")
    check_bad_input(lambda: contrib.bipartite_matching(ones((3,)), threshold=1), "at least 2 dimensions")
    check_bad_input(lambda: contrib.box_decode(ones((3, 4)), ones((1, 3, 4))), r"data of shape \(batch, anchors, 4\)")
    check_bad_input(lambda: contrib.box_decode(ones((2, 3, 4)), ones((2, 3, 4))), r"anchors of shape \(1, 3, 4\)")
    two, boxes_, four = ones((1, 2)), ones((1, 2, 4)), ones((4,))
    check_bad_input(lambda: contrib.box_encode(two, two, two, boxes_, four, four), "expected anchors of shape")
    check_bad_input(lambda: contrib.box_encode(two, two, boxes_, boxes_, two, four), r"expected means of shape \(4,\)")
