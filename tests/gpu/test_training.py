"""Training on GPUs: trainers, optimizers, metrics, modules."""

from typing import Any

import numpy as np
import pytest

import mxnet as mx
from mxnet import autograd, gluon
from mxnet.gluon import nn
from tests.gpu.devices import Watch

_GPU = mx.gpu(0)
_OPTIMIZERS = {
    "sgd": {},
    "sgd with momentum": {"momentum": 0.9, "wd": 0.01, "clip_gradient": 1.0},
    "nag": {"momentum": 0.9},
    "adam": {},
    "adam with clipping": {"clip_gradient": 0.5, "wd": 0.01},
    "adamax": {},
    "nadam": {},
    "adagrad": {},
    "adadelta": {},
    "rmsprop": {},
    "rmsprop, centered": {"centered": True},
    "ftrl": {},
    "ftml": {},
    "signum": {},
    "dcasgd": {},
    "sgld": {},
    "lamb": {},
    "lars": {"momentum": 0.9},
    "lbsgd": {},
}


def _step(net: gluon.HybridBlock, trainer: gluon.Trainer, batches: list[Any]) -> list[Any]:
    with autograd.record():
        losses = [gluon.loss.L2Loss()(net(x), y) for x, y in batches]
    autograd.backward(losses)
    trainer.step(4)
    return losses


def _batches(contexts: list[mx.Context]) -> list[Any]:
    x = mx.nd.array(np.linspace(-1, 1, 12).reshape(4, 3))
    y = mx.nd.array(np.linspace(0, 1, 8).reshape(4, 2))
    return list(zip(gluon.utils.split_and_load(x, contexts), gluon.utils.split_and_load(y, contexts)))


def _network(contexts: list[mx.Context]) -> gluon.HybridBlock:
    net = nn.HybridSequential()
    net.add(nn.Dense(4, activation="relu", in_units=3), nn.Dense(2, in_units=4))
    net.initialize(mx.init.One(), ctx=contexts)
    return net


@pytest.mark.parametrize("name", _OPTIMIZERS)
@pytest.mark.parametrize("hybridized", [False, True], ids=["as written", "hybridized"])
def test_steps(name: str, hybridized: bool, gpus: Watch) -> None:
    """Steps neither read from the device nor copy to it, whatever the optimizer, after the first has made states."""
    net = _network([_GPU])
    net.hybridize(hybridized)
    trainer = gluon.Trainer(net.collect_params(), name.split(" ", maxsplit=1)[0].rstrip(","), dict(_OPTIMIZERS[name]))
    batches = _batches([_GPU])
    before = net[0].weight.data().asnumpy()
    _step(net, trainer, batches)
    gpus.clear()
    for _ in range(3):
        _step(net, trainer, batches)
    assert not gpus.reads
    if name != "lars":  # which computes its rates on the device, from numbers that it copies there, as in MXNet
        assert not gpus.uploads
    for parameter in net.collect_params().values():
        assert parameter.data()._t.device == _GPU.device
    after = net[0].weight.data().asnumpy()
    assert np.isfinite(after).all()
    assert (after != before).any()


@pytest.mark.parametrize("update_on_kvstore", [False, True])
@pytest.mark.parametrize("name", ["sgd", "adam"])
def test_two_devices(name: str, update_on_kvstore: bool, two_gpus: Watch) -> None:
    """Two halves of a batch on two devices train as the whole on one."""
    both, results = [mx.gpu(0), mx.gpu(1)], []
    for contexts in ([_GPU], both):
        net = _network(contexts)
        trainer = gluon.Trainer(
            net.collect_params(),
            name,
            {"learning_rate": 0.1},
            kvstore="device",
            update_on_kvstore=update_on_kvstore and len(contexts) > 1,
        )
        batches = _batches(contexts)
        _step(net, trainer, batches)
        two_gpus.clear()
        for _ in range(2):
            _step(net, trainer, batches)
        assert not two_gpus.reads
        results.append([net[0].weight.data(ctx) for ctx in contexts])
    (alone,), (first, second) = results
    assert second._t.device == mx.gpu(1).device
    np.testing.assert_allclose(first.asnumpy(), second.asnumpy())
    np.testing.assert_allclose(first.asnumpy(), alone.asnumpy(), rtol=1e-5)


def _classes() -> tuple[Any, Any]:
    scores = np.array([[0.1, 0.9], [0.8, 0.2], [0.3, 0.7], [0.6, 0.4]], "float32")
    return mx.nd.array([1, 0, 0, 1], ctx=_GPU), mx.nd.array(scores, ctx=_GPU)


def _values() -> tuple[Any, Any]:
    return mx.nd.array([[1.0], [2.0], [3.0], [5.0]], ctx=_GPU), mx.nd.array([[1.5], [2.0], [2.0], [4.0]], ctx=_GPU)


_METRICS = {
    "Accuracy": (mx.metric.Accuracy, _classes, 0.5),
    "TopKAccuracy": (lambda: mx.metric.TopKAccuracy(2), _classes, 1.0),
    "CrossEntropy": (mx.metric.CrossEntropy, _classes, -np.log([0.9, 0.8, 0.3, 0.4]).mean()),
    "NegativeLogLikelihood": (mx.metric.NegativeLogLikelihood, _classes, -np.log([0.9, 0.8, 0.3, 0.4]).mean()),
    "Perplexity": (lambda: mx.metric.Perplexity(None), _classes, np.exp(-np.log([0.9, 0.8, 0.3, 0.4]).mean())),
    "F1": (mx.metric.F1, _classes, 0.5),
    "MCC": (mx.metric.MCC, _classes, 0.0),
    "MAE": (mx.metric.MAE, _values, 0.625),
    "MSE": (mx.metric.MSE, _values, 0.5625),
    "RMSE": (mx.metric.RMSE, _values, 0.75),
    "PearsonCorrelation": (
        mx.metric.PearsonCorrelation,
        _values,
        np.corrcoef([1.0, 2.0, 3.0, 5.0], [1.5, 2.0, 2.0, 4.0])[0, 1],
    ),
}


@pytest.mark.parametrize("name", _METRICS)
def test_metrics(name: str, gpus: Watch) -> None:
    """Updates run on the device; `get` is what waits for it."""
    make, data, expected = _METRICS[name]
    metric = make()
    label, prediction = data()
    gpus.clear()
    metric.update([label], [prediction])
    metric.update([label], [prediction])
    assert not gpus.reads
    assert metric.get()[1] == pytest.approx(expected, rel=1e-5, abs=1e-7)
    assert gpus.reads


def test_loss_metric(gpus: Watch) -> None:
    metric = mx.metric.Loss()
    loss = mx.nd.array([1.0, 3.0], ctx=_GPU)
    gpus.clear()
    metric.update(None, [loss])
    assert not gpus.reads
    assert metric.get()[1] == 2.0


def _classifier() -> Any:
    hidden = mx.sym.Activation(mx.sym.FullyConnected(mx.sym.var("data"), num_hidden=4, name="fc1"), act_type="relu")
    return mx.sym.SoftmaxOutput(mx.sym.FullyConnected(hidden, num_hidden=2, name="fc2"), name="softmax")


@pytest.mark.parametrize("kvstore", ["local", "device"])
def test_module(kvstore: str, two_gpus: Watch) -> None:
    """A module over two devices trains as over one."""
    rows = np.random.default_rng(0).normal(size=(8, 3)).astype("float32")
    classes = (rows.sum(1) > 0).astype("float32")
    results = []
    for contexts in ([mx.gpu(0)], [mx.gpu(0), mx.gpu(1)]):
        module = mx.mod.Module(_classifier(), context=contexts)
        data = mx.io.NDArrayIter(rows, classes, batch_size=4, label_name="softmax_label")
        module.fit(
            data,
            num_epoch=2,
            kvstore=kvstore,
            optimizer="sgd",
            optimizer_params={"learning_rate": 0.5, "momentum": 0.9},
            initializer=mx.init.Constant(0.3),
        )
        outputs = module.predict(data)
        results.append((outputs.asnumpy(), {key: value.asnumpy() for key, value in module.get_params()[0].items()}))
        assert {array.context for arrays in module._exec_group.param_arrays for array in arrays} == set(contexts)
    np.testing.assert_allclose(results[0][0], results[1][0], rtol=1e-4, atol=1e-6)
    for name, value in results[0][1].items():
        np.testing.assert_allclose(value, results[1][1][name], rtol=1e-4, atol=1e-6)


def test_module_steps_do_not_wait(gpus: Watch) -> None:
    module = mx.mod.Module(_classifier(), context=_GPU)
    module.bind([("data", (4, 3))], [("softmax_label", (4,))])
    module.init_params(mx.init.Constant(0.3))
    module.init_optimizer(optimizer="adam")
    batch = mx.io.DataBatch([mx.nd.ones((4, 3), ctx=_GPU)], [mx.nd.ones((4,), ctx=_GPU)])
    metric = mx.metric.Accuracy()
    module.forward_backward(batch)
    module.update()
    gpus.clear()
    for _ in range(3):
        module.forward_backward(batch)
        module.update()
        module.update_metric(metric, batch.label)
    assert not gpus.reads
    assert metric.get()[1] in (0.0, 1.0)


def test_dropout_in_training(gpus: Watch) -> None:
    net = nn.Dropout(0.5)
    net.hybridize()
    x = mx.nd.ones((50, 50), ctx=_GPU)
    x.attach_grad()
    for _ in range(3):
        with autograd.record():
            y = net(x)
        y.backward()
    assert not gpus.reads
    values = y.asnumpy()
    assert set(np.unique(values)) == {0.0, 2.0}
    np.testing.assert_array_equal(x.grad.asnumpy(), values)


@pytest.mark.parametrize(
    "make",
    [
        gluon.loss.SoftmaxCrossEntropyLoss,
        gluon.loss.SigmoidBinaryCrossEntropyLoss,
        gluon.loss.L1Loss,
        gluon.loss.HuberLoss,
        gluon.loss.HingeLoss,
        gluon.loss.KLDivLoss,
        gluon.loss.PoissonNLLLoss,
        gluon.loss.LogisticLoss,
    ],
    ids=lambda make: make.__name__,
)
def test_losses(make: Any, gpus: Watch) -> None:
    x = mx.nd.array(np.linspace(0.1, 0.9, 6).reshape(3, 2), ctx=_GPU)
    x.attach_grad()
    label = mx.nd.ones((3,) if make is gluon.loss.SoftmaxCrossEntropyLoss else (3, 2), ctx=_GPU)
    criterion = make()
    criterion(x, label)  # reads the labels of the first batch, to warn about those that are no class
    gpus.clear()
    with autograd.record():
        loss = criterion(x, label)
    loss.backward()
    assert not gpus.reads
    assert loss._t.device == x.grad._t.device == _GPU.device
