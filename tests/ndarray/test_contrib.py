"""`nd.contrib`."""

import numpy as np
import pytest

import mxnet as mx
from mxnet import nd
from mxnet.ndarray import contrib
from mxnet.random import seed


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_finite_infinite_and_nan(dtype):
    data = nd.array([1, np.inf, -np.inf, np.nan, 0], dtype=dtype)
    for name, expected in (("isfinite", [1, 0, 0, 0, 1]), ("isinf", [0, 1, 1, 0, 0]), ("isnan", [0, 0, 0, 1, 0])):
        found = getattr(contrib, name)(data)
        assert found.dtype == np.dtype(dtype)
        assert found.asnumpy().tolist() == expected


def test_whole_numbers_are_finite():
    data = nd.array([1, 2], dtype="int32")
    assert contrib.isfinite(data).asnumpy().tolist() == [1, 1]
    assert contrib.isinf(data).asnumpy().tolist() == [0, 0]
    assert contrib.isnan(data).asnumpy().tolist() == [0, 0]
    assert contrib.isinf(data).dtype == np.int32


@pytest.mark.parametrize("name", ["isfinite", "isinf", "isnan"])
def test_only_arrays(name):
    with pytest.raises(TypeError, match=rf"\[nd.contrib.{name}\] data: received builtins.list; expected an NDArray"):
        getattr(contrib, name)([1.0])


def test_zipfian_draws_and_expected_counts():
    seed(3)
    drawn, of_true, of_drawn = contrib.rand_zipfian(nd.array([[3, 1]]), 20000, 5, ctx=mx.cpu(1))
    assert [each.dtype for each in (drawn, of_true, of_drawn)] == [np.int64, np.float64, np.float64]
    assert [each.shape for each in (drawn, of_true, of_drawn)] == [(20000,), (1, 2), (20000,)]
    assert {each.context for each in (drawn, of_true, of_drawn)} == {mx.cpu(1)}
    classes = np.arange(5)
    expected = np.log((classes + 2) / (classes + 1)) / np.log(6) * 20000
    np.testing.assert_allclose(of_true.asnumpy()[0], expected[[3, 1]])
    np.testing.assert_allclose(of_drawn.asnumpy(), expected[drawn.asnumpy()])
    np.testing.assert_allclose(np.bincount(drawn.asnumpy()), expected, rtol=0.05)


def test_zipfian_refusals():
    with pytest.raises(TypeError, match=r"true_classes: received builtins\.list"):
        contrib.rand_zipfian([3], 4, 5)
    for count, classes, name in ((0, 5, "num_sampled"), (4, 0, "range_max")):
        with pytest.raises(ValueError, match=f"{name}: received 0; expected at least 1"):
            contrib.rand_zipfian(nd.array([1]), count, classes)
