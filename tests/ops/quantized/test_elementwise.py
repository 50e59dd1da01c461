"""Quantized operators: against real arithmetic, the product that MXNet's Python part cannot call, texts of errors."""

from typing import Any

import numpy as np
import pytest

import mxnet as mx
from mxnet.error import OpParamError, OpShapeError, OpTypeError
from tests.ops.base import check_bad_input

contrib = mx.nd.contrib


def _quantized(values: np.ndarray) -> list[mx.nd.NDArray]:
    return contrib.quantize_v2(mx.nd.array(values))


def _int8(*values: Any) -> mx.nd.NDArray:
    return mx.nd.array(values, dtype="int8")


def _one(value: float) -> mx.nd.NDArray:
    return mx.nd.array([value])


def test_fully_connected_is_nearly_that_of_real_numbers() -> None:
    state = np.random.RandomState(0)
    data, weight, bias = state.randn(4, 300), state.randn(5, 300), state.randn(5)
    quantized = [_quantized(each) for each in (data, weight, bias)]
    arrays, limits = [each[0] for each in quantized], [limit for each in quantized for limit in each[1:]]
    sums, low, high = contrib.quantized_fully_connected(*arrays, *limits, num_hidden=5)
    assert sums.dtype == np.int32
    eight = contrib.requantize(sums, low, high)
    result = contrib.dequantize(*eight).asnumpy()
    np.testing.assert_allclose(result, data @ weight.T + bias, atol=2)
    assert np.corrcoef(result.ravel(), (data @ weight.T + bias).ravel())[0, 1] > 0.999


def test_sums_of_many_products_are_exact() -> None:
    data, weight = mx.nd.full((1, 2000), 255, dtype="uint8"), mx.nd.full((1, 2000), 127, dtype="int8")
    weight[0, 0] = 126
    limits = [_one(0), _one(1), _one(-1), _one(1)]
    sums, *_ = contrib.quantized_fully_connected(data, weight, *limits, num_hidden=1, no_bias=True)
    assert sums.asscalar() == 255 * 127 * 2000 - 255


def test_inputs_without_bias_may_be_named() -> None:
    data, weight = _int8([1, 2]), _int8([3, 4])
    limits = {"min_data": _one(-1), "max_data": _one(1), "min_weight": _one(-2), "max_weight": _one(2)}
    by_name = contrib.quantized_fully_connected(data, weight, num_hidden=1, no_bias=True, **limits)
    by_place = contrib.quantized_fully_connected(data, weight, *limits.values(), num_hidden=1, no_bias=True)
    for one, other in zip(by_name, by_place, strict=True):
        np.testing.assert_array_equal(one.asnumpy(), other.asnumpy())


def test_elementwise_product() -> None:
    lhs, rhs = _int8(-3, 4, 100), _int8(100, 40, 50)
    limits = [_one(-1), _one(1), _one(-2), _one(2)]
    products, low, high = contrib.quantized_elemwise_mul(lhs, rhs, *limits)
    # As a graph of a real MXNet gives it.
    assert products.dtype == np.int32
    np.testing.assert_array_equal(products.asnumpy(), [-300, 160, 5000])
    np.testing.assert_allclose([low.asscalar(), high.asscalar()], [-266288.5, 266288.5])
    real = contrib.quantized_elemwise_mul(lhs, rhs, *limits, enable_float_output=True)
    expected = np.array([-300, 160, 5000]) * 2 / 127.5**2
    np.testing.assert_allclose(real.asnumpy(), expected, 1e-6)
    eight, low, high = contrib.quantized_elemwise_mul(lhs, rhs, *limits, min_calib_range=-0.5, max_calib_range=0.4)
    assert eight.dtype == np.int8
    np.testing.assert_array_equal(eight.asnumpy(), np.clip(np.trunc(expected * 127.5 / 0.5), -128, 127))
    assert (low.asscalar(), high.asscalar()) == pytest.approx((-0.5, 0.4))


def test_sum_of_int8_and_uint8() -> None:
    """MXNet 1.9.1 limits the uint8 to 127 levels of int32 here."""
    lhs, rhs = _int8(10, -20, 100), mx.nd.array([200, 3, 100], dtype="uint8")
    sums, low, high = contrib.quantized_elemwise_add(lhs, rhs, _one(-1), _one(1), _one(0), _one(2))
    assert sums.dtype == np.int32
    real = sums.asnumpy() * (high.asscalar() / (2**31 - 1))
    np.testing.assert_allclose(real, lhs.asnumpy() / 127.5 + rhs.asnumpy() / 255.5 * 2, 1e-5)
    assert (low.asscalar(), high.asscalar()) == (-3, 3)


def test_recurrent_network_is_nearly_that_of_real_numbers() -> None:
    state = np.random.RandomState(0)
    params: Any = {"state_size": 6, "num_layers": 2, "bidirectional": True, "mode": "lstm", "state_outputs": True}
    values, parameters = state.uniform(-1, 1, (5, 3, 4)), state.uniform(-0.5, 0.5, 2 * 24 * (4 + 6 + 12 + 6 + 4))
    states = [mx.nd.array(state.uniform(-0.5, 0.5, (4, 3, 6))) for _ in range(2)]
    levels, scale, shift = contrib.quantize_asym(mx.nd.array(values), min_calib_range=-1, max_calib_range=1)
    quantized = contrib.quantized_rnn(levels, mx.nd.array(parameters), *states, scale, shift, **params)
    real = mx.nd.RNN(mx.nd.array(values), mx.nd.array(parameters), *states, **params)
    for one, other in zip(quantized, real, strict=True):
        assert one.shape == other.shape
        np.testing.assert_allclose(one.asnumpy(), other.asnumpy(), atol=0.03)


def test_texts_of_errors() -> None:
    data, limits = _int8([1, 2], [3, 4]), [_one(-1), _one(1)]
    check_bad_input(
        lambda: contrib.quantized_fully_connected(data, data, *limits, num_hidden=2),
        "expected data, weight, bias and a minimum and a maximum for each with no_bias=False; got 4 arrays",
        OpParamError,
    )
    check_bad_input(
        lambda: contrib.quantized_conv(data, data, *limits, *limits, kernel=(1,), num_filter=1, no_bias=True),
        r"kernel=\(1,\), layout=None; expected 2 or 3 sizes in 'NCHW' or 'NCDHW'",
        OpParamError,
    )
    check_bad_input(
        lambda: contrib.quantized_pooling(data, *limits, kernel=(1, 1)),
        r"expected data of 4 or 5 dimensions, got shape \(2, 2\)",
        OpShapeError,
    )
    check_bad_input(
        lambda: contrib.quantized_pooling(data, *limits, pool_type="sum"), "expected 'max' or 'avg'", OpParamError
    )
    check_bad_input(
        lambda: contrib.quantized_act(data, *limits, act_type="tanh"), "act_type='tanh'; expected 'relu'", OpParamError
    )
    check_bad_input(
        lambda: contrib.quantized_concat(data, data, *limits, num_args=2),
        "num_args=2; expected so many arrays and two limits for each, got 4",
        OpParamError,
    )
    check_bad_input(
        lambda: contrib.quantized_elemwise_add(data, mx.nd.ones((2, 2)), *limits, *limits),
        "expected rhs of int8 or uint8, got float32",
        OpTypeError,
    )
    ones = [mx.nd.ones(2)] * 4
    check_bad_input(
        lambda: contrib.quantized_batch_norm(data, *ones, *limits),
        "min_calib_range and max_calib_range are missing",
        OpParamError,
    )
    check_bad_input(
        lambda: contrib.quantized_rnn(data, *ones[:3], *limits, state_size=2, num_layers=1, mode="gru"),
        "mode='gru', projection_size=None; expected 'lstm' without projection",
        OpParamError,
    )
