"""Dropout: its statistics."""

import numpy as np
import pytest

import mxnet as mx
from mxnet.error import OpIndexError, OpParamError
from regluon.rng import seed_all
from tests.ops.base import check_bad_input


@pytest.fixture(autouse=True)
def _seeded() -> None:
    seed_all(11)


def _trained(data: mx.nd.NDArray, **params: object) -> np.ndarray:
    with mx.autograd.train_mode():
        return mx.nd.Dropout(data, **params).asnumpy()


@pytest.mark.parametrize("p", [0.1, 0.5, 0.8])
@pytest.mark.parametrize("dtype", ["float32", "float64", "float16"])
def test_share_of_zeros_and_scale(p: float, dtype: str) -> None:
    result = _trained(mx.nd.ones((200, 300), dtype=dtype), p=p)
    assert result.dtype == dtype
    assert abs((result == 0).mean() - p) < 0.01
    kept = result[result != 0]
    np.testing.assert_allclose(kept.astype("float64"), 1 / (1 - p), rtol=1e-3)
    assert abs(result.mean(dtype="float64") - 1) < 0.03


def test_positions_are_independent() -> None:
    zeros = _trained(mx.nd.ones((300, 300))) == 0
    assert abs((zeros[1:] & zeros[:-1]).mean() - 0.25) < 0.01
    assert abs((zeros[:, 1:] & zeros[:, :-1]).mean() - 0.25) < 0.01


@pytest.mark.parametrize("axes", [(0,), (1,), (0, 2), (0, 1, 2)])
def test_axes_share_one_fate(axes: tuple[int, ...]) -> None:
    result = _trained(mx.nd.ones((6, 7, 8)), axes=axes)
    for axis in axes:
        assert (result == result.take([0], axis)).all()
    if len(axes) < 3:
        assert 0 < (result == 0).mean() < 1


def test_gradient_uses_the_same_mask() -> None:
    data = mx.nd.array(np.random.RandomState(0).uniform(1, 2, (20, 30)))
    data.attach_grad()
    with mx.autograd.record():
        result = mx.nd.Dropout(data, p=0.3)
    head = np.random.RandomState(1).randn(20, 30).astype("float32")
    result.backward(mx.nd.array(head))
    mask = result.asnumpy() / data.asnumpy()
    np.testing.assert_allclose(data.grad.asnumpy(), head * mask, rtol=1e-5, atol=1e-6)
    assert (result.asnumpy() == 0).any()


def test_always_drops_in_prediction_too() -> None:
    assert (mx.nd.Dropout(mx.nd.ones((100,)), mode="always").asnumpy() == 0).any()


def test_prediction_returns_a_copy() -> None:
    data = mx.nd.ones((3,))
    result = mx.nd.Dropout(data)
    result[:] = 5
    np.testing.assert_array_equal(data.asnumpy(), 1)


def test_masks_differ_from_call_to_call_and_repeat_after_seeding() -> None:
    data = mx.nd.ones((100,))
    first, second = _trained(data), _trained(data)
    assert (first != second).any()
    seed_all(11)
    np.testing.assert_array_equal(_trained(data), first)


def test_texts_of_errors() -> None:
    data = mx.nd.ones((2, 3))
    check_bad_input(lambda: mx.nd.Dropout(data, p=1.5), r"p=1\.5; expected a probability between 0 and 1", OpParamError)
    check_bad_input(
        lambda: mx.nd.Dropout(data, axes=(2,)),
        r"axes=\(2,\) is out of range for an array of 2 dimensions",
        OpIndexError,
    )
