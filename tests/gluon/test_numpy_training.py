"""What surrounds networks, with NumPy's semantics: parameters, files, data, trainers, metrics."""

from __future__ import annotations

import json
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as onp
import pytest

import mxnet as mx
from mxnet import autograd, gluon, init, np, npx
from mxnet.gluon import nn, rnn
from tools.oracle.np_gluon_programs import EXPORTED, space

EXPORTS = json.loads((Path(__file__).resolve().parents[1] / "fixtures" / "np_gluon" / "exports.json").read_text())


@pytest.fixture(autouse=True)
def numpy_semantics() -> Iterator[None]:
    npx.set_np()
    yield
    npx.reset_np()


def dense(*units: int, **options: Any) -> Any:
    net = nn.HybridSequential()
    for each in units:
        net.add(nn.Dense(each, **options))
    return net


# -- files ------------------------------------------------------------------------------------------


def without_versions(graph: str) -> Any:
    """A graph without the counts of writes to states, which MXNet adds up over all graphs made before."""
    record = json.loads(graph)
    for node in record["nodes"]:
        node["inputs"] = [source[:2] for source in node["inputs"]]
    return record


@pytest.mark.parametrize("name", list(EXPORTED))
def test_exported_networks_are_those_of_mxnet(name: str, tmp_path: Path) -> None:
    found, recorded = space(True), EXPORTS[name]
    with mx.name.NameManager(), warnings.catch_warnings():
        warnings.simplefilter("error")
        exec(EXPORTED[name], found)
        net = found["fill"](found["net"], *found["inputs"])
        out = net(*found["inputs"])
        net.export(str(tmp_path / "net"))
    graph = (tmp_path / "net-symbol.json").read_text()
    assert without_versions(graph) == without_versions(recorded["graph"])
    if "BatchNorm" not in graph:
        assert graph == recorded["graph"]
    assert (tmp_path / "net-0000.params").stat().st_size == recorded["size"]
    (tmp_path / "recorded-symbol.json").write_text(recorded["graph"])
    names = ["data"] if len(found["inputs"]) == 1 else [f"data{i}" for i in range(len(found["inputs"]))]
    loaded = gluon.SymbolBlock.imports(str(tmp_path / "recorded-symbol.json"), names, str(tmp_path / "net-0000.params"))
    again = loaded(*found["inputs"])
    for results in (out, again):
        results = list(results) if isinstance(results, (list, tuple)) else [results]
        assert len(results) == len(recorded["out"])
        for result, wanted in zip(results, recorded["out"], strict=True):
            assert type(result) is np.ndarray
            assert list(result.shape) == wanted["shape"]
            onp.testing.assert_allclose(result.asnumpy().ravel(), wanted["values"], rtol=2e-4, atol=2e-5)


def test_a_loaded_graph_is_part_of_a_compiled_network(tmp_path: Path) -> None:
    net = dense(3)
    net.initialize()
    net.hybridize()
    x = np.ones((2, 4))
    expected = net(x)
    net.export(str(tmp_path / "net"))
    whole = nn.HybridSequential()
    whole.add(gluon.SymbolBlock.imports(str(tmp_path / "net-symbol.json"), ["data"], str(tmp_path / "net-0000.params")))
    whole.add(nn.HybridLambda(lambda F, y: F.np.exp(y)))
    whole.hybridize()
    found = whole(x)
    assert type(found) is np.ndarray
    onp.testing.assert_allclose(found.asnumpy(), onp.exp(expected.asnumpy()), rtol=1e-5)


def test_parameter_files(tmp_path: Path) -> None:
    net = dense(3, 2)
    net.initialize(init.One())
    x = np.ones((2, 4))
    expected = net(x)
    path = str(tmp_path / "net.params")
    net.save_parameters(path)
    assert Path(path).read_bytes()[64 - 40 : 64 - 36] == b"\xca\xfa\x93\xf9"  # the mark of NumPy's semantics
    again = dense(3, 2)
    again.load_parameters(path)
    assert type(again[0].weight.data()) is np.ndarray
    assert (again(x) == expected).all()
    with mx.util.np_array(False):
        classic = dense(3, 2)
        classic.load_parameters(path)
        assert type(classic[0].weight.data()) is mx.nd.NDArray
    net.collect_params().save(path)
    net.collect_params().load(path)
    assert type(net[0].weight.data()) is np.ndarray


def test_arrays_without_axes_are_saved(tmp_path: Path) -> None:
    path = str(tmp_path / "arrays")
    npx.save(path, {"number": np.array(3.0), "row": np.arange(2)})
    found = npx.load(path)
    assert found["number"].shape == ()
    assert type(found["row"]) is np.ndarray


# -- parameters ------------------------------------------------------------------------------------------


def test_arrays_of_parameters() -> None:
    net = nn.Dense(3)
    assert net.weight.shape == (3, -1)
    assert repr(net) == "Dense(-1 -> 3, linear)"
    assert repr(rnn.LSTM(3)) == "LSTM(-1 -> 3, TNC)"
    net.initialize()
    with pytest.raises(gluon.parameter.DeferredInitializationError):
        net.weight.data()
    net(np.ones((2, 4)))
    assert net.weight.shape == (3, 4)
    for array in (net.weight.data(), net.weight.grad(), *net.weight.list_data(), *net.bias.list_grad()):
        assert type(array) is np.ndarray
    assert type(net.weight.var()) is mx.sym.np._Symbol
    assert type(gluon.Constant("c", [[1, 2]]).value) is np.ndarray
    net.weight.cast("float64")
    assert type(net.weight.data()) is type(net.weight.grad()) is np.ndarray
    net.weight.reset_ctx([mx.cpu(0), mx.cpu(1)])
    assert [type(array) for array in net.weight.list_data()] == [np.ndarray] * 2
    net.weight.zero_grad()
    assert float(np.abs(net.weight.grad(mx.cpu(1))).sum()) == 0


def test_parameters_keep_the_kind_they_were_made_with() -> None:
    with mx.util.np_array(False), mx.util.np_shape(False):
        net = nn.Dense(3, in_units=2)
        net.initialize()
    assert type(net.weight.data()) is mx.nd.NDArray
    assert type(net.weight.var()) is mx.sym.Symbol
    for active in (False, True):
        net.hybridize(active)
        assert type(net(np.ones((1, 2)))) is np.ndarray


def test_values_can_be_changed_in_place() -> None:
    net = nn.Dense(3, in_units=2)
    net.initialize()
    net.weight.data()[:] = 0
    net.weight.data()[0, 0] = 42
    net.weight.set_data(net.weight.data() + 1)
    assert net.weight.data()[0, 0].shape == ()
    assert float(net.weight.data()[0, 0]) == 43
    assert float(net.weight.data().sum()) == 48


@pytest.mark.parametrize(
    "initializer",
    [
        *(init.Normal(), init.Uniform(), init.Xavier(), init.MSRAPrelu(), init.Orthogonal(), init.One(), init.Zero()),
        *(init.Constant(2), init.Bilinear(), init.TruncNorm() if hasattr(init, "TruncNorm") else init.Normal()),
    ],
)
def test_initializers(initializer: Any) -> None:
    layer = nn.Conv2D(3, 2, in_channels=2, weight_initializer=initializer)
    layer.initialize()
    assert type(layer.weight.data()) is np.ndarray
    assert type(layer.weight.grad()) is np.ndarray


# -- layers and losses ------------------------------------------------------------------------------------------------

LOSSES = [
    *(gluon.loss.L1Loss, gluon.loss.L2Loss, gluon.loss.SigmoidBCELoss, gluon.loss.HuberLoss, gluon.loss.HingeLoss),
    *(gluon.loss.SquaredHingeLoss, gluon.loss.LogisticLoss, gluon.loss.KLDivLoss),
]


@pytest.mark.parametrize("kind", LOSSES)
@pytest.mark.parametrize("active", [False, True])
def test_losses_are_rows(kind: Any, active: bool) -> None:
    values = onp.random.RandomState(0).uniform(0.1, 0.9, (2, 4, 3)).astype("float32")
    loss = kind()
    with mx.util.np_array(False), mx.util.np_shape(False):
        expected = loss(*map(mx.nd.array, values)).asnumpy()
    loss.hybridize(active)
    found = loss(*map(np.array, values))
    assert type(found) is np.ndarray
    assert found.shape == (4,)
    onp.testing.assert_allclose(found.asnumpy(), expected, rtol=1e-5)


@pytest.mark.parametrize(
    "layer",
    [
        *(
            nn.LeakyReLU(0.1),
            nn.PReLU(),
            nn.ELU(),
            nn.SELU(),
            nn.GELU(),
            nn.Swish(),
            nn.InstanceNorm(),
            nn.GroupNorm(2),
        ),
        *(nn.LayerNorm(), nn.BatchNorm(), nn.MaxPool2D(), nn.AvgPool2D(), nn.GlobalMaxPool2D(), nn.GlobalAvgPool2D()),
        *(nn.Conv2DTranspose(3, 3), nn.ReflectionPad2D(1), nn.Flatten(), nn.Dropout(0.0), nn.Activation("softsign")),
        *(nn.HybridLambda("relu"), nn.Lambda("tanh"), nn.Conv2D(2, 3, groups=2), nn.Dense(2)),
    ],
    ids=lambda layer: type(layer).__name__,
)
def test_layers(layer: Any) -> None:
    x = np.array(onp.random.RandomState(0).uniform(-1, 1, (2, 4, 6, 6)).astype("float32"))
    layer.initialize()
    expected = layer(x)
    assert type(expected) is np.ndarray
    layer.hybridize()
    found = layer(x)
    assert type(found) is np.ndarray
    onp.testing.assert_allclose(found.asnumpy(), expected.asnumpy(), rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("kind", [rnn.RNNCell, rnn.LSTMCell, rnn.GRUCell])
def test_cells(kind: Any) -> None:
    cell = kind(3)
    cell.initialize()
    states = cell.begin_state(2)
    assert all(type(state) is np.ndarray for state in states)
    x = np.ones((5, 2, 4))
    output, states = cell(x[0], states)
    assert type(output) is np.ndarray
    outputs, states = cell.unroll(5, x, layout="TNC", merge_outputs=True)
    assert outputs.shape == (5, 2, 3)
    assert type(outputs) is type(states[0]) is np.ndarray


@pytest.mark.parametrize("layer", [rnn.RNN(3), rnn.GRU(3, 2, layout="NTC"), rnn.LSTM(3, bidirectional=True)])
def test_recurrent_layers(layer: Any) -> None:
    layer.initialize()
    x = np.array(onp.random.RandomState(0).uniform(-1, 1, (2, 2, 4)).astype("float32"))
    for active in (False, True):
        layer.hybridize(active)
        alone = layer(x)
        outputs, states = layer(x, layer.begin_state(batch_size=2))
        assert type(alone) is type(outputs) is type(states[0]) is np.ndarray
        assert (alone == outputs).all()


def test_networks_of_the_zoo() -> None:
    net = gluon.model_zoo.vision.mobilenet0_25(classes=3)
    net.initialize()
    x = np.ones((1, 3, 32, 32))
    expected = net(x)
    net.hybridize()
    assert type(expected) is type(net(x)) is np.ndarray
    onp.testing.assert_allclose(net(x).asnumpy(), expected.asnumpy(), rtol=1e-3, atol=1e-4)


def test_decorated_classes_work_outside() -> None:
    npx.reset_np()

    @mx.util.use_np
    class Net(nn.HybridBlock):
        def __init__(self) -> None:
            super().__init__()
            self.dense = nn.Dense(3, in_units=2)

        def hybrid_forward(self, F: Any, x: Any) -> Any:
            return F.np.sum(self.dense(x))

    net = Net()
    with mx.util.np_shape(), mx.util.np_array():
        net.initialize()
    for active in (False, True):
        net.hybridize(active)
        out = net(np.ones((1, 2)))
        assert type(out) is np.ndarray
        assert out.shape == ()


# -- training ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("optimizer", ["sgd", "nag", "adam", "rmsprop", "adagrad", "adadelta", "ftrl", "adamax"])
def test_trainers_give_what_they_give_classic_networks(optimizer: str) -> None:
    draws = onp.random.RandomState(0)
    features, labels = draws.uniform(-1, 1, (6, 4)).astype("float32"), draws.uniform(-1, 1, (6, 1)).astype("float32")

    def trained(array: Any) -> Any:
        net = dense(3, 1)
        net.initialize(init.Constant(0.1))
        net.hybridize()
        trainer = gluon.Trainer(net.collect_params(), optimizer, {"learning_rate": 0.1, "wd": 0.01})
        for _ in range(3):
            with autograd.record():
                loss = gluon.loss.L2Loss()(net(array(features)), array(labels))
            loss.backward()
            trainer.step(6)
        return net[0].weight.data()

    found = trained(np.array)
    npx.reset_np()
    assert type(found) is np.ndarray
    onp.testing.assert_allclose(found.asnumpy(), trained(mx.nd.array).asnumpy(), rtol=1e-5)


def test_several_devices_share_the_work() -> None:
    contexts = [mx.cpu(0), mx.cpu(1)]
    net = dense(1)
    net.initialize(init.One(), ctx=contexts)
    trainer = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.1})
    x = np.arange(8).reshape(4, 2)
    with autograd.record():
        losses = [net(part).sum() for part in gluon.utils.split_and_load(x, contexts)]
    for loss in losses:
        loss.backward()
    trainer.step(4)
    first, second = net[0].weight.list_data()
    assert type(first) is np.ndarray
    onp.testing.assert_allclose(first.asnumpy(), [[1 - 0.1 * 3, 1 - 0.1 * 4]], rtol=1e-6)
    assert (first.asnumpy() == second.asnumpy()).all()


def test_splitting_and_clipping() -> None:
    parts = gluon.utils.split_and_load(onp.ones((4, 2)), [mx.cpu(0), mx.cpu(1)])
    assert [type(part) for part in parts] == [np.ndarray] * 2
    arrays = [np.ones((2,)) * 3, np.array(4.0)]
    norm = gluon.utils.clip_global_norm(arrays, 1.0)
    assert norm == pytest.approx(34**0.5)
    assert float(sum((array**2).sum() for array in arrays)) == pytest.approx(1, rel=1e-4)


def test_functions_with_gradients_of_their_own() -> None:
    class Square(autograd.Function):
        def forward(self, x: Any) -> Any:
            assert type(x) is np.ndarray
            self.save_for_backward(x)
            return x * x

        def backward(self, gradient: Any) -> Any:
            (x,) = self.saved_tensors
            assert type(gradient) is np.ndarray
            return 3 * x * gradient

    x = np.array([1.0, 2.0])
    x.attach_grad()
    with autograd.record():
        loss = Square()(x).sum()
    loss.backward()
    assert loss.shape == ()
    assert x.grad.asnumpy().tolist() == [3, 6]


@pytest.mark.parametrize(
    ("metric", "expected"),
    [
        ("acc", 0.5),
        ("ce", -(onp.log(0.5) + onp.log(0.1)) / 2),
        ("top_k_accuracy", 0.5),
        ("f1", None),
        ("mcc", None),
    ],
)
def test_metrics_of_classes(metric: str, expected: float | None) -> None:
    made = mx.metric.create(metric, **({"top_k": 2} if metric.startswith("top") else {}))
    scores = np.array([[0.1, 0.5, 0.4], [0.7, 0.2, 0.1]] if expected is not None else [[0.4, 0.6], [0.9, 0.1]])
    made.update([np.array([1, 2] if expected is not None else [1, 0])], [scores])
    assert made.get()[1] == pytest.approx(1.0 if expected is None else expected, rel=1e-5)


@pytest.mark.parametrize(("metric", "expected"), [("mae", 0.2), ("mse", 0.05), ("rmse", 0.05**0.5)])
def test_metrics_of_numbers(metric: str, expected: float) -> None:
    made = mx.metric.create(metric)
    made.update([np.array([0.0, 1.0])], [np.array([0.3, 0.9])])
    assert made.get()[1] == pytest.approx(expected, rel=1e-5)
    loss = mx.metric.Loss()
    loss.update(None, np.array([1.0, 2.0]))
    assert loss.get()[1] == 1.5


# -- data ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "options", [{}, {"num_workers": 1}, {"num_workers": 1, "thread_pool": True}, {"shuffle": True}], ids=str
)
def test_batches(options: dict[str, Any]) -> None:
    dataset = gluon.data.ArrayDataset(np.arange(12).reshape(6, 2), np.arange(6))
    batches = list(gluon.data.DataLoader(dataset, 4, **options))
    assert [type(part) for batch in batches for part in batch] == [np.ndarray] * 4
    assert [(data.shape, label.shape) for data, label in batches] == [((4, 2), (4,)), ((2, 2), (2,))]
    rows = onp.concatenate([data.asnumpy() for data, _ in batches])
    assert sorted(rows[:, 0]) == [0, 2, 4, 6, 8, 10]


def test_batches_of_other_samples() -> None:
    load = gluon.data.DataLoader
    assert next(iter(load([1.0, 2.0, 3.0], 2))).dtype == onp.float64
    assert next(iter(load(np.arange(3), 2))).shape == (2,)
    assert next(iter(load(gluon.data.SimpleDataset(np.ones((3, 2))), 2))).shape == (2, 2)
    numbers = gluon.data.ArrayDataset(onp.ones((4, 2), "float32"), onp.arange(4))
    data, label = next(iter(load(numbers, 2)))
    assert type(data) is type(label) is np.ndarray
    assert label.dtype == onp.int64


def test_transforms() -> None:
    transforms = gluon.data.vision.transforms
    image = np.array(onp.arange(48).reshape(4, 4, 3), dtype="uint8")
    both = transforms.Compose([transforms.ToTensor(), transforms.Normalize(0.5, 0.5)])
    for transform in (both, transforms.Resize(2), transforms.CenterCrop(2), transforms.Cast("float32")):
        assert type(transform(image)) is np.ndarray
    dataset = gluon.data.ArrayDataset(np.stack([image] * 4), np.arange(4)).transform_first(both)
    data, label = next(iter(gluon.data.DataLoader(dataset, 2)))
    assert (type(data), type(label), data.shape) == (np.ndarray, np.ndarray, (2, 3, 4, 4))
    assert (data[0] == both(image)).all()


def test_images(tmp_path: Path) -> None:
    cv2 = pytest.importorskip("cv2")
    path = str(tmp_path / "image.png")
    cv2.imwrite(path, onp.arange(48, dtype="uint8").reshape(4, 4, 3))
    assert type(mx.image.imread(path)) is np.ndarray
    assert type(mx.image.imdecode(Path(path).read_bytes())) is np.ndarray
