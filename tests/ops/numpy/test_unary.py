"""Functions of one array of mx.np beyond the recorded cases."""

from typing import Any

import numpy as np
import pytest

import mxnet as mx
from tests.ops.base import check_bad_input

np_ops = mx.nd.numpy._internal


def _array(values: Any, dtype: str = "float32") -> Any:
    value = np.array(values, dtype)
    return mx.nd.array(value, dtype=value.dtype).as_np_ndarray()


def test_gradient_of_nan_to_num_as_an_operator() -> None:
    """MXNet has no way to call it."""
    head, data = _array([1, 2, 3, 4]), _array([0.5, np.nan, np.inf, -np.inf])
    assert np_ops.backward_nan_to_num(head, data).asnumpy().tolist() == [1, 0, 0, 0]
    check_bad_input(
        lambda: np_ops.backward_nan_to_num(head, _array([1])), r"\[_npi_backward_nan_to_num\].*two inputs of the same"
    )
    check_bad_input(lambda: np_ops.backward_nan_to_num(head, _array([1], "float64")), "ograd float32, data float64")


@pytest.mark.parametrize("decimals", [-3, -10, -20])
def test_rounding_to_more_than_an_integer_holds(decimals: int) -> None:
    assert np_ops.around(_array([123, -100], "int8"), decimals=decimals).asnumpy().tolist() == [0, 0]


def test_dtypes_that_do_not_fit() -> None:
    check_bad_input(lambda: np_ops.bitwise_not(_array([1])), r"\[_npi_bitwise_not\].*got x of float32")
    check_bad_input(lambda: np_ops.around(_array([1], "float16")), "expected integers, float32 or float64, got float16")
    check_bad_input(lambda: np_ops.sin(_array([1], "bool")), r"\[_npi_sin\].*expected numbers, got a bool array")


def test_second_derivative() -> None:
    x = _array([2.0, 3.0])
    x.attach_grad()
    with mx.autograd.record():
        first = mx.autograd.grad(np_ops.square(np_ops.square(x)), x, create_graph=True)
        head = first[0] if isinstance(first, list) else first
    head.backward()
    assert x.grad.asnumpy().tolist() == [48, 108]
