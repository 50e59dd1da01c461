"""Activations, softmax, losses and the products of attention in C++ against torch's."""

import pytest
import torch
from torch.nn import functional

import mxnet as mx
from mxnet import autograd, gluon, nd
from mxnet.gluon import nn
from regluon.compiler.passes.attention import ATTENTION
from regluon.compiler.passes.rewriter import rewrite
from regluon.compiler.passes.training import TRAINING
from regluon.graph.node import in_order

pytestmark = pytest.mark.usefixtures("native")

ROWS = [(1, 1), (3, 5), (2, 4, 8), (7, 19), (64, 256), (130, 515)]
sym = mx.sym


def _drawn(*shape, seed=0):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed))


def _close(found, expected, scale=1.0):
    torch.testing.assert_close(found.double(), expected.double(), rtol=1e-4, atol=2e-6 * scale)


def _ours():
    return torch.ops.regluon


@pytest.mark.parametrize("shape", ROWS)
@pytest.mark.parametrize("has_bias", [False, True])
def test_gelu(shape, has_bias):
    data, grad, bias = _drawn(*shape) * 4, _drawn(*shape, seed=1), _drawn(shape[-1], seed=2) if has_bias else None
    exact = (data if bias is None else data + bias).double().requires_grad_()
    expected = functional.gelu(exact)
    result, slope = _ours().bias_gelu(data, bias)
    _close(result, expected.detach())
    found, sums = _ours().sloped_backward(grad, slope)
    (wanted,) = torch.autograd.grad(expected, exact, grad.double())
    _close(found, wanted)
    _close(sums, wanted.reshape(-1, shape[-1]).sum(0), 10)
    over = data.clone()
    assert torch.equal(_ours().bias_gelu_(over, bias), result)
    assert torch.equal(over, slope)


def test_gelu_of_extremes():
    data = torch.tensor([-torch.inf, -50.0, -13.3, -0.0, 0.0, 13.3, 50.0, torch.inf, torch.nan, 1e-30])
    result, slope = _ours().bias_gelu(data[1:7], None)
    torch.testing.assert_close(result, functional.gelu(data[1:7]))
    assert slope[0] == 0
    assert slope[-1] == 1
    assert _ours().bias_gelu(data, None)[0][8].isnan()


@pytest.mark.parametrize("shape", ROWS)
def test_relu(shape):
    grad, result = _drawn(*shape), _drawn(*shape, seed=1).relu()
    found, sums = _ours().relu_backward(grad, result)
    assert torch.equal(found, grad * (result > 0))
    _close(sums, found.double().reshape(-1, shape[-1]).sum(0), 10)


@pytest.mark.parametrize("shape", ROWS)
@pytest.mark.parametrize("scale", [1.0, 0.125, -3.0])
def test_softmax(shape, scale):
    data, grad = _drawn(*shape) * 9, _drawn(*shape, seed=1)
    exact = data.double().requires_grad_()
    expected = torch.softmax(exact * scale, -1)
    result = _ours().scaled_softmax(data, scale)
    torch.testing.assert_close(result.double(), expected, rtol=2e-5, atol=1e-7)
    (wanted,) = torch.autograd.grad(expected, exact, grad.double())
    _close(_ours().scaled_softmax_backward(grad, result, scale), wanted)
    _ours().scaled_softmax_(data, scale)
    assert torch.equal(data, result)


@pytest.mark.parametrize("length", [3, 8, 11])
@pytest.mark.parametrize("scale", [1.0, -0.5])
def test_softmax_far_from_zero(length, scale):
    data = torch.randn(4, length) - 700 / scale
    torch.testing.assert_close(_ours().scaled_softmax(data, scale), torch.softmax(data * scale, -1))
    classes = torch.zeros(4)
    loss, _ = _ours().cross_entropy(data * scale, classes)
    torch.testing.assert_close(loss[:, 0], -torch.log_softmax(data * scale, -1)[:, 0])


def test_softmax_of_what_is_masked():
    inf, nan = torch.inf, torch.nan
    data = torch.tensor([[0.0, -inf, 1.0], [-inf, -inf, -inf], [nan, 0.0, 1.0], [inf, 0.0, 1.0], [-100.0, 100.0, 0.0]])
    torch.testing.assert_close(_ours().scaled_softmax(data, 1.0), torch.softmax(data, -1), equal_nan=True)


@pytest.mark.parametrize("shape", [(1, 1), (5, 3), (64, 10), (2, 3, 11), (33, 1000)])
@pytest.mark.parametrize("dtype", [torch.float32, torch.int32, torch.int64])
def test_cross_entropy(shape, dtype):
    data, classes = _drawn(*shape) * 5, shape[-1]
    index = torch.randint(0, classes, shape[:-1], generator=torch.Generator().manual_seed(1)).to(dtype)
    index.view(-1)[0] = classes + 5  # counts as the last
    exact = data.double().requires_grad_()
    places = index.long().clamp(0, classes - 1)
    expected = functional.cross_entropy(exact.reshape(-1, classes), places.reshape(-1), reduction="none")
    loss, probabilities = _ours().cross_entropy(data, index)
    assert loss.shape == (*shape[:-1], 1)
    torch.testing.assert_close(loss.double().view(-1), expected, rtol=1e-5, atol=1e-5)
    grad = _drawn(*shape[:-1], 1, seed=2)
    (wanted,) = torch.autograd.grad(expected, exact, grad.double().view(-1))
    _close(_ours().cross_entropy_backward(grad, probabilities, index), wanted)


@pytest.mark.parametrize("shape", [(1,), (3, 5), (4, 7, 19), (2, 3000)])
def test_mean_square(shape):
    lhs, rhs, grad = _drawn(*shape).double(), _drawn(*shape, seed=1).double(), _drawn(shape[0], seed=2)
    lhs.requires_grad_(), rhs.requires_grad_()
    expected = ((lhs - rhs).square() * 0.7).reshape(shape[0], -1).mean(1)
    _close(_ours().mean_square(lhs.detach().float(), rhs.detach().float(), 0.7), expected.detach())
    of_lhs, of_rhs = torch.autograd.grad(expected, [lhs, rhs], grad.double())
    singles = grad, lhs.detach().float(), rhs.detach().float()
    _close(_ours().mean_square_backward(*singles, 0.7), of_lhs)
    _close(_ours().mean_square_backward(*singles, -0.7), of_rhs)


REFUSED = {
    "strides": (lambda: _ours().bias_gelu(torch.zeros(4, 3).t(), None), "expected contiguous float32"),
    "dtype": (lambda: _ours().scaled_softmax(torch.zeros(3).double(), 1.0), "expected contiguous float32"),
    "bias": (lambda: _ours().bias_gelu(torch.zeros(2, 3), torch.zeros(2)), "of 3 elements"),
    "scale": (lambda: _ours().scaled_softmax(torch.zeros(3), 0.0), "neither 0 nor infinite"),
    "classes": (lambda: _ours().cross_entropy(torch.zeros(2, 3), torch.zeros(3)), "one for each row"),
    "class dtype": (lambda: _ours().cross_entropy(torch.zeros(2, 3), torch.zeros(2).half()), "expected float32, int32"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refuses(name):
    call, text = REFUSED[name]
    with pytest.raises(RuntimeError, match=text):
        call()


def _heads(y):
    return sym.reshape(sym.transpose(sym.reshape(y, shape=(0, 0, 2, -1)), axes=(0, 2, 1, 3)), shape=(-3, 0, 0))


def _joined(y):
    return sym.reshape(sym.transpose(sym.reshape(y, shape=(-4, -1, 2, 0, 0)), axes=(0, 2, 1, 3)), shape=(0, 0, -3))


x, y = sym.var("x"), sym.var("y")
dense = sym.FullyConnected(x, num_hidden=4, flatten=False)
norm = sym.BatchNorm(x)
GRAPHS = {
    "gelu": (sym.LeakyReLU(dense, act_type="gelu"), ["FullyConnected", "_bias_gelu"]),
    "gelu read twice": (sym.LeakyReLU(dense, act_type="gelu") * dense, ["FullyConnected", "LeakyReLU", "elemwise_mul"]),
    "norm": (sym.LayerNorm(y + dense), ["FullyConnected", "_added_layer_norm"]),
    "norm of a sum": (sym.LayerNorm(x + y), ["_added_layer_norm"]),
    "norm of another axis": (sym.LayerNorm(x + y, axis=1), ["elemwise_add", "LayerNorm"]),
    "softmax": (sym.softmax(x / 8), ["_scaled_softmax"]),
    "softmax of another axis": (sym.softmax(x * 2, axis=1), ["_mul_scalar", "softmax"]),
    "squares": (sym.mean(sym.square(x - y) * 0.5, axis=0, exclude=True), ["_mean_square"]),
    "batch norm": (sym.relu(norm), ["_batch_norm_activated"]),
    "batch norm and sum": (sym.Activation(y + norm, act_type="relu"), ["_batch_norm_activated"]),
    "batch norm read twice": (sym.Group([sym.relu(norm), norm]), ["BatchNorm", "relu"]),
    "scores": (sym.batch_dot(_heads(x), _heads(y), transpose_b=True), ["_head_scores"]),
    "mix": (_joined(sym.batch_dot(x, _heads(y))), ["_head_mix"]),
}


@pytest.mark.parametrize("name", GRAPHS)
def test_passes(name):
    net, expected = GRAPHS[name]
    heads = rewrite(net._heads, (*ATTENTION, *TRAINING))
    assert [node.op_name for node in in_order(heads) if not node.is_variable] == expected


class _Encoder(gluon.HybridBlock):
    def __init__(self):
        super().__init__()
        self.query, self.key, self.value, self.joined, self.narrow = (nn.Dense(8, flatten=False) for _ in range(5))
        self.wide, self.gelu, self.one, self.two = (
            nn.Dense(12, flatten=False),
            nn.GELU(),
            nn.LayerNorm(),
            nn.LayerNorm(),
        )

    def hybrid_forward(self, F, x):
        def heads(y):
            return F.reshape(F.transpose(F.reshape(y, shape=(0, 0, 2, -1)), axes=(0, 2, 1, 3)), shape=(-3, 0, 0))

        scores = F.batch_dot(heads(self.query(x)), heads(self.key(x)), transpose_b=True)
        mixed = F.batch_dot(F.softmax(scores * 0.5), heads(self.value(x)))
        together = F.transpose(F.reshape(mixed, shape=(-4, -1, 2, 0, 0)), axes=(0, 2, 1, 3))
        x = self.one(x + self.joined(F.reshape(together, shape=(0, 0, -3))))
        return self.two(x + self.narrow(self.gelu(self.wide(x))))


def _trained(make, hybridize, runs=1, shape=(3, 5, 8), loss=gluon.loss.L2Loss):
    net, measure = make(), loss()
    net.initialize()
    data = nd.array(_drawn(*shape).numpy())
    net(data)
    for number, parameter in enumerate(net.collect_params().values()):
        parameter.set_data(nd.array((_drawn(*parameter.shape, seed=number) * 0.4).numpy()))
    if hybridize:
        net.hybridize(), measure.hybridize()
    label = nd.array((_drawn(*shape, seed=9) if loss is gluon.loss.L2Loss else torch.arange(shape[0]) % 3).numpy())
    data.attach_grad()
    for _ in range(runs):
        with autograd.record():
            value = measure(net(data), label)
        value.backward()
    return [value, data.grad, *[parameter.grad() for parameter in net.collect_params().values()]]


def _perceptron():
    net = nn.HybridSequential()
    net.add(nn.Dense(7, activation="relu"), nn.Dense(5, activation="relu"), nn.Dense(3))
    return net


@pytest.mark.parametrize("runs", [1, 3, 14])  # checked, quick, replayed
@pytest.mark.parametrize("kind", ["encoder", "perceptron"])
def test_compiled_networks_give_what_plain_ones_give(kind, runs):
    given = {
        "encoder": (_Encoder, {}),
        "perceptron": (_perceptron, {"shape": (6, 4), "loss": gluon.loss.SoftmaxCrossEntropyLoss}),
    }
    make, params = given[kind]
    for found, expected in zip(_trained(make, True, runs, **params), _trained(make, False, **params), strict=True):
        torch.testing.assert_close(found._t, expected._t, rtol=1e-3, atol=1e-5)
