"""`EvalMetric`: what subclasses rely on, and how sums are kept."""

import copy
import pickle

import numpy as np
import pytest

import mxnet as mx
from mxnet import autograd, metric, nd


class Hits(metric.EvalMetric):
    """Adds NumPy numbers, as users write it."""

    def __init__(self, **kwargs):
        super().__init__("hits", **kwargs)

    def update(self, labels, preds):
        for label, pred in zip(labels, preds):
            self.sum_metric += (label.asnumpy() == pred.asnumpy()).sum()
            self.num_inst += label.shape[0]


class Two(metric.EvalMetric):
    """Keeps lists in place of numbers, as detection programs do."""

    def __init__(self):
        super().__init__("two")

    def reset(self):
        self.num_inst = [0, 0]
        self.sum_metric = [0.0, 0.0]

    def update(self, labels, preds):
        for i in range(2):
            self.sum_metric[i] += float(preds[i].sum().asscalar())
            self.num_inst[i] += preds[i].size

    def get(self):
        return ["first", "second"], [total / num for total, num in zip(self.sum_metric, self.num_inst)]


def one_batch():
    return [nd.array([0, 1, 1])], [nd.array([[0.3, 0.7], [0, 1.0], [0.4, 0.6]])]


def test_a_subclass_with_numpy_numbers():
    hits = Hits()
    assert np.isnan(hits.get()[1])
    hits.update([nd.array([1, 2, 3])], [nd.array([1, 2, 4])])
    assert hits.get() == ("hits", 2 / 3)
    assert hits.get_global() == hits.get()  # it keeps no global sums
    assert hits.get_global_name_value() == [("hits", 2 / 3)]
    assert str(hits) == "EvalMetric: {'hits': 0.6666666666666666}"
    hits.reset()
    assert (hits.sum_metric, hits.num_inst) == (0.0, 0)


def test_a_subclass_with_lists():
    two = Two()
    two.update([], [nd.array([1, 2]), nd.array([3, 4, 5])])
    assert two.get_name_value() == [("first", 1.5), ("second", 4.0)]
    assert two.sum_metric == [3.0, 12.0]


def test_a_subclass_that_adds_arrays():
    class Adds(metric.EvalMetric):
        def update(self, labels, preds):
            self.sum_metric += nd.sum(preds)
            self.num_inst += preds.size

    adds = Adds("adds")
    adds.update(None, nd.array([1, 2, 3]))
    assert float(adds.get()[1]) == 2


def test_a_subclass_of_a_metric_that_adds_numbers():
    class Twice(metric.Accuracy):
        def update(self, labels, preds):
            super().update(labels, preds)
            self.sum_metric += 1
            self.num_inst += 1

    twice = Twice()
    twice.update(*one_batch())
    twice.update(*one_batch())
    assert twice.get() == ("accuracy", 6 / 8)
    assert twice.get_global() == ("accuracy", 4 / 6)


def test_a_subclass_that_forgets_the_global_sums():
    class Local(metric.Accuracy):
        def reset(self):
            self.sum_metric = 0.0
            self.num_inst = 0

    local = Local()
    local.update(*one_batch())
    assert local.get() == local.get_global() == ("accuracy", 2 / 3)


def test_update_must_be_written():
    with pytest.raises(NotImplementedError, match=r"\[EvalMetric\] there is no update"):
        metric.EvalMetric("nothing").update([], [])


def test_unset_sums_are_missing():
    class Empty(metric.EvalMetric):
        def reset(self):
            pass

    with pytest.raises(AttributeError, match=r"Empty has no sum_metric yet; reset\(\) sets it"):
        Empty("empty").sum_metric  # noqa: B018


def test_sums_are_numbers_to_readers():
    accuracy = metric.Accuracy()
    accuracy.update(*one_batch())
    for name in ("sum_metric", "global_sum_metric"):
        assert type(getattr(accuracy, name)) is float
        assert getattr(accuracy, name) == 2
    assert (accuracy.num_inst, accuracy.global_num_inst) == (3, 3)
    accuracy.reset_local()
    assert (accuracy.sum_metric, accuracy.num_inst, accuracy.global_sum_metric) == (0, 0, 2)
    accuracy.sum_metric = 5
    accuracy.update(*one_batch())
    assert accuracy.sum_metric == 7


def test_named_batches():
    labels, outputs = {"label": nd.array([1]), "other": nd.array([0])}, {"out": nd.array([[0, 1.0]]), "loss": None}
    chosen = metric.Accuracy(output_names=["out"], label_names=["label"])
    chosen.update_dict(labels, outputs)
    assert chosen.get() == ("accuracy", 1.0)
    everything = metric.Accuracy()
    everything.update_dict({"label": nd.array([1])}, {"out": nd.array([[0, 1.0]])})
    assert everything.get() == ("accuracy", 1.0)


def test_batches_from_several_devices():
    accuracy, f1 = metric.Accuracy(), metric.F1()
    correlation = metric.PearsonCorrelation(average="micro")
    for made in (accuracy, f1):
        made.update(
            [nd.array([0, 1]), nd.array([1, 1], ctx=mx.cpu(0))],
            [nd.array([[1.0, 0], [0, 1]], ctx=mx.cpu(1)), nd.array([[1.0, 0], [0, 1]], ctx=mx.cpu(2))],
        )
    assert accuracy.get() == ("accuracy", 0.75)
    assert f1.get() == ("f1", pytest.approx(0.8))
    for i, values in enumerate(([1.0, 2], [3.0, 5])):
        correlation.update([nd.array(values, ctx=mx.cpu(i))], [nd.array(values, ctx=mx.cpu(i))])
    assert correlation.get()[1] == pytest.approx(1)


@pytest.mark.parametrize(
    "made",
    [
        metric.Accuracy(),
        metric.TopKAccuracy(2),
        metric.CrossEntropy(),
        metric.Perplexity(0),
        metric.F1(),
        metric.MCC(average="micro"),
        metric.PCC(),
        metric.Loss(),
    ],
    ids=lambda made: made.name,
)
def test_no_graph_is_kept_alive(made):
    scores = nd.array([[0.3, 0.7], [0.2, 0.8], [0.4, 0.6]])
    scores.attach_grad()
    with autograd.record():
        outputs = nd.softmax(scores)
        made.update([nd.array([0, 1, 1])], [outputs])
        made.update([nd.array([0, 1, 1])], [outputs])

    def held(value):
        if isinstance(value, nd.NDArray):
            return [value]
        if isinstance(value, dict):
            return [array for entry in value.values() for array in held(entry)]
        if isinstance(value, (list, tuple)):
            return [array for entry in value for array in held(entry)]
        slots = getattr(type(value), "__slots__", ())
        return held([getattr(value, slot) for slot in slots] if slots else getattr(value, "__dict__", {}))

    assert held(vars(made))
    assert all(array._node is None and not array._t.requires_grad for array in held(vars(made)))
    made.get()


def test_copies_and_pickles():
    accuracy = metric.Accuracy()
    accuracy.update(*one_batch())
    for other in (copy.copy(accuracy), copy.deepcopy(accuracy), pickle.loads(pickle.dumps(accuracy))):  # noqa: S301
        other.update(*one_batch())
        assert other.sum_metric == 4
        assert other.num_inst == 6
    assert accuracy.sum_metric == 2


def test_check_label_shapes():
    label, pred = nd.zeros(3), nd.zeros((3, 2))
    assert metric.check_label_shapes([label], [pred]) == ([label], [pred])
    wrapped = metric.check_label_shapes(label, pred, wrap=True)
    assert wrapped[0][0] is label
    assert wrapped[1][0] is pred
    with pytest.raises(ValueError, match="received 3 labels for 1 predictions"):
        metric.check_label_shapes(label, [pred])
    with pytest.raises(ValueError, match=r"labels of shape \(3,\) for predictions of shape \(3, 2\)"):
        metric.check_label_shapes(label, pred, shape=True)


@pytest.mark.parametrize("made", [metric.Accuracy(), metric.MSE(), metric.F1(), metric.Loss()], ids=lambda m: m.name)
def test_numpy_arrays_are_refused(made):
    with pytest.raises(TypeError, match=r"\[metric\] received ndarray; expected an NDArray"):
        made.update([np.zeros(3)], [np.zeros((3, 2))])


def test_names():
    for name in metric.__all__:
        assert hasattr(metric, name)
    assert not isinstance(metric.np, type(np))


def test_arrays_are_reached_through_the_metrics():
    """GluonTS imports them from here."""
    assert mx.metric.ndarray is mx.nd
