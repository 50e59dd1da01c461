"""Operators that change shapes: what fixtures cannot show."""

import numpy as np
import pytest

import mxnet as mx
from mxnet.error import OpIndexError, OpParamError, OpShapeError, OpTypeError
from regluon.ops.tensor.shape import target_shape
from tests.ops.base import check_bad_input

nd = mx.nd


@pytest.mark.parametrize(
    ("codes", "reverse", "expected"),
    [
        ((0, -1), False, (2, 12)),
        ((-2,), False, (2, 3, 4)),
        ((-3, 0), False, (6, 4)),
        ((0, -4, 3, -1, 0), False, (2, 3, 1, 4)),
        ((-1, 0), True, (6, 4)),
        ((-2, 2, 2, -4), True, (2, 3, 2, 2)),
        ((), False, None),
        ((5, -1), False, None),
        ((1, -2), False, None),
        ((-4, -1, 0, -2), False, None),
    ],
)
def test_reshape_codes(codes: tuple, reverse: bool, expected: tuple | None) -> None:
    if expected is None:
        with pytest.raises(OpShapeError, match="reshape"):
            target_shape((2, 3, 4), codes, reverse)
    else:
        assert target_shape((2, 3, 4), codes, reverse) == expected


def test_squeeze_to_a_scalar_needs_numpy_shapes() -> None:
    assert nd.ones((1, 1)).squeeze().shape == (1,)


def test_reverse_turns_an_axis_named_twice_back() -> None:
    data = nd.arange(4).reshape((2, 2))
    np.testing.assert_array_equal(nd.reverse(data, axis=(0, 0)).asnumpy(), data.asnumpy())


def test_bad_input() -> None:
    data, images = nd.ones((2, 3, 4)), nd.ones((1, 2, 3, 3))
    check_bad_input(lambda: nd.reshape(data, shape=(-3, -3)), "ask for axis 3", OpShapeError)
    check_bad_input(lambda: nd.reshape(data, shape=(5, -1)), "cannot reshape 24 elements", OpShapeError)
    check_bad_input(lambda: nd.reshape(data), "shape is empty", OpParamError)
    check_bad_input(lambda: nd.squeeze(data, axis=1), "axis 1, which has length 3", OpShapeError)
    check_bad_input(lambda: nd.transpose(data, axes=(0, 0, 1)), "not an order of the 3 axes", OpShapeError)
    check_bad_input(lambda: nd.transpose(data, axes=(-1, 0, 1)), "axis=-1 is out of range", OpIndexError)
    check_bad_input(lambda: nd.swapaxes(data, dim1=3), "dim1=3 is out of range", OpIndexError)
    check_bad_input(lambda: nd.reshape_like(data, data, lhs_begin=4), "lhs_begin=4", OpIndexError)
    check_bad_input(lambda: nd.broadcast_to(data, shape=(2, 3, 8)), "stretch axis 2 from length 4 to 8", OpShapeError)
    check_bad_input(lambda: nd.broadcast_axis(data, axis=0, size=4), "axis 0, which has length 2", OpShapeError)
    check_bad_input(lambda: nd.broadcast_like(data, images), "lhs_axes and rhs_axes", OpShapeError)
    check_bad_input(lambda: nd.repeat(data, repeats=-1), "repeats=-1", OpParamError)
    check_bad_input(lambda: nd.tile(data, reps=(0,)), "positive numbers", OpParamError)
    check_bad_input(lambda: nd.diag(data, k=9), "no such diagonal", OpParamError)
    check_bad_input(lambda: nd.depth_to_space(images, block_size=2), "divisible by block_size squared", OpShapeError)
    check_bad_input(lambda: nd.space_to_depth(data, block_size=2), "expected 4 axes", OpShapeError)
    for change in (nd.depth_to_space, nd.space_to_depth):
        empty = nd.array(np.ones((1, 4, 0, 2)))
        check_bad_input(
            lambda change=change, empty=empty: change(empty, block_size=2), "at least one element", OpShapeError
        )
    widths = (0, 0, 0, 0, 3, 0, 0, 0)
    check_bad_input(lambda: nd.pad(images, mode="reflect", pad_width=widths), "fewer than its length", OpShapeError)
    check_bad_input(
        lambda: nd.pad(images.astype("int32"), mode="edge", pad_width=widths), "astype\\('float32'\\)", OpTypeError
    )
