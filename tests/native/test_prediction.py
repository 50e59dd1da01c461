"""Predictions that the native runner makes: the same as those that Python makes."""

import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch._subclasses.fake_tensor import FakeTensorMode

import mxnet as mx
from mxnet import autograd, gluon, nd
from mxnet.gluon import nn
from regluon.compiler.capture.replay import Record
from regluon.compiler.program import Program
from regluon.kernels.tuning import tuner
from regluon.native import loading

_RUNS = 12  # the runner takes over after ten


@pytest.fixture(autouse=True)
def module(library: loading.Library, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loading, "the_library", library)
    monkeypatch.setenv("MXNET_AUTOTUNE", "0")


def _convolutional() -> nn.HybridSequential:
    net = nn.HybridSequential()
    net.add(nn.Conv2D(8, 3, padding=1), nn.BatchNorm(), nn.Activation("relu"), nn.MaxPool2D())
    net.add(nn.Conv2D(8, 3, use_bias=False), nn.BatchNorm(), nn.Dropout(0.5), nn.Flatten(), nn.Dense(5))
    return net


def _dense() -> nn.HybridSequential:
    net = nn.HybridSequential()
    net.add(nn.Dense(7, activation="tanh"), nn.Dense(3))
    return net


class _Recurrent(gluon.HybridBlock):
    def __init__(self) -> None:
        super().__init__()
        with self.name_scope():
            self.layer = gluon.rnn.LSTM(6, dropout=0.5, num_layers=2)

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        return self.layer(F.reshape(x, (0, 0, -1)))


class _Heads(gluon.HybridBlock):
    """One head is the input itself, others are views."""

    def __init__(self) -> None:
        super().__init__()
        with self.name_scope():
            self.layer = nn.Dense(6, activation="relu")

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        found = self.layer(x)
        return x, found, F.reshape(x, (-1,)), F.SliceChannel(found, num_outputs=2)[1]


class _Calling(gluon.HybridBlock):
    def __init__(self, function: Any) -> None:
        super().__init__()
        self._function = function

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        return self._function(F, x)


def _data(seed: int, shape: tuple[int, ...] = (2, 3, 8, 8)) -> nd.NDArray:
    return nd.array(np.random.RandomState(seed).randn(*shape))


def _ready(net: gluon.HybridBlock, x: nd.NDArray) -> gluon.HybridBlock:
    mx.random.seed(3)
    net.initialize(mx.init.Normal(0.5))
    net(x)
    net.hybridize()
    return net


def _numbers(found: Any) -> list[np.ndarray]:
    return [each.asnumpy() for each in (found if isinstance(found, (list, tuple)) else [found])]


def _eagerly(net: gluon.HybridBlock, x: nd.NDArray) -> list[np.ndarray]:
    """What the network gives without being compiled; it is compiled anew afterwards."""
    net.hybridize(False)
    try:
        return _numbers(net(x))
    finally:
        net.hybridize()


def _programs(net: gluon.HybridBlock) -> list[Program]:
    return list(net._cached_op._programs.values())


def _is_captured(net: gluon.HybridBlock) -> bool:
    return any(program._prediction._replay.captured is not None for program in _programs(net))


def _close(found: Any, expected: list[np.ndarray]) -> None:
    for mine, other in zip(_numbers(found), expected, strict=True):
        np.testing.assert_allclose(mine, other, 1e-4, 1e-5)


@pytest.mark.parametrize("make", [_convolutional, _dense, _Recurrent, _Heads])
def test_gives_what_python_gives(make: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    net = _ready(make(), _data(0))
    expected = [_eagerly(net, _data(seed)) for seed in range(3)]
    for _ in range(_RUNS):
        net(_data(0))
    assert _is_captured(net)

    def refused(*args: Any) -> None:
        raise AssertionError("Python ran it")

    monkeypatch.setattr(Program, "_run_steps", refused)
    for seed in range(3):
        _close(net(_data(seed)), expected[seed])


def test_results_have_memory_of_their_own() -> None:
    net = _ready(_Heads(), _data(0, (2, 3)))
    for _ in range(_RUNS):
        found = net(_data(0, (2, 3)))
    assert _is_captured(net)
    x = _data(1, (2, 3))
    expected = _numbers(net(x))
    for number in range(len(found)):
        found = net(x)
        found[number][:] = 7
        for other, each in enumerate(expected):
            if other != number:
                np.testing.assert_array_equal(found[other].asnumpy(), each)
        _close(net(x), expected)


@pytest.mark.parametrize("make", [_convolutional, _dense])
def test_follows_its_parameters(make: Any) -> None:
    x = _data(0)
    net = _ready(make(), x)
    trainer = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.1})
    for number in range(3):
        for _ in range(_RUNS):
            net(x)
        assert _is_captured(net)
        if number == 0:
            with autograd.record():
                loss = net(x).square().sum()
            loss.backward()
            trainer.step(1)
        elif number == 1:
            net[-1].weight.data()[:] *= 2
        else:
            net[-1].bias.set_data(nd.ones((net[-1].bias.shape[0],)))
        found = net(x)
        _close(found, _eagerly(net, x))


def test_other_inputs_are_left_to_python() -> None:
    net = _ready(_dense(), _data(0, (4, 6)))
    for _ in range(_RUNS):
        net(_data(0, (4, 6)))
    captured = next(each for each in _programs(net) if each._prediction._replay.captured is not None)
    inputs = [array._t for array in (_data(0, (4, 6)), *(each.data() for each in net.collect_params().values()))]
    order = {tuple(tensor.shape): tensor for tensor in inputs}
    given = [order[tuple(spec)] for spec in [(4, 6), (7, 6), (7,), (3, 7), (3,)]]
    run = captured._prediction._replay.captured.run
    assert run(given) is not None
    assert run([given[0].double(), *given[1:]]) is None
    assert run([given[0].clone().requires_grad_(), *given[1:]]) is None
    with FakeTensorMode() as mode:
        assert run([mode.from_tensor(given[0]), *given[1:]]) is None
    for x in (_data(1, (3, 6)), _data(1, (6, 4)).T, _data(1, (4, 2, 3))):
        _close(net(x), _eagerly(net, x))


def test_what_looks_at_values_or_draws_numbers_is_left_to_python() -> None:
    def chosen(F: Any, x: Any) -> Any:
        return F.contrib.boolean_mask(x, F.reshape(F.slice_axis(x, axis=1, begin=0, end=1) > 0, (-1,)))

    net = _ready(_Calling(chosen), _data(0, (6, 4)))
    for seed in range(2 * _RUNS):
        x = _data(seed, (6, 4))
        _close(net(x), [x.asnumpy()[x.asnumpy()[:, 0] > 0]])
    assert not _is_captured(net)
    drawing = _ready(_Calling(lambda F, x: x + F.random.uniform(shape=(6, 4))), _data(0, (6, 4)))
    found = [drawing(_data(0, (6, 4))).asnumpy() for _ in range(2 * _RUNS)]
    assert len({each.tobytes() for each in found}) == len(found)
    always = _ready(_Calling(lambda F, x: F.Dropout(x, p=0.5, mode="always")), _data(0, (6, 4)))
    found = [always(_data(0, (6, 4))).asnumpy() for _ in range(2 * _RUNS)]
    assert len({each.tobytes() for each in found}) > 1


def test_errors_are_explained_by_python() -> None:
    net = _ready(_Calling(lambda F, x: F.linalg.potrf(x)), nd.array(np.eye(3)))
    for _ in range(_RUNS):
        net(nd.array(np.eye(3)))
    assert _is_captured(net)
    with pytest.raises(mx.MXNetError, match=r"\[_linalg_potrf\].* In the graph this is node"):
        net(nd.array(-np.eye(3)))
    np.testing.assert_array_equal(net(nd.array(4 * np.eye(3))).asnumpy(), 2 * np.eye(3))


def test_threads_share_a_network() -> None:
    net = _ready(_convolutional(), _data(0))
    expected = [_eagerly(net, _data(seed)) for seed in range(8)]
    wrong: list[int] = []

    def predict(seed: int) -> None:
        for _ in range(3 * _RUNS):
            if not np.allclose(net(_data(seed)).asnumpy(), expected[seed][0], 1e-4, 1e-5):
                wrong.append(seed)

    threads = [threading.Thread(target=predict, args=(seed,)) for seed in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong
    assert _is_captured(net)


def test_runs_in_which_kernels_were_tried_are_not_captured(monkeypatch: pytest.MonkeyPatch) -> None:
    record = Record([torch.ones(2)])
    record.finish()
    assert record.is_complete
    record = Record([torch.ones(2)])
    monkeypatch.setattr(tuner, "num_tried", tuner.num_tried + 1)
    record.finish()
    assert not record.is_complete


def test_a_profiler_sees_the_operators(tmp_path: Path) -> None:
    x = _data(0)
    net = _ready(_convolutional(), x)
    for _ in range(_RUNS):
        net(x)
    assert _is_captured(net)
    mx.profiler.set_config(profile_all=True, filename=str(tmp_path / "trace.json"))
    mx.profiler.set_state("run")
    net(x).wait_to_read()
    mx.profiler.set_state("stop")
    assert "Convolution" in mx.profiler.dumps(reset=True)


def test_modules_too() -> None:
    data = mx.sym.var("data")
    symbol = mx.sym.FullyConnected(mx.sym.Dropout(mx.sym.FullyConnected(data, num_hidden=4, name="a")), num_hidden=2)
    executor = symbol.simple_bind(mx.cpu(), data=(3, 5), grad_req="null")
    for array in executor.arg_arrays:
        array[:] = mx.nd.random.normal(shape=array.shape)
    expected = executor.forward(is_train=False)[0].asnumpy()
    held = executor.outputs[0]
    for _ in range(_RUNS):
        found = executor.forward(is_train=False)[0]
        np.testing.assert_allclose(found.asnumpy(), expected, 1e-5)
    executor.arg_dict["data"][:] = 0
    executor.forward(is_train=False)
    assert not np.allclose(held.asnumpy(), expected)
