"""Prediction through torch's own compiler."""

import shutil
import warnings

import numpy as np
import pytest
import torch

import mxnet as mx
from mxnet import nd
from mxnet.gluon import nn
from regluon.compiler.backends.inductor import Inductor, check_compiler

needs_compiler = pytest.mark.skipif(not (shutil.which("g++") or shutil.which("clang++")), reason="no C++ compiler")
# torch 2.13 writes vector code where it has found no vector instructions: the compiler refuses it.
needs_vectors = pytest.mark.skipif(
    torch.backends.cpu.get_cpu_capability() == "DEFAULT", reason="torch's compiler needs vector instructions"
)


def _network(**options):
    mx.random.seed(1)
    net = nn.HybridSequential(prefix="net_")
    net.add(nn.Conv2D(4, 3, padding=1, in_channels=2), nn.BatchNorm(in_channels=4), nn.Activation("relu"))
    net.add(nn.Dropout(0.5), nn.Flatten(), nn.Dense(3, in_units=64))
    net.initialize(mx.init.Xavier())
    net.hybridize(**options)
    return net


def _eager(net, data):
    twin = _network(active=False)
    for own, other in zip(twin.collect_params().values(), net.collect_params().values(), strict=True):
        own.set_data(other.data())
    return twin(data).asnumpy()


@pytest.fixture
def _quiet():
    with warnings.catch_warnings():  # what torch's compiler says about itself
        warnings.simplefilter("ignore")
        yield


@needs_compiler
@needs_vectors
@pytest.mark.usefixtures("_quiet")
def test_it_gives_what_the_default_gives():
    data = nd.random.normal(shape=(2, 2, 4, 4))
    net = _network(backend="inductor")
    for factor, is_frozen in ((1, True), (2, False), (3, False)):  # constants first, then values that may change
        net[5].weight.set_data(net[5].weight.data() * factor)
        np.testing.assert_allclose(net(data).asnumpy(), _eager(net, data), rtol=1e-4, atol=1e-5)
        (program,) = net._cached_op._programs.values()
        assert isinstance(program.backend, Inductor)
        assert program.backend._is_frozen == is_frozen
    data[1, 0, 1, 2] = np.nan  # its activations would turn it into a number
    np.testing.assert_allclose(net(data).asnumpy(), _eager(net, data), rtol=1e-4, atol=1e-5)
    assert np.isnan(net(data).asnumpy()[1]).all()
    data[1, 0, 1, 2] = 0
    memory = net[5].weight.data().as_torch().numpy()
    net(data)
    memory *= -1  # unseen by torch
    np.testing.assert_allclose(net(data).asnumpy(), _eager(net, data), rtol=1e-4, atol=1e-5)
    with mx.autograd.record():  # training takes the default way
        loss = net(data).sum()
    loss.backward()
    assert float(net[5].weight.grad().abs().sum().asscalar()) > 0


@needs_compiler
@pytest.mark.usefixtures("_quiet")
def test_a_failure_of_the_compiler_is_explained():
    net = _network(backend="inductor")
    with (
        torch._inductor.config.patch({"cpp.cxx": ("/bin/false",)}),
        pytest.raises(
            mx.MXNetError, match=r"backend='inductor': PyTorch's compiler failed\. Call hybridize\(\) without"
        ),
    ):
        net(nd.ones((1, 2, 4, 4)))


def test_an_unknown_backend_is_refused_with_the_names_there_are():
    with pytest.raises(
        ValueError, match=r"\[net\] hybridize: there is no backend 'tvm'; expected one of None, 'default'"
    ):
        _network(backend="tvm")


def test_without_a_compiler_it_says_what_to_install(monkeypatch):
    monkeypatch.setenv("PATH", "")
    monkeypatch.delenv("CXX", raising=False)
    with pytest.raises(mx.MXNetError, match=r"needs a C\+\+ compiler.*looked for g\+\+, clang\+\+\. Install one"):
        check_compiler()
    net = _network(backend="inductor")
    with pytest.raises(mx.MXNetError, match="or call hybridize\\(\\) without a backend"):
        net(nd.ones((1, 2, 4, 4)))


def test_optimize_for_is_hybridize_and_a_call():
    net, data = _network(), nd.ones((1, 2, 4, 4))
    expected = net(data).asnumpy()
    net.optimize_for(data, backend="default")
    assert net._backend == "default"
    assert net._cached_op is not None
    np.testing.assert_allclose(net(data).asnumpy(), expected, rtol=1e-6)


def test_what_draws_numbers_stays_with_the_default(monkeypatch):
    monkeypatch.setenv("PATH", "")

    class Noisy(nn.HybridBlock):
        def hybrid_forward(self, F, x):
            return x + F.random.normal(shape=(2, 2))

    net = Noisy()
    net.hybridize(backend="inductor")
    assert net(nd.ones((2, 2))).shape == (2, 2)
