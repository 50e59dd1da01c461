"""Reductions of mx.np: single numbers, no elements, refusals; the rest is in the fixtures."""

import numpy as np
import pytest
import torch

import mxnet as mx
from mxnet.error import OpIndexError, OpParamError, OpShapeError, OpTypeError
from regluon.ops import registry
from tests.ops.base import check_bad_input

internal, op = mx.nd.numpy._internal, mx.nd.numpy._op


@pytest.fixture(autouse=True)
def _numpy_shapes():
    with mx.util.np_shape(True), mx.util.np_array(True):
        yield


def _array(values, dtype="float32"):
    return mx.nd.from_torch(torch.from_numpy(np.array(values, dtype))).as_np_ndarray()


@pytest.mark.parametrize("function", [op.sum, op.prod, internal.mean, op.max, op.min])
def test_single_number(function):
    x = _array(3.0)
    x.attach_grad()
    with mx.autograd.record():
        y = function(x)
    y.backward()
    assert y.shape == x.grad.shape == ()
    assert (float(y.asnumpy()), float(x.grad.asnumpy())) == (3, 1)
    assert function(x, axis=()).shape == function(x, keepdims=True).shape == ()


@pytest.mark.parametrize("function", [op.sum, op.prod, internal.mean, internal.std, internal.var, op.all, op.any])
def test_single_number_along_axis_0(function):
    for axis in (0, -1):
        assert function(_array(3.0), axis=axis).shape == ()
    check_bad_input(lambda: function(_array(3.0), axis=1), "axis=1 is out of range", OpIndexError)


def test_single_number_has_no_axis_to_take_the_extreme_of():
    check_bad_input(lambda: op.max(_array(3.0), axis=0), r"\[_np_max\] .* axis=0 is out of range", OpIndexError)


@pytest.mark.parametrize("function", [internal.argmax, internal.argmin])
def test_position_of_a_single_number(function):
    for given in ({}, {"axis": 0}, {"axis": -1}, {"keepdims": True}):
        result = function(_array(3.0), **given)
        assert (result.shape, result.dtype, int(result.asnumpy())) == ((), np.int64, 0)


def test_no_elements():
    for function in (op.sum, op.prod, internal.mean, internal.std, internal.var):
        assert function(_array(np.zeros((2, 0))), axis=0).shape == (0,)
        assert function(_array(np.zeros((2, 0))), axis=0, keepdims=True).shape == (1, 0)
    check_bad_input(lambda: op.min(_array(np.zeros((0, 2))), axis=0), "at least one element along axis=", OpShapeError)
    check_bad_input(lambda: internal.percentile(_array([]), q_scalar=5), "at least one element", OpShapeError)
    check_bad_input(lambda: internal.argmin(_array([])), "at least one element", OpShapeError)


def test_empty_axes_between_others():
    q = _array([10, 20])
    assert internal.percentile(_array(np.zeros((0, 3))), q, axis=1).shape == (2, 0)


def test_variance_does_not_overflow():
    values = np.array([[100, -100, 100, -100]])
    for dtype in ("int8", "int32"):
        result = internal.var(_array(values, dtype), axis=1, dtype="float32")
        assert result.asnumpy() == [10000]


def test_variance_of_too_few_elements():
    assert np.isnan(internal.var(_array([1.0]), ddof=1).asnumpy())
    assert np.isinf(internal.var(_array([1.0, 2.0]), ddof=5).asnumpy())


def test_inputs_in_force():
    assert registry.find("_npi_average").takes({}) == ("a", "weights")
    assert registry.find("_npi_average").takes({"weighted": False}) == ("a",)


def test_constraint_check():
    assert internal.share_memory(_array([1]), _array([1])).shape == ()
    check = mx.nd._internal._npx_constraint_check
    assert bool(check(_array(True, "bool")).asnumpy())
    check_bad_input(lambda: check(_array([True, False], "bool"), msg="no negative scale"), "no negative", ValueError)
    check_bad_input(lambda: check(_array([True, False], "bool")), "Constraint violated", OpParamError)
    check_bad_input(lambda: check(_array([1.0])), "expected a bool array, got float32", OpTypeError)


def test_share_memory():
    x = _array(np.arange(6).reshape(2, 3))
    parts = {"itself": (x, True), "a part": (x[1:], True), "a copy": (x.copy(), False)}
    for name, (other, expected) in parts.items():
        assert bool(internal.share_memory(x, other).asnumpy()) == expected, name
    assert not bool(internal.share_memory(x[:1], x[1:]).asnumpy())


def test_refusals():
    x, truth = _array(np.ones((2, 3))), _array([True, False], "bool")
    check_bad_input(lambda: op.sum(x, initial=2), r"\[_np_sum\] .* initial=2 is not supported", OpParamError)
    check_bad_input(lambda: op.sum(x, axis=(0, -2)), "names an axis twice", OpParamError)
    check_bad_input(lambda: op.prod(truth, dtype="int8"), "dtype=int8 for a bool array; expected int32", OpTypeError)
    check_bad_input(lambda: internal.std(truth), "expected numbers, got a of bool", OpTypeError)
    check_bad_input(lambda: internal.var(x, dtype="bool"), "dtype=bool; expected a dtype of numbers", OpTypeError)
    check_bad_input(lambda: internal.average(x), "expected weights, got none", OpShapeError)
    check_bad_input(lambda: internal.average(x, _array([1, 2, 3])), "expected the one axis", OpParamError)
    check_bad_input(lambda: internal.average(x, _array([1, 2]), axis=1), r"weights of shape \(3,\)", OpShapeError)
    check_bad_input(lambda: internal.percentile(x, q_scalar=101), "from 0 to 100", ValueError)
    check_bad_input(lambda: internal.percentile(x), "as q or as q_scalar, got neither", OpParamError)
    check_bad_input(lambda: internal.percentile(x, x), "expected q to be a number or a vector", OpShapeError)
    check_bad_input(lambda: internal.bincount(x), "expected integers, got data of float32", OpTypeError)
    numbers = _array([1, -1], "int32")
    check_bad_input(lambda: internal.bincount(numbers), "expected numbers of at least 0, got -1", OpParamError)
    check_bad_input(lambda: internal.bincount(numbers, has_weights=True), "weights are not given", OpParamError)
    check_bad_input(
        lambda: internal.bincount(_array([[1]], "int32")), r"to be a vector, got shape \(1, 1\)", OpShapeError
    )
