"""Metrics from functions."""

import numpy as np
import pytest

from mxnet import metric, nd


def gap(label, pred):
    assert isinstance(label, np.ndarray)
    assert isinstance(pred, np.ndarray)
    return np.abs(label - pred).sum()


def test_names():
    assert metric.np(gap).name == metric.CustomMetric(gap).name == "gap"
    assert metric.np(gap, name="distance").name == "distance"
    assert metric.create(lambda label, pred: 0).name == "custom(<lambda>)"


def test_numbers_of_small_types_add_up_exactly():
    made = metric.CustomMetric(lambda label, pred: (np.float32(1), np.float32(2)))
    made.update([nd.zeros(1)], [nd.zeros(1)])
    made.sum_metric = made.num_inst = np.float64(2**24)
    made.update([nd.zeros(1)], [nd.zeros(1)])
    assert made.sum_metric == 2**24 + 1
    assert type(made.get()[1]) is float


def test_extra_outputs():
    strict, loose = metric.np(gap), metric.np(gap, allow_extra_outputs=True)
    labels, preds = [nd.array([1, 2])], [nd.array([2, 4]), nd.zeros(9)]
    with pytest.raises(ValueError, match="received 1 labels for 2 predictions"):
        strict.update(labels, preds)
    loose.update(labels, preds)
    assert loose.get() == ("gap", 3.0)
