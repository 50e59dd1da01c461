"""Operators that sort: what fixtures cannot show, since MXNet's order of equal or missing numbers is an accident."""

import numpy as np
import pytest

import mxnet as mx
from mxnet.error import OpIndexError, OpParamError, OpTypeError
from tests.ops.base import check_bad_input

nd = mx.nd


@pytest.mark.parametrize("is_ascend", [True, False])
@pytest.mark.parametrize("k", [1, 5, 40, 100])
def test_topk_of_long_lines(k: int, is_ascend: bool) -> None:
    """Few of many are found by sorting in part."""
    values = np.random.RandomState(k).permutation(300).reshape(3, 100).astype("float32")
    found, places = nd.topk(nd.array(values), k=k, ret_typ="both", is_ascend=is_ascend, dtype="int32")
    order = np.argsort(values if is_ascend else -values, axis=1)[:, :k]
    np.testing.assert_array_equal(places.asnumpy(), order)
    np.testing.assert_array_equal(found.asnumpy(), np.take_along_axis(values, order, 1))


def test_equal_elements_keep_their_order() -> None:
    data = nd.array([1, 0] * 20)
    expected = np.argsort(data.asnumpy(), kind="stable")
    np.testing.assert_array_equal(nd.argsort(data).asnumpy(), expected)
    np.testing.assert_array_equal(nd.argsort(data, is_ascend=False).asnumpy(), [*range(0, 40, 2), *range(1, 40, 2)])


def test_nan_is_the_largest() -> None:
    data = nd.array([1, np.nan, -np.inf, np.inf])
    np.testing.assert_array_equal(nd.sort(data).asnumpy(), [-np.inf, 1, np.inf, np.nan])
    np.testing.assert_array_equal(nd.argsort(data, is_ascend=False).asnumpy(), [1, 3, 0, 2])


@pytest.mark.parametrize("is_ascend", [True, False])
@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "uint8", "int32", "int64"])
def test_one_long_line(dtype: str, is_ascend: bool) -> None:
    """It is sorted by its bits, and in the order that comparing gives."""
    values = np.random.RandomState(0).randn(70000) * 40
    values[:8] = [np.nan, -np.nan, np.inf, -np.inf, 0.0, -0.0, 1e-7, -1e-7] if dtype.startswith("f") else 0
    data = nd.array(values, dtype="float64").astype(dtype)
    twice = nd.stack(data, data)  # more than one line: sorted by comparing
    for shape in ((-1,), (1, -1)):
        line = data.reshape(shape)
        for found, expected in (
            (nd.sort(line, is_ascend=is_ascend), nd.sort(twice, is_ascend=is_ascend)),
            (
                nd.argsort(line, is_ascend=is_ascend, dtype="int32"),
                nd.argsort(twice, is_ascend=is_ascend, dtype="int32"),
            ),
        ):
            assert found.shape == line.shape
            np.testing.assert_array_equal(found.asnumpy().reshape(-1), expected[0].asnumpy())


@pytest.mark.parametrize("is_ascend", [True, False])
@pytest.mark.parametrize("k", [1, 7, 600, 30000])
def test_topk_of_one_long_line(k: int, is_ascend: bool) -> None:
    """Few are found block by block, the rest behind the last whole block included."""
    values = np.random.RandomState(k).permutation(40003).astype("float32")
    values[[5, 40002]] = np.nan, 50000
    for axis, shape in ((0, (-1,)), (1, (1, -1)), (None, (-1, 1))):
        data = nd.array(values.reshape(shape))
        found, places = nd.topk(data, axis=axis, k=k, ret_typ="both", is_ascend=is_ascend, dtype="int32")
        order = np.argsort(values if is_ascend else -values, kind="stable")
        order = (order if is_ascend else np.concatenate([order[-1:], order[:-1]]))[:k]  # NaN is the largest
        assert found.shape == places.shape == ((1, k) if axis == 1 else (k,))
        np.testing.assert_array_equal(places.asnumpy().reshape(-1), order)
        np.testing.assert_array_equal(found.asnumpy().reshape(-1), values[order])


def test_one_long_line_is_differentiable() -> None:
    order = np.random.RandomState(0).permutation(40000)
    data = nd.array(order)
    data.attach_grad()
    with mx.autograd.record():
        result = nd.sort(data, is_ascend=False)
    result.backward(nd.arange(40000))
    np.testing.assert_array_equal(data.grad.asnumpy(), 39999 - order)


def test_sort_without_axis_is_differentiable() -> None:
    data = nd.array([[3, 1, 2]])
    data.attach_grad()
    with mx.autograd.record():
        result = nd.sort(data)
    result.backward(nd.array([[10, 20, 30]]))
    np.testing.assert_array_equal(data.grad.asnumpy(), [[30, 10, 20]])


def test_bad_input() -> None:
    data = nd.ones((2, 3))
    check_bad_input(lambda: nd.topk(data, k=4), "k=4; expected at most 3", OpParamError)
    check_bad_input(lambda: nd.sort(data, axis=2), "axis=2 is out of range", OpIndexError)
    check_bad_input(lambda: nd.argsort(data.astype("bool")), "expected numbers", OpTypeError)
