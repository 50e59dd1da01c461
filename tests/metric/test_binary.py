"""F1 and MCC: what fixtures do not show."""

import math

import pytest

from mxnet import metric, nd


def batch():
    return [nd.array([0, 1, 1, 0, 1])], [nd.array([[0.3, 0.7], [0.2, 0.8], [0.4, 0.6], [0.9, 0.1], [0.7, 0.3]])]


@pytest.mark.parametrize("klass", [metric.F1, metric.MCC])
def test_more_than_two_classes_are_refused_when_read(klass):
    made = klass()
    made.update([nd.array([0, 1, 2])], [nd.ones((3, 2))])
    for read in (made.get, made.get_global):
        with pytest.raises(ValueError, match="labels of more than two classes; expected a binary classification"):
            read()
    made.reset()
    made.update([nd.array([3, 1, 3])], [nd.ones((3, 2))])  # any two will do
    made.get()


@pytest.mark.parametrize("klass", [metric.F1, metric.MCC])
def test_columns_of_labels_count_as_vectors(klass):
    """MXNet compares every label with every prediction then."""
    vector, column = klass(), klass()
    labels, preds = batch()
    vector.update(labels, preds)
    column.update([labels[0].reshape((-1, 1))], preds)
    assert column.get() == vector.get()


def test_counts_can_be_read():
    made = metric.F1(average="micro")
    made.update(*batch())
    made.update(*batch())
    counts = made.metrics
    assert (counts.true_positives, counts.false_positives) == (4, 2)
    assert (counts.false_negatives, counts.true_negatives) == (2, 2)
    assert counts.total_examples == counts.global_total_examples == 10
    assert counts.precision == counts.recall == pytest.approx(2 / 3)
    assert counts.fscore == pytest.approx(made.get()[1])
    assert counts.matthewscc() == counts.matthewscc(use_global=True) == pytest.approx((4 * 2 - 2 * 2) / (6 * 4))
    made.reset_local()
    assert counts.true_positives == 0
    assert counts.precision == counts.fscore == counts.matthewscc() == 0
    assert counts.global_true_positives == 4
    assert counts.global_precision == pytest.approx(2 / 3)
    assert math.isnan(made.get()[1])
    assert made.get_global()[1] == pytest.approx(2 / 3)


def test_shapes_that_do_not_fit():
    with pytest.raises(ValueError, match=r"\(2,\) for predictions of shape \(2,\); expected a label for each row"):
        metric.MCC().update([nd.zeros(2)], [nd.zeros(2)])
