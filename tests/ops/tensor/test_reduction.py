"""Reductions beyond the recorded cases: what dense MXNet lacks, error texts, second derivatives."""

import numpy as np
import pytest

import mxnet as mx
from tests.ops.base import check_bad_input


@pytest.mark.parametrize(
    ("params", "numpy_axis"),
    [({}, None), ({"axis": 1}, 1), ({"axis": (0, -1)}, (0, 2)), ({"axis": 1, "exclude": True}, (0, 2))],
)
def test_square_sum(params: dict, numpy_axis: int | tuple | None) -> None:
    """Recorded nowhere: MXNet has it for sparse arrays only."""
    values = np.random.RandomState(0).uniform(-1, 1, (2, 3, 4)).astype("float32")
    result = mx.nd._internal._square_sum(mx.nd.array(values), **params).asnumpy()
    np.testing.assert_allclose(result, np.square(values).sum(numpy_axis).reshape(result.shape), rtol=1e-5)


def test_integer_norm_is_cut_off_only_at_the_end() -> None:
    assert mx.nd.norm(mx.nd.array([6, 8, 2], dtype="int32")).asnumpy().tolist() == [10]


def test_norm_of_a_row_with_an_infinity_is_infinite() -> None:
    """MXNet's sum with compensation gives NaN for ord=1."""
    data = mx.nd.array([[1.0, np.inf], [1.0, -2.0]])
    assert mx.nd.norm(data, ord=1, axis=1).asnumpy().tolist() == [np.inf, 3.0]


def test_norm_is_the_root_of_the_sum_of_squares_in_the_dtype_of_the_data() -> None:
    """MXNet scales the sum, so that squares beyond float32 count; here they overflow, as in NumPy."""
    data = mx.nd.array([3e30, -4e30])
    with np.errstate(over="ignore"):
        assert mx.nd.norm(data).asnumpy().tolist() == [np.linalg.norm(data.asnumpy())] == [np.inf]
    np.testing.assert_allclose(mx.nd.norm(data.astype("float64")).asnumpy(), [5e30], rtol=1e-7)


def test_norm_in_another_dtype() -> None:
    result = mx.nd.norm(mx.nd.array([300.0, 400.0], dtype="float16"), out_dtype="float32")
    assert result.dtype == np.float32
    np.testing.assert_allclose(result.asnumpy(), [500.0])


def test_cumsum_from_the_last_axis() -> None:
    values = np.arange(6, dtype="float32").reshape(2, 3)
    np.testing.assert_array_equal(mx.nd.cumsum(mx.nd.array(values), axis=-1).asnumpy(), values.cumsum(-1))


@pytest.mark.parametrize("dtype", ["int32", "int64"])
@pytest.mark.parametrize("source", ["float16", "float32", "float64"])
def test_cumsum_of_floats_in_integers_has_a_gradient(source: str, dtype: str) -> None:
    """As MXNet: fractions are cut off first, and the gradient is that of the sums."""
    x = mx.nd.array([1.7, 1.7, -0.6, -1.7], dtype=source)
    x.attach_grad()
    with mx.autograd.record():
        y = mx.nd.cumsum(x, dtype=dtype) * 2
    y.backward(mx.nd.array([1, 2, 3, 4], dtype=dtype))
    assert y.dtype == np.dtype(dtype)
    assert y.asnumpy().tolist() == [2, 4, 4, 2]
    assert x.grad.asnumpy().tolist() == [20, 18, 14, 8]


@pytest.mark.parametrize(
    ("name", "second"),
    [("max", [0.0, 18.0]), ("prod", [243.0, 99.0]), ("norm", [0.18973666, -0.06324555])],
)
def test_second_derivative(name: str, second: list) -> None:
    """The derivative of the summed first derivatives of name(x ** 3), or of name(x) for the norm."""
    x = mx.nd.array([1.0, 3.0])
    x.attach_grad()
    with mx.autograd.record():
        y = getattr(mx.nd, name)(x if name == "norm" else x * x * x)
        (first,) = mx.autograd.grad(y, [x], create_graph=True)
    first.backward()
    np.testing.assert_allclose(x.grad.asnumpy(), second, rtol=1e-5)


def test_bad_parameters() -> None:
    data, flags = mx.nd.ones((2, 3)), mx.nd.ones((2, 3), dtype="bool")
    check_bad_input(lambda: mx.nd.sum(data, axis=2), r"\[sum\] .*axis=2 is out of range for an array of 2 dimensions")
    check_bad_input(lambda: mx.nd.mean(data, axis=(1, -1)), r"axis=\(1, -1\) names an axis twice")
    check_bad_input(lambda: mx.nd.norm(data, ord=3), "ord=3; expected 1 or 2")
    check_bad_input(lambda: mx.nd.moments(data), "axes=None; expected the axes to reduce")
    check_bad_input(lambda: mx.nd.moments(flags, axes=(0,)), "expected numbers, got a bool array")
    check_bad_input(lambda: mx.nd.argmax(flags, axis=1), r"convert it with astype\('int32'\)")


def test_nothing_to_choose_from() -> None:
    with mx.util.np_shape(True):
        empty = mx.nd.zeros((0, 2))
        check_bad_input(lambda: mx.nd.max(empty), "expected at least one element to take the extreme of, got none")
        check_bad_input(lambda: mx.nd.argmin(empty, axis=0), "expected at least one element to choose from, got none")
        assert mx.nd.sum(empty, axis=0).asnumpy().tolist() == [0.0, 0.0]


def test_no_axis_left_to_reduce() -> None:
    data = mx.nd.array([[1, np.nan], [-3, 4]])
    whole = {"axis": (0, 1), "exclude": True}
    np.testing.assert_array_equal(mx.nd.nansum(data, **whole).asnumpy(), [[1, 0], [-3, 4]])
    np.testing.assert_array_equal(mx.nd.nanprod(data, **whole).asnumpy(), [[1, 1], [-3, 4]])
    np.testing.assert_array_equal(mx.nd.sum(data, **whole).asnumpy(), data.asnumpy())
    np.testing.assert_array_equal(mx.nd.max(data, keepdims=True, **whole).asnumpy(), data.asnumpy())
