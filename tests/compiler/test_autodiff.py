"""Compiled training: gradients as the operators have them, delivered once, and memory given back."""

import gc
import weakref

import numpy as np
import pytest
import torch

import mxnet as mx
from mxnet import autograd, gluon, nd
from mxnet.gluon import nn
from regluon.config import switches
from regluon.kernels import convolution as convolution_kernels


class _Net(gluon.HybridBlock):
    """Layers with written-out gradients around one that torch differentiates."""

    def __init__(self, dropout: float = 0.0) -> None:
        super().__init__()
        with self.name_scope():
            self.conv = nn.Conv2D(4, 3, activation="relu")
            self.norm = nn.BatchNorm()
            self.pool = nn.MaxPool2D()
            self.drop = nn.Dropout(dropout)
            self.dense = nn.Dense(3)

    def hybrid_forward(self, F, x):
        x = self.pool(self.norm(self.conv(x)))
        return self.dense(self.drop(F.exp(-x) * x))


def _made(dropout: float = 0.0, hybrid: bool = True, seed: int = 0) -> _Net:
    net = _Net(dropout)
    net.initialize()
    net(nd.zeros((2, 2, 8, 8)))
    rng = np.random.default_rng(seed)
    for parameter in net.collect_params().values():
        kind = parameter.name.rpartition("_")[2]
        if kind in ("weight", "bias", "beta"):
            parameter.set_data(nd.array(rng.normal(size=parameter.shape) * 0.3))
    net.hybridize(hybrid)
    return net


def _data(seed: int = 1) -> nd.NDArray:
    return nd.array(np.random.default_rng(seed).normal(size=(2, 2, 8, 8)))


def _grads(net: _Net) -> list[np.ndarray]:
    return [p.grad().asnumpy() for p in net.collect_params().values() if p.grad_req != "null"]


def _check(found: list[np.ndarray], expected: list[np.ndarray]) -> None:
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_allclose(one, other, rtol=2e-4, atol=1e-5)


def _backward(net: _Net, x: nd.NDArray) -> None:
    with autograd.record():
        loss = (net(x) ** 2).sum()
    loss.backward()


def test_as_eager() -> None:
    nets = [_made(hybrid=hybrid) for hybrid in (True, False)]
    inputs = [_data(), _data()]
    for net, x in zip(nets, inputs):
        x.attach_grad()
        for _ in range(3):
            _backward(net, x)
    _check([*_grads(nets[0]), inputs[0].grad.asnumpy()], [*_grads(nets[1]), inputs[1].grad.asnumpy()])
    for one, other in zip(nets[0].collect_params().values(), nets[1].collect_params().values()):
        np.testing.assert_allclose(one.data().asnumpy(), other.data().asnumpy(), rtol=1e-5, atol=1e-6)


def test_requests_write_add_null() -> None:
    net, reference = _made(), _made()
    _backward(reference, _data())
    net.conv.weight.grad_req = "add"
    net.dense.weight.grad_req = "null"
    for _ in range(2):
        _backward(net, _data())
    expected = reference.conv.weight.grad().asnumpy()
    np.testing.assert_allclose(net.conv.weight.grad().asnumpy(), 2 * expected, rtol=1e-4, atol=1e-5)
    _check([net.conv.bias.grad().asnumpy()], [reference.conv.bias.grad().asnumpy()])


def test_used_twice_in_one_recording() -> None:
    """The parts of a weight's gradient add up, whoever has them first."""
    nets = [_made(hybrid=hybrid) for hybrid in (True, False)]
    for net in nets:
        with autograd.record():
            out = net(_data(1)) * net(_data(2)) + net.dense.bias.data() ** 2
            loss = out.sum()
        loss.backward()
    _check(_grads(nets[0]), _grads(nets[1]))
    for net in nets:  # and the next backward writes anew
        _backward(net, _data(3))
    _check(_grads(nets[0]), _grads(nets[1]))


def test_backward_again_needs_retain_graph() -> None:
    net = _made()
    with autograd.record():
        loss = net(_data()).sum()
    loss.backward(retain_graph=True)
    first = _grads(net)
    loss.backward()
    _check(_grads(net), first)
    with pytest.raises(mx.MXNetError, match="retain_graph=True"):
        loss.backward()


def test_gradients_asked_for_by_name_leave_buffers_alone() -> None:
    nets = [_made(hybrid=hybrid) for hybrid in (True, False)]
    found = []
    for net in nets:
        weights = [net.conv.weight.data(), net.dense.bias.data()]
        with autograd.record():
            loss = (net(_data()) ** 2).sum()
        found.append([grad.asnumpy() for grad in autograd.grad(loss, weights)])
        assert not net.conv.weight.grad().asnumpy().any()
    _check(*found)


def test_second_derivatives() -> None:
    found = []
    for hybrid in (True, False):
        net, x = _made(hybrid=hybrid), _data()
        x.attach_grad()
        with autograd.record():
            grad = autograd.grad((net(x) ** 3).sum(), x, create_graph=True)[0]
            penalty = (grad * grad).sum()
        penalty.backward()
        found.append([x.grad.asnumpy(), *_grads(net)])
    for one, other in zip(*found, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-3, atol=1e-3)


def test_dropout_differentiates_what_it_drew() -> None:
    net, x = _made(dropout=0.5), _data()
    x.attach_grad()
    mx.random.seed(3)
    with autograd.record():
        out = net(x)
    out.backward()
    grad = x.grad.asnumpy()
    mx.random.seed(3)
    with autograd.record():
        again = net(x)
        second = autograd.grad(again, x, create_graph=True)[0]  # runs the graph once more, with the same numbers
    np.testing.assert_array_equal(again.asnumpy(), out.asnumpy())
    np.testing.assert_allclose(second.asnumpy(), grad, rtol=1e-4, atol=1e-5)


def test_only_wanted_gradients_are_computed() -> None:
    net = _made()
    net.collect_params().setattr("grad_req", "null")
    net.dense.weight.grad_req = "write"
    _backward(net, _data())
    reference = _made()
    _backward(reference, _data())
    _check([net.dense.weight.grad().asnumpy()], [reference.dense.weight.grad().asnumpy()])


def test_a_gradient_somebody_looks_at_is_written_in_place() -> None:
    net = _made()
    view = net.dense.weight.grad()[0:2]
    _backward(net, _data())
    np.testing.assert_array_equal(view.asnumpy(), net.dense.weight.grad().asnumpy()[:2])
    assert view.asnumpy().any()


def test_memory_is_given_back_by_backward() -> None:
    """Though the results of the network are still held."""
    net = _made()
    with autograd.record():
        out = net(_data())
        loss = out.sum()
    kept = _saved_tensors(out)
    assert any(reference() is not None for reference in kept)
    loss.backward()
    gc.collect()
    assert all(reference() is None for reference in kept)
    assert out.asnumpy().any()


def _saved_tensors(array: nd.NDArray) -> list[weakref.ref]:
    """What the stages of the run that made an array keep, apart from parameters."""
    found: list[weakref.ref] = []

    def look(value: object) -> None:
        if isinstance(value, torch.Tensor):
            if not value.requires_grad:
                found.append(weakref.ref(value))
        elif isinstance(value, (list, tuple)):
            for item in value:
                look(item)

    look(array._node.grad_fn.saved)
    return found


def test_results_that_are_inputs_or_need_no_gradient() -> None:
    class Passing(gluon.HybridBlock):
        def hybrid_forward(self, F, x, y):
            return x, x * 2, F.argmax(x, axis=1), y

    net = Passing()
    net.hybridize()
    x, y = nd.array([[1.0, 5.0]]), nd.array([3.0])
    x.attach_grad()
    with autograd.record():
        same, doubled, place, other = net(x, y)
        loss = (same * doubled).sum() + place.sum() + other.sum()
    loss.backward()
    np.testing.assert_allclose(x.grad.asnumpy(), [[4.0, 20.0]])
    assert place.asnumpy() == [1.0]


def test_usual_kernels_if_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MXNET_AUTOTUNE", "1")
    chosen: list[bool] = []
    convolve = convolution_kernels.run_best
    monkeypatch.setattr(
        convolution_kernels, "run_best", lambda *args: (chosen.append(switches.autotune), convolve(*args))[1]
    )
    net = _made()
    net.hybridize(autotune=False)
    _backward(net, _data())
    assert chosen == [False, False]  # the convolution, and the gradient of its weight
    assert switches.autotune


def test_errors_name_the_node() -> None:
    net = nn.Dense(3, in_units=4)
    net.initialize()
    net.hybridize()
    with autograd.record():
        net(nd.zeros((2, 4)))
        with pytest.raises(
            mx.MXNetError,
            match=r"\[Dense dense\d+\].*expects 4 features per sample, received 5\s+in net \(dense\d+: Dense",
        ):
            net(nd.zeros((2, 5)))


def test_ever_new_shapes_do_not_grow_it() -> None:
    net = nn.Dense(1, in_units=2)
    net.initialize()
    net.hybridize()
    with autograd.record():
        for rows in range(1, 300):
            net(nd.zeros((rows, 2)))
    (program,) = net._cached_op._programs.values()
    assert len(program.gradient_programs) <= 256
