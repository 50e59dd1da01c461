"""Softmax and its relatives: what fixtures cannot show."""

import numpy as np
import pytest

import mxnet as mx
from mxnet.error import OpIndexError, OpParamError, OpShapeError, OpTypeError
from tests.ops.base import check_bad_input


def _softmax(values: np.ndarray, axis: int) -> np.ndarray:
    powers = np.exp(values - values.max(axis, keepdims=True))
    return powers / powers.sum(axis, keepdims=True)


def test_instance_mode_of_three_axes_has_the_gradient_of_what_it_computes() -> None:
    """MXNet's is the gradient of another function there."""
    values = np.random.RandomState(0).randn(2, 3, 4)
    data, head = mx.nd.array(values, dtype="float64"), np.random.RandomState(1).randn(2, 3, 4)
    data.attach_grad()
    with mx.autograd.record():
        result = mx.nd.SoftmaxActivation(data)
    result.backward(mx.nd.array(head, dtype="float64"))
    expected = _softmax(values, -1)
    gradient = expected * (head - (head * expected).sum(-1, keepdims=True))
    np.testing.assert_allclose(data.grad.asnumpy(), gradient, rtol=1e-9)


def test_lengths_beyond_the_axis_mean_all_of_it() -> None:
    values = np.random.RandomState(0).randn(2, 3).astype("float32")
    length = mx.nd.array([7, 3], dtype="int32")
    result = mx.nd.softmax(mx.nd.array(values), length, use_length=True)
    np.testing.assert_allclose(result.asnumpy(), _softmax(values, -1), rtol=1e-5)


def test_rows_of_length_zero_have_no_gradient() -> None:
    data = mx.nd.array([[1.0, 2.0], [3.0, 4.0]])
    data.attach_grad()
    with mx.autograd.record():
        result = mx.nd.softmax(data, mx.nd.array([0, 2], dtype="int32"), use_length=True)
    result.backward(mx.nd.array([[1.0, 2.0], [3.0, 5.0]]))
    gradient = data.grad.asnumpy()
    np.testing.assert_array_equal(gradient[0], 0)
    assert np.isfinite(gradient).all()


def test_cross_entropy_with_a_class_that_does_not_exist_counts_as_impossible() -> None:
    result = mx.nd.softmax_cross_entropy(mx.nd.zeros((2, 3)), mx.nd.array([-1, 3]))
    np.testing.assert_allclose(result.asnumpy(), [-2 * np.log(1e-8)], rtol=1e-6)


def test_second_derivative() -> None:
    data = mx.nd.array([[0.1, 0.5, -0.3]], dtype="float64")
    data.attach_grad()
    with mx.autograd.record():
        chosen = mx.nd.softmax(data) * mx.nd.array([[1.0, 0.0, 0.0]], dtype="float64")
        first = mx.autograd.grad(chosen, data, create_graph=True, retain_graph=True)[0]
        picked = first * mx.nd.array([[1.0, 0.0, 0.0]], dtype="float64")
    picked.backward()
    p = _softmax(np.array([[0.1, 0.5, -0.3]]), -1)[0]
    expected = p[0] * (1 - 2 * p[0]) * (np.array([1.0, 0, 0]) - p)
    np.testing.assert_allclose(data.grad.asnumpy()[0], expected, rtol=1e-9)


def test_texts_of_errors() -> None:
    data = mx.nd.ones((2, 3))
    check_bad_input(
        lambda: mx.nd.softmax(data, axis=2), "axis=2 is out of range for an array of 2 dimensions", OpIndexError
    )
    check_bad_input(lambda: mx.nd.softmax(data, use_length=True), "use_length=True without input length", OpParamError)
    check_bad_input(
        lambda: mx.nd.softmax(data, mx.nd.array([1, 2]), use_length=True),
        "expected length of int32 or int64, got float32",
        OpTypeError,
    )
    check_bad_input(
        lambda: mx.nd.softmax(data, mx.nd.array([1], dtype="int32"), use_length=True),
        r"expected length of shape \(2,\), got \(1,\)",
        OpShapeError,
    )
    check_bad_input(
        lambda: mx.nd.softmax(data, dtype="int32"), "expected 'float16', 'float32' or 'float64'", OpParamError
    )
    check_bad_input(lambda: mx.nd.softmin(data, use_length=True), "only softmax has", OpParamError)
    check_bad_input(
        lambda: mx.nd.SoftmaxActivation(data, mode="channel"),
        "expected data of 3 dimensions or more with mode='channel', got 2",
        OpShapeError,
    )
    check_bad_input(
        lambda: mx.nd.softmax_cross_entropy(mx.nd.ones((3,)), mx.nd.ones((3,))),
        r"expected data of shape \(examples, classes\), got \(3,\)",
        OpShapeError,
    )


@pytest.mark.parametrize("shape", [(4,), (4, 1)])
@pytest.mark.parametrize("dtype", ["float32", "int32"])
def test_pick_log_softmax_is_the_three_operators_it_stands_for(shape, dtype):
    scores = mx.nd.array([[0.5, -1, 2], [0, 0, 0], [3, 1, -2], [1, 2, 4]])
    classes = mx.nd.array([2, 0, 5, -1], dtype=dtype).reshape(shape)
    found, expected = [], []
    for compute, into in (
        (lambda: mx.nd._internal._pick_log_softmax(scores, classes), found),
        (lambda: -mx.nd.pick(mx.nd.log_softmax(scores), classes.reshape((4,))), expected),
    ):
        scores.attach_grad()
        with mx.autograd.record():
            loss = compute()
        loss.backward(mx.nd.array([1, 2, 3, 4]))
        into += [loss.asnumpy(), scores.grad.asnumpy()]
    for mine, theirs in zip(found, expected):
        np.testing.assert_allclose(mine, theirs, rtol=1e-5, atol=1e-6)


def test_pick_log_softmax_refuses_other_shapes():
    with pytest.raises(mx.MXNetError, match=r"expected data of 2 axes and an index for each row, got index \(3,\)"):
        mx.nd._internal._pick_log_softmax(mx.nd.ones((2, 3)), mx.nd.ones((3,)))
