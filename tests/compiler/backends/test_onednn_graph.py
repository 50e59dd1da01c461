"""Whole networks by oneDNN's graph compiler give what their steps give."""

import numpy as np
import pytest

import mxnet as mx
from mxnet import nd
from mxnet.compiler.backends import onednn_graph as whole
from mxnet.compiler.passes.fuse import can_fuse
from mxnet.gluon import nn
from mxnet.kernels.tuning import tuner

pytestmark = pytest.mark.skipif(not can_fuse(), reason="this build of torch has no oneDNN")


@pytest.fixture(autouse=True)
def _fresh(monkeypatch, tmp_path):
    monkeypatch.setenv("MXNET_HOME", str(tmp_path))
    monkeypatch.setenv("MXNET_AUTOTUNE", "1")
    monkeypatch.setattr(whole, "_PATIENCE", 1)
    tuner.forget()
    yield
    tuner.forget()


def _network(last=None):
    mx.random.seed(2)
    net = nn.HybridSequential()
    for place in range(8):
        net.add(nn.Conv2D(8, 3, padding=1, in_channels=8 if place else 3, use_bias=False), nn.BatchNorm(in_channels=8))
        net.add(nn.HybridLambda(lambda F, x: F.clip(x, 0, 6)) if place % 2 else nn.Activation("relu"))
    net.add(nn.MaxPool2D(2, 2), nn.GlobalAvgPool2D(), nn.Flatten(), nn.Dense(5, in_units=8))
    if last is not None:
        net.add(last)
    net.initialize(mx.init.Xavier())
    net.hybridize()
    return net


def _program(net):
    (program,) = net._cached_op._programs.values()
    return program


def _choose(program, name):
    tuner._chosen[program.backend._work] = whole._NAMES.index(name)


def test_it_gives_the_same_and_follows_the_parameters():
    net, data = _network(), nd.random.normal(shape=(2, 3, 12, 12))
    expected = net(data).asnumpy()
    _choose(_program(net), "whole")
    for _ in range(3):
        np.testing.assert_allclose(net(data).asnumpy(), expected, rtol=1e-4, atol=1e-5)
    assert _program(net).backend._function is not None
    net[0].weight.set_data(net[0].weight.data() * 2)
    found = net(data).asnumpy()
    assert _program(net).backend._function is None  # it waits until parameters rest
    assert not np.allclose(found, expected)
    np.testing.assert_allclose(net(data).asnumpy(), found, rtol=1e-4, atol=1e-5)
    assert _program(net).backend._function is not None


def test_both_ways_are_timed_and_the_better_one_stays():
    net, data = _network(), nd.random.normal(shape=(1, 3, 8, 8))
    expected = net(data).asnumpy()
    work = _program(net).backend._work
    for _ in range(30):
        np.testing.assert_allclose(net(data).asnumpy(), expected, rtol=1e-4, atol=1e-5)
    assert tuner._chosen[work] in (0, 1)
    assert (_program(net).backend is None) == (tuner._chosen[work] == 0)


def test_other_strides_of_the_data_are_fine():
    net = _network()
    data = nd.random.normal(shape=(1, 8, 8, 3))
    turned = data.transpose((0, 3, 1, 2))
    expected = net(turned).asnumpy()
    _choose(_program(net), "whole")
    net(turned)
    np.testing.assert_allclose(net(turned.copy()).asnumpy(), expected, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_what_is_not_a_number_stays_so(value):
    net, data = _network(), nd.random.normal(shape=(2, 3, 12, 12))
    net(data)
    _choose(_program(net), "whole")
    net(data)
    data[1, 2, 3, 4] = value
    found = net(data).asnumpy()
    assert _program(net).backend._function is not None
    net.hybridize(False)
    np.testing.assert_allclose(found, net(data).asnumpy(), rtol=1e-4, atol=1e-5)
    assert not np.isfinite(found[1]).all() or np.isinf(value)


def test_it_follows_writes_by_other_libraries():
    net, data = _network(), nd.random.normal(shape=(2, 3, 12, 12))
    memory = net[0].weight.data().as_torch().numpy()
    before = net(data).asnumpy()
    _choose(_program(net), "whole")
    net(data)
    assert _program(net).backend._function is not None
    memory *= -2
    found = net(data).asnumpy()
    assert not np.allclose(found, before)
    net.hybridize(False)
    np.testing.assert_allclose(found, net(data).asnumpy(), rtol=1e-4, atol=1e-5)


def test_networks_of_other_operators_stay_steps():
    net = _network(nn.HybridLambda(lambda F, x: F.softmax(x)))
    net(nd.ones((1, 3, 8, 8)))
    assert _program(net).backend is None


@pytest.mark.parametrize(("options", "setting"), [({"autotune": False}, "1"), ({}, "0")])
def test_it_can_be_switched_off(monkeypatch, options, setting):
    monkeypatch.setenv("MXNET_AUTOTUNE", setting)
    net, data = _network(), nd.ones((1, 3, 8, 8))
    net.hybridize(**options)
    for _ in range(3):
        net(data)
    assert _program(net).backend is None
    assert not tuner._trials
    assert not tuner._chosen


def test_what_the_compiler_computes_wrongly_is_not_used(monkeypatch):
    monkeypatch.setattr(whole, "_agree", lambda one, other: False)
    net, data = _network(), nd.ones((1, 3, 8, 8))
    expected = net(data).asnumpy()
    _choose(_program(net), "whole")
    np.testing.assert_array_equal(net(data).asnumpy(), expected)
    assert _program(net).backend is None
