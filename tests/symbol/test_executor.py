"""Executors that share memory, and the shapes that variables bring along."""

from typing import Any

import numpy as np
import pytest

import mxnet as mx
from mxnet import nd, sym


def _net() -> sym.Symbol:
    return sym.BatchNorm(sym.FullyConnected(sym.var("data"), num_hidden=3, name="fc"), name="bn")


@pytest.mark.parametrize(
    ("parameters", "kept"),
    [
        (None, {"data", "fc_weight", "fc_bias", "bn_gamma", "bn_beta"}),
        (["fc_weight", "fc_bias", "bn_gamma", "bn_beta"], {"data"}),
    ],
    ids=["all", "without parameters"],
)
def test_what_a_shared_buffer_holds(parameters: list[str] | None, kept: set[str]) -> None:
    """Arguments and their gradients; neither states nor those that are shared by name."""
    buffer: dict[str, Any] = {}
    executor = _net().simple_bind(mx.cpu(), data=(2, 4), shared_buffer=buffer, shared_arg_names=parameters)
    assert buffer.keys() == kept | {f"grad of {name}" for name in kept}
    assert all(buffer[name] is executor.arg_dict[name] for name in kept)
    assert all(buffer[f"grad of {name}"] is executor.grad_dict[name] for name in kept)
    again = _net().simple_bind(mx.cpu(), data=(2, 4), shared_buffer=buffer, shared_arg_names=parameters)
    assert again.arg_dict["data"] is executor.arg_dict["data"]
    assert (again.arg_dict["fc_weight"] is executor.arg_dict["fc_weight"]) == (parameters is None)
    assert again.aux_dict["bn_moving_mean"] is not executor.aux_dict["bn_moving_mean"]


@pytest.mark.parametrize(
    ("shape", "text", "expected"),
    [
        (1, "1", (1,)),
        (np.int64(4), "4", (4,)),
        ((2, 3), "(2, 3)", (2, 3)),
        ([2, 3], "[2, 3]", (2, 3)),
        (tuple(np.array([2, 3])), "(2, 3)", (2, 3)),
    ],
    ids=["number", "integer of NumPy", "tuple", "list", "integers of NumPy"],
)
def test_shape_of_a_variable(shape: Any, text: str, expected: tuple[int, ...]) -> None:
    variable = sym.var("x", shape=shape)
    assert variable.attr("__shape__") == text
    assert variable.infer_shape()[0] == [expected]


@pytest.mark.parametrize("shape", ["(2, 3)", 2.5, (2, "3")])
def test_shapes_that_are_none(shape: Any) -> None:
    with pytest.raises(TypeError, match=r"\[var\] shape: received .*; expected a shape, such as \(2, 3\)"):
        sym.var("x", shape=shape)


@pytest.mark.parametrize(
    ("function", "written", "expected"),
    [(sym.tanh, "output", 1 - 5.0**2), (sym.exp, "output", 5.0), (sym.sqrt, "output", 0.1), (sym.square, "input", 6.0)],
    ids=["tanh", "exp", "sqrt", "square"],
)
def test_backward_reads_what_was_written_since_forward(function: Any, written: str, expected: float) -> None:
    executor = function(sym.var("x")).simple_bind(mx.cpu(), x=(2,))
    executor.arg_dict["x"][:] = 1
    executor.forward(is_train=True)
    if written == "output":
        executor.outputs[0][:] = 5
    else:
        executor.arg_dict["x"][:] = 3
    executor.backward()
    np.testing.assert_allclose(executor.grad_dict["x"].asnumpy(), expected, rtol=1e-6)


def test_the_graph_that_is_computed(monkeypatch: pytest.MonkeyPatch) -> None:
    a, b = sym.var("a"), sym.var("b")
    net = sym.Group([(a + b) * 2, (a + b) * 2])
    shown = net.simple_bind(mx.cpu(), a=(2,), b=(2,)).get_optimized_symbol()
    assert len(shown.get_internals()) == 5
    assert len(set(shown.list_outputs())) == 2
    monkeypatch.setenv("MXNET_ELIMINATE_COMMON_EXPR", "0")
    assert len(net.simple_bind(mx.cpu(), a=(2,), b=(2,)).get_optimized_symbol().get_internals()) == 6


def _megabytes(net: sym.Symbol, grad_req: str) -> int:
    text = net.simple_bind(mx.cpu(), data=(1, 1 << 18), grad_req=grad_req).debug_str()
    return int(text.split("Total ")[1].split(" ")[0])


def test_memory_of_results_that_backward_needs() -> None:
    net = sym.var("data")
    for _ in range(5):
        net = net * net
    assert _megabytes(net, "write") == 5
    assert _megabytes(net, "null") == _megabytes(sym.stop_gradient(net), "write") == 2


def test_monitors_see_gradients() -> None:
    net = sym.Activation(sym.FullyConnected(sym.var("data"), num_hidden=2, name="fc"), act_type="tanh", name="act")
    executor = sym.LinearRegressionOutput(net, name="out").simple_bind(
        mx.cpu(), data=(2, 3), grad_req={"fc_weight": "write"}
    )
    for array in executor.arg_arrays:
        array[:] = 0.5
    seen: dict[str, Any] = {}
    executor.set_monitor_callback(lambda name, array: seen.update({name: array.asnumpy()}))
    executor.forward(is_train=True)
    assert list(seen) == ["fc_output", "act_output", "out_output"]
    executor.backward()
    assert list(seen)[3:] == [
        *("out_backward_output0", "out_backward_output1", "act_backward_output"),
        *("fc_backward_output0", "fc_backward_output1", "fc_backward_output2"),
    ]
    np.testing.assert_array_equal(seen["fc_backward_output1"], executor.grad_dict["fc_weight"].asnumpy())
    np.testing.assert_array_equal(seen["out_backward_output1"], np.zeros((2, 2)))


@pytest.mark.parametrize("made", [mx.sym.shape_array, mx.sym.argsort, mx.sym.argmax])
def test_gradients_for_what_has_none_may_have_any_shape(made):
    data, gradient = nd.ones((2, 3)), nd.ones((2, 3))
    executor = made(mx.sym.var("data")).bind(mx.cpu(), {"data": data}, {"data": gradient})
    executor.forward(is_train=True)
    executor.backward([nd.ones((7, 5))])
    assert gradient.asnumpy().tolist() == [[0, 0, 0]] * 2


def test_gradients_that_are_read_have_the_shape_of_the_output():
    executor = (mx.sym.var("data") * 2).bind(mx.cpu(), {"data": nd.ones((2,))}, {"data": nd.ones((2,))})
    executor.forward(is_train=True)
    with pytest.raises(mx.MXNetError, match=r"\[Executor\] out_grads\[0\]: received the shape \(3,\); expected \(2,\)"):
        executor.backward([nd.ones((3,))])
