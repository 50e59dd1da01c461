"""Running averages and dtypes of batch normalization."""

import numpy as np
import pytest

import mxnet as mx
from mxnet.gluon import nn
from mxnet.gluon.contrib.nn import SyncBatchNorm


def test_prediction_leaves_the_averages_alone() -> None:
    layer = nn.BatchNorm()
    layer.initialize()
    data = mx.nd.random.normal(3, 2, shape=(8, 2, 4))
    layer(data)
    np.testing.assert_array_equal(layer.running_mean.data().asnumpy(), 0)
    with mx.autograd.record():
        layer(data).backward()
    values = data.asnumpy()
    np.testing.assert_allclose(layer.running_mean.data().asnumpy(), 0.1 * values.mean((0, 2)), 1e-4)
    np.testing.assert_allclose(layer.running_var.data().asnumpy(), 0.9 + 0.1 * values.var((0, 2)), 1e-4)


def test_float16_keeps_float32_parameters() -> None:
    net = nn.HybridSequential()
    net.add(nn.Conv2D(2, 3), nn.BatchNorm())
    net.initialize()
    net.cast("float16")
    out = net(mx.nd.ones((1, 2, 4, 4), dtype="float16"))
    assert out.dtype == np.float16
    assert net[0].weight.dtype == "float16"
    assert net[1].gamma.data().dtype == np.float32
    net[1].cast("float64")
    assert net[1].gamma.data().dtype == np.float64


@pytest.mark.parametrize("scale", [True, False])
def test_what_is_not_learned_has_no_gradient(scale: bool) -> None:
    layer = nn.BatchNorm(scale=scale, center=not scale, in_channels=2)
    assert layer.gamma.grad_req == ("write" if scale else "null")
    assert layer.beta.grad_req == ("null" if scale else "write")
    layer.gamma.grad_req = layer.beta.grad_req = "write"  # has no effect on what is not differentiable
    assert layer.gamma.grad_req == ("write" if scale else "null")
    assert not hasattr(nn.BatchNorm(), "in_channels")
    assert layer.in_channels == 2


def test_on_one_device_synchronized_is_plain() -> None:
    data = mx.nd.random.normal(shape=(4, 3, 5))
    plain, synchronized = nn.BatchNorm(), SyncBatchNorm(num_devices=1)
    results = []
    for layer in (plain, synchronized):
        layer.initialize()
        with mx.autograd.record():
            results.append(layer(data))
        results[-1].backward()
    np.testing.assert_array_equal(results[0].asnumpy(), results[1].asnumpy())
    np.testing.assert_array_equal(plain.running_var.data().asnumpy(), synchronized.running_var.data().asnumpy())


def test_the_number_of_devices_is_a_guess() -> None:
    with pytest.warns(UserWarning, match="pass num_devices"):
        layer = SyncBatchNorm()
    assert layer._kwargs["ndev"] == max(mx.context.num_gpus(), 1)


def test_parts_on_several_devices_are_judged_by_themselves_with_one_warning() -> None:
    contexts = [mx.cpu(0), mx.cpu(1)]
    layer, plain = SyncBatchNorm(num_devices=2), nn.BatchNorm()
    layer.initialize(ctx=contexts)
    plain.initialize(ctx=contexts)
    parts = [mx.nd.random.normal(shape=(4, 3, 5), ctx=context) for context in contexts]
    for part in parts:  # prediction depends on no batch
        layer(part)
    with mx.autograd.record():
        with pytest.warns(UserWarning, match=r"each of 2 devices by itself.*Give the whole batch to one device"):
            first = layer(parts[0])
        second = layer(parts[1])
        expected = [plain(part) for part in parts]
    for one, other in zip([first, second], expected):
        np.testing.assert_array_equal(one.asnumpy(), other.asnumpy())


def test_averages_alone_need_no_whole_batch() -> None:
    contexts = [mx.cpu(0), mx.cpu(1)]
    layer = SyncBatchNorm(num_devices=2, use_global_stats=True)
    layer.initialize(ctx=contexts)
    with mx.autograd.record():
        assert layer(mx.nd.ones((2, 3), ctx=contexts[1])).shape == (2, 3)
