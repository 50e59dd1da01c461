"""What results tell of the data before them: shapes that follow from the end of a graph, not from its beginning."""

from collections.abc import Callable

import pytest

import mxnet as mx
from mxnet import sym
from mxnet.error import OpShapeError


@pytest.mark.parametrize(
    ("operate", "known", "result", "expected"),
    [
        (
            lambda x: sym.Convolution(x, num_filter=6, kernel=(3, 3), pad=(1, 1)),
            (0, 4, 0, 0),
            (5, 6, 9, 8),
            (5, 4, 9, 8),
        ),
        (
            lambda x: sym.Convolution(x, num_filter=6, kernel=(3, 3), dilate=(2, 2)),
            (0, 4, 0, 0),
            (5, 6, 9, 8),
            (5, 4, 13, 12),
        ),
        (lambda x: sym.Convolution(x, num_filter=6, kernel=(3,)), (0, 4, 0), (5, 6, 8), (5, 4, 10)),
        (
            lambda x: sym.Convolution(x, num_filter=6, kernel=(3, 3), layout="NHWC"),
            (0, 0, 0, 4),
            (5, 9, 8, 6),
            (5, 11, 10, 4),
        ),
        (lambda x: sym.split(x, num_outputs=3)[1], (0, 15, 0), (3, 5, 2), (3, 15, 2)),
        (lambda x: sym.split(x, num_outputs=4, axis=1, squeeze_axis=True)[2], (0, 4), (5,), (5, 4)),
        (lambda x: sym.transpose(x, axes=(1, 0, 2)), None, (5, 2, 8), (2, 5, 8)),
        (sym.transpose, (0, 0), (5, 2), (2, 5)),
        (lambda x: sym.expand_dims(x, axis=1), None, (5, 1, 8), (5, 8)),
        (lambda x: sym.reshape(x, shape=(-1, 8)), (0, 2, 4), (5, 8), (5, 2, 4)),
    ],
    ids=["conv", "dilated", "conv1d", "channels last", "split", "squeezed", "axes", "reversed", "new axis", "reshape"],
)
def test_data_from_result(
    operate: Callable[[sym.Symbol], sym.Symbol],
    known: tuple[int, ...] | None,
    result: tuple[int, ...],
    expected: tuple[int, ...],
) -> None:
    net = sym.elemwise_add(operate(sym.var("x", shape=known)), sym.var("after", shape=result))
    shapes, outputs, _ = net.infer_shape()
    assert shapes[0] == expected
    assert outputs == [result]


def test_strides_leave_lengths_open() -> None:
    net = sym.Convolution(sym.var("x", shape=(0, 4, 0, 0)), num_filter=6, kernel=(3, 3), stride=(2, 2))
    shapes, _, _ = (net + sym.var("after", shape=(5, 6, 9, 8))).infer_shape_partial()
    assert shapes[0] == (5, 4, 0, 0)


def test_reshape_with_a_remainder_tells_nothing() -> None:
    net = sym.reshape(sym.var("x", shape=(0, 3)), shape=(-1, 4)) + sym.var("after", shape=(2, 4))
    assert net.infer_shape_partial()[0][0] == (0, 3)


def test_contradictions_are_named() -> None:
    net = sym.expand_dims(sym.var("x", shape=(0, 7)), axis=1, name="wide") + sym.var("after", shape=(5, 1, 8))
    with pytest.raises(OpShapeError, match=r"node 'wide' \(expand_dims\)|expected equal ones"):
        net.infer_shape()


def test_shape_like_another() -> None:
    """A shape that does not follow forward may follow from what uses the array."""
    weight = sym.var("weight")
    shifted = sym._internal._identity_with_attr_like_rhs(
        sym.broadcast_add(weight, sym.var("shift", shape=(1,))), weight
    )
    net = sym.FullyConnected(sym.var("data"), weight=shifted, num_hidden=11, no_bias=True)
    shapes, _, _ = net.infer_shape(data=(7, 100))
    assert dict(zip(net.list_arguments(), shapes, strict=True))["weight"] == (11, 100)


def test_unknown_shapes_where_arrays_may_be_empty() -> None:
    net = sym.sin(sym.var("x"))
    assert net.infer_shape_partial()[:2] == ([()], [()])
    with mx.util.np_shape(True):
        assert net.infer_shape_partial()[:2] == ([None], [None])
        assert net.infer_shape_partial(x=())[:2] == ([()], [()])
        product = sym.batch_dot(sym.var("x"), sym.var("y"))
        assert product.infer_shape_partial(x=(-1, 3, 4), y=(-1, -1, 5))[1] == [None]
