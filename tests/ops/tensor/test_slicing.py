"""Operators on parts of arrays: what fixtures cannot show."""

import numpy as np
import pytest

import mxnet as mx
from mxnet.error import OpIndexError, OpParamError, OpShapeError
from tests.ops.base import check_bad_input

nd = mx.nd


@pytest.mark.parametrize("step", [None, 1, 2, 7, -1, -3])
@pytest.mark.parametrize("begin", [None, 0, 3, 9, -2, -9])
@pytest.mark.parametrize("end", [None, 0, 4, 9, -1, -9])
def test_slice_is_pythons(begin: int | None, end: int | None, step: int | None) -> None:
    """MXNet agrees, where its float32 kernel does not fail on empty results."""
    values = np.arange(12, dtype="int32").reshape(2, 6)
    result = nd.slice(nd.array(values, dtype="int32"), begin=(None, begin), end=(None, end), step=(None, step))
    np.testing.assert_array_equal(result.asnumpy(), values[:, begin:end:step])


def test_assigning_is_differentiable() -> None:
    lhs, rhs = nd.zeros((3,)), nd.ones((2,))
    lhs.attach_grad()
    rhs.attach_grad()
    with mx.autograd.record():
        result = nd._internal._slice_assign(lhs, rhs, begin=(None,), end=(None,), step=(-2,))
    result.backward(nd.array([1, 2, 3]))
    np.testing.assert_array_equal(lhs.grad.asnumpy(), [0, 2, 0])
    np.testing.assert_array_equal(rhs.grad.asnumpy(), [3, 1])


def test_bad_input() -> None:
    data, images = nd.ones((4, 5)), nd.ones((1, 2, 4, 5))
    check_bad_input(lambda: nd.slice(data, begin=(0,), end=(1, 1)), "differ in length", OpParamError)
    check_bad_input(lambda: nd.slice(data, begin=(0, 0, 0), end=(1, 1, 1)), "names 3 axes", OpShapeError)
    check_bad_input(lambda: nd.slice(data, begin=(0,), end=(1,), step=(0,)), "other than 0", OpParamError)
    check_bad_input(lambda: nd.slice_axis(data, axis=0, begin=3, end=9), "axis 0 of length 4", OpIndexError)
    check_bad_input(lambda: nd.slice_like(data, images), "axes=\\(...\\)", OpShapeError)
    check_bad_input(lambda: nd.slice_like(data, nd.ones((9, 1))), "to length 9", OpShapeError)
    check_bad_input(lambda: nd.Crop(images, h_w=(9, 1)), "window of height and width \\(9, 1\\)", OpShapeError)
    check_bad_input(lambda: nd.Crop(images, h_w=(2, 2), offset=(3, 0)), "offset=\\(3, 0\\)", OpIndexError)
    check_bad_input(lambda: nd.where(nd.ones((3,)), data, data), "\\(4,\\) to choose rows", OpShapeError)
