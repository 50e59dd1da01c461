"""`hybridize()` changes the speed, not the meaning."""

import copy
import threading
import warnings

import numpy as np
import pytest

import mxnet as mx
from mxnet import autograd, gluon, nd
from mxnet.gluon import nn


class Function(nn.HybridBlock):
    """A block of one function, `f(F, *inputs)`."""

    def __init__(self, function, **kwargs):
        super().__init__(**kwargs)
        self.function = function

    def hybrid_forward(self, F, *args, **kwargs):
        return self.function(F, *args, **kwargs)


def _both(block, *inputs, **kwargs):
    """The results of a block as written and compiled; refuses a block that fell back."""
    block.hybridize(False)
    eager = block(*inputs, **kwargs)
    block.hybridize()
    compiled = block(*inputs, **kwargs)
    assert block._compiled
    assert None not in block._compiled.values()
    return eager, compiled


def _equal(eager, compiled):
    assert type(eager) is type(compiled)
    if isinstance(eager, (list, tuple)):
        assert len(eager) == len(compiled)
        for left, right in zip(eager, compiled):
            _equal(left, right)
    elif isinstance(eager, dict):
        assert eager.keys() == compiled.keys()
        for key in eager:
            _equal(eager[key], compiled[key])
    elif eager is not None:
        assert eager.dtype == compiled.dtype
        np.testing.assert_allclose(compiled.asnumpy(), eager.asnumpy(), rtol=1e-5, atol=1e-6)


X = nd.array(np.arange(-6, 6).reshape(3, 4))

PROGRAMS = {
    "operators": lambda F, x: F.relu(x) * 2 + F.exp(x),
    "methods": lambda F, x: x.reshape((2, 6)).sum(axis=1, keepdims=True).astype("int32"),
    "reshape with numbers": lambda F, x: x.reshape(4, 3).expand_dims(0).squeeze(0).T,
    "shape": lambda F, x: x.reshape((-1, x.shape[0])) + x.ndim + x.size,
    "dtype": lambda F, x: F.zeros((2,), dtype=x.dtype) + 1,
    "context": lambda F, x: F.zeros((2,), ctx=x.context),
    "broadcasting": lambda F, x: x + x[0] - x[:, :1],
    "row": lambda F, x: x[1],
    "negative index": lambda F, x: x[-1, -2],
    "slices": lambda F, x: x[1:, ::2] * 2,
    "backwards": lambda F, x: x[::-1],
    "new axis": lambda F, x: x[:, None, ...] + 1,
    "index list": lambda F, x: x[[2, 0]],
    "length": lambda F, x: x * len(x),
    "rows": lambda F, x: F.stack(*[row * number for number, row in enumerate(x)]),
    "in place": lambda F, x: _added_in_place(x),
    "several": lambda F, x: F.split(x, num_outputs=2, axis=1),
    "one of several": lambda F, x: F.split(x, num_outputs=2, axis=1)[1],
    "unpacked": lambda F, x: F.elemwise_sub(*F.split(x, num_outputs=2, axis=1)),
    "tuple": lambda F, x: (x + 1, [x * 2, (x, x)]),
    "dict": lambda F, x: {"sum": x.sum(), "more": [x]},
    "the same twice": lambda F, x: (y := x + 1, y),
    "the input itself": lambda F, x: (x, x.reshape((-1,))),
    "comparison": lambda F, x: (x > 0) * (x != 2) + (x <= 3),
    "scalars on the left": lambda F, x: 2 - x + 2 / (x + 100) + 2 ** (x / 10) + 7 % (x + 20),
    "negative and absolute": lambda F, x: -x + abs(x),
    "power": lambda F, x: x**2 + F.power(F.abs(x), 0.5),
    "nothing of the input": lambda F, x: F.ones_like(x) * 3,
    "functions of nd": lambda F, x: nd.concat(x, nd.ones((3, 1)), dim=1),
    "array on the left": lambda F, x: nd.ones((3, 4)) * x - nd.ones((4,)),
    "detached": lambda F, x: x.detach() + x.copy() + x.as_in_context(mx.cpu()),
    "contrib": lambda F, x: F.contrib.div_sqrt_dim(x),
    "linalg": lambda F, x: F.linalg.gemm2(x, x, transpose_b=True),
    "two equal parts": lambda F, x: F.exp(x) + F.exp(x),
}


def _added_in_place(x):
    y = x * 1
    y += 2
    y *= x
    return y


@pytest.mark.parametrize("name", PROGRAMS)
def test_programs(name):
    _equal(*_both(Function(PROGRAMS[name]), X))


# Without gradient, or refused while recording.
CONSTANT = ("methods", "dict", "context", "dtype", "several", "in place")


@pytest.mark.parametrize("name", [name for name in PROGRAMS if name not in CONSTANT])
def test_gradients(name):
    gradients = []
    for active in (False, True):
        x, block = X.copy(), Function(PROGRAMS[name])
        x.attach_grad()
        block.hybridize(active)
        with autograd.record():
            out = block(x)
            leaves = [out] if isinstance(out, nd.NDArray) else [out[0]]
            loss = (leaves[0] * leaves[0]).sum()
        loss.backward()
        gradients.append(x.grad)
    _equal(*gradients)


def test_nested_inputs_and_keywords():
    block = Function(
        lambda F, x, pair, scale=1, bias=None: (x + pair[0] * pair[1][0]) * scale + (0 if bias is None else bias)
    )
    _equal(*_both(block, X, [X, (X,)], scale=3))
    _equal(*_both(block, X, [X, (X,)], bias=X))
    _equal(*_both(block, X, [X, (X,)]))


def test_other_arguments_are_part_of_the_program():
    block = Function(lambda F, x, times: x * times)
    block.hybridize()
    assert block(X, 2)[0, 0].asscalar() == -12
    assert block(X, 3)[0, 0].asscalar() == -18


def test_a_shape_that_is_read_is_part_of_the_program():
    block = Function(lambda F, x: x * x.shape[0])
    block.hybridize()
    for rows in (2, 3, 2):
        assert block(nd.ones((rows, 1))).asnumpy().ravel().tolist() == [rows] * rows
    unaware = Function(lambda F, x: x * 2)
    unaware.hybridize()
    for rows in (2, 3):
        unaware(nd.ones((rows, 1)))
    assert len(unaware._compiled) == 1


@pytest.mark.parametrize("cast", [lambda F, x, y: x.astype(y), lambda F, x, y: F.cast(x, dtype=y.dtype)])
def test_a_dtype_that_is_read_is_part_of_the_program(cast):
    block = Function(cast)
    block.hybridize()
    for rows in (1, 2):
        for dtype in ("float16", "float64", "int32", "float16"):
            assert block(nd.ones(rows), nd.ones(3, dtype=dtype)).dtype == np.dtype(dtype)
    assert len(block._compiled) == 4, "one graph for each dtype, whatever the shape, and one entry for the guard"


def test_numbers_beside_numpy_integers_and_reals():
    block = Function(lambda F, x: x + 1.5)
    block.hybridize()
    assert block(mx.np.array([1, 2], dtype="int32")).asnumpy().tolist() == [2, 3]
    assert block(mx.np.array([1, 2], dtype="float32")).asnumpy().tolist() == [2.5, 3.5]


def test_dropout_drops_anew_in_training_only():
    block = nn.Dropout(0.5)
    block.hybridize()
    ones = nd.ones((100,))
    with autograd.record():
        first, second = block(ones), block(ones)
    assert (first.asnumpy() != second.asnumpy()).any()
    assert set(first.asnumpy()) == {0, 2}
    assert (block(ones).asnumpy() == 1).all()


@pytest.mark.parametrize("active", [False, True])
def test_a_seed_gives_the_same_numbers_either_way(active):
    block = nn.HybridSequential()
    block.add(nn.Dropout(0.5), Function(lambda F, x: x + F.random.uniform(shape=(100,))))
    block.hybridize(active)
    mx.random.seed(7)
    with autograd.record():
        found = block(nd.ones((100,))).asnumpy()
    mx.random.seed(7)
    with autograd.record():
        dropped = nd.Dropout(nd.ones((100,)), p=0.5)
        expected = dropped + nd.random.uniform(shape=(100,))
    assert (found == expected.asnumpy()).all()


def test_batch_norm_moves_its_averages():
    averages = []
    for active in (False, True):
        layer = nn.BatchNorm(in_channels=4)
        layer.initialize()
        layer.hybridize(active)
        for _ in range(3):
            with autograd.record():
                layer(X)
        averages.append([layer.running_mean.data(), layer.running_var.data()])
    _equal(*averages)


def test_the_mode_of_the_code_is_the_mode_of_the_call():
    block = Function(lambda F, x: x * (10 if autograd.is_training() else 1))
    block.hybridize()
    with autograd.record():
        assert block(nd.ones(1)).asscalar() == 10
    assert block(nd.ones(1)).asscalar() == 1


def test_deferred_parameters():
    net = nn.HybridSequential()
    net.add(nn.Conv2D(3, 2, activation="relu"), nn.BatchNorm(), nn.Flatten(), nn.Dense(2))
    net.initialize()
    net.hybridize()
    assert net(nd.ones((2, 1, 4, 4))).shape == (2, 2)
    assert net[0].weight.shape == (3, 1, 2, 2)
    net.initialize(mx.init.One(), force_reinit=True)
    assert net[3].weight.data().asnumpy().min() == 1
    assert net(nd.ones((2, 1, 4, 4))).shape == (2, 2)


def test_parameters_may_change_in_every_way():
    layer = nn.Dense(1, in_units=2)
    layer.initialize()
    layer.hybridize()
    data = nd.ones((1, 2))
    layer(data)
    layer.weight.set_data(nd.array([[1, 2]]))
    assert layer(data).asscalar() == 3
    layer.weight.data()[:] = 5
    assert layer(data).asscalar() == 10
    layer.cast("float64")
    assert layer(data.astype("float64")).dtype == np.float64
    layer.cast("float32")
    layer.reset_ctx([mx.cpu(0), mx.cpu(1)])
    assert layer(data.as_in_context(mx.cpu(1))).context == mx.cpu(1)


# -- what cannot be compiled ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("function", "reason"),
    [
        (lambda F, x: x * 2 if x.sum().asscalar() > 0 else x, "asscalar"),
        (lambda F, x: x if x[0, 0] > 0 else -x, "__bool__"),
        (lambda F, x: nd.array(x.asnumpy() * 2), "asnumpy"),
        (lambda F, x: x + nd.random.uniform(shape=(1,)) * 0, "drawing numbers"),
        (lambda F, x: x + nd.array([1, 2, 3, 4]), "nd.array"),
        (lambda F, x: _assigned(x), "__setitem__"),
        (lambda F, x: _collected(x), "__array__"),
        (lambda F, x: x * float(np.asarray(x).max()), "__array__"),
        (lambda F, x: F.no_such_operator(x) if F is mx.sym else x, "no_such_operator"),
    ],
    ids=[
        "asscalar",
        "bool",
        "asnumpy",
        "nd.random",
        "nd.array",
        "assignment",
        "into an array",
        "NumPy",
        "missing in sym",
    ],
)
def test_falls_back_with_one_warning(function, reason):
    block = Function(function, prefix="mine_")
    expected = block(X)
    block.hybridize()
    with pytest.warns(UserWarning, match=rf"\[mine\] Function cannot be compiled.*{reason}.*test_hybridize.py:\d+"):
        found = block(X)
    _equal(expected, found)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        _equal(expected, block(X))


def _assigned(x):
    y = x * 1
    y[0] = 0
    return y


def _collected(x):
    y = nd.zeros((2, 3, 4))
    y[1] = x * 2
    return y


def test_blocks_inside_one_that_falls_back_are_compiled():
    class Net(nn.HybridBlock):
        def __init__(self):
            super().__init__()
            self.layer = nn.Dense(2)

        def hybrid_forward(self, F, x):
            return self.layer(x) * float(x.sum().asscalar())

    net = Net()
    net.initialize()
    net.hybridize()
    with pytest.warns(UserWarning, match="cannot be compiled"):
        net(X)
    net(X)
    assert net.layer._cached_op is not None


def test_a_mistake_is_reported_as_in_the_code():
    block = Function(lambda F, x: F.FullyConnected(x, x, no_bias=True, num_hidden=7))
    block.hybridize()
    with pytest.raises(mx.MXNetError, match=r"\[FullyConnected\] received data float32\(3, 4\)"):
        block(X)


def test_recorded_arrays_in_the_code_are_constants():
    other = nd.ones((3, 4))
    block = Function(lambda F, x: x * other)
    block.hybridize()
    assert block(X)[0, 0].asscalar() == -6
    other[:] = 2
    assert block(X)[0, 0].asscalar() == -12


# -- forward, hooks, threads, copies --------------------------------------------------------------------------------


def test_a_plain_forward_is_traced():
    class Net(nn.HybridBlock):
        def __init__(self):
            super().__init__()
            with self.name_scope():
                self.first, self.second = nn.Dense(5), nn.Dense(2)

        def forward(self, x, scale=2):
            return nd.softmax(self.second(nd.relu(self.first(x))) * scale)

    net = Net()
    net.initialize()
    _equal(*_both(net, X))
    _equal(*_both(net, X, scale=1))


def test_hooks_fire():
    net = nn.HybridSequential()
    net.add(nn.Dense(3), nn.Dense(2))
    net.initialize()
    seen = []
    net[0].register_forward_hook(lambda block, inputs, out: seen.append(("inner", out.shape)))
    handle = net.register_forward_hook(lambda block, inputs, out: seen.append(("outer", out.shape)))
    net.register_forward_pre_hook(lambda block, inputs: seen.append(("before", inputs[0].shape)))
    net.hybridize()
    for _ in range(2):
        seen.clear()
        net(X)
        assert seen == [("before", (3, 4)), ("inner", (3, 3)), ("outer", (3, 2))]
    handle.detach()
    net[0]._forward_hooks.clear()
    seen.clear()
    net(X)
    assert seen == [("before", (3, 4))]
    assert net._cached_op is not None


def test_symbols_give_symbols():
    net = nn.HybridSequential(prefix="net_")
    with net.name_scope():
        net.add(nn.Dense(3, activation="relu"), nn.Dense(2))
    out = net(mx.sym.var("data"))
    assert isinstance(out, mx.sym.Symbol)
    assert out.list_arguments() == [
        "data",
        "net_dense0_weight",
        "net_dense0_bias",
        "net_dense1_weight",
        "net_dense1_bias",
    ]
    assert out.infer_shape(data=(4, 5))[1] == [(4, 2)]


def test_threads_share_a_network():
    net = nn.HybridSequential()
    net.add(nn.Dense(8, activation="relu"), nn.BatchNorm(), nn.Dense(2))
    net.initialize()
    net.hybridize()
    net(X)
    expected, failures = net(X).asnumpy(), []

    def work():
        for _ in range(50):
            if not np.allclose(net(X).asnumpy(), expected, rtol=1e-5):
                failures.append(1)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures


def test_copies_are_independent():
    net = nn.Dense(2, in_units=4)
    net.initialize()
    net.hybridize()
    net(X)
    other = copy.deepcopy(net)
    other.weight.set_data(other.weight.data() * 0)
    assert (other(X).asnumpy() == other.bias.data().asnumpy()).all()
    assert (net(X).asnumpy() != 0).any()


def test_training_goes_on_as_in_the_code():
    weights = []
    for active in (False, True):
        mx.random.seed(3)
        net = nn.HybridSequential()
        net.add(nn.Dense(8, activation="tanh"), nn.BatchNorm(), nn.Dense(1))
        net.initialize(mx.init.Xavier())
        net.hybridize(active)
        loss_of = gluon.loss.L2Loss()
        loss_of.hybridize(active)
        trainer = gluon.Trainer(net.collect_params(), "adam", {"learning_rate": 0.1})
        for _ in range(5):
            with autograd.record():
                loss = loss_of(net(X), X[:, :1])
            loss.backward()
            trainer.step(3)
        weights.append([parameter.data() for parameter in net.collect_params().values()])
    _equal(*weights)


def test_gradients_of_gradients():
    results = []
    for active in (False, True):
        block = Function(lambda F, x: F.exp(x) * x)
        block.hybridize(active)
        x = nd.array([0.5, 1.5])
        x.attach_grad()
        with autograd.record():
            y = block(x)
            first = autograd.grad(y, [x], create_graph=True, retain_graph=True)[0]
            total = first.sum()
        total.backward()
        results.append(x.grad)
    _equal(*results)


def test_a_graph_inside_a_network_is_compiled_with_it(tmp_path):
    inner = nn.HybridSequential()
    inner.add(nn.Dense(3, activation="relu"), nn.Dense(4))
    inner.initialize()
    inner.hybridize()
    inner(X)
    inner.export(tmp_path / "inner")
    block = gluon.SymbolBlock.imports(tmp_path / "inner-symbol.json", ["data"], tmp_path / "inner-0000.params")
    net = nn.HybridSequential()
    net.add(Function(lambda F, x: x * 2), block, Function(lambda F, x: x.reshape((x.shape[0], -1)) + 1))
    eager, compiled = _both(net, X)
    _equal(eager, compiled)
    np.testing.assert_allclose(eager.asnumpy(), inner(X * 2).asnumpy() + 1, rtol=1e-5)


class Normalized(gluon.HybridBlock):
    """A dense layer whose weight is divided by its length: part of the network depends on parameters alone."""

    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        with self.name_scope():
            self.weight = self.params.get("weight", shape=(3, 4), init=mx.init.One())
            self.length = self.params.get("length", shape=(1,), init=mx.init.One())

    def hybrid_forward(self, F, x, weight, length):
        return F.FullyConnected(
            x, F.broadcast_mul(F.L2Normalization(weight), length.reshape((1, 1))), no_bias=True, num_hidden=3
        )


@pytest.mark.parametrize("optimizer", ["sgd", "adam", "nag"])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_predictions_between_steps_see_the_new_parameters(optimizer: str, dtype: str):
    x = nd.ones((2, 4), dtype=dtype)
    seen = []
    for is_hybrid in (False, True):
        net = Normalized()
        net.initialize()
        net.cast(dtype)
        if is_hybrid:
            net.hybridize()
        trainer = gluon.Trainer(net.collect_params(), optimizer, {"learning_rate": 0.1})
        found = [net(x).asnumpy()]
        for _ in range(3):
            with autograd.record():
                loss = (net(x) ** 2).mean()
            loss.backward()
            trainer.step(1)
            found.append(net(x).asnumpy())
        seen.append(found)
    np.testing.assert_allclose(seen[0], seen[1], rtol=1e-5)
    assert not np.allclose(seen[1][0], seen[1][1])


class Keeping(nn.HybridBlock):
    """Computes a matrix in its first call and keeps it, as GluonTS's N-BEATS does."""

    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        self.basis = None
        with self.name_scope():
            self.dense = nn.Dense(4)

    def hybrid_forward(self, F, x):
        if self.basis is None:
            self.basis = F.concat(F.arange(0, 6).reshape((2, 3)), F.ones((2, 3)) / 2, dim=0)
        return F.dot(self.dense(x), self.basis)


@pytest.mark.parametrize("is_hybrid", [False, True])
def test_what_a_block_keeps_of_its_first_call_has_data(is_hybrid: bool):
    """The first call finds the shapes of parameters, on arrays without data: what depends on none of them has data."""
    net = Keeping()
    net.initialize(mx.init.One())
    if is_hybrid:
        net.hybridize()
    for _ in range(2):
        assert net(nd.ones((2, 5))).asnumpy().tolist() == [[20.0, 30.0, 40.0]] * 2
    assert None not in net._compiled.values()


def test_what_a_block_keeps_of_its_inputs_is_no_garbage():
    class KeepingInput(nn.HybridBlock):
        def __init__(self):
            super().__init__()
            self.seen = None
            self.dense = nn.Dense(4)

        def hybrid_forward(self, F, x):
            if self.seen is None:
                self.seen = F.dot(x, x, transpose_b=True)
            return F.dot(self.seen, self.dense(x))

    net = KeepingInput()
    net.initialize()
    net.hybridize()
    x = nd.random.uniform(shape=(2, 5))
    result = net(x).asnumpy()
    np.testing.assert_allclose(result, (x.asnumpy() @ x.asnumpy().T) @ net.dense(x).asnumpy(), rtol=1e-5)


def test_forward_of_a_hybridized_block_is_compiled_as_a_call_is(tmp_path):
    net = nn.HybridSequential()
    net.add(nn.Dense(3, activation="relu"), nn.Dense(2))
    net.initialize()
    net.hybridize()
    x = nd.random.uniform(shape=(4, 5))
    result = net.forward(x)
    assert net._cached_op is not None
    np.testing.assert_array_equal(net(x).asnumpy(), result.asnumpy())
    net.export(str(tmp_path / "net"))
