"""A tour of the library in a few seconds: one short test for each big thing."""

import numpy as np
import torch

import mxnet as mx
from mxnet import autograd, nd


def test_arrays():
    x = nd.array([[1, 2], [3, 4]])
    x[1] = 10
    assert (x + 1).asnumpy().tolist() == [[2, 3], [11, 11]]
    assert str(x) == "\n[[ 1.  2.]\n [10. 10.]]\n<NDArray 2x2 @cpu(0)>"


def test_operators():
    x = nd.arange(6).reshape((2, 3))
    assert nd.sum(x, axis=1).asnumpy().tolist() == [3, 12]
    assert x.max().asscalar() == 5
    assert nd.dot(x, x.T).shape == (2, 2)


def test_gradients():
    x = nd.array([1, 2, 3])
    x.attach_grad()
    with autograd.record():
        loss = (x * x).sum()
    loss.backward()
    assert x.grad.asnumpy().tolist() == [2, 4, 6]


def test_learning():
    mx.random.seed(1)
    data = nd.random.normal(shape=(64, 2))
    target = nd.dot(data, nd.array([[2.0], [-3.0]])) + 0.5
    weight, bias = nd.zeros((1, 2)), nd.zeros(1)
    for parameter in (weight, bias):
        parameter.attach_grad()
    for _ in range(100):
        with autograd.record():
            loss = ((nd.FullyConnected(data, weight, bias, num_hidden=1) - target) ** 2).mean()
        loss.backward()
        for parameter in (weight, bias):
            parameter -= 0.1 * parameter.grad
    np.testing.assert_allclose(weight.asnumpy(), [[2, -3]], atol=1e-3)
    np.testing.assert_allclose(bias.asnumpy(), [0.5], atol=1e-3)


def test_own_gradients():
    class Straight(autograd.Function):
        def forward(self, x):
            return x.round()

        def backward(self, grad):
            return grad

    x = nd.array([0.4, 1.6])
    x.attach_grad()
    with autograd.record():
        y = Straight()(x) * 2
    y.backward()
    assert x.grad.asnumpy().tolist() == [2, 2]


def test_contexts():
    with mx.cpu(1):
        x = nd.ones(2)
    assert x.context == mx.cpu(1)
    assert x.as_in_context(mx.cpu()).context == mx.cpu()


def test_random_numbers():
    mx.random.seed(42)
    first = nd.random.uniform(shape=3).asnumpy()
    mx.random.seed(42)
    assert (nd.random.uniform(shape=3).asnumpy() == first).all()


def test_files(tmp_path):
    for name in ("net.params", "net.safetensors"):
        nd.save(tmp_path / name, {"weight": nd.arange(3)})
        assert nd.load(tmp_path / name)["weight"].asnumpy().tolist() == [0, 1, 2]


def test_other_libraries():
    tensor = torch.zeros(2)
    nd.from_torch(tensor)[:] = 1
    assert tensor.tolist() == [1, 1]
    assert np.from_dlpack(nd.ones(2)).tolist() == [1, 1]


def test_errors_say_what_to_do():
    try:
        nd.FullyConnected(nd.ones((2, 3)), nd.ones((4, 5)), num_hidden=4, no_bias=True)
    except mx.MXNetError as error:
        text = str(error)
    assert text.startswith("[FullyConnected] received data float32(2, 3), weight float32(4, 5): ")
