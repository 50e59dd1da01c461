"""The mean of losses: what fixtures do not show."""

import pytest

from mxnet import metric, nd


def test_half_precision_does_not_overflow():
    made = metric.Loss()
    made.update(None, [nd.array([60000, 60000], dtype="float16")])
    assert made.get() == ("loss", pytest.approx(60000, rel=1e-3))


def test_many_small_losses_are_not_lost():
    made = metric.Loss()
    made.sum_metric = 2.0**24
    for _ in range(4):
        made.update(None, nd.array([0.25]))
    assert made.sum_metric == 2**24 + 1
