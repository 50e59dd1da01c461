"""Arithmetic beyond the recorded cases: what MXNet answers with a crash, error texts, second derivatives."""

import numpy as np
import pytest

import mxnet as mx
from tests.ops.base import check_bad_input


def test_integer_division_by_zero_raises() -> None:
    numbers, zeros = mx.nd.array([7, 0], dtype="int32"), mx.nd.zeros(2, dtype="int32")
    check_bad_input(lambda: numbers / zeros, r"\[broadcast_div\].*integers cannot be divided by zero")
    check_bad_input(lambda: numbers / 0, r"\[_div_scalar\].*integers cannot be divided by zero")
    check_bad_input(lambda: mx.nd.elemwise_div(numbers, zeros), r"astype\('float32'\)")


@pytest.mark.parametrize("dtype", ["int8", "int32", "int64"])
def test_smallest_integer_by_minus_one_wraps_around(dtype: str) -> None:
    least = np.iinfo(dtype).min
    numbers, minus = mx.nd.array(np.array([least, 7, -9]), dtype=dtype), mx.nd.array([-1, -1, 2], dtype=dtype)
    assert (numbers / minus).asnumpy().tolist() == [least, -7, -4]
    assert (numbers / -1).asnumpy().tolist() == [least, -7, 9]
    assert (numbers % minus).asnumpy().tolist() == [0, 0, 1]


def test_shapes_that_do_not_fit() -> None:
    check_bad_input(lambda: mx.nd.ones((2, 3)) + mx.nd.ones(2), r"equal length or length 1, got \(2, 3\) and \(2,\)")
    check_bad_input(
        lambda: mx.nd.elemwise_add(mx.nd.ones((2, 3)), mx.nd.ones(3)), "expected two inputs of the same shape"
    )


def test_dtypes_that_do_not_fit() -> None:
    check_bad_input(lambda: mx.nd.ones(2) + mx.nd.ones(2, dtype="int32"), "lhs float32, rhs int32; convert one")
    flags = mx.nd.ones(2, dtype="bool")
    check_bad_input(lambda: flags + flags, r"got bool arrays; convert them with astype\('int32'\)")


def test_scalar_with_bools_is_cut_off() -> None:
    result = mx.nd.array([1, 0], dtype="bool") + 1.5
    assert result.dtype == np.int64
    assert result.asnumpy().tolist() == [2, 1]


@pytest.mark.parametrize("scalar", [float("nan"), float("inf"), 1e30])
def test_scalars_beyond_integers(scalar: float) -> None:
    """Such a scalar becomes the smallest number, as in a C cast on x86."""
    assert (mx.nd.zeros(1, dtype="int32") + scalar).asnumpy().tolist() == [-(2**31)]
    assert (mx.nd.zeros(1, dtype="uint8") + scalar).asnumpy().tolist() == [0]


def test_nan_wins_maximum_and_minimum_while_recording() -> None:
    lhs, rhs = mx.nd.array([np.nan, 1.0]), mx.nd.array([1.0, np.nan])
    lhs.attach_grad()
    with mx.autograd.record():
        results = [mx.nd.maximum(lhs, rhs), mx.nd.minimum(lhs, rhs)]
    assert all(np.isnan(result.asnumpy()).all() for result in results)


def test_second_derivative_of_maximum() -> None:
    x = mx.nd.array([3.0, 1.0])
    x.attach_grad()
    with mx.autograd.record():
        y = mx.nd.maximum(x * x * x, mx.nd.array([2.0, 2.0]))
        (first,) = mx.autograd.grad(y, [x], create_graph=True)
    first.backward()
    np.testing.assert_allclose(x.grad.asnumpy(), [18.0, 0.0])


def test_modulo_zero() -> None:
    """It is 0 whatever the numerator, yet the gradient is that of any other remainder."""
    lhs, rhs = mx.nd.array([np.nan, np.inf, -np.inf, 1.0, 0.0]), mx.nd.zeros(5)
    lhs.attach_grad()
    rhs.attach_grad()
    with mx.autograd.record():
        results = [mx.nd.modulo(lhs, rhs), lhs % 0]
    mx.autograd.backward(results)
    assert all(result.asnumpy().tolist() == [0] * 5 for result in results)
    assert lhs.grad.asnumpy().tolist() == [2] * 5
    np.testing.assert_array_equal(rhs.grad.asnumpy(), [np.nan, -np.inf, np.inf, -np.inf, np.nan])
