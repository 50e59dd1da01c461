"""The loss of connectionist temporal classification: what MXNet refuses to compute, and what it must not."""

import itertools
from typing import Any

import numpy as np
import pytest

import mxnet as mx
from mxnet.error import OpIndexError, OpParamError, OpShapeError, OpTypeError
from tests.ops.base import check_bad_input

nd = mx.nd


def reference(scores: np.ndarray, label: list[int], blank: int) -> float:
    """Minus the logarithm of the summed probability of all paths that read as the label."""
    probabilities = np.exp(scores) / np.exp(scores).sum(1, keepdims=True)
    total = 0.0
    for path in itertools.product(range(scores.shape[1]), repeat=len(scores)):
        if [symbol for symbol, _ in itertools.groupby(path) if symbol != blank] == label:
            total += np.prod(probabilities[np.arange(len(path)), path])
    return -np.log(total)


def _scores(*shape: int) -> np.ndarray:
    return np.random.RandomState(0).standard_normal(shape)


@pytest.mark.parametrize(("dtype", "tolerance"), [("float16", 1e-2), ("float32", 1e-5), ("float64", 1e-9)])
@pytest.mark.parametrize(("blank_label", "blank", "labels"), [("first", 0, [1, 1]), ("last", 2, [0, 1])])
def test_like_all_paths(dtype: str, tolerance: float, blank_label: str, blank: int, labels: list[int]) -> None:
    scores = _scores(4, 2, 3)
    padded = nd.array([labels, [1, 0 if blank == 0 else -1]])
    loss = nd.CTCLoss(nd.array(scores, dtype=dtype), padded, blank_label=blank_label)
    assert loss.dtype == np.dtype(dtype)
    expected = [reference(scores[:, 0], labels, blank), reference(scores[:, 1], [1], blank)]
    np.testing.assert_allclose(loss.asnumpy(), expected, rtol=tolerance)


@pytest.mark.parametrize("kind", ["int32", "int64", "float32", "uint8"])
def test_lengths_of_any_dtype(kind: str) -> None:
    scores = _scores(4, 2, 3)
    loss = nd.CTCLoss(
        nd.array(scores, dtype="float64"),
        nd.array([[1, 2], [2, -7]], dtype="int32"),
        nd.array([3, 4], dtype=kind),
        nd.array([2, 1], dtype=kind),
        use_data_lengths=True,
        use_label_lengths=True,
    )
    expected = [reference(scores[:3, 0], [1, 2], 0), reference(scores[:, 1], [2], 0)]
    np.testing.assert_allclose(loss.asnumpy(), expected, rtol=1e-9)


def test_gradient_in_float64_like_differences() -> None:
    scores, way, step = _scores(4, 1, 3), np.random.RandomState(1).standard_normal((4, 1, 3)), 1e-6
    data = nd.array(scores, dtype="float64")
    data.attach_grad()
    with mx.autograd.record():
        loss = nd.ctc_loss(data, nd.array([[1, 2]]))
    loss.backward()
    ends = [reference((scores + sign * step * way)[:, 0], [1, 2], 0) for sign in (1, -1)]
    np.testing.assert_allclose((data.grad.asnumpy() * way).sum(), (ends[0] - ends[1]) / (2 * step), rtol=1e-6)


def test_label_without_alignment() -> None:
    """Three times the same symbol needs five steps: no loss, and no gradient (MXNet leaves garbage there)."""
    data = nd.array(_scores(4, 2, 3))
    data.attach_grad()
    with mx.autograd.record():
        loss = nd.CTCLoss(data, nd.array([[1, 1, 1], [2, 0, 0]]))
    loss.backward()
    assert loss.asnumpy()[0] == 0 < loss.asnumpy()[1]
    assert not data.grad.asnumpy()[:, 0].any()
    assert data.grad.asnumpy()[:, 1].any()


def test_bad_input() -> None:
    data, label, lengths = nd.ones((4, 2, 3)), nd.array([[1, 2], [2, 0]]), nd.array([2, 1])

    def call(*inputs: Any, **more: Any) -> Any:
        return lambda: nd.CTCLoss(*inputs, **more)

    check_bad_input(call(nd.ones((4, 3)), label), r"\[CTCLoss\].*\(time, batch, classes\)", OpShapeError)
    check_bad_input(call(data, lengths), r"label of shape \(batch, length\), got \(2,\)", OpShapeError)
    check_bad_input(call(data, nd.ones((3, 2))), "as many labels as sequences.*a batch of 2", OpShapeError)
    check_bad_input(call(data, nd.ones((2, 5))), "not longer than the 4 steps of the data, got 5", OpShapeError)
    check_bad_input(call(data, label, lengths), "together with use_data_lengths=True", OpParamError)
    check_bad_input(call(data, label, use_label_lengths=True), "together with use_label_lengths=True", OpParamError)
    check_bad_input(
        call(data, label, nd.ones((3,)), use_data_lengths=True), r"data_lengths of shape \(2,\)", OpShapeError
    )
    check_bad_input(
        call(data, label, nd.array([5, 4]), use_data_lengths=True), r"between 0 and 4, got \[5, 4\]", OpIndexError
    )
    check_bad_input(
        call(data, label, nd.array([2, -1]), use_label_lengths=True), "label_lengths between 0 and 2", OpIndexError
    )
    check_bad_input(call(data, nd.array([[1, 3], [2, 0]])), "labels between 0 and 2, got 3", OpIndexError)
    check_bad_input(call(data, nd.array([[1, -1], [2, 0]])), "labels between 0 and 2, got -1", OpIndexError)
    check_bad_input(call(data.astype("int32"), label), "floating-point", OpTypeError)


def test_steps_after_the_end_do_not_count() -> None:
    scores = _scores(5, 2, 4)
    lengths = nd.array([3, 5])
    labels = nd.array([[1, 2], [3, 1]])
    found = []
    for rest in (0.0, np.nan):
        scores[3:, 0] = rest
        data = nd.array(scores)
        data.attach_grad()
        with mx.autograd.record():
            loss = nd.CTCLoss(data, labels, lengths, use_data_lengths=True)
        loss.backward()
        found.append((loss.asnumpy(), data.grad.asnumpy()))
    np.testing.assert_array_equal(found[0][0], found[1][0])
    np.testing.assert_array_equal(found[0][1], found[1][1])
    assert not found[1][1][3:, 0].any()
