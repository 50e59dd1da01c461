"""Captured programs: right for other arguments than those they were captured with, or not run."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch

import mxnet as mx
from mxnet import autograd, gluon, nd
from mxnet.gluon import nn
from regluon.compiler.capture.recorder import Recorder

_STEPS = 24  # the runner takes over after ten


class _TwoInputs(gluon.HybridBlock):
    def __init__(self) -> None:
        super().__init__()
        with self.name_scope():
            self.left = nn.Dense(8, in_units=8, activation="relu")
            self.right = nn.Dense(8, in_units=8)

    def hybrid_forward(self, F: Any, x: Any, y: Any) -> Any:
        return self.left(x) * 2 + F.tanh(self.right(y)) * y


class _TwoHeads(gluon.HybridBlock):
    def __init__(self) -> None:
        super().__init__()
        with self.name_scope():
            self.left = nn.Dense(8, in_units=8, activation="relu")
            self.right = nn.Dense(8, in_units=8)

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        return self.left(x), F.tanh(self.right(x))


def _made(make: Callable[[], Any], hybridized: bool) -> Any:
    mx.random.seed(1)
    net = make()
    net.initialize(mx.init.Uniform(0.5))
    if hybridized:
        net.hybridize()
    return net


def _numbers(seed: int, *shape: int) -> nd.NDArray:
    return nd.array(np.random.RandomState(seed).randn(*shape))


def _run_two_inputs(hybridized: bool, first: str, then: str, steps: int) -> list[np.ndarray]:
    """Output and gradients of a step with the arrays named by `then`, after steps with those named by `first`."""
    net = _made(_TwoInputs, hybridized)
    base = _numbers(0, 9, 8)
    x, y = base[:8], _numbers(1, 8, 8)
    x.attach_grad()
    y.attach_grad()
    arrays = {
        "x": x,
        "y": y,
        "w": net.left.weight.data(),
        "b": net.right.weight.data(),
        "v": x[:],  # a view of the same memory
        "r": x.reshape((8, 8)),
        "o": base[1:],  # a view that overlaps
        "d": x.detach(),
    }

    def step(names: str) -> nd.NDArray:
        with autograd.record():
            out = net(*[arrays[name] for name in names])
            loss = (out * out).sum()
        loss.backward()
        return out

    for _ in range(steps):
        step(first)
    out = step(then)
    grads = [each.grad for each in (x, y, *[p.data() for p in net.collect_params().values()])]
    return [each.asnumpy() for each in (out, *grads)]


_PATTERNS = [
    *("xx xy", "xy xx", "xy yx", "xx yy", "wx xy", "xw xy", "ww xy", "wb bw", "ww wb", "xy ww"),
    *("xv xy", "xv yy", "xr xx", "xx xr", "xo xy", "xy xo", "vo xx", "xd xx", "xx xd", "dx xd"),
]


@pytest.mark.parametrize("pattern", _PATTERNS)
def test_aliasing_of_inputs_and_parameters(native: Any, pattern: str) -> None:
    first, then = pattern.split()
    expected = _run_two_inputs(False, first, then, 1)
    found = _run_two_inputs(True, first, then, _STEPS)
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-4, atol=1e-4)


def test_each_argument_has_a_slot() -> None:
    recorder = Recorder()
    tensor = torch.zeros(2)
    slots, aliases = recorder.give([tensor, tensor])
    assert slots == [0, 1]
    assert [recorder.slot(alias) for alias in aliases] == [0, 1]
    assert recorder.is_sound


@pytest.mark.parametrize(
    ("first", "then"),
    [
        (lambda a, b: a + b, lambda a, b: 3 * a + 5 * b),  # the heads receive one gradient, or two
        (lambda a, b: 3 * a + 5 * b, lambda a, b: a + b),
        (lambda a, b: a + b, lambda a, b: a * b),
        (lambda a, b: a + b, lambda a, b: a),
    ],
)
def test_aliasing_of_head_gradients(native: Any, first: Callable[..., Any], then: Callable[..., Any]) -> None:
    def run(hybridized: bool, steps: int) -> list[np.ndarray]:
        net = _made(_TwoHeads, hybridized)
        x = _numbers(0, 8, 8)
        x.attach_grad()
        for number in range(steps + 1):
            with autograd.record():
                loss = (then if number == steps else first)(*net(x))
            loss.backward()
        return [each.asnumpy() for each in (x.grad, *[p.grad() for p in net.left.collect_params().values()])]

    for one, other in zip(run(True, _STEPS), run(False, 1), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-4, atol=1e-4)


def test_a_head_gradient_that_is_an_argument(native: Any) -> None:
    def run(hybridized: bool, steps: int) -> list[np.ndarray]:
        net = _made(_TwoHeads, hybridized)
        x, other = _numbers(0, 8, 8), _numbers(1, 8, 8)
        x.attach_grad()
        for number in range(steps + 1):
            start = other if number == steps else x
            with autograd.record():
                heads = net(x)
            autograd.backward(list(heads), [start, start])
        return [each.asnumpy() for each in (x.grad, *[p.grad() for p in net.collect_params().values()])]

    for one, other in zip(run(True, _STEPS), run(False, 1), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-4, atol=1e-4)


def _strided(values: np.ndarray) -> nd.NDArray:
    return nd.from_dlpack(torch.utils.dlpack.to_dlpack(torch.tensor(values.T.copy()).T))


@pytest.mark.parametrize("order", ["strided later", "strided first"])
@pytest.mark.parametrize("units", [8, 300])
def test_strides(native: Any, order: str, units: int) -> None:
    def run(hybridized: bool) -> list[np.ndarray]:
        mx.random.seed(2)
        net = nn.HybridSequential()
        net.add(nn.Dense(units, in_units=12, activation="relu"), nn.Dense(4, in_units=units))
        net.initialize(mx.init.Xavier())
        if hybridized:
            net.hybridize()
        values = np.random.RandomState(0).randn(16, 12).astype("float32")
        kinds = [nd.array, _strided] if order == "strided later" else [_strided, nd.array]
        for number in range(_STEPS + 1):
            x = kinds[number == _STEPS](values * (1 + number % 2))
            x.attach_grad()
            with autograd.record():
                out = net(x)
            out.backward()
        predicted = net(x)
        return [e.asnumpy() for e in (out, predicted, x.grad, *[p.grad() for p in net.collect_params().values()])]

    for one, other in zip(run(True), run(False), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-4, atol=1e-4)


def test_dtypes(native: Any) -> None:
    """The same shapes in another precision: neither the program nor its kernels of before."""
    net = nn.HybridLambda(lambda F, x: F.softmax(F.tanh(x) * 3) * x)
    net.hybridize()
    values = np.random.RandomState(0).randn(4, 5)
    for number in range(_STEPS):
        dtype = "float64" if number >= _STEPS - 2 else "float32"
        x = nd.array(values, dtype=dtype)
        x.attach_grad()
        with autograd.record():
            out = net(x)
        out.backward()
        tanh = np.exp(3 * np.tanh(values))
        expected = tanh / tanh.sum(1, keepdims=True) * values
        assert out.dtype == np.dtype(dtype)
        np.testing.assert_allclose(out.asnumpy(), expected, rtol=1e-10 if dtype == "float64" else 1e-4)


@pytest.mark.parametrize("request_now", ["null", "add", "write"])
@pytest.mark.parametrize("request_before", ["null", "add", "write"])
def test_grad_req(native: Any, request_before: str, request_now: str) -> None:
    def run(hybridized: bool, steps: int) -> list[np.ndarray]:
        net = _made(_TwoHeads, hybridized)
        x = _numbers(0, 8, 8)
        x.attach_grad()
        for number in range(steps + 3):
            if number == 0:
                net.left.weight.grad_req = request_before
            if number == steps:
                net.left.weight.grad_req = request_now
                if request_now != "null":
                    net.left.weight.zero_grad()
            with autograd.record():
                left, right = net(x)
                loss = left * right
            loss.backward()
        found = [x.grad, net.right.weight.grad()]
        return [e.asnumpy() for e in (found if request_now == "null" else [*found, net.left.weight.grad()])]

    for one, other in zip(run(True, _STEPS), run(False, 1), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-4, atol=1e-4)


def test_number_of_threads(native: Any) -> None:
    before = torch.get_num_threads()
    net = nn.HybridSequential()
    net.add(nn.Conv2D(16, 3, padding=1, in_channels=8, activation="relu"), nn.MaxPool2D(), nn.Dense(10))
    net.initialize(mx.init.Xavier())
    net.hybridize()
    x = _numbers(0, 8, 8, 16, 16)
    found = []
    try:
        for number in range(_STEPS + 2):
            torch.set_num_threads(3 if number == _STEPS else 1)
            with autograd.record():
                out = net(x)
            out.backward()
            if number >= _STEPS:
                found.append([out.asnumpy(), *[p.grad().asnumpy() for p in net.collect_params().values()]])
    finally:
        torch.set_num_threads(before)
    for one, other in zip(*found, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-4, atol=1e-4)


def test_modes(native: Any) -> None:
    net = nn.HybridSequential()
    net.add(nn.Dense(20, in_units=8, activation="relu"), nn.Dropout(0.5), nn.BatchNorm(in_channels=20), nn.Dense(4))
    net.initialize(mx.init.Xavier())
    net.hybridize()
    x = _numbers(0, 16, 8)
    for number in range(3 * _STEPS):
        training = number % 3 != 2
        with autograd.record(train_mode=training):
            out = net(x)
        out.backward()
        if not training:
            predicted = net(x).asnumpy()
            np.testing.assert_allclose(out.asnumpy(), predicted, rtol=1e-4, atol=1e-5)


class _ReadingShape(gluon.HybridBlock):
    """What is computed depends on how many rows a mask leaves."""

    def __init__(self) -> None:
        super().__init__()
        with self.name_scope():
            self.layer = nn.Dense(4, in_units=8, activation="relu", flatten=False)

    def hybrid_forward(self, F: Any, x: Any, mask: Any) -> Any:
        return F.mean(F.tanh(self.layer(F.contrib.boolean_mask(x, mask))), axis=0)


def test_shapes_that_depend_on_data(native: Any) -> None:
    net = _made(_ReadingShape, True)
    plain = _made(_ReadingShape, False)
    x = _numbers(0, 6, 8)
    for number in range(_STEPS + 2):
        mask = nd.array([1, 0, 1, 1, 0, 0] if number < _STEPS else [1, 1, 1, 1, 0, number % 2])
        found = []
        for each in (net, plain):
            with autograd.record():
                out = each(x, mask)
            out.backward()
            found.append([out.asnumpy(), each.layer.weight.grad().asnumpy()])
        for one, other in zip(*found, strict=True):
            np.testing.assert_allclose(one, other, rtol=1e-4, atol=1e-5)


def _recorder(function: Callable[[torch.Tensor], Any]) -> Recorder:
    recorder = Recorder()
    _, (alias,) = recorder.give([torch.arange(4.0)])
    with recorder.recording():
        function(alias)
    return recorder


@pytest.mark.parametrize(
    "function",
    [
        torch.Tensor.tolist,
        torch.Tensor.numpy,
        torch.Tensor.nonzero,
        torch.Tensor.unique,
        lambda x: x.masked_select(x > 1),
        lambda x: x.sum().item(),
        lambda x: x.add_(1),
        lambda x: x[1:].zero_(),
        lambda x: x.view(2, 2).copy_(torch.zeros(2, 2)),
        lambda x: torch._foreach_add_([x], 1.0),
        lambda x: torch.add(x, 1, out=x),
    ],
)
def test_what_reads_values_or_writes_to_arguments_is_not_captured(function: Callable[[torch.Tensor], Any]) -> None:
    assert not _recorder(function).is_sound


@pytest.mark.parametrize("function", [torch.relu, lambda x: (x * 2).add_(1), lambda x: x.clone().zero_()])
def test_what_does_not_is(function: Callable[[torch.Tensor], Any]) -> None:
    assert _recorder(function).is_sound


class _ReadTwice(gluon.HybridBlock):
    """What one layer keeps for its gradient is the last argument of an activation."""

    def __init__(self, convolves: bool, function: str) -> None:
        super().__init__()
        self._function = function
        with self.name_scope():
            self.first = nn.Conv2D(8, 3, padding=1, in_channels=3) if convolves else nn.Dense(8, in_units=8)
            self.second = nn.Conv2D(8, 3, padding=1, in_channels=8) if convolves else nn.Dense(8, in_units=8)

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        inner = self.first(x)
        return self.second(inner) * 2 + getattr(F, self._function)(inner)


def check_read_twice(convolves: bool, function: str) -> None:
    """Compares gradients with eager ones."""
    found = []
    for hybridized in (False, True):
        net = _made(lambda: _ReadTwice(convolves, function), hybridized)
        x = _numbers(0, 2, 3, 8, 8) if convolves else _numbers(0, 4, 8)
        x.attach_grad()
        for _ in range(_STEPS if hybridized else 1):
            with autograd.record():
                out = net(x)
            out.backward()
        found.append([each.asnumpy() for each in (out, x.grad, *[p.grad() for p in net.collect_params().values()])])
    for one, other in zip(*found, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-3, atol=1e-3)


@pytest.mark.parametrize("function", ["relu", "tanh", "softmax"])
@pytest.mark.parametrize("convolves", [False, True])
def test_nothing_is_written_over_what_a_gradient_needs(native: Any, convolves: bool, function: str) -> None:
    check_read_twice(convolves, function)


@pytest.mark.parametrize("function", ["relu", "tanh", "softmax"])
@pytest.mark.parametrize("convolves", [False, True])
def test_nothing_is_written_over_without_kernels(convolves: bool, function: str) -> None:
    check_read_twice(convolves, function)


@pytest.mark.parametrize("written", ["x", "weight"])
@pytest.mark.parametrize("norm", [False, True])
def test_written_between_forward_and_backward(native: Any, norm: bool, written: str) -> None:
    """Gradients of convolutions read the data as they are when backward() runs, not a copy in another order."""
    found = []
    for hybridized in (False, True):
        mx.random.seed(1)
        net = nn.HybridSequential()
        net.add(nn.Conv2D(8, 3, padding=1, in_channels=3), nn.BatchNorm() if norm else nn.Activation("tanh"))
        net.add(nn.Activation("relu"), nn.MaxPool2D(), nn.Dense(2))
        net.initialize(mx.init.Xavier())
        values = _numbers(0, 2, 3, 8, 8)
        net(values)
        if hybridized:
            net.hybridize()
        x, weight = values.copy(), net[0].weight.data().copy()
        x.attach_grad()
        for _ in range(_STEPS if hybridized else 1):
            x[:] = values
            net[0].weight.set_data(weight)
            with autograd.record():
                out = net(x)
            if written == "x":
                x[:] = values * 3 - 1
            else:
                net[0].weight.set_data(weight * 2 + 1)
            out.backward()
        params = [p for p in net.collect_params().values() if p.grad_req != "null"]
        found.append([each.asnumpy() for each in (out, x.grad, *[p.grad() for p in params])])
    for one, other in zip(*found, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-3, atol=1e-3)
