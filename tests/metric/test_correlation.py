"""Correlations: what fixtures do not show."""

import math

import numpy as np
import pytest

from mxnet import metric, nd
from mxnet.metric import _correlation


def test_micro_has_a_global_value():
    """MXNet answers 0."""
    made = metric.PearsonCorrelation(average="micro")
    assert math.isnan(made.get_global()[1])
    x, y = np.random.RandomState(1).randn(2, 30) + 1000
    for part in (slice(0, 7), slice(7, 8), slice(8, 30)):
        made.update([nd.array(x[part], dtype="float64")], [nd.array(y[part], dtype="float64")])
    expected = pytest.approx(np.corrcoef(x, y)[0, 1], rel=1e-9)
    assert made.get()[1] == expected
    made.reset_local()
    assert math.isnan(made.get()[1])
    assert made.get_global()[1] == expected


def test_classes_wait_until_they_are_many(monkeypatch):
    made = metric.PCC()
    label, pred = nd.array([0, 1, 2, 2]), nd.array([0, 1, 2, 1])
    made.update([label], [pred])
    label[:] = 0  # a batch's memory may be used again
    assert len(made._waiting) == 1
    assert made.lcm.sum() == 4
    assert made.lcm[1, 2] == 1
    assert not made._waiting
    assert made.k == 3
    monkeypatch.setattr(_correlation, "_MOST_WAITING", 5)
    for _ in range(2):
        made.update([pred], [pred])
    assert not made._waiting
    assert made.gcm.sum() == 12
    made.reset_local()
    assert made.lcm.sum() == 0
    assert made.gcm.sum() == 12


def test_classes_of_several_axes_are_counted_one_by_one():
    """MXNet loses those that repeat in a row."""
    grid, vector = metric.PCC(), metric.PCC()
    label, pred = nd.array([[1, 1, 0], [0, 1, 2]]), nd.array([[1, 1, 0], [1, 0, 2]])
    grid.update([label], [pred])
    vector.update([label.reshape((-1,))], [pred.reshape((-1,))])
    assert grid.get() == vector.get()


def test_shapes_that_do_not_fit():
    with pytest.raises(ValueError, match=r"\[PCC\] received labels of shape \(3,\) for predictions of shape \(2, 4\)"):
        metric.PCC().update([nd.zeros(3)], [nd.zeros((2, 4))])
    with pytest.raises(ValueError, match=r"labels of shape \(3,\) for predictions of shape \(3, 1\)"):
        metric.PearsonCorrelation().update([nd.zeros(3)], [nd.zeros((3, 1))])
