"""Activation and LeakyReLU: what fixtures cannot show."""

import math

import numpy as np
import pytest

import mxnet as mx
from mxnet.error import OpParamError, OpShapeError, OpTypeError
from regluon.ops import registry
from regluon.rng import seed_all
from tests.ops.base import check_bad_input


@pytest.fixture(autouse=True)
def _seeded() -> None:
    seed_all(7)


def _rrelu(data: mx.nd.NDArray, **bounds: float) -> list[mx.nd.NDArray]:
    return mx.nd.LeakyReLU(data, act_type="rrelu", **bounds)


def test_rrelu_draws_slopes_uniformly_in_training() -> None:
    data = -mx.nd.ones((100, 200))
    with mx.autograd.train_mode():
        result, slopes = _rrelu(data, lower_bound=0.2, upper_bound=0.6)
    drawn = slopes.asnumpy()
    np.testing.assert_array_equal(result.asnumpy(), -drawn)
    assert drawn.min() >= 0.2
    assert drawn.max() <= 0.6
    assert abs(drawn.mean() - 0.4) < 0.005
    assert abs(drawn.var() - 0.4**2 / 12) < 5e-4


def test_rrelu_gradient_uses_the_slopes_drawn() -> None:
    data = mx.nd.array(np.linspace(-2, 2, 12).reshape(3, 4))
    data.attach_grad()
    with mx.autograd.record():
        result, slopes = _rrelu(data)
    result.backward()
    expected = np.where(data.asnumpy() > 0, 1, slopes.asnumpy())
    np.testing.assert_array_equal(data.grad.asnumpy(), expected)


def test_rrelu_predicts_with_the_mean_slope() -> None:
    data = mx.nd.array([-2.0, 3.0])
    data.attach_grad()
    with mx.autograd.record(train_mode=False):
        result, _ = _rrelu(data, lower_bound=0.1, upper_bound=0.3)
    result.backward(train_mode=False)
    np.testing.assert_allclose(result.asnumpy(), [-0.4, 3.0], rtol=1e-6)
    np.testing.assert_allclose(data.grad.asnumpy(), [0.2, 1.0], rtol=1e-6)


def test_rrelu_has_two_outputs() -> None:
    operator = registry.find("LeakyReLU")
    assert operator.num_outputs({"act_type": "rrelu"}) == 2
    assert operator.num_outputs({}) == 1


def test_slopes_repeat_after_seeding() -> None:
    data = -mx.nd.ones((5,))
    drawn = []
    for _ in range(2):
        seed_all(3)
        with mx.autograd.train_mode():
            drawn.append(_rrelu(data)[0].asnumpy())
    np.testing.assert_array_equal(*drawn)


def test_prelu_completes_gamma() -> None:
    operator = registry.find("LeakyReLU")
    assert operator.completes is not None
    assert operator.completes((2, 3, 4), **operator.full_params({"act_type": "prelu"})) == {"gamma": (3,)}
    assert operator.completes((2, 3, 4), **operator.full_params({})) == {}
    with pytest.raises(OpShapeError, match="number of channels"):
        operator.completes((2,), **operator.full_params({"act_type": "prelu"}))


def test_relu_keeps_nan() -> None:
    assert np.isnan(mx.nd.Activation(mx.nd.array([np.nan]), act_type="relu").asnumpy()).all()


def test_texts_of_errors() -> None:
    data = mx.nd.ones((2, 3))
    check_bad_input(
        lambda: mx.nd.Activation(data.astype("int32"), act_type="relu"),
        r"\[Activation\].*expected floating-point numbers, got data of int32; convert it with astype\('float32'\)",
        OpTypeError,
    )
    check_bad_input(
        lambda: mx.nd.LeakyReLU(data, mx.nd.ones((4,)), act_type="prelu"),
        r"cannot broadcast gamma of shape \(4,\) to data of shape \(2, 3\); expected one slope per channel, shape \(3",
        OpShapeError,
    )
    check_bad_input(
        lambda: mx.nd.LeakyReLU(data, act_type="prelu"), "act_type='prelu' without input gamma", OpParamError
    )
    check_bad_input(
        lambda: mx.nd.LeakyReLU(data, data, act_type="elu"), "act_type='elu' with input gamma", OpParamError
    )
    with mx.autograd.train_mode():
        check_bad_input(
            lambda: _rrelu(data, lower_bound=0.5, upper_bound=0.1),
            r"lower_bound=0\.5 exceeds upper_bound=0\.1",
            OpParamError,
        )


def test_gelu_of_special_values_is_as_in_mxnet() -> None:
    data = mx.nd.array([math.inf, -math.inf, math.nan, -6.0, -2.0, 1.0])
    expected = [math.inf, math.nan, math.nan, 0.0, -0.045500095933675766, 0.8413446545600891]  # by MXNet 1.9.1
    np.testing.assert_allclose(mx.nd.LeakyReLU(data, act_type="gelu").asnumpy(), expected, rtol=1e-5)
