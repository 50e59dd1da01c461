"""Ordinary programs for type checkers: they accept every line, and see the types that are asserted. Nothing runs it."""

from typing import TYPE_CHECKING, Any

import numpy as np
from typing_extensions import assert_type

import mxnet as mx
from mxnet import autograd, gluon, init, lr_scheduler, metric, nd, npx, optimizer, sym
from mxnet.gluon import nn, rnn
from mxnet.gluon.data.vision import MNIST, transforms
from regluon.operators import Operators, Result

if TYPE_CHECKING:
    from mxnet.context import Context


def arrays(x: nd.NDArray, ctx: "Context") -> None:
    assert_type(x + 1, nd.NDArray)
    assert_type(2 * x - x / np.float32(3), nd.NDArray)
    assert_type(-(x**2) % 3, nd.NDArray)
    assert_type(x > 0, nd.NDArray)
    assert_type(x == x, nd.NDArray)
    assert_type(x[0], nd.NDArray)
    assert_type(x[:, 1:3].T, nd.NDArray)
    assert_type(x.reshape(2, -1).astype("float16"), nd.NDArray)
    assert_type(x.as_in_context(ctx).copyto(mx.cpu()), nd.NDArray)
    assert_type(x.asnumpy().shape, tuple[Any, ...])
    assert_type(x.shape, tuple[int, ...])
    assert_type([row for row in x], list[nd.NDArray])  # noqa: C416
    assert_type(sum([x, x], nd.zeros(3)), nd.NDArray)
    assert_type(float(x.sum().asscalar()), float)
    x += 1
    x[0] = nd.ones((3,))
    x[:] = 0
    assert_type(x, nd.NDArray)
    assert_type(nd.array([[1, 2], [3, 4]], ctx=mx.gpu(0), dtype="float32"), nd.NDArray)
    assert_type(nd.add(x, 1), nd.NDArray)
    assert_type(nd.maximum(0, x), nd.NDArray)
    assert_type({x: 1}[x], int)


def operators(x: nd.NDArray) -> None:
    assert_type(nd.sum(x, axis=1), nd.NDArray)
    assert_type(x.sum(axis=(0, 1)), nd.NDArray)
    assert_type(nd.softmax(x, axis=-1), nd.NDArray)
    assert_type(nd.concat(x, x, dim=1), nd.NDArray)
    assert_type(nd.stack(*[x, x], axis=0), nd.NDArray)
    assert_type(nd.FullyConnected(x, x, no_bias=True, num_hidden=3), nd.NDArray)
    assert_type(nd.Convolution(x, x, kernel=(3, 3), num_filter=3, pad=1), nd.NDArray)
    assert_type(nd.sgd_mom_update(x, x, x, lr=0.1, momentum=0.9, out=x), nd.NDArray)
    assert_type(nd.random_uniform(low=-1, shape=(2, 3), dtype="float16"), nd.NDArray)
    assert_type(nd.random.normal(0, 1, shape=(2, 3), ctx=mx.cpu()), nd.NDArray)
    assert_type(nd.linalg.gemm2(x, x, transpose_a=True), nd.NDArray)
    assert_type(nd.contrib.box_iou(x, x, format="corner"), nd.NDArray)
    assert_type(nd._internal._npi_normal(loc=0.0, scale=1.0, size=(2,)), nd.NDArray)
    nd.Custom(x, op_type="mine", any_parameter=3)
    values, indices = nd.topk(x, k=2, ret_typ="both")
    nd.save("arrays.params", {"values": values, "indices": indices})


def sparse(x: nd.NDArray) -> None:
    assert_type(x.tostype("csr"), nd.sparse.CSRNDArray)
    assert_type(x.tostype("csr") * 2, nd.sparse.CSRNDArray)
    assert_type(x.tostype("csr")[0:2].indptr, nd.NDArray)
    assert_type(nd.sparse.zeros("row_sparse", (2, 3)), nd.sparse.RowSparseNDArray)
    assert_type(nd.sparse.csr_matrix(([1.0], [0], [0, 1]), shape=(1, 3)).tostype("default"), Any)
    assert_type(nd.sparse.dot(x.tostype("csr"), x), nd.NDArray)


def symbols(x: sym.Symbol) -> None:
    assert_type(x * 2 + x, sym.Symbol)
    assert_type(x[0], sym.Symbol)
    assert_type(mx.sym.var("data", shape=(1, 2)), sym.Symbol)
    assert_type(sym.Convolution(x, kernel=(3, 3), num_filter=8, name="conv", lr_mult=2, __layout__="NCHW"), sym.Symbol)
    assert_type(sym.split(x, num_outputs=2), sym.Symbol)
    assert_type(x.softmax(axis=-1), sym.Symbol)
    assert_type(mx.sym.adam_update(x, x, x, x, lr=0.1), sym.Symbol)
    assert_type(sym.Group([x, sym.BlockGrad(x)]).list_outputs(), list[str])
    module = mx.mod.Module(sym.SoftmaxOutput(x, name="softmax"), context=mx.cpu())
    module.fit(mx.io.NDArrayIter(np.zeros((4, 2)), np.zeros(4), batch_size=2), num_epoch=1)


def numpy_arrays() -> None:
    npx.set_np()
    a = mx.np.ones((2, 3))
    assert_type(a, mx.np.ndarray)
    assert_type(a + 1, mx.np.ndarray)
    assert_type((a > 0) & (a < 2), mx.np.ndarray)
    assert_type(a @ a.T, mx.np.ndarray)
    assert_type(a[0], mx.np.ndarray)
    assert_type(mx.np.sum(a, axis=0), mx.np.ndarray)
    assert_type(a.mean(axis=1, keepdims=True), mx.np.ndarray)
    assert_type(mx.np.exp(a), mx.np.ndarray)
    assert_type(mx.np.add(a, 1), mx.np.ndarray)
    assert_type(mx.np.where(a > 0, a, 0), mx.np.ndarray)
    assert_type(mx.np.random.uniform(size=(2, 3)), mx.np.ndarray)
    assert_type(mx.np.linalg.norm(a), mx.np.ndarray)
    assert_type(mx.np.concatenate([a, a], axis=0), mx.np.ndarray)
    assert_type(npx.relu(a), mx.np.ndarray)
    assert_type(npx.softmax(a, axis=-1), mx.np.ndarray)
    assert_type(a.as_nd_ndarray(), nd.NDArray)
    assert_type(nn.Dense(3)(a), mx.np.ndarray)


class Net(nn.HybridBlock):
    """A network as people write it, with types."""

    def __init__(self, hidden: int, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        with self.name_scope():
            self.body = nn.HybridSequential()
            self.body.add(nn.Conv2D(8, kernel_size=3), nn.BatchNorm(), nn.Activation("relu"), nn.MaxPool2D())
            self.dense = nn.Dense(hidden, activation="relu")
            self.scale = self.params.get("scale", shape=(1,), init=init.One())

    def hybrid_forward(self, F: Operators, x: nd.NDArray, scale: nd.NDArray) -> nd.NDArray:
        assert_type(F.relu(x), nd.NDArray)
        assert_type(self.dense(x), nd.NDArray)
        hidden = F.Dropout(self.dense(self.body(x)), p=0.5)
        return F.broadcast_mul(hidden, scale) + F.zeros((1,))


class Plain(nn.Block):
    """A network that returns a tuple."""

    def forward(self, data: nd.NDArray, mask: nd.NDArray | None = None) -> tuple[nd.NDArray, nd.NDArray]:
        return data, data if mask is None else mask


class WeightedLoss(gluon.loss.Loss):
    """A loss of one's own."""

    def hybrid_forward(self, F: Operators, pred: nd.NDArray, label: nd.NDArray) -> nd.NDArray:
        return F.mean(F.square(pred - label), axis=0, exclude=True)


class Scaled(autograd.Function):
    """An operation of one's own."""

    def forward(self, x: nd.NDArray) -> nd.NDArray:
        self.save_for_backward(x)
        return x * 2

    def backward(self, dy: nd.NDArray) -> nd.NDArray:
        return dy * 2


class Ones(mx.init.Initializer):
    """An initializer of one's own."""

    def _init_weight(self, desc: str, data: nd.NDArray) -> None:
        data[:] = 1


def train(folder: str) -> float:
    ctx = mx.gpu(0) if mx.context.num_gpus() else mx.cpu()
    to_tensor = transforms.Compose([transforms.ToTensor(), transforms.Normalize(0.13, 0.31)])
    loader = gluon.data.DataLoader(
        MNIST(folder, train=True).transform_first(to_tensor), batch_size=64, shuffle=True, num_workers=2
    )
    net = Net(10)
    net.initialize(init.Xavier(), ctx=ctx)
    net.hybridize(static_alloc=True)
    assert_type(net.collect_params(".*weight"), gluon.ParameterDict)
    schedule = lr_scheduler.FactorScheduler(step=100, factor=0.5)
    trainer = gluon.Trainer(net.collect_params(), optimizer.SGD(learning_rate=0.1, lr_scheduler=schedule))
    loss_function = gluon.loss.SoftmaxCrossEntropyLoss()
    accuracy = metric.Accuracy()
    total = 0.0
    for epoch in range(2):
        accuracy.reset()
        for data, label in loader:
            data, label = data.as_in_context(ctx), label.as_in_context(ctx)
            with autograd.record():
                output = net(data)
                loss = loss_function(output, label)
            loss.backward()
            trainer.step(data.shape[0])
            accuracy.update([label], [output])
            total += loss.mean().asscalar()
        name, value = accuracy.get()
        print(f"epoch {epoch}: {name} {value:.3f}, learning rate {trainer.learning_rate}")
    net.save_parameters("net.params")
    for key, parameter in net.collect_params().items():
        print(key, parameter.data().shape, parameter.grad().norm().asscalar())
    assert_type(net.dense.weight.data(), nd.NDArray)
    net.dense.bias.set_data(nd.zeros(10))
    return total


def layers(x: nd.NDArray, y: sym.Symbol) -> None:
    assert_type(nn.Dense(3)(x), nd.NDArray)
    assert_type(nn.Dense(3)(y), sym.Symbol)
    assert_type(nn.Embedding(3, 4)(x), nd.NDArray)
    assert_type(nn.HybridSequential()(x), Result)
    first, second = Plain()(x)
    print(first.shape, second.asnumpy(), Plain()(x)[0].sum())
    assert_type(gluon.loss.L2Loss()(x, x), nd.NDArray)
    assert_type(WeightedLoss(None, 0)(x, x), nd.NDArray)
    assert_type(Scaled()(x), Any)
    lstm = rnn.LSTM(8, num_layers=2)
    assert_type(lstm(x), nd.NDArray)
    output, states = lstm(x, lstm.begin_state(2))
    assert_type(output, nd.NDArray)
    assert_type(states, list[nd.NDArray])
    step, states = rnn.LSTMCell(8)(x, states)
    assert_type(step, nd.NDArray)
    vision = gluon.model_zoo.vision.resnet18_v1(classes=10)
    vision(x).wait_to_read()
    x.attach_grad()
    x.grad[:] = 0
    assert_type(nn.Sequential().collect_params()["weight"], gluon.Parameter)
    imported = gluon.SymbolBlock.imports("net-symbol.json", ["data"], "net-0000.params")
    imported(x).softmax()
