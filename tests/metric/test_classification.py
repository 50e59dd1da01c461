"""Metrics of classes: what fixtures do not show."""

import math

import pytest

from mxnet import metric, nd


def test_accuracy_says_which_shapes_do_not_fit():
    text = r"labels of shape \(3,\) for predictions of shape \(2, 4\), which give classes of shape \(2,\) along axis 1"
    with pytest.raises(ValueError, match=text):
        metric.Accuracy().update([nd.zeros(3)], [nd.zeros((2, 4))])


def test_accuracy_counts_more_than_float32_can():
    accuracy = metric.Accuracy()
    accuracy.sum_metric, accuracy.num_inst = 2.0**24, 2**24
    accuracy.update(nd.array([1, 1, 1]), nd.array([1, 1, 0]))
    assert accuracy.sum_metric == 2**24 + 2
    assert accuracy.num_inst == 2**24 + 3


def test_top_k_takes_all_classes_if_there_are_fewer():
    made = metric.TopKAccuracy(5)
    made.update([nd.array([0, 1])], [nd.array([[0.2, 0.8], [0.5, 0.5]])])
    assert made.get() == ("top_k_accuracy_5", 1.0)


def test_top_k_refuses_single_classes():
    with pytest.raises(ValueError, match=r"\[TopKAccuracy\] received .*; expected a row of scores for each label"):
        metric.TopKAccuracy(2).update([nd.array([0, 1])], [nd.array([0, 1])])
    with pytest.raises(ValueError, match="top_k: received 1; expected more than 1"):
        metric.TopKAccuracy()


@pytest.mark.parametrize("made", [metric.CrossEntropy(), metric.NegativeLogLikelihood()], ids=lambda made: made.name)
@pytest.mark.parametrize("label", [2, -3])
def test_labels_out_of_range_are_refused_when_read(made, label):
    pred = nd.array([[0.2, 0.8], [0.5, 0.5]])
    made.reset()
    made.update([nd.array([0, label])], [pred])
    for read in (made.get, made.get_global, made.get_name_value, made.__str__):
        with pytest.raises(IndexError, match=r"received 1 labels that name no column .* reset\(\) to go on"):
            read()
    made.reset()
    made.update([nd.array([0, 1])], [pred])
    assert made.get()[1] == pytest.approx(-(math.log(0.2) + math.log(0.5)) / 2)


def test_perplexity_of_three_axes():
    """MXNet wants the first two joined by hand."""
    pred = nd.array([[[0.5, 0.5], [0.25, 0.75]], [[0.5, 0.5], [1.0, 0]]])
    joined, whole = metric.Perplexity(None), metric.Perplexity(None)
    joined.update([nd.array([0, 0, 1, 0])], [pred.reshape((4, 2))])
    whole.update([nd.array([[0, 0], [1, 0]])], [pred])
    assert whole.get() == joined.get()


def test_perplexity_ignores_even_nan():
    made = metric.Perplexity(ignore_label=1)
    made.update([nd.array([0, 1])], [nd.array([[0.5, 0.5], [math.nan, math.nan]])])
    assert made.get()[1] == pytest.approx(2)
    assert made.num_inst == 1


def test_perplexity_of_half_precision_and_of_nothing_right():
    made = metric.Perplexity(None)
    made.update([nd.array([1])], [nd.array([[1, 0]], dtype="float16")])
    assert made.get()[1] == pytest.approx(1e10, rel=1e-4)
    made.sum_metric = 1e6
    assert made.get()[1] == math.inf
