"""Arithmetic of mx.np beyond the recorded cases: gradients that MXNet gets wrong, error texts, second derivatives."""

from typing import Any

import numpy as np
import pytest

import mxnet as mx
from tests.ops.base import check_bad_input

np_ops = mx.nd.numpy._internal


def _array(values: Any, dtype: str = "float32") -> Any:
    value = np.array(values, dtype)
    return mx.nd.array(value, dtype=value.dtype).as_np_ndarray()


def _gradients(function: Any, *values: Any) -> list[list[float]]:
    """The gradients of a function of arrays, with the head gradient 1, 2, 3, ..."""
    arrays = [_array(each) for each in values]
    for each in arrays:
        each.attach_grad()
    with mx.autograd.record():
        result = function(*arrays)
    result.backward(_array(np.arange(1, result.size + 1).reshape(result.shape)))
    return [each.grad.asnumpy().tolist() for each in arrays]


def test_gradient_of_a_choice_goes_to_what_was_taken() -> None:
    """MXNet gives it to the elements that were not taken, where the other operand is a scalar."""
    condition = _array([1, 0, 0], "bool")
    assert _gradients(lambda x: np_ops.where_lscalar(condition, x, scalar=7.0), [1, 2, 3]) == [[0, 2, 3]]
    assert _gradients(lambda y: np_ops.where_rscalar(condition, y, scalar=7.0), [1, 2, 3]) == [[1, 0, 0]]


def test_gradient_of_a_choice_reaches_the_condition() -> None:
    condition, x = _array([1, 0]), _array([5, 6])
    for each in (condition, x):
        each.attach_grad()
    condition.grad[:] = 9
    with mx.autograd.record():
        result = np_ops.where(condition, x, _array([0, 0]))
    result.backward()
    assert condition.grad.asnumpy().tolist() == [0, 0]
    assert x.grad.asnumpy().tolist() == [1, 0]


def test_gradient_of_the_angle_of_a_scalar() -> None:
    """The derivative is -scalar / (scalar² + x²); MXNet has x above the line."""
    (gradient,) = _gradients(lambda x: np_ops.rarctan2_scalar(x, scalar=2.0), [1.0, -3.0])
    np.testing.assert_allclose(gradient, [-2 / 5, -4 / 13], rtol=1e-6)


def test_gradient_of_copysign_with_a_scalar() -> None:
    """MXNet refuses these backward passes."""
    assert _gradients(lambda x: np_ops.copysign_scalar(x, scalar=-2.0), [3, -4, 0]) == [[-1, 2, -3]]
    assert _gradients(lambda x: np_ops.rcopysign_scalar(x, scalar=2.0), [3, -4, 0]) == [[0, 0, 0]]


def test_gradient_of_copysign_reaches_the_sign() -> None:
    assert _gradients(np_ops.copysign, [3, -4, 0], [[-1, -1, -1]]) == [[-1, 2, -3], [[0, 0, 0]]]


def test_second_derivative_of_a_mix_of_dtypes() -> None:
    x, factor = _array([2, 3]), _array([5, 7], "int32")
    x.attach_grad()
    with mx.autograd.record():
        first = mx.autograd.grad(
            np_ops.multiply(np_ops.power(x, _array([3, 2], "int64")), factor), x, create_graph=True
        )
        head = first[0] if isinstance(first, list) else first
    head.backward()
    assert x.grad.asnumpy().tolist() == [5 * 6 * 2, 7 * 2]


def test_powers_of_integers_are_exact() -> None:
    """MXNet computes them in single precision."""
    assert np_ops.power(_array([3, 7], "int32"), _array([19, 10], "int32")).asnumpy().tolist() == [3**19, 7**10]


@pytest.mark.parametrize("scalar", [1e300, -1e300])
def test_scalars_beyond_single_precision_are_infinite(scalar: float) -> None:
    assert np_ops.rtrue_divide_scalar(_array([1.0]), scalar=scalar).asnumpy().tolist() == [np.copysign(np.inf, scalar)]
    assert np_ops.rsubtract_scalar(_array([1.0]), scalar=scalar).asnumpy().tolist() == [np.copysign(np.inf, scalar)]


def test_dtypes_that_do_not_fit() -> None:
    flags, small, bytes_ = _array([1, 0], "bool"), _array([1, 2], "int8"), _array([1, 2], "uint8")
    check_bad_input(lambda: np_ops.add(small, bytes_), r"\[_npi_add\].*lhs int8, rhs uint8; convert one")
    check_bad_input(lambda: np_ops.subtract(small, flags), "lhs int8, rhs bool; convert one")
    check_bad_input(lambda: np_ops.subtract(flags, flags), r"got bool arrays; convert them with astype\('int32'\)")
    check_bad_input(lambda: np_ops.true_divide(_array([1]), _array([1], "float64")), "lhs float32, rhs float64")
    check_bad_input(lambda: np_ops.equal(_array([1]), _array([1], "int32")), "lhs float32, rhs int32")
    check_bad_input(lambda: np_ops.hypot(small, small), r"\[_npi_hypot\].*expected floating-point .* x1 of int8")
    check_bad_input(lambda: np_ops.where(flags, small, bytes_), "x int8, y uint8")


def test_whole_numbers_only() -> None:
    real, whole = _array([1, 2]), _array([4, 6], "int32")
    check_bad_input(lambda: np_ops.bitwise_and(real, real), "expected integers or bools, got lhs of float32")
    check_bad_input(
        lambda: np_ops.bitwise_xor_scalar(real, scalar=1), "expected integers or bools, got data of float32"
    )
    check_bad_input(lambda: np_ops.lcm_scalar(whole, scalar=2.5, is_int=False), "expected whole numbers.*scalar=2.5")


def test_shapes_that_do_not_fit() -> None:
    wide, narrow = _array(np.ones((2, 3))), _array(np.ones(2))
    check_bad_input(lambda: np_ops.add(wide, narrow), r"equal length or length 1, got \(2, 3\) and \(2,\)")
    check_bad_input(lambda: np_ops.arctan2(wide, narrow), r"\[_npi_arctan2\].*equal length or length 1")
    check_bad_input(lambda: np_ops.where(narrow, wide, wide), r"got \(2,\) and \(2, 3\) and \(2, 3\)")
    check_bad_input(lambda: np_ops.where_lscalar(narrow, wide, scalar=1), r"got \(2,\) and \(2, 3\)")
