"""The modes of `record(train_mode=)` and `backward(train_mode=)` in their four combinations.

Operators differentiate the function that the forward pass computed. In MXNet 1.9.1 this is so for Dropout and RNN, and
for BatchNorm where both modes are the same; otherwise BatchNorm's gradient belongs to no function of the forward pass.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import mxnet as mx
from mxnet import autograd, gluon, nd
from mxnet.gluon import nn

_BOTH = [True, False]


def _gradient(
    function: Callable[[Any], Any], values: Any, recorded: bool, backward: bool, by_grad: bool, weights: Any = None
) -> tuple[Any, np.ndarray]:
    """Return the result and the gradient of the weighted sum of `function` with respect to its input."""
    x = nd.array(values, dtype=np.asarray(values).dtype)
    x.attach_grad()
    with autograd.record(train_mode=recorded):
        y = function(x)
        head = y if weights is None else y * nd.array(weights)
    if by_grad:
        return y, autograd.grad(head, [x], train_mode=backward)[0].asnumpy()
    head.backward(train_mode=backward)
    return y, x.grad.asnumpy()


# Gradients of x and gamma as MXNet gives them where both modes are the same.
_BATCH_NORM = {
    True: (
        [[0.20412377, 0.05871925], [-0.10206518, 0.04194146], [-0.10205857, -0.10066064]],
        [-3.674228, -1.7948049],
    ),
    False: ([[0.707105, 1.1546986], [-0.707105, 0.28867465], [1.41421, 0.5773493]], [-3.2526829, -1.2701686]),
}


@pytest.mark.parametrize("by_grad", _BOTH, ids=["grad", "backward"])
@pytest.mark.parametrize("hybridized", _BOTH, ids=["hybridized", "eager"])
@pytest.mark.parametrize("backward", _BOTH, ids=["backward-training", "backward-prediction"])
@pytest.mark.parametrize("recorded", _BOTH, ids=["record-training", "record-prediction"])
def test_batch_norm(recorded: bool, backward: bool, hybridized: bool, by_grad: bool) -> None:
    layer = nn.BatchNorm(in_channels=2)
    layer.initialize()
    if hybridized:
        layer.hybridize()
    data, weights = np.float32([[1, -2], [3, 4], [-1, 0.5]]), [[1, 2], [-1, 0.5], [2, 1]]
    for _ in range(3):  # the last one is a captured program where there are native kernels
        layer.running_mean.set_data(nd.array([0.3, 0.2]))
        layer.running_var.set_data(nd.array([2.0, 3.0]))
        _, found = _gradient(layer, data, recorded, backward, by_grad, weights)
    of_data, of_gamma = _BATCH_NORM[recorded]
    np.testing.assert_allclose(found, of_data, rtol=1e-5, atol=1e-6)
    if not by_grad:
        np.testing.assert_allclose(layer.gamma.grad().asnumpy(), of_gamma, rtol=1e-5)


@pytest.mark.parametrize("by_grad", _BOTH, ids=["grad", "backward"])
@pytest.mark.parametrize("hybridized", _BOTH, ids=["hybridized", "eager"])
@pytest.mark.parametrize("backward", _BOTH, ids=["backward-training", "backward-prediction"])
@pytest.mark.parametrize("recorded", _BOTH, ids=["record-training", "record-prediction"])
def test_dropout(recorded: bool, backward: bool, hybridized: bool, by_grad: bool) -> None:
    """The gradient is the mask that the forward pass multiplied by; 1 where it did not drop."""
    layer = nn.Dropout(0.5)
    if hybridized:
        layer.hybridize()
    for _ in range(3):
        y, found = _gradient(layer, np.ones((20, 10), "float32"), recorded, backward, by_grad)
        assert set(np.unique(found)) == ({0, 2} if recorded else {1})
        np.testing.assert_array_equal(found, y.asnumpy())


@pytest.mark.parametrize("by_grad", _BOTH, ids=["grad", "backward"])
@pytest.mark.parametrize("hybridized", _BOTH, ids=["hybridized", "eager"])
@pytest.mark.parametrize("backward", _BOTH, ids=["backward-training", "backward-prediction"])
def test_lstm_in_prediction(backward: bool, hybridized: bool, by_grad: bool) -> None:
    layer = gluon.rnn.LSTM(2, num_layers=2, dropout=0.5, input_size=2)
    layer.initialize(mx.init.Constant(0.3))
    if hybridized:
        layer.hybridize()
    for _ in range(3):
        y, found = _gradient(layer, np.float32([[[1, -1]], [[0.5, 2]]]), False, backward, by_grad)
    np.testing.assert_allclose(y.asnumpy().ravel(), [0, 0, 0.04797132, 0.04797132], rtol=1e-5, atol=1e-7)
    np.testing.assert_allclose(found.ravel(), [0.06964536, 0.06964536, 0.04667543, 0.04667543], rtol=1e-5)


@pytest.mark.parametrize("hybridized", _BOTH, ids=["hybridized", "eager"])
@pytest.mark.parametrize("backward", _BOTH, ids=["backward-training", "backward-prediction"])
def test_lstm_with_dropout(backward: bool, hybridized: bool) -> None:
    """The gradient is that of the numbers which the forward pass dropped, by central differences with one seed."""
    layer = gluon.rnn.LSTM(2, num_layers=2, dropout=0.5, input_size=2)
    layer.initialize(mx.init.Constant(0.3))
    layer.cast("float64")
    if hybridized:
        layer.hybridize()
    data = np.float64([[[1, -1]], [[0.5, 2]]])

    def seeded(values: Any) -> Any:
        mx.random.seed(3)
        return layer(values)

    def total(values: np.ndarray) -> float:
        with autograd.record():
            return float(seeded(nd.array(values, dtype="float64")).asnumpy().sum())

    _, found = _gradient(seeded, data, True, backward, False)
    step = 1e-6
    for place in np.ndindex(data.shape):
        change = np.zeros_like(data)
        change[place] = step
        expected = (total(data + change) - total(data - change)) / (2 * step)
        np.testing.assert_allclose(found[place], expected, rtol=1e-6, atol=1e-9)
    _, in_prediction = _gradient(seeded, data, False, backward, False)
    assert not np.allclose(found, in_prediction), "the seed drops nothing"


class _Seen(autograd.Function):
    modes: list[bool]

    def forward(self, x: Any) -> Any:
        return x * 1

    def backward(self, gradient: Any) -> Any:
        self.modes.append(autograd.is_training())
        return gradient


@mx.operator.register("seen_backward_mode")
class _SeenProperty(mx.operator.CustomOpProp):
    def create_operator(self, ctx: Any, shapes: Any, dtypes: Any) -> Any:
        return _SeenOperator()


class _SeenOperator(mx.operator.CustomOp):
    modes: list[bool] = []

    def forward(self, is_train: bool, req: Any, in_data: Any, out_data: Any, aux: Any) -> None:
        self.assign(out_data[0], req[0], in_data[0])

    def backward(self, req: Any, out_grad: Any, in_data: Any, out_data: Any, in_grad: Any, aux: Any) -> None:
        self.modes.append(autograd.is_training())
        self.assign(in_grad[0], req[0], out_grad[0])


@pytest.mark.parametrize("backward", _BOTH, ids=["backward-training", "backward-prediction"])
@pytest.mark.parametrize("recorded", _BOTH, ids=["record-training", "record-prediction"])
@pytest.mark.parametrize("by_grad", _BOTH, ids=["grad", "backward"])
@pytest.mark.parametrize("kind", ["Function", "CustomOp"])
def test_backward_written_in_python_runs_in_the_mode_of_backward(
    kind: str, by_grad: bool, recorded: bool, backward: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    modes: list[bool] = []
    monkeypatch.setattr(_Seen, "modes", modes, raising=False)
    monkeypatch.setattr(_SeenOperator, "modes", modes)

    def call(x: Any) -> Any:
        return _Seen()(x) if kind == "Function" else nd.Custom(x, op_type="seen_backward_mode")

    _gradient(call, np.ones(2, "float32"), recorded, backward, by_grad)
    assert modes == [backward]
    assert not autograd.is_training()


def test_the_mode_of_an_inner_backward_ends_with_it() -> None:
    modes: list[bool] = []

    class Inner(autograd.Function):
        def forward(self, x: Any) -> Any:
            return x * 1

        def backward(self, gradient: Any) -> Any:
            modes.append(autograd.is_training())
            _Seen.modes = modes
            _gradient(_Seen(), np.ones(2, "float32"), True, True, False)
            modes.append(autograd.is_training())
            return gradient

    _gradient(Inner(), np.ones(2, "float32"), True, False, False)
    assert modes == [False, True, False]
