"""A layer, a gradient and an initializer of one's own."""

from typing import Any

import mxnet as mx
from mxnet import autograd, gluon, nd
from mxnet.gluon import nn


class CenteredLayer(nn.Block):
    """A layer without parameters."""

    def forward(self, x: nd.NDArray) -> nd.NDArray:
        return x - x.mean()


class MyDense(nn.Block):
    """A layer with parameters of its own."""

    def __init__(self, units: int, in_units: int, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        with self.name_scope():
            self.weight = self.params.get("weight", shape=(in_units, units))
            self.bias = self.params.get("bias", shape=(units,))

    def forward(self, x: nd.NDArray) -> nd.NDArray:
        return nd.relu(nd.dot(x, self.weight.data()) + self.bias.data())


class Sigmoid(autograd.Function):
    """An operation whose gradient is written by hand."""

    def forward(self, x: nd.NDArray) -> nd.NDArray:
        y = 1 / (1 + nd.exp(-x))
        self.save_for_backward(y)
        return y

    def backward(self, dy: nd.NDArray) -> nd.NDArray:
        (y,) = self.saved_tensors
        return dy * y * (1 - y)


class BigOrNothing(mx.init.Initializer):
    """Uniform numbers, the small ones set to zero."""

    def _init_weight(self, name: str, data: nd.NDArray) -> None:
        print(f"initializing {name} {data.shape}")
        data[:] = nd.random.uniform(-10, 10, shape=data.shape)
        data *= data.abs() >= 5


class MyNet(nn.Block):
    """All of them together."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        with self.name_scope():
            self.layers = nn.Sequential()
            self.layers.add(MyDense(8, in_units=64), MyDense(4, in_units=8), CenteredLayer())

    def forward(self, x: nd.NDArray) -> nd.NDArray:
        return Sigmoid()(self.layers(x))


def main() -> gluon.Block:
    mx.random.seed(1)
    net = MyNet()
    net.initialize(BigOrNothing())
    x = nd.random.uniform(shape=(2, 64))
    with autograd.record():
        y = net(x)
    y.backward()
    print(net)
    print("outputs", y)
    print("gradient of the first bias", net.layers[0].bias.grad())
    return net


if __name__ == "__main__":
    main()
