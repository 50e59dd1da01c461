"""Percentiles and counts of mx.np; the rest is in the fixtures."""

import numpy as np
import pytest
import torch

import mxnet as mx
from mxnet.error import DynamicShapeError
from regluon.ops import registry
from regluon.ops.inference import infer

internal, op = mx.nd.numpy._internal, mx.nd.numpy._op


@pytest.fixture(autouse=True)
def _numpy_shapes():
    with mx.util.np_shape(True), mx.util.np_array(True):
        yield


def _array(values, dtype="float32"):
    return mx.nd.from_torch(torch.from_numpy(np.array(values, dtype))).as_np_ndarray()


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_percentile_like_numpy(dtype):
    values = np.random.RandomState(0).randn(3, 4, 5).astype(dtype)
    for interpolation in ("linear", "lower", "higher", "midpoint"):
        for axis in (None, (0,), (-1, 0)):
            result = internal.percentile(
                _array(values, dtype), _array([3, 50, 99.5]), axis=axis, interpolation=interpolation
            )
            expected = np.percentile(values, [3, 50, 99.5], axis=axis, method=interpolation)
            np.testing.assert_allclose(result.asnumpy(), expected, rtol=1e-5)


def test_length_of_counts_needs_data():
    with pytest.raises(DynamicShapeError, match=r"\[_npi_bincount\] .* depends on the data"):
        infer(registry.find("_npi_bincount"), [((3,), torch.int32)], {})


def test_inputs_in_force():
    assert registry.find("_npi_percentile").takes({"q_scalar": 5.0}) == ("a",)
    assert registry.find("_npi_percentile").takes({}) == ("a", "q")
    assert registry.find("_npi_bincount").takes({}) == ("data",)
