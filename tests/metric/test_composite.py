"""Several metrics as one, and `create`."""

import pytest

from mxnet import metric, nd


def test_children_count_on():
    accuracy = metric.Accuracy()
    accuracy.update(nd.array([1]), nd.array([1]))
    both = metric.CompositeEvalMetric([accuracy, "mse"])  # taking it in does not reset it
    assert both.get_metric(0) is accuracy
    assert accuracy.get()[1] == 1
    both.add("mae")
    assert both.get()[0] == ["accuracy", "mse", "mae"]
    with pytest.raises(ValueError, match=r"\[CompositeEvalMetric\] received index 3; there are 3 metrics"):
        both.get_metric(3)


def test_a_child_with_several_values():
    inner = metric.CompositeEvalMetric(["mae", "mse"])
    outer = metric.CompositeEvalMetric([inner, "rmse"])
    outer.update([nd.array([1, 2])], [nd.array([2, 4])])
    assert outer.get_name_value() == [("mae", 1.5), ("mse", 2.5), ("rmse", pytest.approx(2.5**0.5))]


def test_named_batches_are_filtered():
    made = metric.CompositeEvalMetric(["acc"], output_names=["out"], label_names=["label"])
    labels = {"label": nd.array([1]), "other": nd.array([0])}
    outputs = {"out": nd.array([[0, 1.0]]), "loss": nd.zeros(1)}
    made.update_dict(labels, outputs)
    assert made.get() == (["accuracy"], [1.0])
    made = metric.CompositeEvalMetric(["acc"])
    made.update_dict({"label": nd.array([1])}, {"out": nd.array([[0, 1.0]])})
    assert made.get() == (["accuracy"], [1.0])


def test_a_config_makes_the_metric_again():
    made = metric.create(["acc", metric.Perplexity(ignore_label=0)])
    again = metric.create(**made.get_config())
    assert again.get_config() == made.get_config()
    assert metric.create('["acc", {"axis": 2}]').axis == 2
    assert metric.create("ACC").name == "accuracy"


def test_unknown_names_are_refused():
    with pytest.raises(ValueError, match=r"\[metric.create\] received 'acurracy'.*did you mean 'accuracy' or"):
        metric.create("acurracy")
    with pytest.raises(TypeError, match=r"\[metric.create\] received 3; expected a name"):
        metric.create(3)
