"""Operators on sequences: what fixtures cannot show."""

import numpy as np

import mxnet as mx
from mxnet.error import OpParamError, OpShapeError
from tests.ops.base import check_bad_input

nd = mx.nd


def test_lengths_out_of_range_stay_inside() -> None:
    """MXNet reads and writes foreign memory there."""
    data = nd.arange(6).reshape((3, 2))
    lengths = nd.array([0, 9])
    last = nd.SequenceLast(data, lengths, use_sequence_length=True)
    np.testing.assert_array_equal(last.asnumpy(), [0, 5])
    turned = nd.SequenceReverse(data, lengths, use_sequence_length=True)
    np.testing.assert_array_equal(turned.asnumpy(), [[0, 5], [2, 3], [4, 1]])


def test_last_of_full_sequences_is_differentiable() -> None:
    data = nd.ones((3, 2))
    data.attach_grad()
    with mx.autograd.record():
        result = nd.SequenceLast(data)
    result.backward()
    np.testing.assert_array_equal(data.grad.asnumpy(), [[0, 0], [0, 0], [1, 1]])


def test_bad_input() -> None:
    data, lengths = nd.ones((3, 2)), nd.ones((2,))
    check_bad_input(lambda: nd.SequenceMask(data, lengths), "use_sequence_length=True", OpParamError)
    check_bad_input(lambda: nd.SequenceMask(data, axis=2), "expected 0 or 1", OpParamError)
    check_bad_input(lambda: nd.SequenceLast(lengths), "time and batch", OpShapeError)
    check_bad_input(
        lambda: nd.SequenceLast(data, nd.ones((3,)), use_sequence_length=True), "sequence_length of shape", OpShapeError
    )
    check_bad_input(lambda: nd.SequenceReverse(data, axis=1), "see swapaxes", OpParamError)
