"""Programs that the native runner runs: the same as those that Python runs."""

import gc
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch

import mxnet as mx
from mxnet import autograd, gluon, nd
from mxnet.base import MXNetError
from mxnet.gluon import nn
from regluon.compiler.autodiff import GradientProgram
from regluon.compiler.capture.recorder import Recorder
from regluon.compiler.capture.replay import Replay
from regluon.native import loading

_STEPS = 14  # the runner takes over after ten


def _dense() -> nn.HybridSequential:
    net = nn.HybridSequential()
    net.add(nn.Dense(50, activation="relu"), nn.Dense(50, activation="tanh"), nn.Dense(3))
    return net


def _normalized() -> nn.HybridSequential:
    net = nn.HybridSequential()
    net.add(nn.Conv2D(4, 3, padding=1), nn.BatchNorm(), nn.Activation("relu"), nn.MaxPool2D(), nn.Dense(5))
    return net


def _dropping() -> nn.HybridSequential:
    net = nn.HybridSequential()
    net.add(nn.Dense(40, activation="relu"), nn.Dropout(0.4), nn.Dense(3))
    return net


class _TwoHeads(gluon.HybridBlock):
    def __init__(self) -> None:
        super().__init__()
        with self.name_scope():
            self.first, self.second = nn.Dense(6, activation="relu"), nn.Dense(7)

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        inner = self.first(x)
        return inner, self.second(inner)


class _Passing(gluon.HybridBlock):
    """One of the heads is the input itself."""

    def __init__(self) -> None:
        super().__init__()
        with self.name_scope():
            self.layer = nn.Dense(6, activation="relu")

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        return self.layer(x), F.identity(x), x


class _Sum(gluon.HybridBlock):
    """Both weights have the same gradient."""

    def __init__(self) -> None:
        super().__init__()
        self.left = self.params.get("left", shape=(64, 64))
        self.right = self.params.get("right", shape=(64, 64))

    def hybrid_forward(self, F: Any, x: Any, left: Any, right: Any) -> Any:
        return left + right + F.relu(x) * F.tanh(x)


def _made(make: Callable[[], Any], seed: int = 3) -> Any:
    mx.random.seed(seed)
    net = make()
    net.initialize(mx.init.Xavier())
    net.hybridize()
    return net


def _gradient_programs() -> list[GradientProgram]:
    return [each for each in gc.get_objects() if type(each) is GradientProgram]


def _trained(make: Callable[[], Any], shape: tuple[int, ...]) -> tuple[list[np.ndarray], list[np.ndarray], bool]:
    """Losses and parameters after some steps, and whether the runner has run any."""
    net, loss = _made(make), gluon.loss.SoftmaxCrossEntropyLoss()
    loss.hybridize()
    trainer = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.1})
    draw = np.random.RandomState(5)
    losses = []
    for _ in range(_STEPS):
        x, y = nd.array(draw.randn(*shape)), nd.array(draw.randint(0, 3, shape[0]))
        with autograd.record():
            found = loss(net(x), y)
        found.backward()
        trainer.step(shape[0])
        losses.append(found.asnumpy())
    is_replayed = any(each.replay.captured is not None for each in _gradient_programs())
    return losses, [each.data().asnumpy() for each in net.collect_params().values()], is_replayed


@pytest.mark.parametrize(
    ("make", "shape"),
    [(_dense, (8, 20)), (_normalized, (4, 2, 8, 8)), (_dropping, (16, 20))],
)
def test_training_is_the_same(
    native: Any, monkeypatch: pytest.MonkeyPatch, make: Callable[[], Any], shape: tuple[int, ...]
) -> None:
    losses, weights, is_replayed = _trained(make, shape)
    assert is_replayed
    monkeypatch.setattr(Replay, "record", lambda *given: None)
    gc.collect()
    others, other_weights, is_replayed = _trained(make, shape)
    assert not is_replayed
    for found, expected in zip([*losses, *weights], [*others, *other_weights], strict=True):
        np.testing.assert_array_equal(found, expected)


@pytest.fixture
def settled(native: Any) -> tuple[Any, nd.NDArray]:
    """A network that the runner runs, and its input."""
    return _settled(_dense, (8, 20))


def _settled(make: Callable[[], Any], shape: tuple[int, ...]) -> tuple[Any, nd.NDArray]:
    net = _made(make)
    x = nd.array(np.random.RandomState(0).randn(*shape))
    x.attach_grad()
    for _ in range(_STEPS):
        with autograd.record():
            found = net(x)
        autograd.backward(found)
    return net, x


def _gradients(net: Any, x: nd.NDArray) -> list[np.ndarray]:
    return [each.grad().asnumpy() for each in net.collect_params().values()] + [x.grad.asnumpy()]


def test_collected_gradients(settled: tuple[Any, nd.NDArray]) -> None:
    net, x = settled
    expected = _gradients(net, x)
    variables = [*(each.data() for each in net.collect_params().values()), x]
    for variable in variables:
        variable.grad[:] = 7
    with autograd.record():
        y = net(x)
        z = y * 1
    found = autograd.grad(z, variables)
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_array_equal(one.asnumpy(), other)
    assert all((variable.grad.asnumpy() == 7).all() for variable in variables)


def test_second_derivatives(settled: tuple[Any, nd.NDArray]) -> None:
    net, x = settled

    def slope() -> np.ndarray:
        with autograd.record():
            first = autograd.grad(net(x).sum(), [x], create_graph=True, retain_graph=True)[0]
            steepness = (first**2).sum()
        steepness.backward()
        return x.grad.asnumpy()

    found = slope()
    net.hybridize(False)
    np.testing.assert_allclose(found, slope(), rtol=1e-5, atol=1e-7)


def test_backward_twice(settled: tuple[Any, nd.NDArray]) -> None:
    net, x = settled
    with autograd.record():
        y = net(x)
    y.backward(retain_graph=True)
    first = _gradients(net, x)
    y.backward()
    for one, other in zip(_gradients(net, x), first, strict=True):
        np.testing.assert_array_equal(one, other)
    with pytest.raises(MXNetError, match="an earlier backward used the graph up"):
        y.backward()


def test_gradients_add_up(native: Any) -> None:
    net, x = _settled(_dense, (8, 20))
    once = _gradients(net, x)
    for each in net.collect_params().values():
        each.grad_req = "add"
    for _ in range(_STEPS):
        for each in net.collect_params().values():
            each.zero_grad()
        for _ in range(2):
            with autograd.record():
                y = net(x)
            y.backward()
    for one, other in zip(_gradients(net, x)[:-1], once[:-1], strict=True):
        np.testing.assert_allclose(one, 2 * other, rtol=1e-5, atol=1e-6)


def test_data_in_another_order(settled: tuple[Any, nd.NDArray]) -> None:
    net, x = settled
    turned = nd.NDArray(torch.from_numpy(np.ascontiguousarray(x.asnumpy().T)).t())
    with autograd.record():
        found = net(turned)
    np.testing.assert_allclose(found.asnumpy(), net(x).asnumpy(), rtol=1e-5, atol=1e-6)


def test_head_gradients_in_another_order(settled: tuple[Any, nd.NDArray]) -> None:
    net, x = settled
    given = np.random.RandomState(1).randn(8, 3).astype("float32")
    results = []
    for slope in (torch.from_numpy(given), torch.from_numpy(np.ascontiguousarray(given.T)).t()):
        with autograd.record():
            y = net(x)
        y.backward(nd.NDArray(slope))
        results.append(_gradients(net, x))
    for one, other in zip(*results, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-5, atol=1e-6)


def test_gradients_from_one_head_only(native: Any) -> None:
    net, x = _settled(_TwoHeads, (4, 5))
    with autograd.record():
        first, _ = net(x)
    first.backward()
    found = x.grad.asnumpy()
    net.hybridize(False)
    with autograd.record():
        first, _ = net(x)
    first.backward()
    np.testing.assert_allclose(found, x.grad.asnumpy(), rtol=1e-5, atol=1e-6)


def test_inputs_that_are_heads(native: Any) -> None:
    net, x = _settled(_Passing, (4, 5))
    expected = _gradients(net, x)
    net.hybridize(False)
    with autograd.record():
        found = net(x)
    autograd.backward(found)
    for one, other in zip(_gradients(net, x), expected, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("is_native", [True, False])
def test_equal_gradients_have_memory_of_their_own(
    library: Any, monkeypatch: pytest.MonkeyPatch, is_native: bool
) -> None:
    if is_native:
        monkeypatch.setattr(loading, "the_library", library)
    net, _ = _settled(_Sum, (64, 64))
    net.left.grad()[:] = 5
    assert (net.right.grad().asnumpy() == 1).all()


def test_given_head_gradients_are_left_alone(native: Any) -> None:
    net, x = _settled(_Sum, (64, 64))
    slope = nd.ones((64, 64))
    with autograd.record():
        y = net(x)
    y.backward(slope)
    net.left.grad()[:] = 5
    assert (slope.asnumpy() == 1).all()


def test_runs_without_backward_are_not_recorded_for_ever(native: Any) -> None:
    gc.collect()
    net = _made(_dense)
    x = nd.ones((8, 20))
    for _ in range(20):
        with autograd.record():
            net(x)
    (compiled,) = [each for each in _gradient_programs() if each.replay._runs == 20]
    assert compiled.replay._next > 20


def test_recording_does_not_load_the_compiler_of_torch() -> None:
    program = (
        "import sys, torch\n"
        "from regluon.compiler.capture.recorder import Recorder\n"
        "recorder = Recorder()\n"
        "with recorder.recording():\n"
        "    torch.ones(3) + 1\n"
        "print(len(recorder.calls), 'torch._dynamo' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["2", "False"]


def test_what_python_reads_is_not_replayed() -> None:
    recorder = Recorder()
    x = torch.ones(3)
    recorder.give([x])
    with recorder.recording():
        _ = x * float(x.sum())
    assert not recorder.is_sound


def test_views_behind_its_back_are_not_replayed() -> None:
    recorder = Recorder()
    x = torch.ones(3)
    recorder.give([x])
    with recorder.recording():
        y = x + 1
        _ = torch.from_numpy(y.numpy()) * 2
    assert not recorder.is_sound


def test_gradients_by_two_ways_add_up(native: Any) -> None:
    """Torch may be done with a variable before a program delivers its part."""
    net, x = _settled(_dense, (8, 20))
    weight = net[0].weight
    with autograd.record():
        y = net(x)
    y.backward()
    expected = weight.grad().asnumpy() + 2
    for _ in range(_STEPS):
        with autograd.record():
            z = net(x).sum() + (weight.data() * 2).sum()
        z.backward()
        np.testing.assert_allclose(weight.grad().asnumpy(), expected, rtol=1e-5, atol=1e-5)
        with autograd.record():
            z = (weight.data() * 2).sum() + net(x).sum()
        z.backward()
        np.testing.assert_allclose(weight.grad().asnumpy(), expected, rtol=1e-5, atol=1e-5)
