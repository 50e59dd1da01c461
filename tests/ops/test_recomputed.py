"""Gradients that are computed from inputs as they are in `backward`; see also test_written_arrays.py."""

from typing import Any

import numpy as np
import pytest

from mxnet import autograd, gluon, nd


def _gradients(function: Any, values: Any, order: int) -> np.ndarray:
    """Return the gradient of the given order of the sum of `function`."""
    x = nd.array(values, dtype="float64")
    x.attach_grad()
    with autograd.record():
        y = function(x)
        for _ in range(order - 1):
            y = autograd.grad(y, [x], create_graph=True)[0]
    y.backward()
    return x.grad.asnumpy()


@pytest.mark.parametrize(
    ("function", "first", "second"),
    [
        (nd.reciprocal, lambda x: -1 / x**2, lambda x: 2 / x**3),
        (nd.rsqrt, lambda x: -0.5 * x**-1.5, lambda x: 0.75 * x**-2.5),
        (nd.expm1, np.exp, np.exp),
        (nd.rcbrt, lambda x: -1 / 3 * x ** (-4 / 3), lambda x: 4 / 9 * x ** (-7 / 3)),
        (lambda x: nd.smooth_l1(x, scalar=1.0), lambda x: np.minimum(x, 1), lambda x: 1.0 * (x < 1)),
        (lambda x: nd.contrib.quadratic(x, a=2, b=3, c=1), lambda x: 4 * x + 3, lambda x: 4 + 0 * x),
        (nd.hard_sigmoid, lambda x: 0.2 * (x < 2.5), lambda x: 0 * x),
    ],
    ids=["reciprocal", "rsqrt", "expm1", "rcbrt", "smooth_l1", "quadratic", "hard_sigmoid"],
)
def test_first_and_second_derivatives(function: Any, first: Any, second: Any) -> None:
    x = np.array([0.25, 0.75, 3.0])
    np.testing.assert_allclose(_gradients(function, x, 1), first(x), rtol=1e-9)
    np.testing.assert_allclose(_gradients(function, x, 2), second(x), rtol=1e-9, atol=1e-12)


def test_second_derivative_of_unit_length() -> None:
    """Compared with central differences of the first, which is (g - y * sum(g * y)) / length."""
    x, weights = np.array([[0.5, -1.0, 2.0], [1.5, 0.3, -0.7]]), np.array([[1.0, 2, -1], [0.5, 1, 3]])

    def first(values: np.ndarray) -> np.ndarray:
        length = np.sqrt((values**2).sum(1, keepdims=True) + 1e-10)
        unit = values / length
        return (weights - unit * (weights * unit).sum(1, keepdims=True)) / length

    def scaled(values: Any) -> Any:
        return nd.L2Normalization(values) * nd.array(weights, dtype="float64")

    np.testing.assert_allclose(_gradients(scaled, x, 1), first(x), rtol=1e-9)
    found, step = _gradients(scaled, x, 2), 1e-6
    for place in np.ndindex(x.shape):
        change = np.zeros_like(x)
        change[place] = step
        expected = (first(x + change) - first(x - change)).sum() / (2 * step)
        np.testing.assert_allclose(found[place], expected, rtol=1e-6, atol=1e-8)


def test_an_input_without_gradient() -> None:
    x, y = nd.array([3.0, 6.0]), nd.array([4.0, 8.0])
    x.attach_grad()
    with autograd.record():
        z = nd.broadcast_hypot(x, y)
    y[:] = [3, 6]
    x[:] = [4, 8]
    z.backward()
    np.testing.assert_allclose(x.grad.asnumpy(), [0.8, 0.8], rtol=1e-6)


@pytest.mark.parametrize("written", ["x", "y"])
@pytest.mark.parametrize("name", ["max", "min"])
def test_extremes_compare_in_backward(name: str, written: str) -> None:
    """Numbers of MXNet 1.9.1: the gradient goes to elements that equal the result at that time."""
    x = nd.array([[1.0, 5, 3], [4, 2, 6]])
    x.attach_grad()
    with autograd.record():
        y = getattr(nd, name)(x, axis=1)
    if written == "x":
        x[:] = [[5, 1, 5], [1, 6, 4]]
    else:
        y[:] = [3, 4]
    y.backward()
    expected = {
        ("max", "x"): [[1, 0, 1], [0, 1, 0]],
        ("min", "x"): [[0, 1, 0], [0, 0, 0]],
        ("max", "y"): [[0, 0, 1], [1, 0, 0]],
        ("min", "y"): [[0, 0, 1], [1, 0, 0]],
    }[name, written]
    np.testing.assert_array_equal(x.grad.asnumpy(), expected)


def test_unit_length_reads_its_result() -> None:
    """Numbers of MXNet 1.9.1: (g - y * sum(g * y)) / length with the y of backward and the length of forward."""
    x = nd.array([[3.0, 4.0]])
    x.attach_grad()
    with autograd.record():
        y = nd.L2Normalization(x)
    x[:] = 7
    y[:] = [[1.0, 2.0]]
    y.backward(nd.array([[1.0, 3.0]]))
    np.testing.assert_allclose(x.grad.asnumpy(), [[-1.2, -2.2]], rtol=1e-6)


@pytest.mark.parametrize("name", ["LinearRegressionOutput", "MAERegressionOutput"])
def test_regression_outputs_own_their_memory(name: str) -> None:
    """Numbers of MXNet 1.9.1: the gradient reads the output, not the data it was copied from."""
    x, label = nd.array([[1.0, 2.0]]), nd.array([[0.0, 5.0]])
    x.attach_grad()
    with autograd.record():
        y = getattr(nd, name)(x, label)
    x[:] = 100
    y[:] = [[-1.0, 9.0]]
    y.backward()
    expected = [[-0.5, 2.0]] if name == "LinearRegressionOutput" else [[-0.5, 0.5]]
    np.testing.assert_array_equal(x.grad.asnumpy(), expected)


@pytest.mark.parametrize("hybridized", [False, True])
def test_a_written_result_without_gradient_does_not_stop_backward(hybridized: bool) -> None:
    """The determinant's sign is read by the gradient of its logarithm."""
    x = nd.array([[2.0, 1], [0, 4]])
    x.attach_grad()
    function = _traced() if hybridized else nd.linalg.slogdet
    with autograd.record():
        sign, logarithm = function(x)
    sign[:] = 7
    logarithm.backward()
    np.testing.assert_allclose(x.grad.asnumpy(), [[0.5, 0], [-0.125, 0.25]], rtol=1e-6)


def _traced() -> Any:
    class Block(gluon.HybridBlock):
        def hybrid_forward(self, F: Any, x: Any) -> Any:
            return F.linalg.slogdet(x)

    block = Block()
    block.hybridize()
    return block
