"""SyncBatchNorm over processes and over devices: compared with BatchNorm of the whole batch."""

import threading
import warnings
from typing import Any

import numpy as np
import pytest

import mxnet as mx
from mxnet import autograd, gluon
from mxnet.gluon import nn
from mxnet.gluon.contrib.nn import SyncBatchNorm
from regluon.distributed import world
from tests.distributed.ranks import run_ranks

PARTS = {"equal": (3, 3), "different": (5, 2), "one empty": (4, 0), "single": (1, 1)}
TOLERANCE = {"rtol": 1e-5, "atol": 1e-5}


def _batch(length: int, shift: float = 0.0) -> tuple[np.ndarray, np.ndarray]:
    """Data, and what their gradient starts from."""
    draw = np.random.default_rng(7)
    shape = (length, 3, 2, 4)
    return (draw.normal(size=shape) * 3 + shift).astype("float32"), draw.normal(size=shape).astype("float32")


def _slices(lengths: tuple[int, ...]) -> list[slice]:
    ends = np.cumsum(lengths)
    return [slice(int(end - length), int(end)) for end, length in zip(ends, lengths)]


def _prepared(layer: Any, context: Any = None) -> Any:
    layer.initialize(ctx=context or mx.cpu())
    layer.gamma.set_data(mx.nd.array([0.5, 1.5, -2.0]))
    layer.beta.set_data(mx.nd.array([0.1, -0.2, 0.3]))
    return layer


def _run(layer: Any, data: np.ndarray, weight: np.ndarray) -> list[np.ndarray]:
    """The result, the gradients of data, gamma and beta, and the running averages."""
    x = mx.nd.array(data)
    x.attach_grad()
    with autograd.record():
        y = layer(x)
    y.backward(mx.nd.array(weight))
    return [array.asnumpy() for array in (y, x.grad, layer.gamma.grad(), layer.beta.grad(), *_averages(layer))]


def _averages(layer: Any, context: Any = None) -> tuple[Any, Any]:
    return layer.running_mean.data(context), layer.running_var.data(context)


def _assert_like_the_whole(parts: list[list[np.ndarray]], whole: list[np.ndarray]) -> None:
    result, grad, gamma, beta, mean, var = whole
    np.testing.assert_allclose(np.concatenate([part[0] for part in parts]), result, **TOLERANCE)
    np.testing.assert_allclose(np.concatenate([part[1] for part in parts]), grad, **TOLERANCE)
    np.testing.assert_allclose(sum(part[2] for part in parts), gamma, rtol=1e-5, atol=1e-4)
    np.testing.assert_allclose(sum(part[3] for part in parts), beta, rtol=1e-5, atol=1e-4)
    for part in parts:
        np.testing.assert_allclose(part[4], mean, **TOLERANCE)
        np.testing.assert_allclose(part[5], var, **TOLERANCE)


def _part_of_a_batch(lengths: tuple[int, ...], shift: float, hybridized: bool) -> list[np.ndarray]:
    rank = world().rank
    layer = _prepared(SyncBatchNorm(num_devices=1, in_channels=3))
    if hybridized:
        layer.hybridize()
    part = _slices(lengths)[rank]
    data, weight = _batch(sum(lengths), shift)
    return _run(layer, data[part], weight[part])


@pytest.mark.parametrize("hybridized", [False, True])
@pytest.mark.parametrize("lengths", PARTS.values(), ids=PARTS)
@pytest.mark.sample(one_in=3)
def test_ranks_share_statistics(lengths: tuple[int, ...], hybridized: bool) -> None:
    found = run_ranks(_part_of_a_batch, 2, lengths, 0.0, hybridized)
    whole = _run(_prepared(nn.BatchNorm(in_channels=3)), *_batch(sum(lengths)))
    _assert_like_the_whole(found, whole)
    np.testing.assert_array_equal(found[0][4:], found[1][4:])  # bit for bit


def test_large_numbers_lose_no_digits_between_ranks() -> None:
    found = run_ranks(_part_of_a_batch, 2, (4, 4), 3000.0, False)
    data, _ = _batch(8, 3000.0)
    exact = data.astype("float64")
    axes = (0, 2, 3)
    np.testing.assert_allclose(found[0][5], 0.9 + 0.1 * exact.var(axes), rtol=1e-5)
    expected = (exact - exact.mean(axes, keepdims=True)) / np.sqrt(exact.var(axes, keepdims=True) + 1e-5)
    gamma, beta = (np.reshape(each, (1, 3, 1, 1)) for each in ([0.5, 1.5, -2.0], [0.1, -0.2, 0.3]))
    np.testing.assert_allclose(
        np.concatenate([found[0][0], found[1][0]]), expected * gamma + beta, rtol=1e-4, atol=1e-3
    )


def _network() -> Any:
    mx.random.seed(3)
    net = nn.HybridSequential()
    net.add(nn.Conv2D(4, 3, in_channels=1), SyncBatchNorm(num_devices=1, in_channels=4), nn.Activation("relu"))
    net.add(nn.Conv2D(4, 3, in_channels=4), SyncBatchNorm(num_devices=1, in_channels=4, scale=False))
    net.add(nn.Dense(3, in_units=64))
    net.initialize(mx.init.Xavier())
    return net


def _train(hybridized: bool, steps: int) -> tuple[list[np.ndarray], int]:
    """All parameters after training that ends on batches of another length, and collective calls of the network."""
    group = world()
    net = _network()
    if hybridized:
        net.hybridize()
    loss = gluon.loss.SoftmaxCrossEntropyLoss()
    trainer = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.1, "momentum": 0.9}, kvstore=None)
    draw = np.random.default_rng(group.rank)
    before = group._heartbeat.num_calls
    for step in range(steps):
        length = 4 if step < steps - 2 else 3 + group.rank
        data = mx.nd.array(draw.normal(size=(length, 1, 8, 8)).astype("float32"))
        label = mx.nd.array(draw.integers(0, 3, length))
        with autograd.record():
            total = loss(net(data), label).sum()
        total.backward()
        for parameter in net.collect_params().values():
            if parameter.grad_req != "null":
                group.all_reduce(parameter.grad()._t)
        trainer.step(8)
    calls = group._heartbeat.num_calls - before
    return [parameter.data().asnumpy() for parameter in net.collect_params().values()], calls


def _train_both_ways(steps: int) -> Any:
    return _train(False, steps), _train(True, steps)


def test_compiled_training_calls_the_other_ranks_in_every_step() -> None:
    steps = 14
    results = run_ranks(_train_both_ways, 2, steps)
    (eager, eager_calls), (compiled, compiled_calls) = results[0]
    assert eager_calls == compiled_calls == steps * (2 * 2 + 9)  # two layers forward and backward; nine gradients
    for one, other, of_rank_1 in zip(eager, compiled, results[1][1][0]):
        np.testing.assert_allclose(one, other, rtol=1e-4, atol=1e-5)
        np.testing.assert_array_equal(other, of_rank_1)


def _frozen_in_a_captured_program() -> list[list[float]]:
    """A layer whose gradients nobody wants, before one that the native runner could run alone."""
    rank = world().rank
    net = nn.HybridSequential()
    net.add(SyncBatchNorm(num_devices=1, in_channels=2), nn.Dense(4, in_units=2), nn.Activation("relu"), nn.Dense(2))
    net.initialize(mx.init.One())
    net[0].collect_params().setattr("grad_req", "null")
    net.hybridize()
    means = []
    for step in range(6):
        with autograd.record():
            total = net(mx.nd.array([[step, rank], [1, rank]])).sum()
        total.backward()
        means.append(net[0].running_mean.data().asnumpy().tolist())
    return means


def test_layers_without_gradients_call_the_other_ranks_too() -> None:
    expected, mean = [], np.zeros(2)
    for step in range(6):
        mean = 0.9 * mean + 0.1 * np.array([(step + 1) / 2, 0.5])
        expected.append(mean)
    for found in run_ranks(_frozen_in_a_captured_program, 2):
        np.testing.assert_allclose(found, expected, rtol=1e-5)


def _in_threads(function: Any, count: int) -> list[Any]:
    """What a function of a number gives for all numbers at once, or what it raised."""
    found: list[Any] = [None] * count

    def call(number: int) -> None:
        try:
            found[number] = function(number)
        except Exception as error:
            found[number] = error

    threads = [threading.Thread(target=call, args=(number,)) for number in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return found


def _forward_in_threads(layer: Any, arrays: list[Any]) -> list[Any]:
    def forward(number: int) -> Any:
        with autograd.record():
            return layer(arrays[number])

    return _in_threads(forward, len(arrays))


def _run_in_threads(layer: Any, lengths: tuple[int, ...]) -> list[list[np.ndarray]]:
    contexts = [mx.cpu(number) for number in range(len(lengths))]
    data, weight = _batch(sum(lengths))
    arrays = [mx.nd.array(data[part], ctx=context) for part, context in zip(_slices(lengths), contexts)]
    weights = [mx.nd.array(weight[part], ctx=context) for part, context in zip(_slices(lengths), contexts)]
    for array in arrays:
        array.attach_grad()
    results = _forward_in_threads(layer, arrays)
    autograd.backward(results, weights)
    return [
        [
            each.asnumpy()
            for each in (
                *(result, array.grad, layer.gamma.grad(context), layer.beta.grad(context)),
                *_averages(layer, context),
            )
        ]
        for result, array, context in zip(results, arrays, contexts)
    ]


@pytest.mark.parametrize("lengths", [*PARTS.values(), (2, 1, 4)], ids=[*PARTS, "three"])
def test_devices_with_a_thread_each_share_statistics(lengths: tuple[int, ...]) -> None:
    count = len(lengths)
    layer = _prepared(SyncBatchNorm(num_devices=count, in_channels=3), [mx.cpu(number) for number in range(count)])
    whole = _prepared(nn.BatchNorm(in_channels=3))
    expected = _run(whole, *_batch(sum(lengths)))
    _assert_like_the_whole(_run_in_threads(layer, lengths), expected)
    again = _run(whole, *_batch(sum(lengths)))  # the meeting place is free for the next step
    _assert_like_the_whole(_run_in_threads(layer, lengths), again)


def test_hybridized_networks_in_threads_run_as_they_are_written() -> None:
    contexts = [mx.cpu(0), mx.cpu(1)]
    net = nn.HybridSequential()
    net.add(SyncBatchNorm(num_devices=2, in_channels=3), nn.Dense(2, in_units=24))
    net.initialize(ctx=contexts)
    net.hybridize()
    data, _ = _batch(6)
    arrays = [mx.nd.array(data[part], ctx=context) for part, context in zip(_slices((4, 2)), contexts)]
    for array in arrays:
        array.attach_grad()
    with pytest.warns(UserWarning, match="SyncBatchNorm shares statistics between threads"):
        results = _forward_in_threads(net, arrays)
    autograd.backward(results)
    whole = nn.HybridSequential()
    whole.add(nn.BatchNorm(in_channels=3), nn.Dense(2, in_units=24))
    whole.initialize()
    whole[1].weight.set_data(net[1].weight.data(mx.cpu(0)))
    x = mx.nd.array(data)
    x.attach_grad()
    with autograd.record():
        y = whole(x)
    y.backward()
    np.testing.assert_allclose(np.concatenate([each.asnumpy() for each in results]), y.asnumpy(), **TOLERANCE)
    np.testing.assert_allclose(
        np.concatenate([each.grad.asnumpy() for each in arrays]), x.grad.asnumpy(), rtol=1e-5, atol=1e-5
    )


def _ranks_and_threads() -> list[list[np.ndarray]]:
    rank = world().rank
    layer = _prepared(SyncBatchNorm(num_devices=2, in_channels=3), [mx.cpu(0), mx.cpu(1)])
    data, weight = _batch(10)
    slices = _slices((3, 1, 2, 4))[2 * rank : 2 * rank + 2]
    arrays = [mx.nd.array(data[part], ctx=mx.cpu(number)) for number, part in enumerate(slices)]
    for array in arrays:
        array.attach_grad()
    results = _forward_in_threads(layer, arrays)
    autograd.backward(results, [mx.nd.array(weight[part], ctx=mx.cpu(n)) for n, part in enumerate(slices)])
    return [
        [each.asnumpy() for each in (y, x.grad, layer.gamma.grad(c), layer.beta.grad(c), *_averages(layer, c))]
        for y, x, c in zip(results, arrays, [mx.cpu(0), mx.cpu(1)])
    ]


def test_devices_of_several_ranks() -> None:
    found = run_ranks(_ranks_and_threads, 2)
    _assert_like_the_whole([*found[0], *found[1]], _run(_prepared(nn.BatchNorm(in_channels=3)), *_batch(10)))


def test_parts_cannot_be_differentiated_apart() -> None:
    layer = SyncBatchNorm(num_devices=2, in_channels=3)
    layer.initialize(ctx=[mx.cpu(0), mx.cpu(1)])
    arrays = [mx.nd.ones((2, 3), ctx=mx.cpu(number)) for number in (0, 1)]
    for array in arrays:
        array.attach_grad()
    first, _ = _forward_in_threads(layer, arrays)
    with pytest.raises(mx.MXNetError, match=r"\[SyncBatchNorm\] backward has come through 1 of 2 parts.*at once"):
        first.backward()


def test_a_thread_that_does_not_come_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MXNET_KVSTORE_TIMEOUT", "0.2")
    layer = SyncBatchNorm(num_devices=3, in_channels=3, prefix="lonely_")
    layer.initialize(ctx=[mx.cpu(0), mx.cpu(1)])
    arrays = [mx.nd.ones((2, 3), ctx=mx.cpu(number)) for number in (0, 1)]
    for error in _forward_in_threads(layer, arrays):
        assert isinstance(error, mx.MXNetError)
        assert "[SyncBatchNorm] 2 of 3 threads came to the meeting 'lonely_' in 0.2 seconds" in str(error)
        assert "SyncBatchNorm(num_devices=...)" in str(error)


def test_prediction_waits_for_nobody() -> None:
    layer = SyncBatchNorm(num_devices=2, in_channels=3)
    layer.initialize(ctx=[mx.cpu(0), mx.cpu(1)])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert _in_threads(lambda number: layer(mx.nd.ones((1, 3), ctx=mx.cpu(number))).shape, 1) == [(1, 3)]
