"""Enlarging images, beyond the recorded cases."""

import numpy as np
import pytest

import mxnet as mx
from regluon.ops import registry
from tests.ops.base import check_bad_input


@pytest.mark.parametrize("scale", [1, 2, 7, 41])
def test_nearest_repeats_exactly(scale: int) -> None:
    values = np.arange(90, dtype="float32").reshape(1, 1, 2, 45)
    expected = values.repeat(scale, 2).repeat(scale, 3)
    actual = mx.nd.UpSampling(mx.nd.array(values), scale=scale, sample_type="nearest")
    np.testing.assert_array_equal(actual.asnumpy(), expected)


@pytest.mark.parametrize("scale", [1, 3])
def test_result_owns_its_memory(scale: int) -> None:
    data = mx.nd.ones((1, 1, 1, 1))
    result = mx.nd.UpSampling(data, scale=scale, sample_type="nearest")
    result[0, 0, 0, 0] = 5
    assert data.asnumpy().tolist() == [[[[1]]]]
    assert result.asnumpy().sum() == scale**2 + 4


def test_completes_the_bilinear_weight() -> None:
    operator = registry.find("UpSampling")
    assert operator.completes is not None
    params = operator.full_params(operator.parse({"scale": 3, "sample_type": "bilinear"}))
    assert operator.completes((1, 2, 4, 4), **params) == {"weight": (2, 1, 5, 5)}
    params = operator.full_params(operator.parse({"scale": 3, "sample_type": "nearest"}))
    assert operator.completes((1, 2, 4, 4), **params) == {}


def test_refusals() -> None:
    call, data = mx.nd.UpSampling, mx.nd.ones((1, 2, 4, 4))
    check_bad_input(lambda: call(data, scale=0, sample_type="nearest"), "scale=0")
    check_bad_input(lambda: call(data[0], scale=2, sample_type="nearest"), "expected inputs of 4 dimensions")
    check_bad_input(lambda: call(data, mx.nd.ones((1, 2, 3, 3)), scale=2, sample_type="nearest"), "by a whole factor")
    check_bad_input(lambda: call(data, mx.nd.ones((2, 2, 4, 4)), scale=2, sample_type="nearest"), "do not agree")
    check_bad_input(lambda: call(data, scale=2, sample_type="bilinear", num_filter=2), "two inputs, data and weight")
    weight = mx.nd.ones((2, 1, 4, 4))
    check_bad_input(lambda: call(data, weight, scale=2, sample_type="bilinear"), "num_filter=0; expected the number")
    check_bad_input(
        lambda: call(data, weight, scale=3, sample_type="bilinear", num_filter=2),
        "expected the weight of shape \\(2, 1, 5, 5\\)",
    )
