"""Metrics of quantities: what fixtures do not show."""

import pytest

from mxnet import metric, nd


def test_half_precision_does_not_overflow():
    made = metric.MSE()
    made.update([nd.array([400], dtype="float16")], [nd.array([0], dtype="float16")])
    assert made.get() == ("mse", 160000.0)


@pytest.mark.parametrize("klass", [metric.MAE, metric.MSE, metric.RMSE])
def test_shapes_that_do_not_fit(klass):
    with pytest.raises(ValueError, match=r"labels of shape \(3, 1\) for predictions of shape \(2, 2\)"):
        klass().update([nd.zeros(3)], [nd.zeros((2, 2))])
