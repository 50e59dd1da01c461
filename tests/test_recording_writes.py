"""Arrays written between forward and backward: a gradient reads what stands in memory when backward() runs.

The numbers are those of MXNet 1.9.1.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch

import mxnet as mx
from mxnet import autograd, gluon, nd
from mxnet.base import MXNetError
from mxnet.gluon import nn

Write = Callable[[Any], Any]


def _assign(x: Any) -> None:
    x[:] = 2


def _add(x: Any) -> None:
    x += 1


def _assign_part(x: Any) -> None:
    x[1:2] = 9


def _copy(x: Any) -> None:
    nd.ones((3,)).copyto(x)


def _out(x: Any) -> None:
    nd.elemwise_add(x, x, out=x)


def _view(x: Any) -> None:
    x[1:3][:] = 7


def _reshaped(x: Any) -> None:
    x.reshape((3, 1))[:] = 7


def _full(x: Any) -> None:
    nd.full((3,), 5, out=x)


def _zeros(x: Any) -> None:
    nd.zeros((3,), out=x)


def _update(x: Any) -> None:
    nd.sgd_update(x, nd.ones((3,)), lr=0.5, out=x)


def _numpy(x: Any) -> None:
    x[:] = np.array([7, 8, 9.0])


def _multiply(x: Any) -> None:
    x *= 2


def _detached(x: Any) -> None:
    x.detach()[:] = 3


def _dlpack(x: Any) -> None:
    torch.from_dlpack(x)[:] = 2


# A way to write, and the gradients of w * x of w, of x * x * x of x, and of y * y with y = exp(x) of x, when x, x and y
# are written.
_WRITES: list[tuple[Write, list[float], list[float], list[float]]] = [
    (_assign, [2, 2, 2], [9, 12, 17], [8, 8, 8]),
    (_add, [5, 6, 7], [9, 22, 41], [27.651237, 140.75253, 889.1997]),
    (_assign_part, [4, 9, 6], [3, 166, 27], [14.778111, 162, 806.8576]),
    (_copy, [1, 1, 1], [3, 6, 11], [2, 2, 2]),
    (_out, [8, 10, 12], [9, 36, 81], [59.112446, 436.78522, 3227.4304]),
    (_view, [4, 7, 7], [3, 102, 107], [14.778111, 98, 98]),
    (_reshaped, [7, 7, 7], [99, 102, 107], [98, 98, 98]),
    (_full, [5, 5, 5], [51, 54, 59], [50, 50, 50]),
    (_zeros, [0, 0, 0], [1, 4, 9], [0, 0, 0]),
    (_update, [3.5, 4.5, 5.5], [1.5, 8.5, 21.5], [9.841548, 94.91819, 767.1865]),
    (_numpy, [7, 8, 9], [99, 132, 171], [98, 128, 162]),
    (_multiply, [8, 10, 12], [9, 36, 81], [59.112446, 436.78522, 3227.4304]),
    (_detached, [3, 3, 3], [19, 22, 27], [18, 18, 18]),
    (_dlpack, [2, 2, 2], [9, 12, 17], [8, 8, 8]),
]


@pytest.mark.parametrize(("write", "of_constant", "of_variable", "of_result"), _WRITES)
def test_eager(write: Write, of_constant: list[float], of_variable: list[float], of_result: list[float]) -> None:
    w, x = nd.array([1.0, 2, 3]), nd.array([4.0, 5, 6])
    w.attach_grad()
    with autograd.record():
        y = w * x
    write(x)
    y.backward()
    np.testing.assert_allclose(w.grad.asnumpy(), of_constant)

    x = nd.array([1.0, 2, 3])
    x.attach_grad()
    with autograd.record():
        y = x * x * x
    write(x)
    y.backward()
    np.testing.assert_allclose(x.grad.asnumpy(), of_variable)

    x[:] = [1, 2, 3]
    with autograd.record():
        y = nd.exp(x)
        z = y * y
    write(y)
    z.backward()
    np.testing.assert_allclose(x.grad.asnumpy(), of_result, rtol=1e-5)


@pytest.mark.parametrize("operator", ["broadcast_mul", "elemwise_mul", "dot", "nd.invoke", "reversed"])
def test_constants_of_all_operators(operator: str) -> None:
    w, x = nd.array([[1.0, 2], [3, 4]]), nd.array([[5.0, 6], [7, 8]])
    w.attach_grad()
    with autograd.record():
        if operator == "dot":
            y = nd.dot(w, x)
        elif operator == "reversed":
            y = x * w
        elif operator == "nd.invoke":
            y = nd.where(nd.array([[1.0, 1], [1, 1]]), w, x) * x
        else:
            y = getattr(nd, operator)(w, x)
    x[:] = 2
    y.backward()
    np.testing.assert_array_equal(w.grad.asnumpy(), np.full((2, 2), 4.0 if operator == "dot" else 2.0))


def test_a_constant_that_stays_in_use() -> None:
    """The graph keeps an alias of it: writes are seen by both."""
    w, x = nd.array([1.0, 2]), nd.array([3.0, 4])
    w.attach_grad()
    with autograd.record():
        y = w * x
        x += 1
        z = y * x
    z.backward()
    np.testing.assert_array_equal(w.grad.asnumpy(), [16, 25])


def test_a_gradient_that_took_part() -> None:
    x = nd.array([1.0, 2])
    x.attach_grad()
    x.grad[:] = 3
    with autograd.record():
        y = x * x.grad
    y.backward(retain_graph=True)
    np.testing.assert_array_equal(x.grad.asnumpy(), [3, 3])
    y.backward()
    np.testing.assert_array_equal(x.grad.asnumpy(), [3, 3])


def test_the_mask_of_a_comparison() -> None:
    """Integers and bools keep their place in the graph when an alias stands for them."""
    x = nd.array([1.0, -2, 3])
    x.attach_grad()
    with autograd.record():
        mask = x > 0
        y = x * mask
    mask[:] = 5
    y.backward()
    np.testing.assert_array_equal(x.grad.asnumpy(), [5, 5, 5])


@pytest.mark.parametrize("write", [_assign, _add, _assign_part, _copy, _out, _full, _zeros, _update])
def test_inside_of_record(write: Write) -> None:
    x = nd.array([1.0, 2, 3])
    x.attach_grad()
    with autograd.record():
        y = x * 2
        for array in (x, y):
            with pytest.raises(MXNetError, match="cannot write to an array that is part of a recorded graph"):
                write(array)


def _dense(hybridized: bool) -> Any:
    net = nn.HybridSequential()
    net.add(nn.Dense(2, in_units=3, activation="relu"), nn.Dense(1, in_units=2))
    net.initialize(mx.init.Constant(0.5))
    if hybridized:
        net.hybridize()
    return net


# What is written, and the gradients of x, and of the weights and biases of the layers.
_NETWORK_WRITES = {
    "x": ([0.5, 0.5, 0.5], [5, 5, 5, 5, 5, 5], [0.5, 0.5], [3, 3], [1]),
    "first": ([1, 1, 1], [0.5, 1, 1.5, 0.5, 1, 1.5], [0.5, 0.5], [3, 3], [1]),
    "second": ([3, 3, 3], [3, 6, 9, 3, 6, 9], [3, 3], [3, 3], [1]),
    "y": ([0.5, 0.5, 0.5], [0.5, 1, 1.5, 0.5, 1, 1.5], [0.5, 0.5], [3, 3], [1]),
}


def check_network(hybridized: bool, written: str, steps: int) -> None:
    """Compares the gradients of a network whose arrays are written between forward and backward."""
    net = _dense(hybridized)
    x = nd.array([[1.0, 2, 3]])
    x.attach_grad()
    for _ in range(steps):
        x[:] = nd.array([[1.0, 2, 3]])
        net[0].weight.set_data(nd.full((2, 3), 0.5))
        net[1].weight.set_data(nd.full((1, 2), 0.5))
        with autograd.record():
            y = net(x)
        if written == "x":
            x[:] = 10
        elif written == "first":
            net[0].weight.set_data(nd.ones((2, 3)))
        elif written == "second":
            net[1].weight.set_data(nd.ones((1, 2)) * 3)
        else:
            y[:] = 7
        y.backward()
        found = [x.grad, *[each.grad() for each in net.collect_params().values()]]
        for one, other in zip(found, _NETWORK_WRITES[written], strict=True):
            np.testing.assert_allclose(one.asnumpy().reshape(-1), other)


@pytest.mark.parametrize("hybridized", [False, True])
@pytest.mark.parametrize("written", list(_NETWORK_WRITES))
def test_network(written: str, hybridized: bool) -> None:
    check_network(hybridized, written, 2)


@pytest.mark.parametrize("written", ["a", "b", "output"])
def test_executor(written: str) -> None:
    a, b = nd.array([1.0, 2]), nd.array([3.0, 4])
    grad = nd.zeros((2,))
    graph = mx.sym.exp(mx.sym.var("a")) * mx.sym.var("b")
    executor = graph.bind(mx.cpu(), {"a": a, "b": b}, args_grad={"a": grad})
    executor.forward(is_train=True)
    if written == "a":
        a[:] = 0
    elif written == "b":
        b[:] = 10
    else:
        executor.outputs[0][:] = 7
    executor.backward(nd.ones((2,)))
    expected = [27.182817, 73.890564] if written == "b" else [8.154845, 29.556225]
    np.testing.assert_allclose(grad.asnumpy(), expected, rtol=1e-6)


def test_two_trainers_on_shared_weights() -> None:
    """A step of one between the forward and the backward of the other."""
    net = _dense(False)
    trainer = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 1.0})
    x = nd.array([[1.0, 2, 3]])
    with autograd.record():
        first, second = net(x), net(x) * 2
    first.backward(retain_graph=True)
    trainer.step(1)
    second.backward()
    # With the weight of the second layer as it is after the step: 0.5 - 3.
    np.testing.assert_allclose(net[0].bias.grad().asnumpy(), [-5, -5])
