"""Shapes and dtypes around operators that describe themselves."""

from typing import Any

import numpy as np
import pytest

import mxnet as mx
from mxnet.error import OpShapeError
from mxnet.operator import CustomOpProp, register

sym = mx.sym


def described(name: str, **methods: Any) -> None:
    register(name)(type("Prop", (CustomOpProp,), methods))


def test_unknown_lengths_are_not_mixed_up_with_known_ones():
    # The product of two unknown lengths is unknown; -1 * -1 would be 1.
    described("area", infer_shape=lambda self, shapes: (shapes, [[shapes[0][0] * shapes[0][1], 5]], []))
    symbol = sym.Custom(sym.var("x"), op_type="area")
    assert symbol.infer_shape_partial(x=(0, 0))[1] == [(0, 5)]
    assert symbol.infer_shape(x=(2, 3))[1] == [(6, 5)]


def test_a_property_that_needs_what_is_not_known_is_asked_again():
    described("first", infer_shape=lambda self, shapes: (shapes, [[shapes[0][0]]], []))
    x = sym.var("x")
    symbol = sym.Custom(sym.FullyConnected(x, num_hidden=3), op_type="first")
    assert symbol.infer_shape_partial() == ([(), (3, 0), (3,)], [()], []) or symbol.infer_shape_partial()[1] == [()]
    assert symbol.infer_shape(x=(4, 2))[1] == [(4,)]


def test_inputs_are_completed():
    described(
        "pairs",
        list_arguments=lambda self: ["a", "b"],
        infer_shape=lambda self, shapes: ([shapes[0], [shapes[0][0], 7]], [shapes[0]], []),
    )
    symbol = sym.Custom(sym.var("x"), op_type="pairs", name="p")
    assert symbol.infer_shape(x=(2, 3))[0] == [(2, 3), (2, 7)]
    with pytest.raises(OpShapeError, match=r"node 'p' \(Custom\): input b has the shape \(5, 7\); expected \(2, 7\)"):
        symbol.infer_shape(x=(2, 3), p_b=(5, 7))


def test_dtypes():
    described(
        "typed",
        list_arguments=lambda self: ["a", "b"],
        infer_type=lambda self, types: ([types[0], "int32"], [np.dtype("float16")], []),
    )
    symbol = sym.Custom(sym.var("x"), op_type="typed", name="t")
    assert symbol.infer_type(x="float64") == ([np.float64, np.int32], [np.float16], [])
    executor = symbol.simple_bind(mx.cpu(), x=(2,), t_b=(2,), type_dict={"x": "float64"})
    assert executor.outputs[0].dtype == np.float16


def test_monitors_see_the_names():
    described("seen", list_outputs=lambda self: ["one", "two"])
    executor = sym.Custom(sym.var("x"), op_type="seen", name="s").simple_bind(mx.cpu(), x=(2,))
    names = []
    executor.set_monitor_callback(lambda name, array: names.append(name), monitor_all=True)
    executor.forward()
    assert {"s_data", "s_one", "s_two"} <= set(names)


def test_exported_network(tmp_path):
    described("exported")

    class Net(mx.gluon.HybridBlock):
        def hybrid_forward(self, F, x):
            return F.Custom(x, op_type="exported") + 1

    net = Net()
    net.hybridize()
    net(mx.nd.ones(2))
    net.export(str(tmp_path / "net"))
    loaded = mx.gluon.SymbolBlock.imports(str(tmp_path / "net-symbol.json"), ["data"])
    assert loaded(mx.nd.ones(2)).asnumpy().tolist() == [1, 1]


def test_composed():
    described("inner")
    inner = sym.Custom(sym.var("x"), op_type="inner", name="i")
    assert inner(x=sym.var("y") * 2).list_arguments() == ["y"]


def test_dtypes_that_need_what_is_not_known():
    described("named_type", infer_type=lambda self, types: (types, [np.dtype(types[0].__name__)], []))
    symbol = sym.Custom(sym.var("x"), op_type="named_type", name="t")
    assert symbol.infer_type() == (None, None, None)
    assert symbol.infer_type(x="int32")[1] == [np.int32]
    described("no_type", infer_type=lambda self, types: 1 / 0)
    with pytest.raises(mx.MXNetError, match=r"no_type.*ZeroDivisionError.*In the graph this is node 't'"):
        sym.Custom(sym.var("x"), op_type="no_type", name="t").infer_type(x="int32")
