"""Writes to a parameter between two of its uses inside `record()`; numbers and refusals are those of MXNet 1.9.1."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mxnet as mx
from mxnet import autograd, gluon, nd
from mxnet.base import MXNetError
from mxnet.gluon import nn

Write = Callable[["Network", gluon.Trainer, Path], None]
REFUSED = "cannot write to an array that is part of a recorded graph: gradients would be wrong"


class Network(gluon.HybridBlock):
    """x * w * w."""

    def __init__(self) -> None:
        super().__init__(prefix="net_")
        with self.name_scope():
            self.w = self.params.get("w", shape=(3,), init=mx.init.Constant(2))

    def hybrid_forward(self, F: Any, x: Any, w: Any) -> Any:
        return F.broadcast_mul(x * w, w)


def _make(mode: str) -> Network:
    net = Network()
    net.initialize()
    if mode == "hybridized":
        net.hybridize()
    return net


def _five() -> Any:
    return nd.full((3,), 5)


def _set_data(net: Network, trainer: gluon.Trainer, folder: Path) -> None:
    net.w.set_data(_five())


def _set_numpy_data(net: Network, trainer: gluon.Trainer, folder: Path) -> None:
    net.w.set_data(np.full(3, 5.0))


def _load_parameters(net: Network, trainer: gluon.Trainer, folder: Path) -> None:
    net.load_parameters(str(folder / "parameters"))


def _load_dict(net: Network, trainer: gluon.Trainer, folder: Path) -> None:
    net.collect_params().load(str(folder / "dict"))


def _assign(net: Network, trainer: gluon.Trainer, folder: Path) -> None:
    net.w.data()[:] = 5


def _assign_view(net: Network, trainer: gluon.Trainer, folder: Path) -> None:
    net.w.data()[0:2][:] = 5


def _add(net: Network, trainer: gluon.Trainer, folder: Path) -> None:
    array = net.w.data()
    array += 3


def _out(net: Network, trainer: gluon.Trainer, folder: Path) -> None:
    nd.elemwise_add(nd.ones(3), nd.ones(3), out=net.w.data())


def _copyto(net: Network, trainer: gluon.Trainer, folder: Path) -> None:
    _five().copyto(net.w.data())


def _initializer(net: Network, trainer: gluon.Trainer, folder: Path) -> None:
    mx.init.Constant(5)(mx.init.InitDesc("net_weight"), net.w.data())


def _update_operator(net: Network, trainer: gluon.Trainer, folder: Path) -> None:
    nd.sgd_update(net.w.data(), nd.ones(3), lr=-3, out=net.w.data())


def _optimizer(net: Network, trainer: gluon.Trainer, folder: Path) -> None:
    optimizer = mx.optimizer.Adam(learning_rate=1)
    optimizer.update(0, net.w.data(), nd.ones(3), optimizer.create_state(0, net.w.data()))


def _updater(net: Network, trainer: gluon.Trainer, folder: Path) -> None:
    mx.optimizer.get_updater(mx.optimizer.SGD(learning_rate=1))(0, nd.ones(3), net.w.data())


def _step(net: Network, trainer: gluon.Trainer, folder: Path) -> None:
    trainer.step(1, ignore_stale_grad=True)


def _update(net: Network, trainer: gluon.Trainer, folder: Path) -> None:
    trainer.allreduce_grads()
    trainer.update(1, ignore_stale_grad=True)


_REFUSED: list[tuple[Write, str]] = [
    (_set_data, r"\[Parameter net_w.set_data\]"),
    (_set_numpy_data, r"\[Parameter net_w.set_data\]"),
    (_load_parameters, r"\[Parameter net_w.set_data\]"),
    (_load_dict, r"\[Parameter net_w.set_data\]"),
    (_assign, r"\[x\[...\] = value\]"),
    (_assign_view, r"\[x\[...\] = value\]"),
    (_add, r"\[\+=\]"),
    (_out, r"\[elemwise_add\]"),
    (_copyto, r"\[copyto\]"),
    (_initializer, r"\[x\[...\] = value\]"),
    (_update_operator, r"\[sgd_update\]"),
    (_optimizer, r"\[adam\]"),
    (_updater, r"\[sgd\]"),
    (_step, r"\[sgd\]"),
    (_update, r"\[sgd\]"),
]


def _cast(net: Network, trainer: gluon.Trainer, folder: Path) -> None:
    net.cast("float64")
    net.cast("float32")


def _reset_ctx(net: Network, trainer: gluon.Trainer, folder: Path) -> None:
    net.collect_params().reset_ctx(mx.cpu(0))


def _reinitialize(net: Network, trainer: gluon.Trainer, folder: Path) -> None:
    net.initialize(force_reinit=True)


def _attach_grad(net: Network, trainer: gluon.Trainer, folder: Path) -> None:
    net.w.data().attach_grad()


def _request(net: Network, trainer: gluon.Trainer, folder: Path) -> None:
    net.w.grad_req = "null"
    net.w.grad_req = "write"


def _zero_grad(net: Network, trainer: gluon.Trainer, folder: Path) -> None:
    net.collect_params().zero_grad()


def _write_grad(net: Network, trainer: gluon.Trainer, folder: Path) -> None:
    net.w.grad()[:] = 7


def _pull(net: Network, trainer: gluon.Trainer, folder: Path) -> None:
    store = mx.kv.create("local")
    store.init(0, _five())
    store.pull(0, out=net.w.data())


def _paused(net: Network, trainer: gluon.Trainer, folder: Path) -> None:
    with autograd.pause():
        net.w.set_data(_five())


def _detached(net: Network, trainer: gluon.Trainer, folder: Path) -> None:
    net.w.data().detach()[:] = 5


# Allowed in MXNet too, where not noted otherwise, and the gradients of x * w * w twice: [8, 16, 24] without a write.
_ALLOWED: list[tuple[Write, list[float]]] = [
    # A new array takes the place of the old one, whose use is that of a constant.
    (_cast, [4, 8, 12]),
    (_reset_ctx, [4, 8, 12]),
    (_reinitialize, [4, 8, 12]),
    (_attach_grad, [4, 8, 12]),
    (_request, [4, 8, 12]),
    # MXNet refuses, or ends its process: gradient buffers are in no recorded graph here.
    (_zero_grad, [8, 16, 24]),
    (_write_grad, [8, 16, 24]),
    # Not recorded: the first use keeps x * w with the old w, and reads the new one.
    (_pull, [17, 34, 51]),
    (_paused, [17, 34, 51]),
    (_detached, [17, 34, 51]),
]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Files with parameters of 5."""
    net = _make("eager")
    net.w.set_data(_five())
    net.save_parameters(str(tmp_path / "parameters"))
    net.collect_params().save(str(tmp_path / "dict"))
    return tmp_path


def _trained(net: Network) -> gluon.Trainer:
    """Call the network often enough that programs are captured, and return a trainer with gradients to apply."""
    trainer = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 1.0})
    for _ in range(3):
        with autograd.record():
            y = net(nd.array([1.0, 2, 3]))
        y.backward()
    return trainer


@pytest.mark.parametrize("mode", ["eager", "hybridized"])
@pytest.mark.parametrize(("write", "who"), _REFUSED)
def test_refused(write: Write, who: str, mode: str, folder: Path) -> None:
    net = _make(mode)
    trainer = _trained(net)
    x = nd.array([1.0, 2, 3])
    with autograd.record():
        y = net(x)
        with pytest.raises(MXNetError, match=f"{who} {REFUSED}"):
            write(net, trainer, folder)
        y = y + net(x)
    y.backward()
    np.testing.assert_array_equal(net.w.data().asnumpy(), [2, 2, 2])
    np.testing.assert_array_equal(net.w.grad().asnumpy(), [8, 16, 24])


@pytest.mark.parametrize("mode", ["eager", "hybridized"])
@pytest.mark.parametrize(("write", "expected"), _ALLOWED)
def test_allowed(write: Write, expected: list[float], mode: str, folder: Path) -> None:
    net = _make(mode)
    trainer = _trained(net)
    x = nd.array([1.0, 2, 3])
    with autograd.record():
        y = net(x)
        write(net, trainer, folder)
        y = y + net(x)
    y.backward()
    np.testing.assert_array_equal(net.w.grad().asnumpy(), expected)


@pytest.mark.parametrize("mode", ["eager", "hybridized"])
def test_load_parameters_after_the_block(mode: str, folder: Path) -> None:
    """Outside of `record()` nothing is refused. The gradient of (x * w) * w reads the new w, and x * w as it was."""
    net = _make(mode)
    with autograd.record():
        y = net(nd.array([1.0, 2, 3]))
    net.load_parameters(str(folder / "parameters"))
    y.backward()
    np.testing.assert_array_equal(net.w.grad().asnumpy(), [7, 14, 21])


def test_no_context_is_written_when_one_is_refused() -> None:
    parameter = gluon.Parameter("w", shape=(2,))
    parameter.initialize(mx.init.Constant(2), ctx=[mx.cpu(0), mx.cpu(1)])
    with autograd.record(), pytest.raises(MXNetError, match=r"\[Parameter w.set_data\]"):
        parameter.set_data(nd.ones(2))
    assert [array.asnumpy().tolist() for array in parameter.list_data()] == [[2, 2], [2, 2]]


def test_a_store_that_updates_writes_outside_of_the_graph() -> None:
    """A trainer with `update_on_kvstore` updates the weights of its store, and pulls them, as in MXNet."""
    net = Network()
    contexts = [mx.cpu(0), mx.cpu(1)]
    net.initialize(ctx=contexts)
    trainer = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 1.0}, update_on_kvstore=True)
    data = [nd.array([1.0, 2, 3], ctx=context) for context in contexts]
    with autograd.record():
        losses = [net(x) for x in data]
    autograd.backward(losses, [1 / x for x in data])
    with autograd.record():
        losses = [net(x) for x in data]
        trainer.step(1)
        losses = [loss + net(x) for loss, x in zip(losses, data, strict=True)]
    autograd.backward(losses)
    for array in net.w.list_data():
        np.testing.assert_array_equal(array.asnumpy(), [-6, -6, -6])
    for gradient in net.w.list_grad():
        np.testing.assert_array_equal(gradient.asnumpy(), [-16, -32, -48])


def test_a_parameter_without_gradient_takes_a_recorded_value() -> None:
    parameter = gluon.Parameter("p", shape=(3,), grad_req="null")
    parameter.initialize(mx.init.Constant(2))
    x = nd.array([1.0, 2, 3])
    x.attach_grad()
    with autograd.record():
        parameter.set_data(x * 2)
        y = parameter.data() * parameter.data()
        with pytest.raises(MXNetError, match=r"\[Parameter p.set_data\]"):
            parameter.set_data(x * 3)
    y.backward()
    np.testing.assert_array_equal(x.grad.asnumpy(), [8, 16, 24])


def test_a_parameter_without_gradient_takes_constants() -> None:
    parameter = gluon.Parameter("p", shape=(3,), grad_req="null")
    parameter.initialize(mx.init.Constant(2))
    x = nd.array([1.0, 2, 3])
    x.attach_grad()
    for value in (3, 4):
        with autograd.record():
            parameter.set_data(nd.full((3,), value))
            y = parameter.data() * x
        y.backward()
        np.testing.assert_array_equal(x.grad.asnumpy(), [value] * 3)


def test_a_parameter_that_waits_for_its_shape() -> None:
    layer = nn.Dense(2)
    layer.initialize()
    with autograd.record():
        layer.weight.set_data(nd.ones((2, 3)))
        y = layer(nd.ones((1, 3)))
    y.backward()
    np.testing.assert_array_equal(layer.weight.data().asnumpy(), np.ones((2, 3)))
