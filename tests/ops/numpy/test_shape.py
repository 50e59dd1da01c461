"""Shapes and axes in mx.np: scalars, and what else fixtures cannot show."""

from typing import Any

import numpy as np
import pytest

import mxnet as mx
from mxnet.error import OpIndexError, OpParamError, OpShapeError, OpTypeError
from tests.ops.base import check_bad_input

_np, _npi = mx.nd.numpy._op, mx.nd.numpy._internal


def _array(value: Any, dtype: str = "float32") -> Any:
    return mx.nd.array(np.array(value, dtype), dtype=dtype).as_np_ndarray()


def _counting(*shape: int) -> Any:
    return _array(np.arange(np.prod(shape)).reshape(shape))


@pytest.mark.parametrize(
    ("call", "shape"),
    [
        (lambda x: _np.reshape(x, newshape=(1, 1)), (1, 1)),
        (lambda x: _npi.reshape(x, newshape=(-4,)), ()),
        (_np.squeeze, ()),
        (lambda x: _np.squeeze(x, axis=0), ()),
        (_np.transpose, ()),
        (lambda x: _np.roll(x, shift=1), ()),
        (lambda x: _npi.flip(x, axis=()), ()),
        (lambda x: _npi.broadcast_to(x, shape=(2, 0)), (2, 0)),
        (lambda x: _npi.broadcast_to(x, shape=()), ()),
        (_np.atleast_1d, (1,)),
        (_np.atleast_2d, (1, 1)),
        (_np.atleast_3d, (1, 1, 1)),
    ],
)
def test_scalars(call: Any, shape: tuple[int, ...]) -> None:
    made = call(_array(7))
    assert made.shape == shape
    np.testing.assert_array_equal(made.asnumpy(), np.full(shape, 7))


@pytest.mark.parametrize(("k", "axes"), [(1, (0, 1)), (3, (0, 1)), (-1, (1, 0)), (2, (0, 1))])
def test_rot90_turns_the_gradient_back(k: int, axes: tuple[int, int]) -> None:
    x, head = _counting(2, 3), np.random.RandomState(0).uniform(size=np.rot90(np.zeros((2, 3)), k, axes).shape)
    x.attach_grad()
    with mx.autograd.record():
        turned = _npi.rot90(x, k=k, axes=axes)
    turned.backward(_array(head))
    np.testing.assert_array_equal(x.grad.asnumpy(), np.rot90(head, -k, axes).astype("float32"))


@pytest.mark.parametrize("mode", ["edge", "reflect", "symmetric"])
def test_borders_pass_gradients(mode: str) -> None:
    """MXNet has them for constants only."""
    x = _counting(2, 3)
    x.attach_grad()
    with mx.autograd.record():
        padded = _npi.pad(x, pad_width=((1, 2), (3, 0)), mode=mode)
    padded.backward()
    where = np.pad(np.arange(6).reshape(2, 3), ((1, 2), (3, 0)), mode)
    np.testing.assert_array_equal(padded.asnumpy(), where)
    np.testing.assert_array_equal(x.grad.asnumpy(), np.bincount(where.ravel()).reshape(2, 3))


def test_pad_width_of_one_axis() -> None:
    """NumPy's way to write it as well as MXNet's, and as text of a graph."""
    for width in (((1, 2),), (1, 2), "((1, 2),)", "[[1,2]]"):
        padded = _npi.pad(_counting(2), pad_width=width)
        np.testing.assert_array_equal(padded.asnumpy(), [0, 0, 1, 0, 0])


def test_results_own_their_memory() -> None:
    x = _counting(2, 2)
    for result in (_np.reshape(x, newshape=(4,)), _np.transpose(x), _np.atleast_1d(x), _np.diagonal(x), _npi.tril(x)):
        result[:] = 9
    np.testing.assert_array_equal(x.asnumpy(), [[0, 1], [2, 3]])


def test_bad_input() -> None:
    x = _counting(2, 3)
    check_bad_input(lambda: _np.reshape(x, newshape=(4,)), "cannot reshape 6 elements", OpShapeError)
    check_bad_input(lambda: _np.reshape(x, newshape=(-2,)), "one of which may be -1", OpShapeError)
    check_bad_input(lambda: _npi.reshape(x, newshape=(-3, -2)), "drops an axis of length 1", OpShapeError)
    check_bad_input(lambda: _npi.reshape(x, newshape=(-6, 4, 1, 3)), "split an axis of length 2", OpShapeError)
    check_bad_input(lambda: _npi.reshape(x, newshape=(-6, 1)), "need two lengths", OpShapeError)
    check_bad_input(lambda: _npi.reshape(x, newshape=(-9,)), "has no meaning", OpShapeError)
    check_bad_input(lambda: _npi.reshape(x, newshape=(-5, -5)), "ask for more axes", OpShapeError)
    check_bad_input(lambda: _np.squeeze(x, axis=1), "cannot remove axis 1", OpShapeError)
    check_bad_input(lambda: _np.moveaxis(x, source=(0, 0), destination=(0, 1)), "names an axis twice", OpShapeError)
    check_bad_input(lambda: _np.transpose(x, axes=(0, 0)), "is not an order of the 2 axes", OpShapeError)
    check_bad_input(lambda: _np.roll(x), "parameter shift is required", OpParamError)
    check_bad_input(lambda: _np.roll(x, shift=(1, 2), axis=0), "as many shifts as axes", OpParamError)
    check_bad_input(lambda: _npi.rot90(x), "expected the two axes of a plane", OpParamError)
    check_bad_input(lambda: _npi.flip(x, axis=2), "axis=2 is out of range", OpIndexError)
    check_bad_input(lambda: _npi.broadcast_to(x, shape=(2, 2)), r"cannot be stretched to \(2, 2\)", OpShapeError)
    check_bad_input(lambda: _np.atleast_1d(x, _array(1, "int32")), "expected inputs of one dtype", OpTypeError)
    check_bad_input(lambda: _np.atleast_1d(x, num_args=2), "num_args=2, but received 1", OpParamError)
    check_bad_input(lambda: _np.diag(_array(1)), "expected 1 or 2 axes, got 0", OpShapeError)
    check_bad_input(lambda: _np.diagflat(_array(1)), "expected at least one axis", OpShapeError)
    check_bad_input(lambda: _np.diagonal(x, axis1=1), "are the same axis", OpParamError)
    check_bad_input(lambda: _npi.diag_indices_from(x), "all of one length", OpShapeError)
    check_bad_input(lambda: _npi.tril(_array(1)), "expected at least one axis", OpShapeError)
    check_bad_input(lambda: _npi.pad(x, pad_width=(1, 1)), "for each of the 2 axes", OpParamError)
    check_bad_input(lambda: _npi.pad(x, pad_width=((1,), (1, 1))), "expected two numbers for each", OpParamError)
    check_bad_input(lambda: _npi.pad(x, pad_width="1, x"), "expected a tuple of tuples of integers", OpParamError)
    check_bad_input(
        lambda: _npi.pad(_counting(0, 2), pad_width=((1, 1), (0, 0)), mode="edge"),
        "an axis with elements",
        OpShapeError,
    )
