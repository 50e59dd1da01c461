"""What users wrote down about Gluon, retold on small data: what they made work, and the errors they met.

Five sets of notes: on autograd and blocks, on training in practice, a first hour, a chapter of exercises, and a tour
of the interface. The order here is that of a program: arrays, blocks, parameters, training, files.
"""

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mxnet as mx
from mxnet import autograd, gluon, init, nd
from mxnet.gluon import data as gdata
from mxnet.gluon import nn

# -- gradients ------------------------------------------------------------------------------------------------------


def test_writing_to_a_variable_while_recording_is_refused() -> None:
    x = nd.array([1, 2, 3])
    x.attach_grad()
    with (
        autograd.record(),
        pytest.raises(mx.MXNetError, match="part of a recorded graph: gradients would be wrong") as caught,
    ):
        x[:] = x * 2
    assert "or change the array outside of the block" in str(caught.value)


def test_a_loop_of_backward_calls() -> None:
    x = nd.random_normal(shape=3)
    x.attach_grad()
    with autograd.record():
        for _ in range(3):
            y = x * 2
            z = y * x
            z.backward(retain_graph=True)
    np.testing.assert_allclose(x.grad.asnumpy(), 4 * x.asnumpy(), rtol=1e-6)


def test_the_graph_is_used_up_by_backward() -> None:
    x = nd.array([[1, 2], [3, 4]])
    x.attach_grad()
    with autograd.record():
        y = x * 2
        z = y * x
    z.backward()
    assert (x.grad == 4 * x).asnumpy().all()
    with pytest.raises(mx.MXNetError, match="retain_graph=True"):
        y.backward()
    with autograd.record():
        y = x * 2
        z = y * x
    z.backward(retain_graph=True)
    y.backward()
    assert (x.grad == 2).asnumpy().all()


def test_head_gradients_are_factors() -> None:
    x = nd.array([1.0, 2.0])
    x.attach_grad()
    with autograd.record():
        y = x * x
    y.backward(nd.array([10, 0.1]))
    np.testing.assert_allclose(x.grad.asnumpy(), [20, 0.4], rtol=1e-6)


def test_updating_in_place_keeps_the_gradient_and_a_new_array_has_none() -> None:
    weight = nd.array([1.0])
    weight.attach_grad()
    with autograd.record():
        loss = weight * 3
    loss.backward()
    weight[:] = weight - 0.1 * weight.grad
    assert weight.grad.asscalar() == 3
    weight = weight - 0.1 * weight.grad
    assert weight.grad is None


def test_mean_max_and_broadcast_gradients() -> None:
    for function, expected in (
        (nd.mean, np.full((2, 3), 1 / 6)),
        (nd.max, [[0, 0, 1], [1, 0, 0]]),
        (lambda x: nd.mean(x) + 2 * x, np.full((2, 3), 3.0)),
    ):
        x = nd.array([[1, 2, 3], [3, 2, 1]])
        x.attach_grad()
        with autograd.record(False):
            y = function(x)
            y.backward()
        np.testing.assert_allclose(x.grad.asnumpy(), expected, rtol=1e-6)
    assert str(nd.mean(x)) == "\n[2.]\n<NDArray 1 @cpu(0)>"


def test_dot_with_weights() -> None:
    val, w1, b1 = nd.ones(shape=(3, 5)), nd.ones(shape=(5, 1)), nd.ones(shape=(1,))
    w1.attach_grad()
    b1.attach_grad()
    with autograd.record():
        res = nd.dot(val, w1) + b1
    res.backward()
    assert w1.grad.asnumpy().tolist() == [[3.0]] * 5
    assert b1.grad.asnumpy().tolist() == [3.0]


class Sigmoid(autograd.Function):
    def forward(self, x: Any) -> Any:
        y = 1 / (1 + nd.exp(-x))
        self.save_for_backward(y)
        return y

    def backward(self, dy: Any) -> Any:
        (y,) = self.saved_tensors
        return dy * y * (1 - y)


def test_a_function_with_its_own_backward_inside_a_layer() -> None:
    class MyLayer(gluon.block.Block):
        def __init__(self, **kwargs: Any) -> None:
            super().__init__(**kwargs)
            self.func = Sigmoid()

        def forward(self, x: Any) -> Any:
            return self.func(x)

    x = nd.random.uniform(shape=(10,))
    x.attach_grad()
    with autograd.record():
        m = MyLayer()(x)
        m.backward()
    y = m.asnumpy()
    np.testing.assert_allclose(x.grad.asnumpy(), y * (1 - y), rtol=1e-5)


def test_arrays_of_two_dtypes() -> None:
    with pytest.raises(mx.MXNetError, match=r"int32.*float32|float32.*int32"):
        nd.ones((2,), dtype="int32") + nd.ones((2,))


# -- blocks ---------------------------------------------------------------------------------------------------------


class MLP(nn.Block):
    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.hidden = nn.Dense(8, activation="relu")
        self.output = nn.Dense(3)

    def forward(self, x: Any) -> Any:
        return self.output(self.hidden(x))


class FancyMLP(nn.Block):
    """Constant weights, a shared layer, and Python's own control flow."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.rand_weight = self.params.get_constant("rand_weight", nd.random.uniform(shape=(6, 6)))
        self.dense = nn.Dense(6, activation="relu")

    def forward(self, x: Any) -> Any:
        x = self.dense(x)
        x = nd.relu(nd.dot(x, self.rand_weight.data()) + 1)
        x = self.dense(x)
        while x.norm().asscalar() > 1:
            x = x / 2
        if x.norm().asscalar() < 0.8:
            x = x * 10
        return x.sum()


class NestMLP(nn.Block):
    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.net = nn.Sequential()
        self.net.add(nn.Dense(6, activation="relu"), nn.Dense(4, activation="relu"))
        self.dense = nn.Dense(6, activation="relu")

    def forward(self, x: Any) -> Any:
        return self.dense(self.net(x))


class CenteredLayer(nn.Block):
    def forward(self, x: Any) -> Any:
        return x - x.mean()


class MyDense(nn.Block):
    def __init__(self, units: int, in_units: int, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        with self.name_scope():
            self.weight = self.params.get("weight", shape=(in_units, units))
            self.bias = self.params.get("bias", shape=(units,))

    def forward(self, x: Any) -> Any:
        return nd.relu(nd.dot(x, self.weight.data()) + self.bias.data())


class MySequential(nn.Block):
    def add(self, block: nn.Block) -> None:
        self._children[block.name] = block

    def forward(self, x: Any) -> Any:
        for block in self._children.values():
            x = block(x)
        return x


def test_models_of_every_make() -> None:
    x = nd.random.uniform(shape=(2, 6))
    rows = [nn.Sequential(), MySequential()]
    for row in rows:
        row.add(nn.Dense(8, activation="relu"))
        row.add(nn.Dense(3))
    chimera = nn.Sequential()
    chimera.add(NestMLP(), nn.Dense(6), FancyMLP())
    for net, shape in ((MLP(), (2, 3)), (rows[0], (2, 3)), (rows[1], (2, 3)), (NestMLP(), (2, 6)), (chimera, (1,))):
        net.initialize()
        assert net(x).shape == shape


def test_own_layers() -> None:
    assert CenteredLayer()(nd.array([1, 2, 3, 4, 5])).asnumpy().tolist() == [-2, -1, 0, 1, 2]
    net = nn.Sequential()
    net.add(MyDense(8, in_units=16), MyDense(1, in_units=8), CenteredLayer())
    net.initialize()
    assert net(nd.random.uniform(shape=(4, 16))).mean().asscalar() == pytest.approx(0, abs=1e-6)
    assert MyDense(3, in_units=5, prefix="mine_").params.get("bias").name == "mine_bias"


def test_constants_are_not_trained() -> None:
    net = FancyMLP()
    net.initialize()
    with autograd.record():
        loss = net(nd.random.uniform(shape=(2, 6)))
    loss.backward()
    before = net.rand_weight.data().asnumpy()
    gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 1.0}).step(1, ignore_stale_grad=True)
    np.testing.assert_array_equal(net.rand_weight.data().asnumpy(), before)


def test_exercise_forgetting_the_parent() -> None:
    class Forgetful(nn.Block):
        def __init__(self) -> None:
            self.net = nn.Sequential()

    with pytest.raises(
        AttributeError, match=r"'Forgetful' object has no attribute '_children'\. Call super\(\)\.__init__"
    ):
        Forgetful()


def test_exercise_a_list_in_place_of_sequential() -> None:
    net = NestMLP()
    with pytest.raises(
        TypeError, match=r"Changing attribute type for net from <class .*Sequential'> to <class 'list'>is not"
    ):
        net.net = [nn.Dense(6), nn.Dense(4)]


def test_layer_by_layer() -> None:
    """Outputs in the middle of a network."""
    net = nn.HybridSequential()
    net.add(nn.Conv2D(4, kernel_size=3), nn.BatchNorm(), nn.Activation("relu"), nn.GlobalAvgPool2D(), nn.Dense(10))
    net.initialize()
    x = whole = nd.random.uniform(shape=(1, 3, 8, 8))
    shapes = []
    for i in range(len(net)):
        x = net[i](x)
        shapes.append(x.shape)
    assert shapes == [(1, 4, 6, 6)] * 3 + [(1, 4, 1, 1), (1, 10)]
    np.testing.assert_allclose(x.asnumpy(), net(whole).asnumpy(), rtol=1e-5)
    assert nd.topk(x, k=5).shape == (1, 5)


def test_train_mode_and_predict_mode() -> None:
    net = nn.Sequential()
    net.add(nn.Dense(64), nn.Dropout(0.5), nn.Dense(10))
    net.initialize()
    x = nd.array([[1, 2, 3, 4]])
    assert (net(x) == net(x)).asnumpy().all()
    assert not autograd.is_training()
    with autograd.train_mode():
        assert autograd.is_training()
        assert (net(x) != net(x)).asnumpy().any()


# -- parameters -----------------------------------------------------------------------------------------------------


def test_access_to_parameters() -> None:
    with mx.name.NameManager():
        net = nn.Sequential()
        net.add(nn.Dense(8, activation="relu"), nn.Dense(3))
    net.initialize()
    net(nd.random.uniform(shape=(2, 20)))
    assert repr(net[0].params) == (
        "dense0_ (\n  Parameter dense0_weight (shape=(8, 20), dtype=float32)\n"
        "  Parameter dense0_bias (shape=(8,), dtype=float32)\n)"
    )
    assert net[0].params["dense0_weight"] is net[0].weight
    assert net[0].weight.grad().asnumpy().sum() == 0
    assert list(net.collect_params(".*weight")) == ["dense0_weight", "dense1_weight"]


def test_get_needs_no_prefix() -> None:
    net = nn.Sequential(prefix="sequential18_")
    with net.name_scope():
        net.add(nn.Dense(4, activation="relu"), nn.Dense(2))
    net.initialize()
    net(nd.random.normal(shape=(3, 4)))
    params = net.collect_params()
    assert params["sequential18_dense0_weight"].data().shape == (4, 4)
    assert params.get("dense0_bias").data().shape == (4,)


def test_parameters_of_ones_own() -> None:
    my_param = gluon.Parameter("my_params", shape=(3, 3))
    my_param.initialize()
    assert my_param.data().shape == my_param.grad().shape == (3, 3)
    pd = gluon.ParameterDict(prefix="custom_layer_name")
    pd.get("custom_layer_param1", shape=(3, 3))
    assert list(pd) == ["custom_layer_namecustom_layer_param1"]


def test_deferred_initialization_step_by_step() -> None:
    net = nn.Sequential()
    net.add(nn.Dense(4, activation="relu"), nn.Dense(2))
    assert [repr(layer) for layer in net] == ["Dense(None -> 4, Activation(relu))", "Dense(None -> 2, linear)"]
    net.initialize()
    assert net[0].weight.shape == (4, 0)
    with pytest.raises(gluon.DeferredInitializationError, match="only the data tell") as caught:
        net[0].weight.data()
    assert "call the network once on a batch" in str(caught.value)
    net(nd.ones((3, 5)))
    assert net[0].weight.shape == (4, 5)
    net(nd.ones((7, 5)))
    with pytest.raises(mx.MXNetError, match=r"\(4, 5\)"):
        net(nd.ones((2, 10)))


def test_ways_to_initialize() -> None:
    asked = []

    class MyInit(init.Initializer):
        def _init_weight(self, name: str, data: Any) -> None:
            asked.append((str(name), data.shape))
            data[:] = nd.random.uniform(low=-10, high=10, shape=data.shape)
            data *= data.abs() >= 5

    net = nn.Sequential(prefix="net_")
    with net.name_scope():
        net.add(nn.Dense(8, in_units=20), nn.Dense(2, in_units=8))
    net.initialize(MyInit())
    assert asked == [("net_dense0_weight", (8, 20)), ("net_dense1_weight", (2, 8))]
    weight = net[0].weight.data().asnumpy()
    assert ((weight == 0) | (np.abs(weight) >= 5)).all()
    net.initialize(init=init.Normal(sigma=0.01), force_reinit=True)
    assert np.abs(net[0].weight.data().asnumpy()).max() < 0.1
    assert not net[0].bias.data().asnumpy().any()
    net[0].weight.initialize(init=init.Xavier(), force_reinit=True)
    before = net[0].weight.data().asnumpy()
    net[0].weight.set_data(net[0].weight.data() + 1)
    np.testing.assert_allclose(net[0].weight.data().asnumpy(), before + 1)


def test_shared_layers() -> None:
    net, shared = nn.Sequential(), nn.Dense(8, activation="relu")
    net.add(nn.Dense(8, activation="relu"), shared, nn.Dense(8, activation="relu", params=shared.params), nn.Dense(10))
    net.initialize(init.Constant(0.1))
    with autograd.record():
        y = net(nd.ones((2, 20)))
    y.backward()
    assert net[1].weight is net[2].weight
    assert (net[1].weight.data() == net[2].weight.data()).asnumpy().all()
    # The layers compute the same from different inputs: the gradient is the sum over both.
    h0 = 2.0
    h1 = 8 * h0 * 0.1
    later = 10 * 0.1
    per_element = 2 * (later * h1 + later * 8 * 0.1 * h0)
    np.testing.assert_allclose(net[1].weight.grad().asnumpy(), np.full((8, 8), per_element), rtol=1e-5)


# -- training -------------------------------------------------------------------------------------------------------


class Lines(gdata.Dataset):
    """Data from somewhere of one's own."""

    def __init__(self, count: int = 64) -> None:
        features = nd.random_normal(shape=(count, 2))
        labels = 2 * features[:, 0] - 3.4 * features[:, 1] + 4.2 + 0.01 * nd.random_normal(shape=(count,))
        self.pairs = gdata.ArrayDataset(features, labels)

    def __getitem__(self, item: int) -> Any:
        return self.pairs[item]

    def __len__(self) -> int:
        return len(self.pairs)


def test_linear_regression_on_a_dataset_of_ones_own() -> None:
    mx.random.seed(1)
    np.random.seed(1)
    loader = gdata.DataLoader(Lines(), batch_size=16, shuffle=True)
    net = nn.Sequential()
    net.add(nn.Dense(1))
    net.initialize(init.Normal(sigma=0.01))
    loss = gluon.loss.L2Loss()
    trainer = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.3})
    for _ in range(8):
        for x, y in loader:
            with autograd.record():
                error = loss(net(x), y)
            error.backward()
            trainer.step(16)
    np.testing.assert_allclose(net[0].weight.data().asnumpy(), [[2, -3.4]], atol=0.05)
    np.testing.assert_allclose(net[0].bias.data().asnumpy(), [4.2], atol=0.05)


def test_first_hour() -> None:
    class Net(nn.Block):
        def __init__(self, **kwargs: Any) -> None:
            super().__init__(**kwargs)
            self.dense0 = nn.Dense(16)
            self.dense1 = nn.Dense(1)

        def forward(self, x: Any) -> Any:
            return self.dense1(nd.relu(self.dense0(x)))

    net = Net()
    net.initialize()
    trainer = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.01})
    val, label = nd.ones(shape=(10, 100)), nd.ones(shape=(10,))
    criterion = gluon.loss.L2Loss()
    with autograd.record():
        loss = criterion(net(val), label)
    loss.backward()
    trainer.step(batch_size=10)
    assert loss.shape == (10,)
    assert criterion(net(val), label).mean().asscalar() < loss.mean().asscalar()


def test_gradients_of_several_batches() -> None:
    net = nn.Dense(1, in_units=2)
    net.initialize(init.One())
    for p in net.collect_params().values():
        p.grad_req = "add"
    trainer = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.1})
    for i in range(1, 5):
        with autograd.record():
            loss = net(nd.array([[1, 2]])).sum()
        loss.backward()
        if i % 2 == 0:
            assert net.weight.grad(ctx=mx.cpu())[0, 1].asscalar() == 4
            trainer.step(2)
            net.collect_params().zero_grad()
    np.testing.assert_allclose(net.weight.data().asnumpy(), [[0.8, 0.6]], rtol=1e-6)


def test_multipliers_and_learning_rate() -> None:
    net = nn.Dense(1, in_units=1)
    net.initialize(init.One())
    net.weight.lr_mult = 2.0
    trainer = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.1, "wd": 0.0})
    trainer.set_learning_rate(0.2)
    with autograd.record():
        y = net(nd.ones((1, 1)))
    y.backward()
    trainer.step(1)
    np.testing.assert_allclose([net.weight.data().asscalar(), net.bias.data().asscalar()], [0.6, -0.2], rtol=1e-6)


def test_siamese_loss() -> None:
    def contrastive(left: Any, right: Any, y: Any) -> Any:
        d = nd.norm(left - right, axis=1)
        dd = nd.relu(1.0 - d)
        return y * d * d + (1 - y) * dd * dd

    mx.random.seed(2)
    net = nn.Dense(2)
    net.initialize(init.Normal(0.5))
    trainer = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.2})
    left, right, same = nd.random.normal(shape=(8, 4)), nd.random.normal(shape=(8, 4)), nd.array([0, 1] * 4)
    losses = []
    for _ in range(20):
        with autograd.record():
            loss = contrastive(net(left), net(right), same)
        loss.backward()
        trainer.step(8)
        losses.append(loss.mean().asscalar())
    assert losses[-1] < losses[0] / 2


def test_lenet_on_small_images() -> None:
    mx.random.seed(3)
    np.random.seed(3)
    lenet = nn.Sequential()
    with lenet.name_scope():
        lenet.add(nn.Conv2D(channels=4, kernel_size=3, activation="relu"), nn.MaxPool2D(pool_size=2, strides=2))
        lenet.add(nn.Conv2D(channels=8, kernel_size=3, activation="relu"), nn.MaxPool2D(pool_size=2, strides=2))
        lenet.add(nn.Flatten(), nn.Dense(16, activation="relu"), nn.Dense(2))
    lenet.initialize(init.Xavier(), ctx=mx.cpu())
    images = np.random.uniform(0, 60, (64, 12, 12, 1)).astype("uint8")
    labels = np.arange(64, dtype="int32") % 2
    images[labels == 1, 3:9, 5:7] = 255  # a bar

    def transform(data: Any, label: Any) -> Any:
        return data.astype("float32") / 255, label.astype("float32")

    train_data = gdata.DataLoader(gdata.ArrayDataset(images, labels).transform(transform), batch_size=16, shuffle=True)
    softmax_loss = gluon.loss.SoftmaxCrossEntropyLoss()
    trainer = gluon.Trainer(lenet.collect_params(), "sgd", {"learning_rate": 0.3})
    accuracy = 0.0
    for _ in range(6):
        accuracy = 0.0
        for data, label in train_data:
            data = data.transpose((0, 3, 1, 2)).as_in_context(mx.cpu())
            label = label.as_in_context(mx.cpu())
            with autograd.record():
                output = lenet(data)
                loss = softmax_loss(output, label)
            loss.backward()
            trainer.step(16)
            accuracy += nd.mean(output.argmax(axis=1) == label).asscalar()
    assert accuracy / len(train_data) > 0.9


def test_hybridized_networks_give_the_same() -> None:
    net = nn.HybridSequential()
    with net.name_scope():
        net.add(nn.Dense(16, activation="relu"), nn.Dense(8, activation="relu"), nn.Dense(2))
    net.initialize()
    x = nd.random.normal(shape=(1, 32))
    eager = net(x)
    net.hybridize()
    np.testing.assert_allclose(net(x).asnumpy(), eager.asnumpy(), rtol=1e-6)


# -- files and devices ----------------------------------------------------------------------------------------------


def test_reading_and_writing(tmp_path: Path) -> None:
    nd.save(str(tmp_path / "xy"), {"x": nd.ones((3,)), "y": nd.zeros((4,))})
    assert sorted(nd.load(str(tmp_path / "xy"))) == ["x", "y"]
    net, other = MLP(), MLP()
    net.initialize()
    x = nd.random.uniform(shape=(2, 20))
    net(x)
    net.save_parameters(str(tmp_path / "mlp.params"))
    other.load_parameters(str(tmp_path / "mlp.params"))
    assert (other(x) == net(x)).asnumpy().all()


def test_the_former_names_of_saving(tmp_path: Path) -> None:
    def get_net() -> nn.Sequential:
        net = nn.Sequential()
        with net.name_scope():
            net.add(nn.Dense(4, activation="relu"), nn.Dense(2))
        return net

    net, net2 = get_net(), get_net()
    net.initialize()
    x = nd.random.normal(shape=(3, 4))
    net(x)
    net.save_params(str(tmp_path / "mynet.params"))
    net2.load_params(str(tmp_path / "mynet.params"), mx.cpu())
    assert (net2(x) == net(x)).asnumpy().all()


def test_network_and_parameters_in_one_pickle() -> None:
    net = MLP()
    net.initialize()
    x = nd.random.uniform(shape=(2, 5))
    y = net(x)
    again = pickle.loads(pickle.dumps(net))  # noqa: S301
    assert (again(x) == y).asnumpy().all()


def test_parameters_set_one_by_one() -> None:
    net = MLP()
    arrays = {
        name: nd.ones((8, 4) if name.endswith("hidden.weight") else p.shape)
        for name, p in net._collect_params_with_prefix().items()
        if not name.endswith("output.weight")
    }
    for name, array in arrays.items():
        net._collect_params_with_prefix()[name]._load_init(array, ctx=mx.cpu())
    assert net.hidden(nd.ones((1, 4))).asnumpy().tolist() == [[5] * 8]


def test_copies_between_devices() -> None:
    x = nd.array([1, 2, 3])
    assert x.as_in_context(mx.cpu()) is x
    assert x.copyto(mx.cpu()) is not x
    y = x.copyto(mx.cpu(1))
    assert y.context == mx.cpu(1)
    net = nn.Dense(1, in_units=3)
    net.initialize(ctx=mx.cpu(1))
    assert net(y.reshape((1, 3))).context == mx.cpu(1)
    with pytest.raises(mx.MXNetError, match=r"\[gpu\(0\)\].*use mx.cpu\(\)|cpu"):
        nd.zeros((1,), ctx=mx.gpu(99))
