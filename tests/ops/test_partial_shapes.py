"""What partial shapes imply for each other, forward and backward; the expectations are what MXNet 1.9.1 answers."""

from collections.abc import Callable
from typing import Any

import pytest

import mxnet as mx
from mxnet import sym
from mxnet.error import OpShapeError

X, Y, Z, OUT = (sym.var(name) for name in ("x", "y", "z", "out"))


@pytest.mark.parametrize(
    ("net", "given", "arguments", "output"),
    [
        (sym.broadcast_add(X, Y), {"x": (4, 0, 3), "y": (2, 3)}, [(4, 0, 3), (2, 3)], (4, 0, 3)),
        (sym.broadcast_mul(X, Y), {"x": (0,), "y": (4, 1, 3)}, [(0,), (4, 1, 3)], (4, 1, 0)),
        (sym.Reshape(X, shape=(6, 4)), {"x": (0, 3, 4)}, [(2, 3, 4)], (6, 4)),
        (sym.Reshape(X, shape=(0, -1)), {"x": (2, 0, 4)}, [(2, 0, 4)], (2, 0)),
        (sym.SequenceMask(X, Y, use_sequence_length=True), {"x": (4, 2, 3)}, [(4, 2, 3), (2,)], (4, 2, 3)),
        (sym.SequenceLast(X, Y, use_sequence_length=True), {"x": (4, 2, 3)}, [(4, 2, 3), (2,)], (2, 3)),
        (sym.pick(X, Y), {"x": (5, 4)}, [(5, 4), (5,)], (5,)),
        (sym.stack(X, Y, axis=1), {"x": (2, 0), "y": (0, 3)}, [(2, 0), (0, 3)], (2, 2, 3)),
        (sym.scatter_nd(X, Y, shape=(2, 3)), {}, [(), ()], (2, 3)),
        (sym.where(X, Y, Z), {"x": (0, 2), "y": (2, 2)}, [(0, 2), (2, 2), ()], ()),
        (sym.batch_take(X, Y), {"x": (5, 4), "y": (5,)}, [(5, 4), (5,)], (5,)),
        (sym.elemwise_add(sym.squeeze(X), OUT), {"x": (0, 0, 3), "out": (2, 3)}, [(0, 0, 3), (2, 3)], (2, 3)),
        (sym.elemwise_add(sym.reverse(X, axis=1), OUT), {"x": (2, 0), "out": (0, 3)}, [(2, 3), (2, 3)], (2, 3)),
        (sym.elemwise_add(sym.transpose(X), OUT), {"out": (2, 3)}, [(3, 2), (2, 3)], (2, 3)),
        (sym.elemwise_add(sym.split_v2(X, 2, axis=1)[0], OUT), {"x": (0, 4), "out": (3, 2)}, [(3, 4), (3, 2)], (3, 2)),
        (sym.ones((-1, 3)) + X, {"x": (2, 3)}, [(2, 3)], (2, 3)),
        (X + Y, {"x": (-1, 3), "y": (2, 0)}, [(2, 3), (2, 3)], (2, 3)),
        (sym.var("w", shape=(-1, 3)) + Y, {"y": (2, 3)}, [(2, 3), (2, 3)], (2, 3)),
    ],
    ids=lambda value: value.name if isinstance(value, sym.Symbol) else None,
)
def test_partial_shapes(net: sym.Symbol, given: dict[str, Any], arguments: list[Any], output: Any) -> None:
    assert net.infer_shape_partial(**given) == (arguments, [output], [])


def test_weights_of_grouped_convolutions_follow_without_the_channels() -> None:
    net = sym.Convolution(X, kernel=(3, 3), num_filter=6, num_group=3, no_bias=True, name="c")
    assert net.infer_shape_partial(x=(2, 0, 8, 9))[0] == [(2, 0, 8, 9), (6, 0, 3, 3)]


def test_products_of_matrices_agree_in_the_middle() -> None:
    with mx.np_shape(True):
        x, y = sym.var("x").as_np_ndarray(), sym.var("y").as_np_ndarray()
        assert sym.np.dot(x, y).infer_shape(x=(2, -1), y=(4, 3)) == ([(2, 4), (4, 3)], [(2, 3)], [])


def test_files_from_before_empty_arrays_have_unknown_lengths() -> None:
    text = sym.FullyConnected(X, sym.var("w", shape=(5, 0)), num_hidden=5, no_bias=True).tojson()
    with mx.np_shape(True):
        loaded = sym.load_json(text)
        assert loaded.infer_shape(x=(2, 7))[0] == [(2, 7), (5, 7)]
        assert loaded.get_internals()["w"].attr("__shape__") == "[5,-1]"


def test_an_unknown_length_that_nothing_tells() -> None:
    with pytest.raises(OpShapeError, match=r"nothing in the graph tells its unknown"):
        sym.ones((-1, 3)).bind(mx.cpu(), {}).forward()
    assert (sym.ones((-1, 3)) + X).bind(mx.cpu(), {"x": mx.nd.ones((2, 3))}).forward()[0].shape == (2, 3)


@pytest.mark.parametrize(
    ("made", "shape"),
    [
        (lambda data: mx.sym.slice(data, begin=(None, 3), end=(5, 10)), (0, 7)),
        (lambda data: mx.sym.slice(data, begin=(2, 3), end=(None, 10), step=(3, 3)), (0, 3)),
        (lambda data: mx.sym.slice_axis(data, axis=0, begin=0, end=5), (0, 20)),
        (lambda data: mx.sym.slice_axis(data, axis=1, begin=-5, end=None), (0, 5)),
    ],
)
def test_a_slice_of_an_unknown_length_is_unknown(made, shape):
    data = mx.sym.var("data", shape=(0, 20))
    assert made(data).infer_shape_partial()[1] == [shape]


@pytest.mark.parametrize("layer", [{}, {"num_layers": 2}, {"layout": "NTC", "bidirectional": True}])
@pytest.mark.parametrize("kind", ["RNN", "LSTM", "GRU"])
def test_the_weights_of_recurrent_layers(kind: str, layer: dict[str, Any]) -> None:
    net = getattr(mx.gluon.rnn, kind)(3, prefix="net_", **layer)
    shapes, outputs, _ = net(sym.var("data")).infer_shape(data=(1, 4, 6))
    names, gates = net(sym.var("data")).list_arguments(), {"RNN": 1, "LSTM": 4, "GRU": 3}[kind]
    first = {name: shape for name, shape in zip(names, shapes) if name.endswith("0_i2h_weight")}
    assert first == dict.fromkeys(first, (3 * gates, 6))
    assert outputs == [(1, 4, 6 if layer.get("bidirectional") else 3)]


def test_a_slope_for_all_channels() -> None:
    net = sym.LeakyReLU(X, sym.var("slope", shape=(1,)), act_type="prelu")
    assert net.infer_shape_partial(x=(0, 4)) == ([(0, 4), (1,)], [(0, 4)], [])


# -- from results to data ---------------------------------------------------------------------------------------------


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
