"""Operators that join and cut: what fixtures cannot show."""

import numpy as np

import mxnet as mx
from mxnet.error import OpParamError, OpShapeError, OpTypeError
from tests.ops.base import check_bad_input

nd = mx.nd


def test_a_list_may_be_given() -> None:
    parts = [nd.ones((2, 1)), nd.zeros((2, 2))]
    np.testing.assert_array_equal(nd.concat(parts).asnumpy(), nd.concat(*parts).asnumpy())


def test_split_v2_cuts_where_told() -> None:
    data = nd.arange(10).reshape((2, 5))
    for part, expected in zip(nd.split_v2(data, (1, 3), axis=1), np.split(data.asnumpy(), (1, 3), axis=1)):
        np.testing.assert_array_equal(part.asnumpy(), expected)


def test_one_part_is_the_whole() -> None:
    whole = mx.nd.arange(6).reshape((2, 3))
    for cut in (
        mx.sym.split(mx.sym.var("x"), num_outputs=1, axis=1),
        mx.sym.split_v2(mx.sym.var("x"), (), axis=1),
        mx.sym.split_v2(mx.sym.var("x"), 1),
    ):
        (part,) = cut.bind(mx.cpu(), {"x": whole}).forward()
        np.testing.assert_array_equal(part.asnumpy(), whole.asnumpy())


def test_parts_do_not_share_memory() -> None:
    data = nd.zeros((2, 4))
    first, _ = nd.split(data, num_outputs=2)
    first[:] = 1
    assert not data.asnumpy().any()


def test_bad_input() -> None:
    data = nd.ones((2, 4))
    check_bad_input(lambda: nd.concat(data, nd.ones((3, 4))), "at place 1, \\(3, 4\\)", OpShapeError)
    check_bad_input(lambda: nd.concat(data, data.astype("int32")), "at place 1, int32", OpTypeError)
    check_bad_input(lambda: nd.stack(data, nd.ones((2, 3))), "arrays of the same shape", OpShapeError)
    check_bad_input(lambda: nd.split(data, num_outputs=3), "into 3 equal parts", OpShapeError)
    check_bad_input(lambda: nd.split(data, num_outputs=2, squeeze_axis=True), "expected num_outputs=4", OpShapeError)
    check_bad_input(lambda: nd._internal._split_v2(data, indices=(0, 9)), "starts of the parts", OpParamError)
