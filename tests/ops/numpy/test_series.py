"""Differences, polynomials and traces of mx.np: the gradients as operators, single numbers, refusals."""

import numpy as np
import pytest
import torch

import mxnet as mx
from mxnet.error import OpIndexError, OpParamError, OpShapeError, OpTypeError
from tests.ops.base import check_bad_input

internal, op = mx.nd.numpy._internal, mx.nd.numpy._op


@pytest.fixture(autouse=True)
def _numpy_shapes():
    with mx.util.np_shape(True), mx.util.np_array(True):
        yield


def _array(values, dtype="float32"):
    return mx.nd.from_torch(torch.from_numpy(np.array(values, dtype))).as_np_ndarray()


def _draw(*shape):
    return _array(np.random.RandomState(len(shape)).randn(*shape), "float64")


def _as_list(result):
    return list(result) if isinstance(result, (list, tuple)) else [result]


def _check_backward(forward, backward, *inputs, **params):
    """The operator that computes gradients agrees with the recorded ones."""
    for each in inputs:
        each.attach_grad()
    with mx.autograd.record():
        result = forward(*inputs, **params)
    head = _draw(*result.shape)
    result.backward(head)
    for each, gradient in zip(inputs, _as_list(backward(head, *inputs, **params)), strict=True):
        assert gradient.shape == each.shape
        np.testing.assert_allclose(gradient.asnumpy(), each.grad.asnumpy(), atol=1e-12)


def test_backward_ediff1d():
    both = {"to_begin_arr_given": True, "to_end_arr_given": True}
    functions = internal.ediff1d, internal.backward_ediff1d
    _check_backward(*functions, _draw(2, 3))
    _check_backward(*functions, _draw(4), to_begin_scalar=2.0, to_end_scalar=1.0)
    _check_backward(*functions, _draw(2, 3), _draw(2), to_begin_arr_given=True, to_end_scalar=1.0)
    _check_backward(*functions, _draw(2, 3), _draw(2, 1), to_end_arr_given=True, to_begin_scalar=1.0)
    _check_backward(*functions, _draw(1), _draw(2), _draw(3), **both)


def test_backward_polyval():
    _check_backward(internal.polyval, internal.backward_polyval, _draw(4), _draw(2, 3))
    _check_backward(internal.polyval, internal.backward_polyval, _draw(1), _draw(3))


def test_polyval_of_a_single_number():
    value = internal.polyval(_array([1, 2, 3]), _array(2.0))
    assert (value.shape, float(value.asnumpy())) == ((), 11)
    values = np.random.RandomState(0).randn(5)
    np.testing.assert_allclose(
        internal.polyval(_draw(4), _array(values, "float64")).asnumpy(), np.polyval(_draw(4).asnumpy(), values)
    )


def test_single_numbers():
    assert internal.ediff1d(_array(2.0)).shape == (0,)
    assert internal.ediff1d(_array(2.0), _array(9.0), to_end_arr_given=True).asnumpy() == [9]
    check_bad_input(lambda: internal.diff(_array(2.0)), "1 dimension or more", OpShapeError)


def test_refusals():
    x, truth = _array(np.ones((2, 3))), _array([True, False], "bool")
    check_bad_input(lambda: internal.diff(x, n=-1), r"\[_npi_diff\] .* n=-1; expected at least 0", OpParamError)
    check_bad_input(lambda: internal.diff(x, axis=2), "axis=2 is out of range", OpIndexError)
    check_bad_input(lambda: internal.diff(truth), "expected numbers, got a of bool", OpTypeError)
    check_bad_input(lambda: internal.ediff1d(x, x), "received 1 arrays to put before and after", OpParamError)
    check_bad_input(lambda: internal.polyval(x, x), "p to be a vector of coefficients", OpShapeError)
    check_bad_input(lambda: op.trace(_array([1, 2])), "2 dimensions or more", OpShapeError)
    check_bad_input(lambda: op.trace(x, axis1=1), "axis1=1, axis2=1; expected two different axes", OpParamError)
    check_bad_input(
        lambda: internal.backward_polyval(_array([1]), _array([1]), x), r"ograd of shape \(2, 3\)", OpShapeError
    )
