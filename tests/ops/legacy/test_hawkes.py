"""Hawkes processes: the backward operator, which MXNet's Python part cannot call, and texts of errors."""

import numpy as np
import pytest

import mxnet as mx
from mxnet.error import OpShapeError, OpTypeError
from tests.ops.base import check_bad_input


def _inputs(dtype: str = "float64") -> list[mx.nd.NDArray]:
    state = np.random.RandomState(4)
    values = [
        state.uniform(0.5, 2, (2, 3)),
        state.uniform(0.1, 0.9, 3),
        state.uniform(0.5, 3, 3),
        state.uniform(0, 1, (2, 3)),
        state.uniform(0.1, 1, (2, 4)),
        state.randint(0, 3, (2, 4)),
        np.array([4, 2]),
        np.array([4, 5]),
    ]
    return [mx.nd.array(value, dtype="int32" if i == 5 else dtype) for i, value in enumerate(values)]


def _reference(arrays: list[np.ndarray]) -> np.ndarray:
    """The likelihood from the definition: intensities at the events, minus the integral of all intensities."""
    lda, alpha, beta, state, lags, marks, lengths, ends = arrays
    totals = []
    for row in range(len(lda)):
        times = np.cumsum(lags[row])[: int(lengths[row])]
        kinds = marks[row, : len(times)]
        total = 0.0
        for kind in range(lda.shape[1]):
            own = times[kinds == kind]
            starts = [(0.0, state[row, kind]), *((time, 1.0) for time in own)]
            for time in own:
                excited = sum(size * np.exp(-beta[kind] * (time - start)) for start, size in starts if start < time)
                total += np.log(lda[row, kind] + alpha[kind] * beta[kind] * excited)
            total -= lda[row, kind] * ends[row]
            total -= sum(alpha[kind] * size * (1 - np.exp(-beta[kind] * (ends[row] - start))) for start, size in starts)
        totals.append(total)
    return np.array(totals)


def test_likelihood_is_as_defined() -> None:
    arrays = _inputs()
    likelihood, _ = mx.nd.contrib.hawkesll(*arrays)
    np.testing.assert_allclose(likelihood.asnumpy(), _reference([array.asnumpy() for array in arrays]))


def test_backward_operator_is_the_gradient() -> None:
    arrays = _inputs()
    for array in arrays[:3]:
        array.attach_grad()
    with mx.autograd.record():
        likelihood, state = mx.nd.contrib.hawkesll(*arrays)
    heads = [mx.nd.array([2, -3], dtype="float64"), mx.nd.ones(state.shape, dtype="float64")]
    mx.autograd.backward([likelihood, state], heads)
    grads = mx.nd._internal._contrib_backward_hawkesll(*heads, *arrays)
    for array, grad in zip(arrays[:3], grads[:3], strict=True):
        assert array.grad.asnumpy().any()
        np.testing.assert_allclose(grad.asnumpy(), array.grad.asnumpy())
    for array, grad in zip(arrays[3:], grads[3:], strict=True):
        np.testing.assert_array_equal(grad.asnumpy(), np.zeros(array.shape, array.dtype))


@pytest.mark.parametrize(
    ("position", "value", "text", "error"),
    [
        (5, mx.nd.ones((2, 4)), "expected marks of int32, got float32", OpTypeError),
        (1, mx.nd.ones(2), r"expected alpha of shape \(3,\), got \(2,\)", OpShapeError),
        (3, mx.nd.ones((2, 2)), r"expected state of shape \(2, 3\), got \(2, 2\)", OpShapeError),
        (6, mx.nd.ones(3), r"expected valid_length of shape \(2,\), got \(3,\)", OpShapeError),
        (0, mx.nd.ones(3), r"expected lda of shape \(batch, marks\)", OpShapeError),
        (7, mx.nd.ones(2, dtype="float64"), "expected inputs of one dtype", OpTypeError),
    ],
)
def test_texts_of_errors(position: int, value: mx.nd.NDArray, text: str, error: type[Exception]) -> None:
    arrays = _inputs("float32")
    arrays[position] = value
    check_bad_input(lambda: mx.nd.contrib.hawkesll(*arrays), text, error)
