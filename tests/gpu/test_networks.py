"""Networks on a GPU: as written, hybridized, exported; nothing waits for the device but who asks for values."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mxnet as mx
from mxnet import autograd, gluon
from mxnet.gluon import nn
from tests.gpu.devices import Watch

_GPU = mx.gpu(0)
_RUNS = 4  # a compiled program is captured in some of its first runs


class _Recurrent(gluon.HybridBlock):
    def __init__(self, layer: Any) -> None:
        super().__init__()
        with self.name_scope():
            self.layer, self.head = layer, nn.Dense(3)

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        return self.head(F.swapaxes(self.layer(x), 0, 1))


class _Masked(gluon.HybridBlock):
    """Operators with constants, indices and shapes of their own."""

    def __init__(self) -> None:
        super().__init__()
        with self.name_scope():
            self.weight = self.params.get("weight", shape=(4, 4))

    def hybrid_forward(self, F: Any, x: Any, weight: Any) -> Any:
        places = F.arange(0, 4).reshape((1, 4))
        scores = F.dot(x, weight) + F.zeros_like(x) + F.ones((1, 4)) * places
        scores = F.where(F.broadcast_lesser(places, F.ones((5, 1)) * 2), scores, F.ones_like(scores) * -1e9)
        best = F.pick(scores, F.argmax(x, axis=1), axis=1)
        return F.concat(F.softmax(scores), F.one_hot(F.argmax(x, axis=1), 4), best.expand_dims(1), dim=1)


class _Loop(gluon.HybridBlock):
    def hybrid_forward(self, F: Any, x: Any) -> Any:
        outputs, _ = F.contrib.foreach(lambda row, total: (row + total, row * total), x, F.ones((4,)))
        return outputs


def _convolutional() -> gluon.HybridBlock:
    net = nn.HybridSequential()
    net.add(nn.Conv2D(4, 3, padding=1), nn.BatchNorm(), nn.Activation("relu"), nn.MaxPool2D(), nn.Conv2D(4, 3))
    net.add(nn.LeakyReLU(0.1), nn.GlobalAvgPool2D(), nn.Flatten(), nn.Dropout(0.0), nn.Dense(3))
    return net


def _embedding() -> gluon.HybridBlock:
    net = nn.HybridSequential()
    net.add(nn.Embedding(10, 6), nn.LayerNorm(), nn.Dense(5, flatten=False, activation="tanh"), nn.Dense(2))
    return net


def _dense() -> gluon.HybridBlock:
    net = nn.HybridSequential()
    net.add(nn.Dense(8, activation="relu"), nn.BatchNorm(), nn.GELU(), nn.Dense(3))
    return net


_NETWORKS = {
    "dense": (_dense, (5, 4)),
    "convolutional": (_convolutional, (2, 3, 8, 8)),
    "embedding": (_embedding, (2, 4)),
    "lstm": (lambda: _Recurrent(gluon.rnn.LSTM(4, num_layers=2)), (3, 2, 4)),
    "gru": (lambda: _Recurrent(gluon.rnn.GRU(4, bidirectional=True)), (3, 2, 4)),
    "masked": (_Masked, (5, 4)),
    "loop": (_Loop, (3, 4)),
}


@pytest.fixture(params=_NETWORKS)
def network(request: pytest.FixtureRequest, gpus: Watch) -> tuple[gluon.HybridBlock, Any]:
    """A network that has its parameters on a GPU, and data for it there."""
    make, shape = _NETWORKS[request.param]
    net = make()
    net.initialize(mx.init.Xavier(), ctx=_GPU)
    data = np.random.default_rng(0).integers(0, 5, shape).astype("float32")
    x = mx.nd.array(data, ctx=_GPU)
    net(x)
    return net, x


def _expect_there(arrays: list[Any]) -> None:
    for array in arrays:
        assert array.context == _GPU
        assert array._t.device == _GPU.device


@pytest.mark.parametrize("options", [{}, {"static_alloc": True, "static_shape": True}], ids=["plain", "static"])
def test_prediction(network: tuple[gluon.HybridBlock, Any], options: dict[str, bool], gpus: Watch) -> None:
    net, x = network
    expected = net(x).asnumpy()
    net.hybridize(**options)
    net(x)
    gpus.clear()
    for _ in range(_RUNS):
        y = net(x)
    assert not gpus.reads
    assert not gpus.uploads
    _expect_there([y])
    np.testing.assert_allclose(y.asnumpy(), expected, rtol=1e-5, atol=1e-6)


def _gradients(net: gluon.HybridBlock, x: Any) -> list[Any]:
    with autograd.record():
        loss = (net(x) ** 2).sum()
    loss.backward()
    return [p.grad() for p in net.collect_params().values() if p.grad_req != "null"]


def test_training(network: tuple[gluon.HybridBlock, Any], gpus: Watch) -> None:
    net, x = network
    x.attach_grad()
    expected = [each.asnumpy() for each in [*_gradients(net, x), x.grad]]
    net.hybridize()
    _gradients(net, x)
    gpus.clear()
    for _ in range(_RUNS):
        gradients = [*_gradients(net, x), x.grad]
    assert not gpus.reads
    assert not gpus.uploads
    _expect_there(gradients)
    for gradient, wanted in zip(gradients, expected, strict=True):
        np.testing.assert_allclose(gradient.asnumpy(), wanted, rtol=1e-4, atol=1e-5)


def test_exported(tmp_path: Path, two_gpus: Watch) -> None:
    net = _convolutional()
    net.initialize(ctx=mx.gpu(1))
    x = mx.nd.ones((2, 3, 8, 8), ctx=mx.gpu(1))
    net.hybridize()
    expected = net(x).asnumpy()
    net.export(str(tmp_path / "net"))
    again = gluon.SymbolBlock.imports(
        str(tmp_path / "net-symbol.json"), ["data"], str(tmp_path / "net-0000.params"), ctx=mx.gpu(1)
    )
    y = again(x)
    assert y.context == mx.gpu(1)
    np.testing.assert_allclose(y.asnumpy(), expected, rtol=1e-5, atol=1e-6)


def test_executor(gpus: Watch) -> None:
    data = mx.sym.var("data")
    symbol = mx.sym.FullyConnected(mx.sym.Activation(data, act_type="relu"), num_hidden=3, name="fc")
    executor = symbol.simple_bind(_GPU, data=(2, 4))
    for array in executor.arg_arrays:
        array[:] = 0.5
    gpus.clear()
    (output,) = executor.forward(is_train=True)
    executor.backward(mx.nd.ones((2, 3), ctx=_GPU))
    assert not gpus.reads
    _expect_there([output, *executor.grad_arrays])
    np.testing.assert_allclose(output.asnumpy(), np.full((2, 3), 1.5))


def test_wrong_device(two_gpus: Watch) -> None:
    """Data on another GPU than the parameters: the error says where these are."""
    net = nn.Dense(2, in_units=3)
    net.initialize(ctx=mx.gpu(0))
    for hybridized in (False, True):
        net.hybridize(hybridized)
        with pytest.raises(RuntimeError, match=r"gpu\(1\).*gpu\(0\)"):
            net(mx.nd.ones((1, 3), ctx=mx.gpu(1)))
