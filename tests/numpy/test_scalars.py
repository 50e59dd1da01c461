"""Arrays without axes: as parameters of operators, and in lists given to the official NumPy."""

from collections.abc import Callable
from typing import Any

import numpy as onp
import pytest

import mxnet as mx
from mxnet import autograd, nd, np

DATA = [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]


@pytest.mark.parametrize("make", [onp.array, np.array], ids=["numpy", "mx.np"])
@pytest.mark.parametrize(
    ("call", "expected"),
    [
        (lambda of: nd.clip(nd.array(DATA), of(2.0), of(3.0)), [[2.0, 2.0, 3.0], [3.0, 3.0, 3.0]]),
        (lambda of: nd.sum(nd.array(DATA), axis=of(1, dtype="int32")), [6.0, 15.0]),
        (lambda of: nd.slice_axis(nd.array(DATA), axis=1, begin=0, end=of(1, dtype="int64")), [[1.0], [4.0]]),
        (lambda of: nd.one_hot(nd.array([1]), of(2, dtype="int32")), [[0.0, 1.0]]),
        (lambda of: nd.arange(of(3.0)), [0.0, 1.0, 2.0]),
        (lambda of: nd.sgd_update(nd.ones(1), nd.ones(1), lr=of(0.5)), [0.5]),
        (lambda of: nd.Dropout(nd.ones(1), p=of(0.5)), [1.0]),
        (lambda of: np.sum(np.array(DATA), axis=of(0, dtype="int64")), [5.0, 7.0, 9.0]),
        (lambda of: np.clip(np.array(DATA), of(2.0), of(3.0)), [[2.0, 2.0, 3.0], [3.0, 3.0, 3.0]]),
        (lambda of: np.arange(of(3)), [0.0, 1.0, 2.0]),
        (lambda of: mx.sym.clip(mx.sym.var("x"), of(2.0), of(3.0)).eval(x=nd.array([9.0]))[0], [3.0]),
    ],
)
def test_they_are_parameters(make: Callable[..., Any], call: Callable[..., Any], expected: Any) -> None:
    assert call(make).asnumpy().tolist() == expected


def test_arrays_with_axes_are_no_parameters() -> None:
    for bound in (onp.array([2.0]), np.array([2.0]), nd.array([2.0])):
        with pytest.raises(mx.MXNetError, match=r"\[clip\] parameter a_min: received (.|\n)*expected a number"):
            nd.clip(nd.ones(1), bound, 3.0)
    with pytest.raises(mx.MXNetError, match=r"\[sum\] parameter axis: .*expected a tuple of integers"):
        nd.sum(nd.ones((2, 2)), axis=onp.array(1.0))


@pytest.mark.parametrize(
    ("function", "expected"),
    [(onp.sum, 3.0), (onp.max, 2.0), (onp.min, 1.0), (onp.prod, 2.0), (onp.linalg.norm, 5**0.5)],
)
def test_functions_over_lists_of_them_give_our_arrays(function: Callable[..., Any], expected: float) -> None:
    result = function([np.array(1.0), np.array(2.0)])
    assert type(result) is np.ndarray
    assert result.item() == pytest.approx(expected)


def test_functions_over_lists_of_them_keep_gradients() -> None:
    x = np.array([1.0, 2.0, 3.0])
    x.attach_grad()
    with autograd.record():
        total = onp.sum([(x * x).sum(), x.sum()])
    total.backward()
    assert x.grad.tolist() == [3.0, 5.0, 7.0]


def test_numbers_can_be_read_from_them() -> None:
    scalar = np.array(1.5)
    assert onp.float64(scalar) == 1.5
    assert onp.array(scalar, dtype="float32") == 1.5
    assert onp.array([scalar, scalar], dtype="float32").tolist() == [1.5, 1.5]
    assert onp.mean([scalar, np.array(2.5)]) == 2.0
    assert onp.allclose(scalar, 1.5)
    assert not hasattr(scalar, "__array__")
    assert onp.asarray(np.array([1.0, 2.0])).dtype == onp.float32
