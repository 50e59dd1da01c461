"""Gradients of integers, with the numbers that MXNet 1.9.1 gives."""

import numpy as np
import pytest

import mxnet as mx
from mxnet import autograd, gluon, nd
from mxnet.base import MXNetError


def gradient(function, values, dtype="int32", maker=nd, head=None):
    """The result of a recorded function, and the gradient of its argument."""
    x = maker.array(values, dtype=dtype)
    x.attach_grad()
    with autograd.record():
        y = function(x)
    y.backward(head)
    assert x.grad.dtype == np.dtype(dtype)
    return y.asnumpy().tolist(), x.grad.asnumpy().tolist()


CASES = {
    "product": (lambda m, x: x * x, [3, -4, 5], [9, 16, 25], [6, -8, 10]),
    "scalar": (lambda m, x: 7 * x - 1, [3, 4], [20, 27], [7, 7]),
    "power": (lambda m, x: x**3, [2, -3], [8, -27], [12, 27]),
    "real scalar is cut off": (lambda m, x: x * 2.5, [1, 2, 3], [2, 4, 6], [2, 2, 2]),
    "absolute": (lambda m, x: m.abs(x), [-3, 0, 2], [3, 0, 2], [-1, 0, 1]),
    "sine has no slope left": (lambda m, x: m.sin(x), [1, 2], [0, 0], [0, 0]),
    "exponential": (lambda m, x: m.exp(x), [1, 2, 3], [2, 7, 20], [2, 7, 20]),
    "comparison": (lambda m, x: x > 1, [1, 2], [0, 1], [0, 0]),
    "slice": (lambda m, x: x[1:] * 5, [1, 2, 3], [10, 15], [0, 5, 5]),
    "cast to real numbers": (lambda m, x: x.astype("float32") * 3.5, [1, 2], [3.5, 7.0], [3, 3]),
    "largest, with a tie": (lambda m, x: m.max(x, axis=0, keepdims=True), [4, 1, 4], [4], [1, 0, 1]),
    "clip": (lambda m, x: m.clip(x, 2, 4), [1, 2, 3, 5], [2, 2, 3, 4], [0, 1, 1, 0]),
    "chain": (lambda m, x: (x + 1) * (x * 2), [1, 2], [4, 12], [6, 10]),
}


@pytest.mark.parametrize("maker", [nd, mx.np], ids=["nd", "np"])
@pytest.mark.parametrize("name", CASES)
def test_functions_of_integers(name, maker):
    function, values, result, slope = CASES[name]
    assert gradient(lambda x: function(maker, x), values, maker=maker) == (result, slope)


def test_each_step_is_cut_off():
    assert gradient(lambda x: x / 2 * 6, [4, 9]) == ([12, 24], [3, 3])
    assert gradient(lambda x: x / 4 * 3, [4, 9]) == ([3, 6], [0, 0])
    assert gradient(lambda x: x.mean(), [1, 2, 6]) == ([3], [0, 0, 0])


@pytest.mark.parametrize("dtype", ["int8", "int32", "int64", "uint8"])
def test_dtypes_keep_their_range(dtype):
    expected = np.array([3 * 100], "int64").astype(dtype).tolist()
    assert gradient(lambda x: x * 100, [1], dtype, head=nd.array([3], dtype=dtype))[1] == expected


def test_bools():
    assert gradient(lambda x: x.copy(), [True, False], "bool") == ([True, False], [True, True])


@pytest.mark.parametrize("maker", [nd, mx.np], ids=["nd", "np"])
def test_casts_to_integers_pass_the_gradient_on(maker):
    back = gradient(lambda x: x.astype("int32").astype("float32") * 2, [1.5, -2.5], "float32", maker)
    assert back == ([2.0, -4.0], [2.0, 2.0])
    squares = gradient(lambda x: x.astype("int32") * x.astype("int32"), [1.5, 2.5], "float32", maker)
    assert squares == ([1, 4], [2.0, 4.0])
    half = gradient(lambda x: x.astype("int32").astype("float32") * 2.5, [1.5, -2.5], "float32", maker)
    assert half[1] == [2.0, 2.0]  # the integers between hold no half
    assert gradient(lambda x: x.astype("bool").astype("float32") * 3, [1.5, 0], "float32", maker)[1] == [1.0, 1.0]


def test_beside_real_numbers_arrays_of_mx_np_have_none():
    x, f = mx.np.array([2, 3], dtype="int32"), mx.np.array([0.5, 1.5])
    x.attach_grad()
    f.attach_grad()
    with autograd.record():
        y = x * f
    y.backward()
    np.testing.assert_array_equal(x.grad.asnumpy(), [0, 0])
    np.testing.assert_array_equal(f.grad.asnumpy(), [2, 3])


def test_integers_and_real_numbers_in_one_graph():
    x, f = nd.array([1, 2, 3], dtype="int32"), nd.array([1.0, 2.0, 3.0])
    x.attach_grad()
    f.attach_grad()
    with autograd.record():
        y = (x * 2).astype("float32") * f
    y.backward()
    np.testing.assert_array_equal(x.grad.asnumpy(), [2, 4, 6])
    np.testing.assert_array_equal(f.grad.asnumpy(), [2, 4, 6])


def test_gradients_are_added_up():
    x = nd.array([1, 2], dtype="int32")
    x.attach_grad("add")
    for _ in range(3):
        with autograd.record():
            y = x * x * x
        y.backward()
    np.testing.assert_array_equal(x.grad.asnumpy(), [9, 36])


def test_grad_returns_integers_and_differentiates_them_again():
    x = nd.array([1, 2], dtype="int32")
    x.attach_grad()
    with autograd.record():
        y = x * x * x
        slope = autograd.grad(y, [x], create_graph=True)[0]
    assert slope.dtype == np.int32
    np.testing.assert_array_equal(slope.asnumpy(), [3, 12])
    slope.backward()
    np.testing.assert_array_equal(x.grad.asnumpy(), [6, 12])


@pytest.mark.parametrize("dtype", ["int32", "float32"])
def test_hybridized(dtype):
    class Net(gluon.HybridBlock):
        def hybrid_forward(self, F, x):
            return F.cast(x * x, "int32") + 1

    net = Net()
    net.hybridize()
    for _ in range(3):
        assert gradient(net, [1, 2, 3], dtype) == ([2, 5, 10], [2, 4, 6])


def test_casts_inside_a_hybridized_network_of_many_layers():
    class Net(gluon.nn.HybridSequential):
        def hybrid_forward(self, F, x):
            for layer in self._children.values():
                x = layer(x)
            return F.cast(F.cast(x * 10, "int32"), "float32") * x

    net = Net()
    for _ in range(6):
        net.add(gluon.nn.Dense(4, activation="sigmoid", in_units=4))
    mx.random.seed(4)
    net.initialize(mx.init.Uniform(0.7))
    x = nd.random.uniform(shape=(3, 4))
    found = []
    for is_active in (False, True):
        net.hybridize(is_active)
        with autograd.record():
            y = net(x)
        y.backward()
        found.append([y.asnumpy(), *(p.grad().asnumpy() for p in net.collect_params().values())])
    for eager, compiled in zip(*found, strict=True):
        np.testing.assert_allclose(eager, compiled, rtol=1e-5)
    assert any(np.abs(grad).max() > 0 for grad in found[0][1:])


def test_executors():
    a = mx.sym.var("a")
    executor = (a * a).simple_bind(mx.cpu(), a=(3,), type_dict={"a": "int32"}, grad_req="add")
    executor.arg_dict["a"][:] = nd.array([1, 2, 3])
    for _ in range(2):
        executor.forward(is_train=True)
        executor.backward(nd.array([1, 10, 100], dtype="int32"))
    np.testing.assert_array_equal(executor.grad_dict["a"].asnumpy(), [4, 80, 1200])


def test_indices_have_no_gradient_and_what_they_choose_from_has():
    x, index = nd.array([10, 20, 30], dtype="int32"), nd.array([2, 0, 2], dtype="int32")
    x.attach_grad()
    index.attach_grad()
    index.grad[:] = 7
    with autograd.record():
        y = nd.take(x, index) * 3
    y.backward()
    np.testing.assert_array_equal(x.grad.asnumpy(), [3, 0, 6])
    np.testing.assert_array_equal(index.grad.asnumpy(), [0, 0, 0])


def test_assignment_of_recorded_integers():
    x, y = nd.array([1, 2], dtype="int32"), nd.zeros((3,), dtype="int32")
    x.attach_grad()
    with autograd.record():
        y[1:] = x * 4
        z = y * y
    z.backward()
    np.testing.assert_array_equal(x.grad.asnumpy(), [32, 64])


def test_joining_and_splitting():
    x = nd.array([[1, 2], [3, 4]], dtype="int32")
    x.attach_grad()
    with autograd.record():
        first, second = nd.split(x, 2, axis=1)
        y = nd.concat(first * 2, second * 5, first, dim=1)
    y.backward()
    np.testing.assert_array_equal(x.grad.asnumpy(), [[3, 5], [3, 5]])


def test_a_graph_can_be_used_up_once():
    x = nd.array([1, 2], dtype="int32")
    x.attach_grad()
    with autograd.record():
        y = x * 2
    y.backward()
    with pytest.raises(MXNetError, match="not part of a recorded graph"):
        y.backward()


def test_head_gradients_have_the_dtype_of_the_head():
    with pytest.raises(MXNetError, match="received a head gradient of float32 for an array of int32"):
        gradient(lambda x: x * 2, [1, 2], head=nd.ones((2,)))


@pytest.mark.parametrize(
    "key", [slice(None, None, -1), slice(1, None), np.array([2, 0])], ids=["back", "slice", "index"]
)
def test_real_numbers_assigned_to_integers(key):
    x, y = nd.zeros((3,), dtype="int32"), nd.array([1.5, 2.5, 3.5])[: len(np.zeros(3)[key])]
    y.attach_grad()
    with autograd.record():
        x[key] = y
        z = x * 4
    z.backward()
    expected = np.zeros(3)
    expected[key] = np.trunc(y.asnumpy())
    np.testing.assert_array_equal(x.asnumpy(), expected)
    np.testing.assert_array_equal(y.grad.asnumpy(), np.full(y.shape, 4))


def test_means_held_by_integers():
    x = mx.np.array([100.0, 100.0, 112.0])
    x.attach_grad()
    with autograd.record():
        y = mx.np.mean(x, dtype="int8")
    y.backward()
    assert y.item() == 18  # 312 - 256 in three parts
    np.testing.assert_allclose(x.grad.asnumpy(), [1 / 3] * 3, rtol=1e-6)


def test_remainders_are_flat():
    assert gradient(lambda x: mx.np.mod(x, mx.np.array([3, 4], dtype="int32")), [7, 9], maker=mx.np) == ([1, 1], [0, 0])
