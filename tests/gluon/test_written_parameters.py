"""Compiled prediction reads parameters as they are now, whichever way they were written."""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
import torch

import mxnet as mx
from mxnet import autograd, gluon, nd
from mxnet.gluon import nn
from mxnet.gluon.parameter import Parameter
from regluon.array.cached_op import CachedOp

_SHAPE = (2, 4, 6, 6)


def _network() -> nn.HybridSequential:
    mx.random.seed(0)
    net = nn.HybridSequential()
    net.add(
        nn.Conv2D(8, 3, padding=1, in_channels=4, activation="relu"),
        nn.Conv2D(8, 1, in_channels=8),
        nn.BatchNorm(in_channels=8),
        nn.Activation("relu"),
        nn.Dense(3, in_units=8 * 36),
    )
    net.initialize(mx.init.Xavier())
    return net


def _by_dlpack(weight: nd.NDArray) -> Iterator[None]:
    view = torch.utils.dlpack.from_dlpack(weight.to_dlpack_for_write())
    yield
    view.mul_(-2)


def _by_dlpack_for_read(weight: nd.NDArray) -> Iterator[None]:
    view = torch.utils.dlpack.from_dlpack(weight.to_dlpack_for_read())
    yield
    view.mul_(-2)


def _by_protocol(weight: nd.NDArray) -> Iterator[None]:
    view = torch.from_dlpack(weight)
    yield
    view.mul_(-2)


def _by_numpy_over_torch(weight: nd.NDArray) -> Iterator[None]:
    view = weight.as_torch().numpy()
    yield
    view *= -2


def _by_torch(weight: nd.NDArray) -> Iterator[None]:
    view = weight.as_torch()
    yield
    view.mul_(-2)


def _by_torch_data(weight: nd.NDArray) -> Iterator[None]:
    view = weight.as_torch()
    yield
    view.data.mul_(-2)


def _in_place(weight: nd.NDArray) -> Iterator[None]:
    yield
    weight *= -2


def _by_assignment(weight: nd.NDArray) -> Iterator[None]:
    yield
    weight[:] = weight * -2


def _by_part(weight: nd.NDArray) -> Iterator[None]:
    yield
    weight[1:3] = 4


def _by_view(weight: nd.NDArray) -> Iterator[None]:
    view = weight[1:3]
    yield
    view[:] = 4


def _by_reshaped_view(weight: nd.NDArray) -> Iterator[None]:
    view = weight.reshape((-1,))
    yield
    view[:5] = 4


def _by_detached(weight: nd.NDArray) -> Iterator[None]:
    view = weight.detach()
    yield
    view[:] = 4


def _by_recorded_view(weight: nd.NDArray) -> Iterator[None]:
    with autograd.record():
        view = weight[1:3]
    yield
    view[:] = 4


def _by_view_of_a_recorded_view(weight: nd.NDArray) -> Iterator[None]:
    with autograd.record():
        view = weight.reshape((-1,))[2:9]
    yield
    view[:] = 4


def _by_numpy_front_end(weight: nd.NDArray) -> Iterator[None]:
    view = weight.as_np_ndarray()
    yield
    view[:] = 4


def _by_out(weight: nd.NDArray) -> Iterator[None]:
    yield
    nd.elemwise_add(weight, weight, out=weight)


def _by_random_out(weight: nd.NDArray) -> Iterator[None]:
    yield
    nd.random.uniform(0, 3, out=weight)


def _by_copyto(weight: nd.NDArray) -> Iterator[None]:
    yield
    nd.full(weight.shape, 0.3).copyto(weight)


def _by_update(weight: nd.NDArray) -> Iterator[None]:
    yield
    nd.sgd_mom_update(weight, nd.ones(weight.shape), nd.zeros(weight.shape), lr=0.5, out=weight)


def _by_optimizer(name: str) -> Callable[[nd.NDArray], Iterator[None]]:
    def write(weight: nd.NDArray) -> Iterator[None]:
        updater = mx.optimizer.get_updater(mx.optimizer.create(name, learning_rate=0.5))
        yield
        updater(0, nd.ones(weight.shape), weight)

    return write


_WAYS = {
    "to_dlpack_for_write": _by_dlpack,
    "to_dlpack_for_read": _by_dlpack_for_read,
    "__dlpack__": _by_protocol,
    "as_torch": _by_torch,
    "as_torch, data": _by_torch_data,
    "as_torch, numpy": _by_numpy_over_torch,
    "in place": _in_place,
    "assignment": _by_assignment,
    "part": _by_part,
    "view": _by_view,
    "reshape": _by_reshaped_view,
    "detach": _by_detached,
    "recorded view": _by_recorded_view,
    "view of a recorded view": _by_view_of_a_recorded_view,
    "mx.np": _by_numpy_front_end,
    "out": _by_out,
    "random out": _by_random_out,
    "copyto": _by_copyto,
    "operator": _by_update,
    "sgd": _by_optimizer("sgd"),
    "adam": _by_optimizer("adam"),
}


@pytest.mark.parametrize("layer", [0, 1, 2, 4])
@pytest.mark.parametrize("way", list(_WAYS))
def test_prediction_after_a_write(way: str, layer: int) -> None:
    net = _network()
    x = nd.array(np.random.RandomState(0).randn(*_SHAPE))
    parameter = net[layer].gamma if layer == 2 else net[layer].weight
    writing = _WAYS[way](parameter.data())
    net.hybridize()
    net(x)  # before the memory leaves: constants are folded
    next(writing)
    before = net(x).asnumpy()
    net(x)
    next(writing, None)
    after = net(x).asnumpy()
    net.hybridize(False)
    np.testing.assert_allclose(after, net(x).asnumpy(), rtol=1e-4, atol=1e-5)
    assert not np.allclose(before, after)


@pytest.mark.parametrize("layer", [0, 2])
def test_prediction_after_training(layer: int) -> None:
    net = _network()
    net.hybridize()
    trainer = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.5, "momentum": 0.9})
    x = nd.array(np.random.RandomState(0).randn(*_SHAPE))
    for _ in range(3):
        before = net(x).asnumpy()
        with autograd.record():
            loss = (net(x) ** 2).mean()
        loss.backward()
        trainer.step(1)
        after = net(x).asnumpy()
        assert not np.allclose(before, after)
        net.hybridize(False)
        np.testing.assert_allclose(after, net(x).asnumpy(), rtol=1e-4, atol=1e-5)
        net.hybridize()


def _shared_with_numpy(values: np.ndarray) -> tuple[nd.NDArray, np.ndarray]:
    array = nd.from_numpy(values)
    values.flags.writeable = True  # as whoever owns the memory can
    return array, values


def _shared_with_torch(values: np.ndarray) -> tuple[nd.NDArray, np.ndarray]:
    tensor = torch.tensor(values)
    return nd.from_dlpack(torch.utils.dlpack.to_dlpack(tensor)), tensor.numpy()


@pytest.mark.parametrize("share", [_shared_with_numpy, _shared_with_torch])
def test_parameters_over_foreign_memory(share: Callable[[np.ndarray], tuple[Any, np.ndarray]]) -> None:
    x, w = mx.sym.var("x"), mx.sym.var("w")
    graph = mx.sym.relu(mx.sym.FullyConnected(x, w * 2, num_hidden=3, no_bias=True))
    op = CachedOp(graph, parameters=["w"])
    data = np.random.RandomState(0).rand(2, 4).astype("float32")
    weight, memory = share(np.random.RandomState(1).rand(3, 4).astype("float32"))
    arrays = {"x": nd.array(data), "w": weight}
    for factor in (1, 5, 5):
        memory *= factor
        found = op(*[arrays[node.name] for node in op.inputs]).asnumpy()
        np.testing.assert_allclose(found, np.maximum(data @ (2 * memory.T), 0), rtol=1e-5)


def test_states_that_control_flow_updates() -> None:
    class Looping(gluon.HybridBlock):
        def __init__(self) -> None:
            super().__init__()
            with self.name_scope():
                self.norm = nn.BatchNorm(in_channels=3)

        def hybrid_forward(self, F: Any, x: Any) -> Any:
            return F.contrib.foreach(lambda row, state: (self.norm(row), state), x, [F.zeros((1,))])[0]

    net = Looping()
    net.initialize()
    net.hybridize()
    x = nd.array(np.random.RandomState(0).rand(2, 5, 3) * 9)
    for _ in range(2):
        net(x)
        with autograd.record():
            net(x)
        after = net(x).asnumpy()
        net.hybridize(False)
        np.testing.assert_allclose(after, net(x).asnumpy(), rtol=1e-5)
        net.hybridize()


def test_a_copy_for_numpy_exports_nothing() -> None:
    net = _network()
    parameter: Parameter = net[0].weight
    net.hybridize()
    x = nd.ones(_SHAPE)
    net(x)
    version = parameter.data()._t._version
    copy = parameter.data().asnumpy()
    copy[:] = 0
    assert parameter.data()._t._version == version
    assert parameter.data().asnumpy().any()
