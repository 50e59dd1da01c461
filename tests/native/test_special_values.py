"""What is not a number, or infinite, comes out of compiled networks as it comes out of eager ones."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import mxnet as mx
from mxnet import autograd, gluon, nd
from mxnet.gluon import nn

_STEPS = 24  # the runner takes over after ten


def _stack(*layers: Any) -> nn.HybridSequential:
    net = nn.HybridSequential()
    net.add(*layers)
    return net


def _function(function: Callable[..., Any]) -> Any:
    return nn.HybridLambda(function)


class _Residual(gluon.HybridBlock):
    def __init__(self) -> None:
        super().__init__()
        with self.name_scope():
            self.body = _stack(
                *(nn.Conv2D(16, 3, padding=1, in_channels=16), nn.BatchNorm(in_channels=16), nn.Activation("relu")),
                *(nn.Conv2D(16, 3, padding=1, in_channels=16), nn.BatchNorm(in_channels=16)),
            )

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        return F.relu(self.body(x) + x)


_IMAGES, _ROWS, _STEPS_OF_ROWS = (2, 16, 8, 8), (6, 8), (5, 3, 8)
_NETWORKS: dict[str, tuple[Callable[[], Any], tuple[int, ...]]] = {
    "conv relu": (lambda: _stack(nn.Conv2D(16, 3, padding=1, activation="relu")), _IMAGES),
    "conv bn relu": (lambda: _stack(nn.Conv2D(16, 3, padding=1), nn.BatchNorm(), nn.Activation("relu")), _IMAGES),
    "conv 1x1 relu": (lambda: _stack(nn.Conv2D(8, 1, activation="relu")), _IMAGES),
    "conv stride relu": (lambda: _stack(nn.Conv2D(8, 3, 2, 1, activation="relu")), (2, 3, 8, 8)),
    "depthwise relu": (lambda: _stack(nn.Conv2D(16, 3, padding=1, groups=16, activation="relu")), _IMAGES),
    "conv clip": (lambda: _stack(nn.Conv2D(16, 3, padding=1), _function(lambda F, x: F.clip(x, 0, 6))), _IMAGES),
    "conv pool": (lambda: _stack(nn.Conv2D(16, 3, padding=1, activation="relu"), nn.MaxPool2D()), _IMAGES),
    "conv mean": (lambda: _stack(nn.Conv2D(16, 3, padding=1, activation="relu"), nn.AvgPool2D()), _IMAGES),
    "conv global pool": (lambda: _stack(nn.Conv2D(16, 3, activation="relu"), nn.GlobalMaxPool2D()), _IMAGES),
    "overlapping pool": (lambda: _stack(nn.Conv2D(8, 1), nn.MaxPool2D(3, 2, 1)), (2, 8, 9, 9)),
    "residual": (_Residual, _IMAGES),
    "dense relu": (lambda: _stack(nn.Dense(8, activation="relu"), nn.Dense(4)), _ROWS),
    "large dense relu": (lambda: _stack(nn.Dense(256, activation="relu")), (64, 64)),
    "dense tanh": (lambda: _stack(nn.Dense(8, activation="tanh"), nn.Dense(4)), _ROWS),
    "dense sigmoid": (lambda: _stack(nn.Dense(8, activation="sigmoid"), nn.Dense(4)), _ROWS),
    "dense softrelu": (lambda: _stack(nn.Dense(8, activation="softrelu"), nn.Dense(4)), _ROWS),
    "dense softsign": (lambda: _stack(nn.Dense(8, activation="softsign"), nn.Dense(4)), _ROWS),
    "dense bn relu": (lambda: _stack(nn.Dense(8), nn.BatchNorm(), nn.Activation("relu"), nn.Dense(4)), _ROWS),
    "leaky": (lambda: _stack(nn.Dense(8), nn.LeakyReLU(0.1), nn.ELU(), nn.SELU(), nn.Swish()), _ROWS),
    "layer norm": (lambda: _stack(nn.Dense(8), nn.LayerNorm(), nn.Dense(4)), _ROWS),
    "softmax": (lambda: _stack(nn.Dense(8), _function(lambda F, x: F.softmax(x * 0.5)), nn.Dense(4)), _ROWS),
    "log softmax": (lambda: _stack(nn.Dense(8), _function(lambda F, x: F.log_softmax(x))), _ROWS),
    "limits": (lambda: _stack(nn.Dense(8), _function(lambda F, x: F.maximum(F.minimum(x, 1), -1))), _ROWS),
    "max": (lambda: _stack(nn.Dense(8), _function(lambda F, x: F.max(x, axis=1))), _ROWS),
    "lstm": (lambda: gluon.rnn.LSTM(8, input_size=8), _STEPS_OF_ROWS),
    "rnn": (lambda: gluon.rnn.RNN(8, activation="relu", input_size=8), _STEPS_OF_ROWS),
    "gru": (lambda: gluon.rnn.GRU(8, input_size=8), _STEPS_OF_ROWS),
}


def _spoilt(shape: tuple[int, ...], value: float) -> nd.NDArray:
    values = np.random.RandomState(4).randn(*shape).astype("float32").reshape(-1)
    values[5], values[len(values) // 2 + 3] = value, -value
    return nd.array(values.reshape(shape))


def _outcome(name: str, hybridized: bool, training: bool, value: float) -> list[np.ndarray]:
    make, shape = _NETWORKS[name]
    mx.random.seed(3)
    net = make()
    net.initialize(mx.init.Xavier())
    if hybridized:
        net.hybridize()
    x, bad = nd.array(np.random.RandomState(3).randn(*shape)), _spoilt(shape, value)
    bad.attach_grad()
    x.attach_grad()
    steps = _STEPS if hybridized or "bn" in name or name == "residual" else 1  # of averages that move
    for _ in range(steps):
        if not training:
            net(x)
            continue
        with autograd.record():
            out = net(x)
        out.backward()
    if not training:
        return [net(bad).asnumpy()]
    with autograd.record():
        out = net(bad)
    out.backward()
    grads = [each.grad() for each in net.collect_params().values() if each.grad_req != "null"]
    return [each.asnumpy() for each in (out, bad.grad, *grads)]


def _check(name: str, training: bool, value: float) -> None:
    expected, found = (_outcome(name, hybridized, training, value) for hybridized in (False, True))
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-3, atol=1e-4)  # nan equals nan


@pytest.mark.parametrize("training", [False, True])
@pytest.mark.parametrize("value", [np.nan, np.inf])
@pytest.mark.parametrize("name", list(_NETWORKS))
def test_with_kernels(native: Any, name: str, value: float, training: bool) -> None:
    _check(name, training, value)


@pytest.mark.parametrize("training", [False, True])
@pytest.mark.parametrize("value", [np.nan, np.inf])
@pytest.mark.parametrize("name", list(_NETWORKS))
@pytest.mark.sample(one_in=4)
def test_without_kernels(name: str, value: float, training: bool) -> None:
    _check(name, training, value)


# Classes and the row's loss and gradient in MXNet 1.9.1; scores are those below.
_SCORES = [0.54881352, 1.71518934, 2.60276341, 3.54488319]
_FIRST = (3.466225, [-0.96876526, 0.10027397, 0.24358848, 0.6249052])
_LAST = (0.47015524, [0.03123472, 0.10027397, 0.24358848, -0.37509477])
_CLASSES = {
    **dict.fromkeys([np.inf, -np.inf, np.nan, -1.0, 1e20, 3e9], _FIRST),
    7.0: _LAST,
}
_ALLOWS_WRONG_LABELS = pytest.mark.filterwarnings("ignore:.* is outside 0..")


@_ALLOWS_WRONG_LABELS
@pytest.mark.parametrize("hybridized", [False, True])
@pytest.mark.parametrize("label", list(_CLASSES))
def test_classes_out_of_range(native: Any, label: float, hybridized: bool) -> None:
    check_class(label, hybridized)


@_ALLOWS_WRONG_LABELS
@pytest.mark.parametrize("label", list(_CLASSES))
def test_classes_out_of_range_without_kernels(label: float) -> None:
    check_class(label, True)


def check_class(label: float, hybridized: bool) -> None:
    """Compares loss and gradient for a class that does not exist."""
    loss = gluon.loss.SoftmaxCrossEntropyLoss()
    if hybridized:
        loss.hybridize()
    scores, labels = nd.array([_SCORES] * 3), nd.full((3,), label)
    scores.attach_grad()
    for _ in range(_STEPS if hybridized else 1):
        with autograd.record():
            found = loss(scores, labels)
        found.backward()
    expected, slope = _CLASSES[label]
    np.testing.assert_allclose(found.asnumpy(), [expected] * 3, rtol=1e-5)
    np.testing.assert_allclose(scores.grad.asnumpy(), [slope] * 3, rtol=1e-4)
    np.testing.assert_allclose(nd.pick(scores, labels).asnumpy(), [_SCORES[0 if slope is _FIRST[1] else 3]] * 3)


@pytest.mark.parametrize("label", [np.inf, np.nan, -1.0, 7.0, -np.inf, 1e20, 3e9])
@pytest.mark.parametrize("hybridized", [False, True])
def test_softmax_output(native: Any, label: float, hybridized: bool) -> None:
    """A class that does not exist: nothing is taken from the probabilities, as in MXNet."""
    net = _function(lambda F, x, y: F.SoftmaxOutput(x, y))
    if hybridized:
        net.hybridize()
    scores, labels = nd.array([_SCORES] * 3), nd.full((3,), label)
    scores.attach_grad()
    for _ in range(_STEPS if hybridized else 1):
        with autograd.record():
            found = net(scores, labels)
        found.backward()
    np.testing.assert_allclose(scores.grad.asnumpy(), found.asnumpy(), rtol=1e-6)


def test_sums_that_overflow_inside_of_a_network(native: Any) -> None:
    """Infinite and then not a number, though the data are finite: no activation may hide it."""
    mx.random.seed(3)
    net = nn.HybridSequential()
    for place in range(9):
        net.add(nn.Conv2D(8, 1 if place % 2 else 3, padding=1 - place % 2, activation="relu", in_channels=8))
    net.initialize(mx.init.Normal(1))
    data = nd.array(np.random.RandomState(0).randn(2, 8, 6, 6) * 1e36)
    expected = net(data).asnumpy()
    assert np.isnan(expected).any()
    net.hybridize()
    for _ in range(_STEPS):
        np.testing.assert_array_equal(np.isnan(net(data).asnumpy()), np.isnan(expected))
