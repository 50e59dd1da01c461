"""First versions of layers: BatchNorm_v1, which a real MXNet runs in graphs only, and texts of errors."""

import numpy as np
import pytest

import mxnet as mx
from mxnet.error import OpParamError, OpShapeError
from tests.ops.base import check_bad_input


def _inputs() -> list[mx.nd.NDArray]:
    state = np.random.RandomState(1)
    values = [state.randn(2, 3, 2, 2), [1.5, 0.5, 2], [0.1, 0.2, 0.3], [0.3, 0.2, 0.1], [1, 2, 3]]
    return [mx.nd.array(value) for value in values]


@pytest.mark.parametrize("fix_gamma", [True, False])
def test_batch_norm_v1_in_training(fix_gamma: bool) -> None:
    data, gamma, beta, mean, var = _inputs()
    for array in (data, gamma, beta):
        array.attach_grad()
    with mx.autograd.record():
        outputs = mx.nd.BatchNorm_v1(data, gamma, beta, mean, var, fix_gamma=fix_gamma, output_mean_var=True)
    values = data.asnumpy()
    batch_mean, batch_var = values.mean((0, 2, 3)), values.var((0, 2, 3))
    factor = (1 if fix_gamma else gamma.asnumpy()) / np.sqrt(batch_var + 1e-3)
    expected = (values - batch_mean[:, None, None]) * np.broadcast_to(factor, 3)[:, None, None]
    np.testing.assert_allclose(outputs[0].asnumpy(), expected + beta.asnumpy()[:, None, None], 1e-4, 1e-5)
    np.testing.assert_allclose(outputs[1].asnumpy(), batch_mean, 1e-5, 1e-6)
    np.testing.assert_allclose(outputs[2].asnumpy(), batch_var, 1e-4)
    np.testing.assert_allclose(mean.asnumpy(), 0.9 * np.array([0.3, 0.2, 0.1]) + 0.1 * batch_mean, 1e-5)
    np.testing.assert_allclose(var.asnumpy(), 0.9 * np.array([1, 2, 3]) + 0.1 * batch_var, 1e-5)
    outputs[0].backward(mx.nd.arange(1, 25).reshape((2, 3, 2, 2)))
    # As a graph of a real MXNet computes it from the same numbers.
    grads = np.array([-6.680380, -7.290391, -6.158489, -5.498455]) * (1 if fix_gamma else 1.5)
    np.testing.assert_allclose(data.grad.asnumpy().ravel()[:4], grads, 1e-4)
    expected_gamma = [0, 0, 0] if fix_gamma else [-5.255587, 1.157201, 10.204775]
    np.testing.assert_allclose(gamma.grad.asnumpy(), expected_gamma, 1e-4)
    np.testing.assert_allclose(beta.grad.asnumpy(), [68, 100, 132], 1e-5)


def test_batch_norm_v1_in_prediction() -> None:
    data, gamma, beta, mean, var = _inputs()
    outputs = mx.nd.BatchNorm_v1(data, gamma, beta, mean, var, fix_gamma=False, output_mean_var=True)
    expected = [2.085526, -1.266951, -1.141637, -1.958424]  # from a real MXNet
    np.testing.assert_allclose(outputs[0].asnumpy().ravel()[:4], expected, 1e-4)
    np.testing.assert_allclose(outputs[1].asnumpy(), mean.asnumpy(), 1e-6)
    np.testing.assert_allclose(outputs[2].asnumpy(), var.asnumpy(), 1e-4)


def test_texts_of_errors() -> None:
    image, weight = mx.nd.ones((1, 2, 4, 4)), mx.nd.ones((1, 2, 3, 3))
    check_bad_input(
        lambda: mx.nd.Convolution_v1(image, weight, kernel=(3,), num_filter=1, no_bias=True),
        r"kernel=\(3,\); expected the sizes of 2 or 3 spatial axes",
        OpParamError,
    )
    check_bad_input(
        lambda: mx.nd.Convolution_v1(image, weight, kernel=(3, 3), num_filter=1, no_bias=True, layout="NHWC"),
        "layout='NHWC'; expected 'NCHW' or 'NCDHW'",
        OpParamError,
    )
    check_bad_input(lambda: mx.nd.Pooling_v1(image), r"kernel=\(\); expected 2 sizes", OpParamError)
    check_bad_input(lambda: mx.nd.Pooling_v1(image, kernel=(5, 5)), "exceeds the data", OpShapeError)
    check_bad_input(
        lambda: mx.nd.Pooling_v1(mx.nd.ones((1, 2, 4)), kernel=(2,)),
        r"expected data of shape \(batch, channels, height, width\), got \(1, 2, 4\)",
        OpShapeError,
    )
