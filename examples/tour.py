"""A tour of the foundations: arrays, views, gradients, a small regression, files, and the way to PyTorch and back."""

import os
import tempfile

import mxnet as mx
from mxnet import autograd, nd


def arrays() -> None:
    """Arrays behave as MXNet's do, and print as they did."""
    x = nd.arange(12).reshape((3, 4))
    row = x[1]  # a view: the next line changes x
    row[:] = -1
    print("x =", x)
    print("x.sum(axis=1) =", x.sum(axis=1))
    print("int32 stays int32: ", (nd.array([1, 2], dtype="int32") + 1.5).asnumpy())


def gradients() -> None:
    """Only what happens inside record() is differentiated."""
    x = nd.array([[1, 2], [3, 4]])
    x.attach_grad()
    with autograd.record():
        y = x * 2
        z = y * x
    z.backward()
    print("dz/dx = 4x:", x.grad)


def regression() -> None:
    """Linear regression with nothing but arrays: the first program of the book."""
    mx.random.seed(1)
    true_w, true_b = nd.array([2, -3.4]).reshape((2, 1)), 4.2
    features = nd.random.normal(shape=(1000, 2))
    labels = nd.dot(features, true_w) + true_b + 0.01 * nd.random.normal(shape=(1000, 1))
    w, b = nd.random.normal(scale=0.01, shape=(2, 1)), nd.zeros((1,))
    for parameter in (w, b):
        parameter.attach_grad()
    for epoch in range(3):
        order = nd.random.shuffle(nd.arange(1000))
        for start in range(0, 1000, 10):
            batch = order[start : start + 10]
            x, y = nd.take(features, batch), nd.take(labels, batch)
            with autograd.record():
                loss = ((nd.dot(x, w) + b - y) ** 2 / 2).sum()
            loss.backward()
            for parameter in (w, b):
                parameter[:] = parameter - 0.03 * parameter.grad / 10
        error = ((nd.dot(features, w) + b - labels) ** 2 / 2).mean().asscalar()
        print(f"epoch {epoch + 1}, loss {error:.6f}, w {w.reshape(-1).asnumpy().round(3)}, b {b.asscalar():.3f}")


def files() -> None:
    """Files are MXNet's, byte for byte; the suffix .safetensors chooses that format."""
    with tempfile.TemporaryDirectory() as folder:
        for name in ("net.params", "net.safetensors"):
            path = os.path.join(folder, name)
            nd.save(path, {"weight": nd.ones((2, 2)), "bias": nd.zeros((2,))})
            print(f"{name}: {os.path.getsize(path)} bytes, loads as {sorted(nd.load(path))}")


def torch_and_back() -> None:
    """The memory is PyTorch's: no copy in either direction."""
    x = nd.zeros((2, 2))
    x.as_torch()[0, 0] = 7
    print("written through torch:", x)


def errors() -> None:
    """Errors come at the call and say what to do."""
    try:
        nd.FullyConnected(nd.ones((2, 3)), nd.ones((4, 5)), num_hidden=4, no_bias=True)
    except mx.MXNetError as error:
        print(f"{type(error).__name__}: {error}")


if __name__ == "__main__":
    for part in (arrays, gradients, regression, files, torch_and_back, errors):
        print(f"\n== {part.__name__.replace('_', ' ')} ==")
        part()
