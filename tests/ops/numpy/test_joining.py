"""Joining, cutting, inserting and choosing in mx.np: scalars, and what else fixtures cannot show."""

from typing import Any

import numpy as np
import pytest

import mxnet as mx
from mxnet.error import OpIndexError, OpParamError, OpShapeError, OpTypeError
from tests.ops.base import check_bad_input

_npi = mx.nd.numpy._internal


def _array(value: Any, dtype: str = "float32") -> Any:
    return mx.nd.array(np.array(value, dtype), dtype=dtype).as_np_ndarray()


def _places(*values: int) -> Any:
    return _array(values, "int64")


def _check(actual: Any, expected: Any) -> None:
    assert actual.shape == np.shape(expected)
    np.testing.assert_array_equal(actual.asnumpy(), expected)


def test_scalars() -> None:
    one, two = _array(1), _array(2)
    _check(_npi.concatenate(one, _array([[5, 6]]), axis=None), [1, 5, 6])
    _check(_npi.stack(one, two), [1, 2])
    _check(_npi.vstack(one, two), [[1], [2]])
    _check(_npi.hstack(one, two, _array([3, 4])), [1, 2, 3, 4])
    _check(_npi.dstack(one, two), [[[1, 2]]])
    _check(_npi.column_stack(one, two), [[1, 2]])
    _check(_npi.insert_scalar(one, val=9, int_ind=1), [1, 9])
    _check(_npi.insert_scalar(_array([1, 2]), _array(9), int_ind=1), [1, 9, 2])
    _check(_npi.insert_tensor(_array([1, 2]), _array([8, 9]), _array(1, "int64")), [1, 8, 9, 2])
    _check(_npi.delete(one, int_ind=0), np.zeros(0))
    _check(_npi.unique(one), [1])
    _check(_npi.unique(one, axis=0), [1])
    _check(_npi.nonzero(one), [[0]])
    _check(_npi.nonzero(_array(0)), np.zeros((0, 1)))


@pytest.mark.parametrize("axis", [0, 1, -1, None])
def test_a_number_before_several_places(axis: int | None) -> None:
    """MXNet does so for float64 arrays only."""
    data = np.arange(6, dtype="float32").reshape(2, 3)
    _check(_npi.insert_tensor(_array(data), _places(2, 0), val=9, axis=axis), np.insert(data, [2, 0], 9, axis))
    _check(_npi.insert_slice(_array(data), val=9, start=0, stop=2, step=1, axis=axis), np.insert(data, [0, 1], 9, axis))
    _check(_npi.insert_scalar(_array(data), val=9, int_ind=1, axis=axis), np.insert(data, 1, 9, axis))
    _check(_npi.insert_tensor(_array(data), _places(), val=9, axis=axis), np.insert(data, [], 9, axis))


def test_gradients_of_inserting_and_deleting() -> None:
    """MXNet has none."""
    data, values = _array([1, 2, 3]), _array([4, 5])
    data.attach_grad()
    values.attach_grad()
    with mx.autograd.record():
        longer = _npi.insert_tensor(data, values, _places(3, 1))
        shorter = _npi.delete(longer, int_ind=0)
    shorter.backward(_array([1, 2, 3, 4]))  # the elements 5, 2, 3, 4
    _check(shorter, [5, 2, 3, 4])
    _check(data.grad, [0, 2, 3])
    _check(values.grad, [4, 1])


def test_dsplit_cuts_the_third_axis_whatever_axis_says() -> None:
    data = np.arange(8).reshape(1, 2, 4)
    for part, expected in zip(_npi.dsplit(_array(data), indices=(0, 1)), np.dsplit(data, (1,)), strict=True):
        _check(part, expected)


@pytest.mark.parametrize("shape", [(3,), (2, 3)])
def test_hsplit_backward_joins(shape: tuple[int, ...]) -> None:
    data = np.arange(np.prod(shape)).reshape(shape)
    parts = _npi.hsplit(_array(data), indices=(0, 1))
    _check(mx.nd._internal._npi_hsplit_backward(*parts, indices=(0, 1)), data)


@pytest.mark.parametrize(
    ("shape", "mask", "start_axis"),
    [
        ((3,), [True, False, True], 0),
        ((2, 3), [True, False], 0),
        ((2, 3), [[True, False, True], [False, False, True]], 0),
        ((2, 3), [1.0, 0.0, 2.0], 1),
        ((2, 2), True, 0),
        ((3,), [False, False, False], 0),
    ],
)
@pytest.mark.parametrize("dtype", ["float32", "int32"])
def test_boolean_mask_assign(shape: tuple[int, ...], mask: Any, start_axis: int, dtype: str) -> None:
    """MXNet carries these out in place only, for x[mask] = value."""
    data = np.arange(np.prod(shape)).reshape(shape).astype(dtype)
    index = (slice(None),) * start_axis + (np.array(mask, "bool"),)
    given = _array(mask, np.array(mask).dtype.name)
    expected = data.copy()
    expected[index] = np.array(9.7).astype(dtype)
    made = _npi.boolean_mask_assign_scalar(_array(data, dtype), given, value=9.7, start_axis=start_axis)
    assert made.dtype == dtype
    _check(made, expected)
    values = np.arange(data[index].size).reshape(data[index].shape).astype(dtype) + 20
    expected[index] = values
    target = _array(data, dtype)
    _npi.boolean_mask_assign_tensor(target, given, _array(values, dtype), start_axis=start_axis, out=target)
    _check(target, expected)
    expected[index] = 7
    _check(_npi.boolean_mask_assign_tensor(target, given, _array(7, dtype), start_axis=start_axis), expected)


def test_unique_against_numpy() -> None:
    data = np.random.RandomState(0).randint(0, 4, (6, 2, 3)).astype("float64")
    for axis in (None, 0, 1, -1):
        chosen = {"return_index": True, "return_inverse": True, "return_counts": True, "axis": axis}
        for actual, expected in zip(
            _npi.unique(_array(data, "float64"), **chosen), np.unique(data, **chosen), strict=True
        ):
            _check(actual, expected.reshape(actual.shape))


def test_bad_input() -> None:
    x, mask = _array([[1, 2, 3], [4, 5, 6]]), _array([True, False], "bool")
    check_bad_input(lambda: _npi.concatenate(x, x, axis=2), "axis=2 is out of range", OpIndexError)
    check_bad_input(lambda: _npi.vstack(x, _array([1, 2])), "differ in the length of axis 0 only", OpShapeError)
    check_bad_input(lambda: _npi.hsplit(_array(1), indices=(0,)), "expected at least one axis", OpShapeError)
    check_bad_input(lambda: _npi.dsplit(x, indices=(0,)), "expected at least 3 axes, got 2", OpShapeError)
    check_bad_input(lambda: _npi.insert_scalar(x, int_ind=0), "there is nothing to insert", OpParamError)
    check_bad_input(lambda: _npi.insert_scalar(x, val=1, int_ind=7), "int_ind=7 is out of range", OpIndexError)
    check_bad_input(lambda: _npi.insert_scalar(x, x, int_ind=0), "values of at most 1 axes", OpShapeError)
    check_bad_input(lambda: _npi.insert_slice(x, val=1, start=0, stop=1, step=0), "step=0", OpParamError)
    check_bad_input(lambda: _npi.insert_tensor(x, x), "there are no places to insert at", OpParamError)
    check_bad_input(lambda: _npi.insert_tensor(x, _places(7), val=1), "a place in obj is out of range", OpIndexError)
    check_bad_input(lambda: _npi.insert_tensor(x, x, x, axis=0), "expected the places obj in one axis", OpShapeError)
    check_bad_input(lambda: _npi.insert_tensor(x, _array([1.0]), val=1), "obj as int64, got float32", OpTypeError)
    check_bad_input(
        lambda: _npi.insert_tensor(x, x, _places(0, 1), axis=1), "cannot be stretched to what is inserted", OpShapeError
    )
    check_bad_input(lambda: _npi.delete(x), "there are no places to leave out", OpParamError)
    check_bad_input(lambda: _npi.delete(x, int_ind=6), "int_ind=6 is out of range", OpIndexError)
    check_bad_input(lambda: _npi.unique(_array([1, 2]), axis=1), "axis=1 is out of range", OpIndexError)
    check_bad_input(lambda: _npi.unique(_array(np.zeros((2, 0))), axis=0), "slices with elements", OpShapeError)
    check_bad_input(
        lambda: _npi.boolean_mask_assign_scalar(x, mask, value=1, start_axis=1), "a mask as long as", OpShapeError
    )
    check_bad_input(lambda: _npi.boolean_mask_assign_tensor(x, mask, _array([1, 2])), "do not fit", OpShapeError)
    check_bad_input(lambda: _npi.boolean_mask_assign_tensor(x, mask, _places(1)), "one dtype", OpTypeError)
