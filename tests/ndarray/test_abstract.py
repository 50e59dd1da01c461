"""Arrays without data: shapes are computed, unknown ones settled by the operators that tell them."""

import numpy as np
import pytest

import mxnet as mx
from mxnet import nd
from mxnet.config import switches
from mxnet.ndarray.abstract import UnknownArray, abstract, abstract_zeros, shapes_only


def unknown(shape: tuple[int, ...] | None = None, dtype: str = "float32") -> UnknownArray:
    return UnknownArray("parameter w", shape, dtype, mx.cpu())


def test_shapes_and_dtypes_without_data() -> None:
    x = nd.ones((2, 3), ctx=mx.cpu(1), dtype="float64")
    with shapes_only():
        y = nd.dot(abstract(x), abstract_zeros((3, 4), "float64", mx.cpu(1)))
        z = (y + 1).sum(axis=1)
    assert (y.shape, y.dtype, y.context) == ((2, 4), np.float64, mx.cpu(1))
    assert z.shape == (2,)
    with shapes_only():
        assert y._t.device.type == "meta"


def test_the_switch_goes_back_after_an_exception() -> None:
    def fail() -> None:
        with shapes_only():
            with shapes_only():
                pass
            assert switches.shapes_only
            raise KeyError

    with pytest.raises(KeyError):
        fail()
    assert not switches.shapes_only


def test_arrays_made_inside_have_no_data() -> None:
    with shapes_only():
        y = abstract_zeros((2, 3), "float32", mx.cpu()) + nd.ones((2, 3))
    assert y.shape == (2, 3)


def test_wrong_shapes_are_refused_as_ever() -> None:
    with shapes_only(), pytest.raises(mx.MXNetError, match=r"\[dot\]"):
        nd.dot(abstract_zeros((2, 3), "float32", mx.cpu()), abstract_zeros((2, 3), "float32", mx.cpu()))


def test_an_operator_settles_what_it_learns() -> None:
    weight, bias = unknown(), unknown((0,))
    with shapes_only():
        y = nd.FullyConnected(abstract_zeros((2, 3), "float32", mx.cpu()), weight, bias, num_hidden=4)
        doubled = weight * 2
    assert (weight.shape, bias.shape, y.shape, doubled.shape) == ((4, 3), (4,), (2, 4), (4, 3))
    assert weight.is_settled


def test_a_shape_is_not_known_before() -> None:
    weight = unknown((4, 0))
    assert not weight.is_settled
    with pytest.raises(mx.MXNetError, match="the shape of parameter w is unknown, and this operation does not tell it"):
        _ = weight.shape
    with shapes_only(), pytest.raises(mx.MXNetError, match="the shape of parameter w is unknown"):
        nd.relu(weight)


def test_contradictions() -> None:
    for known in ((5, 0), (4,), (0, 7)):
        with (
            shapes_only(),
            pytest.raises(mx.MXNetError, match=r"\[FullyConnected\] parameter w has shape .*; the data ask for"),
        ):
            nd.FullyConnected(abstract_zeros((2, 3), "float32", mx.cpu()), unknown(known), num_hidden=4, no_bias=True)


def test_settled_with_its_own_dtype() -> None:
    weight = unknown((0, 3), "float16")
    weight.settle((4, 3), "here")
    assert (weight.shape, weight.dtype) == ((4, 3), np.float16)


def test_the_other_factor_of_a_product_tells_an_unknown_length():
    class Net(mx.gluon.HybridBlock):
        def __init__(self):
            super().__init__()
            self.weight = self.params.get("weight", shape=(-1, 7), allow_deferred_init=True)

        def hybrid_forward(self, F, x, weight):
            return F.npx.relu(x.dot(weight))

    with mx.util.np_shape(True), mx.util.np_array(True):
        net = Net()
        net.initialize()
        assert net(mx.np.ones((2, 5))).shape == (2, 7)
        assert net.weight.shape == (5, 7)
