"""Sampling and correlation: what fixtures cannot show."""

from typing import Any

import numpy as np
import pytest

import mxnet as mx
from mxnet.error import OpParamError, OpShapeError, OpTypeError
from tests.ops.base import check_bad_input


def test_the_identity_grid_gives_the_image() -> None:
    image = mx.nd.array(np.random.RandomState(0).rand(2, 3, 4, 5))
    theta = mx.nd.array([[1, 0, 0, 0, 1, 0]] * 2)
    grid = mx.nd.GridGenerator(theta, transform_type="affine", target_shape=(4, 5))
    by_grid = mx.nd.BilinearSampler(image, grid)
    params: Any = {"transform_type": "affine", "sampler_type": "bilinear", "target_shape": (4, 5)}
    for result in (by_grid, mx.nd.SpatialTransformer(image, theta, **params)):
        np.testing.assert_allclose(result.asnumpy(), image.asnumpy(), atol=1e-5)


def test_a_flow_moves_by_elements() -> None:
    image = mx.nd.arange(12).reshape((1, 1, 3, 4))
    flow = mx.nd.zeros((1, 2, 3, 4))
    flow[:, 0] = 1
    moved = mx.nd.BilinearSampler(image, mx.nd.GridGenerator(flow, transform_type="warp"))
    np.testing.assert_allclose(moved.asnumpy()[0, 0, :, :3], image.asnumpy()[0, 0, :, 1:], atol=1e-5)
    np.testing.assert_allclose(moved.asnumpy()[0, 0, :, 3], 0, atol=1e-5)


def _correlation(one: np.ndarray, other: np.ndarray, size: int, reach: int, stride: int, step: int) -> np.ndarray:
    """Straight from the definition, without padding."""
    border = reach + size // 2
    rows, columns = (-(-(n - 2 * border) // stride) for n in one.shape[2:])
    moves = range(-(reach // step) * step, reach + 1, step)
    result = np.zeros((one.shape[0], len(moves) ** 2, rows, columns))
    for y, x in np.ndindex(rows, columns):
        top, left = y * stride + reach, x * stride + reach
        here = one[:, :, top : top + size, left : left + size]
        for place, (down, right) in enumerate((down, right) for down in moves for right in moves):
            there = other[:, :, top + down : top + down + size, left + right : left + right + size]
            result[:, place, y, x] = (here * there).mean((1, 2, 3))
    return result


@pytest.mark.parametrize(("size", "reach", "stride", "step"), [(1, 2, 1, 1), (3, 1, 2, 1), (3, 3, 1, 2)])
def test_correlation_is_as_defined(size: int, reach: int, stride: int, step: int) -> None:
    state = np.random.RandomState(1)
    one, other = state.randn(2, 2, 9, 10), state.randn(2, 2, 9, 10)
    arrays = [mx.nd.array(each, dtype="float64") for each in (one, other)]
    result = mx.nd.Correlation(*arrays, kernel_size=size, max_displacement=reach, stride1=stride, stride2=step)
    np.testing.assert_allclose(result.asnumpy(), _correlation(one, other, size, reach, stride, step), atol=1e-12)


def test_texts_of_errors() -> None:
    image, theta = mx.nd.ones((1, 2, 3, 3)), mx.nd.ones((1, 6))
    check_bad_input(
        lambda: mx.nd.BilinearSampler(image, mx.nd.ones((2, 2, 3, 3))),
        r"expected grid of shape \(1, 2, height, width\), got \(2, 2, 3, 3\)",
        OpShapeError,
    )
    check_bad_input(lambda: mx.nd.BilinearSampler(image, theta.astype("float64")), "inputs of one dtype", OpTypeError)
    check_bad_input(
        lambda: mx.nd.GridGenerator(theta, transform_type="affine"),
        r"target_shape=\(0, 0\); expected the height and width",
        OpParamError,
    )
    check_bad_input(
        lambda: mx.nd.GridGenerator(theta, transform_type="warp"),
        r"expected data of shape \(batch, 2, height, width\), got \(1, 6\)",
        OpShapeError,
    )
    check_bad_input(
        lambda: mx.nd.Correlation(image, mx.nd.ones((1, 2, 3, 4))),
        r"expected data2 of shape \(1, 2, 3, 3\), got \(1, 2, 3, 4\)",
        OpShapeError,
    )
    check_bad_input(lambda: mx.nd.Correlation(image, image, kernel_size=2), "expected an odd kernel_size", OpParamError)
    check_bad_input(lambda: mx.nd.Correlation(image, image, max_displacement=2), "exceeds the images", OpShapeError)
