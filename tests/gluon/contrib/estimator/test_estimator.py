"""The Estimator: its loop, its checks, accumulated gradients and mixed precision."""

import json
import re
from pathlib import Path

import numpy as np
import pytest

import mxnet as mx
from mxnet import gluon, nd
from mxnet.contrib.amp._training import _take_back
from mxnet.gluon.contrib.estimator import (
    BatchBegin,
    BatchEnd,
    BatchProcessor,
    EpochBegin,
    EpochEnd,
    Estimator,
    GradientUpdateHandler,
    LoggingHandler,
    MetricHandler,
    TrainBegin,
    TrainEnd,
    ValidationHandler,
)
from tests.gluon.contrib.estimator.runs import assert_same, make_data, make_estimator, make_net, weights
from tools.oracle.record_estimator import programs, run

RECORDED = json.loads((Path(__file__).parents[3] / "fixtures" / "estimator" / "logs.json").read_text())


@pytest.mark.parametrize("name", RECORDED)
def test_logs_and_files_are_those_of_mxnet(name):
    found, expected = run(mx, *programs(mx)[name]), RECORDED[name]
    # MXNet writes the new value twice: "improved from 0.1 to 0.1".
    texts = [
        [re.sub(r"improved from \S+", "improved from", line) for line in each["log"]] for each in (found, expected)
    ]
    assert texts[0] == texts[1]
    assert found["files"] == expected["files"]


def test_default_metrics_and_their_copies():
    estimator, _ = make_estimator()
    names = [metric.name for metric in estimator.train_metrics]
    assert names == ["training accuracy", "training softmaxcrossentropyloss"]
    assert [metric.name for metric in estimator.val_metrics] == [
        name.replace("training", "validation") for name in names
    ]
    assert estimator.prepare_loss_and_metrics() == (estimator.train_metrics, estimator.val_metrics)
    composite = mx.metric.create(["acc", "f1"])
    estimator, _ = make_estimator(metrics=composite)
    assert estimator.train_metrics == composite.metrics
    estimator, _ = make_estimator(metrics=mx.metric.Accuracy(), val_metrics=mx.metric.F1())
    assert [metric.name for metric in estimator.val_metrics] == ["validation f1"]


class Noting(TrainBegin, EpochBegin, BatchBegin, BatchEnd, EpochEnd, TrainEnd):
    def __init__(self, name, priority, noted, stops_at=None):
        self.name, self.priority, self.noted, self.stops_at = name, priority, noted, stops_at

    def _note(self, event, estimator, kwargs):
        self.noted.append((event, self.name, sorted(kwargs)))
        return event == self.stops_at

    def train_begin(self, estimator, **kwargs):
        self._note("train_begin", estimator, kwargs)

    def epoch_begin(self, estimator, **kwargs):
        self._note("epoch_begin", estimator, kwargs)

    def batch_begin(self, estimator, **kwargs):
        self._note("batch_begin", estimator, kwargs)

    def batch_end(self, estimator, **kwargs):
        return self._note("batch_end", estimator, kwargs)

    def epoch_end(self, estimator, **kwargs):
        return self._note("epoch_end", estimator, kwargs)

    def train_end(self, estimator, **kwargs):
        self._note("train_end", estimator, kwargs)


def test_handlers_are_called_by_priority_with_what_they_need():
    noted = []
    given = [Noting("late", 1, noted, "epoch_end"), Noting("early", -1, noted)]
    estimator, _ = make_estimator()
    estimator.fit(make_data(length=4), epochs=3, event_handlers=given)
    batch = [("batch_begin", ["batch"]), ("batch_end", ["batch", "label", "loss", "pred"])]
    events = [("train_begin", []), ("epoch_begin", []), *batch, ("epoch_end", []), ("train_end", [])]
    assert noted == [(event, name, given) for event, given in events for name in ("early", "late")]
    assert len(given) == 2


def test_a_handler_can_stop_in_the_middle_of_an_epoch():
    noted = []
    estimator, _ = make_estimator()
    estimator.fit(make_data(), epochs=1, event_handlers=Noting("one", 0, noted, "batch_end"))
    assert [event for event, _, _ in noted].count("batch_end") == 1


def test_default_handlers_and_their_order():
    estimator, _ = make_estimator()
    data = make_data()
    found = estimator._prepare_default_handlers(data, None)
    kinds = ["GradientUpdateHandler", "MetricHandler", "ValidationHandler", "StoppingHandler", "LoggingHandler"]
    assert [type(handler).__name__ for handler in found] == kinds
    own = [
        *(MetricHandler(estimator.train_metrics), LoggingHandler(metrics=estimator.train_metrics)),
        *(ValidationHandler(data, estimator.evaluate), GradientUpdateHandler()),
    ]
    assert len(estimator._prepare_default_handlers(data, own)) == 5


def test_evaluation_leaves_the_network_alone():
    estimator, text = make_estimator(make_net(0.5))
    before = weights(estimator.net)
    estimator.evaluate(make_data())
    assert_same(weights(estimator.net), before)
    assert 0 <= estimator.val_metrics[0].get()[1] <= 1
    assert text.getvalue().startswith("Validation Begin\n[Epoch 0] Finished in ")


def test_networks_and_losses_of_evaluations():
    class Constant(gluon.HybridBlock):
        def hybrid_forward(self, F, x):
            return F.zeros_like(x)

    estimator, _ = make_estimator(val_net=Constant(), val_loss=gluon.loss.L2Loss(), val_metrics=mx.metric.Loss())
    samples = gluon.data.ArrayDataset(np.full((4, 3), 2, "float32"), np.full((4, 3), 4, "float32"))
    estimator.evaluate(gluon.data.DataLoader(samples, 2))
    assert estimator.val_metrics[0].get() == ("validation loss", 8.0)


def test_several_contexts_and_another_batch_axis():
    class Turned(BatchProcessor):
        def _get_data_and_label(self, batch, ctx, batch_axis=0):
            data, label = super()._get_data_and_label([batch[0].T, batch[1].reshape((1, -1))], ctx, 1)
            return [each.T for each in data], [each[0] for each in label]

    results = []
    for contexts, processor in (
        ([mx.cpu(0)], None),
        ([mx.cpu(0), mx.cpu(1)], None),
        ([mx.cpu(0), mx.cpu(1)], Turned()),
    ):
        mx.random.seed(2)
        net = gluon.nn.Dense(2, in_units=3, prefix="dense_")
        net.initialize(mx.init.Xavier(), ctx=contexts)
        estimator, _ = make_estimator(net, context=contexts, batch_processor=processor)
        estimator.fit(make_data(length=24), epochs=2)
        results.append([parameter.data(mx.cpu(0)).asnumpy() for parameter in net.collect_params().values()])
    for found in results[1:]:
        np.testing.assert_allclose(found[0], results[0][0], rtol=1e-5)
        np.testing.assert_allclose(found[1], results[0][1], rtol=1e-5, atol=1e-7)


@pytest.mark.parametrize("optimizer", ["sgd", "adam"])
def test_accumulated_gradients_are_those_of_a_larger_batch(optimizer):
    results = []
    for batch_size, given in (
        (8, {}),
        (2, {"accumulate": 4}),
        (4, {"event_handlers": GradientUpdateHandler(update_interval=2)}),
    ):
        mx.random.seed(5)
        estimator, _ = make_estimator(make_net(), optimizer)
        estimator.fit(make_data(batch_size), epochs=3, **given)
        assert {parameter.grad_req for parameter in estimator.net.collect_params().values()} == {"write"}
        results.append(weights(estimator.net))
    for found in results[1:]:
        for mine, theirs in zip(found, results[0], strict=True):
            np.testing.assert_allclose(mine, theirs, rtol=2e-4, atol=1e-6)


def test_gradients_are_written_again_after_an_error():
    class Failing(EpochEnd):
        def epoch_end(self, estimator, **kwargs):
            raise KeyError("stop")

    estimator, _ = make_estimator()
    with pytest.raises(KeyError):
        estimator.fit(make_data(), epochs=1, accumulate=2, event_handlers=Failing())
    assert {parameter.grad_req for parameter in estimator.net.collect_params().values()} == {"write"}


@pytest.fixture
def clean_amp():
    yield
    _take_back()


@pytest.mark.parametrize("accumulate", [None, 2])
def test_mixed_precision_by_one_argument(clean_amp, accumulate):
    results, kinds = [], []
    for amp in (None, "bfloat16"):
        mx.random.seed(3)
        net = make_net()
        net(nd.ones((1, 3)))  # a graph without casts, which must be forgotten
        estimator, _ = make_estimator(net, amp=amp)
        net.register_forward_hook(lambda block, given, result: kinds.append(str(result.dtype)))
        estimator.fit(make_data(), epochs=4, accumulate=accumulate)
        results.append(weights(net))
        assert estimator.train_metrics[0].get()[1] > 0.7
    assert estimator.trainer._amp_loss_scaler is not None
    assert "bfloat16" in kinds
    assert {parameter.data().dtype for parameter in net.collect_params().values()} == {np.float32}
    for mine, theirs in zip(*results, strict=True):
        np.testing.assert_allclose(mine, theirs, atol=0.03)


def test_what_an_estimator_and_a_trainer_look_like():
    estimator, _ = make_estimator()
    assert repr(estimator.trainer) == "Trainer(SGD(learning_rate=0.1), 4 parameters, kvstore='device')"
    assert repr(estimator) == (
        "Estimator(net=HybridSequential, loss=SoftmaxCrossEntropyLoss, train_metrics=['training accuracy', 'training "
        "softmaxcrossentropyloss'], val_metrics=['validation accuracy', 'validation softmaxcrossentropyloss'], "
        f"context=[cpu(0)], trainer={estimator.trainer!r})"
    )


def test_warnings():
    net = make_net()
    loss = gluon.loss.SoftmaxCrossEntropyLoss()
    with pytest.warns(
        UserWarning, match="No trainer specified, default SGD optimizer with learning rate 0.001 is used"
    ):
        Estimator(net, loss)
    with pytest.warns(UserWarning, match="Network already fully initialized, skipping initialization"):
        make_estimator(net, initializer=mx.init.Xavier())


def test_networks_that_are_not_initialized():
    net = gluon.nn.Dense(2)
    estimator, _ = make_estimator(net, initializer=mx.init.One())
    estimator.evaluate(make_data())
    np.testing.assert_array_equal(net.weight.data().asnumpy(), np.ones((2, 3)))


@pytest.mark.parametrize(
    ("make", "error", "text"),
    [
        (
            lambda: make_estimator(context="cpu"),
            ValueError,
            r"\[Estimator\] context: received 'cpu'; expected a Context",
        ),
        (
            lambda: make_estimator(context=mx.gpu(99)),
            AssertionError,
            r"context: received gpu\(99\), which is not available",
        ),
        (
            lambda: make_estimator(val_loss="l2"),
            ValueError,
            r"\[Estimator\] loss: received str; expected a gluon.loss.Loss",
        ),
        (
            lambda: make_estimator(trainer="sgd"),
            ValueError,
            r"\[Estimator\] trainer: received str; expected a gluon.Trainer",
        ),
        (
            lambda: make_estimator(metrics=["acc"]),
            ValueError,
            r"\[Estimator\] metrics: received str \('acc'\); expected",
        ),
        (lambda: make_estimator(batch_processor=3), ValueError, r"batch_processor: received int without fit_batch\(\)"),
        (lambda: make_estimator(amp="float8"), ValueError, r"target_dtype: received 'float8'; expected 'float16' or"),
        (lambda: make_estimator()[0].fit([]), ValueError, r"\[Estimator.fit\] received list as data; expected a gluon"),
        (
            lambda: make_estimator()[0].fit(make_data()),
            ValueError,
            r"received epochs=None and batches=None; expected exac",
        ),
        (
            lambda: make_estimator()[0].fit(make_data(), epochs=1, event_handlers=[3]),
            *(ValueError, r"event_handlers: received int; expected an EventHandler"),
        ),
        (
            lambda: make_estimator()[0].fit(make_data(), epochs=1, accumulate=0),
            *(ValueError, r"update_interval: received 0; expected at least 1"),
        ),
        (
            lambda: make_estimator()[0].fit(
                make_data(), epochs=1, accumulate=2, event_handlers=[GradientUpdateHandler()]
            ),
            *(ValueError, r"received accumulate=2 and a GradientUpdateHandler; expected one of them"),
        ),
        (
            lambda: make_estimator()[0].fit(
                make_data(), epochs=1, event_handlers=[MetricHandler([mx.metric.Accuracy()])]
            ),
            *(
                ValueError,
                r"\[MetricHandler\] received the metric EvalMetric: .* not among the training and validation",
            ),
        ),
    ],
)
def test_refusals(make, error, text):
    with pytest.raises(error, match=text):
        make()
