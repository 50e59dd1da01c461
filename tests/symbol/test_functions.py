"""`autograd.Function`s in hybridized networks: they run with their own gradients, and are saved as operators."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mxnet as mx
from mxnet import autograd, gluon, nd


class Scaled(autograd.Function):
    """A sigmoid whose gradient is another one, so that one sees whose it is."""

    def __init__(self, factor: float = 100.0) -> None:
        super().__init__()
        self.factor = factor

    def forward(self, x: Any) -> Any:
        y = 1 / (1 + (-x).exp())
        self.save_for_backward(y)
        return y

    def backward(self, dy: Any) -> Any:
        (y,) = self.saved_tensors
        return self.factor * dy * y * (1 - y)


class Net(gluon.HybridBlock):
    def __init__(self, function: Any, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.function = function
        with self.name_scope():
            self.dense = gluon.nn.Dense(3, in_units=2)

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        return self.function(F, self.dense(x))


def step(net: Net, x: Any) -> list[Any]:
    x.attach_grad()
    with autograd.record():
        y = net(x)
    y = y if isinstance(y, (list, tuple)) else [y]
    autograd.backward(list(y))
    return [each.asnumpy() for each in (*y, x.grad, net.dense.weight.grad())]


def check_same_as_eager(function: Any) -> Net:
    eager, compiled = Net(function, prefix="net_"), Net(function, prefix="net_")
    for net in (eager, compiled):
        net.initialize(mx.init.Constant(0.3))
    compiled.hybridize()
    for number in range(6):
        x = nd.random.uniform(shape=(2 + number % 2, 2))
        for got, expected in zip(step(compiled, x), step(eager, x.copy()), strict=True):
            np.testing.assert_allclose(got, expected, rtol=1e-5)
    assert compiled._cached_op is not None
    return compiled


def operators(net: Net, folder: Path) -> list[str]:
    net.export(folder / "net")
    nodes = json.loads((folder / "net-symbol.json").read_text())["nodes"]
    return [node["op"] for node in nodes if node["op"] != "null"]


def test_gradients_are_those_of_the_function(tmp_path: Path):
    net = check_same_as_eager(lambda F, x: Scaled()(x) * 2)
    # as a real MXNet writes it
    assert operators(net, tmp_path) == [
        *("FullyConnected", "_mul_scalar", "exp", "_plus_scalar", "_rdiv_scalar", "_mul_scalar")
    ]
    x = nd.ones((2, 2))
    loaded = gluon.SymbolBlock.imports(f"{tmp_path}/net-symbol.json", ["data"], f"{tmp_path}/net-0000.params")
    np.testing.assert_allclose(loaded(x).asnumpy(), net(x).asnumpy(), rtol=1e-6)
    np.testing.assert_allclose(net(x).asnumpy(), net.function(nd, net.dense(x)).asnumpy(), rtol=1e-6)


class Both(autograd.Function):
    def forward(self, x: Any, y: Any) -> Any:
        return x + y, x * y

    def backward(self, first: Any, second: Any) -> Any:
        return first * 2, second * 3


def test_several_inputs_and_outputs(tmp_path: Path):
    net = check_same_as_eager(lambda F, x: Both()(x, F.sin(x)))
    assert operators(net, tmp_path) == ["FullyConnected", "sin", "elemwise_add", "elemwise_mul"]


def test_functions_after_functions_are_saved_once_each(tmp_path: Path):
    def twice(F: Any, x: Any) -> Any:
        middle = F.tanh(Scaled(2.0)(x))
        return Scaled(3.0)(middle) + middle

    net = check_same_as_eager(twice)
    sigmoid = ["_mul_scalar", "exp", "_plus_scalar", "_rdiv_scalar"]
    assert operators(net, tmp_path) == ["FullyConnected", *sigmoid, "tanh", *sigmoid, "elemwise_add"]


class Around(autograd.Function):
    def forward(self, x: Any) -> Any:
        return Scaled()(x) * CONSTANT

    def backward(self, dy: Any) -> Any:
        return dy * 7


CONSTANT = nd.array([1, 2, 3])


def test_functions_inside_functions_and_constants(tmp_path: Path):
    net = check_same_as_eager(lambda F, x: Around()(x))
    assert operators(net, tmp_path)[-1] == "broadcast_mul"
    saved = nd.load(str(tmp_path / "net-0000.params"))
    assert saved["arg:constant0"].asnumpy().tolist() == [1, 2, 3]


def test_arrays_with_numpy_rules():
    with mx.util.np_shape(True), mx.util.np_array(True):
        net = Net(lambda F, x: Scaled()(x))
        net.initialize(mx.init.One())
        net.hybridize()
        x = mx.np.ones((2, 2))
        expected = 1 / (1 + np.exp(-2.0))
        y, gradient, _ = step(net, x)
        np.testing.assert_allclose(y, expected, rtol=1e-5)
        np.testing.assert_allclose(gradient, 300 * expected * (1 - expected), rtol=1e-4)


class Host(Scaled):
    def forward(self, x: Any) -> Any:
        return super().forward(nd.array(x.asnumpy()))


class Holding(Scaled):
    def forward(self, x: Any) -> Any:
        return super().forward(x * self.factor)


@pytest.mark.parametrize(
    "function",
    [
        lambda F, x: Host()(x),
        lambda F, x: Holding(F.ones_like(x))(x),
        lambda F, x: F.contrib.foreach(lambda row, state: (Scaled()(row), state), x, [])[0],
    ],
)
def test_what_cannot_be_one_node_runs_as_written(function: Any):
    net = Net(function)
    net.initialize(mx.init.One())
    eager = step(net, nd.ones((2, 2)))
    net.hybridize()
    with pytest.warns(UserWarning, match="cannot be compiled and runs as it is written"):
        compiled = step(net, nd.ones((2, 2)))
    for got, expected in zip(compiled, eager, strict=True):
        np.testing.assert_array_equal(got, expected)


def test_on_symbols_of_no_network_it_is_its_operators():
    y = Scaled()(mx.sym.var("x"))
    assert y.eval(x=nd.zeros(2))[0].asnumpy().tolist() == [0.5, 0.5]
