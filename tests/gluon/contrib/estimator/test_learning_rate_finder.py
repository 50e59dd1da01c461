"""Learning rates that are found by trying."""

import sys

import numpy as np
import pytest

import mxnet as mx
from mxnet import gluon
from mxnet.gluon.contrib.estimator import LearningRateCurve, LearningRateFinder
from tests.gluon.contrib.estimator.runs import assert_same, make_data, make_estimator, make_net, weights


def _fitted(tries, **given):
    mx.random.seed(8)
    np.random.seed(8)
    net = make_net(0.5)
    schedule = mx.lr_scheduler.FactorScheduler(2, 0.9, base_lr=0.1)
    trainer = gluon.Trainer(net.collect_params(), "adam", {"lr_scheduler": schedule, "learning_rate": 0.1})
    estimator, _ = make_estimator(net, trainer=trainer, **given)
    data = make_data(shuffle=True, last_batch="rollover")
    estimator.fit(data, epochs=1)
    found = None
    if tries:
        before = weights(net)
        found = LearningRateFinder(estimator).find(data, steps=20)
        assert_same(weights(net), before)
    estimator.fit(data, epochs=2)
    return weights(net), trainer.learning_rate, found


def test_everything_is_as_before():
    expected, rate, _ = _fitted(False)
    result, rate_after, found = _fitted(True)
    assert_same(result, expected)
    assert rate == rate_after
    np.testing.assert_allclose(found.rates, np.geomspace(1e-7, 1, 20)[: len(found.rates)])
    assert len(found.losses) == len(found.rates)


def test_a_sensible_rate_and_its_picture(tmp_path):
    mx.random.seed(1)
    estimator, _ = make_estimator()
    found = LearningRateFinder(estimator).find(make_data(8, 64), start=1e-5, end=1000, steps=120)
    assert 1e-2 < found.suggestion < 10
    assert found.rates[-1] > found.suggestion
    assert repr(found).startswith(f"LearningRateCurve({len(found.rates)} rates from ")
    assert found.plot().axes[0].get_xscale() == "log"
    found.plot(tmp_path / "rates.png")
    assert (tmp_path / "rates.png").read_bytes().startswith(b"\x89PNG")
    assert found._repr_png_().startswith(b"\x89PNG")


def test_networks_whose_shapes_are_not_known_yet():
    net = gluon.nn.Dense(2)
    estimator, _ = make_estimator(net)
    LearningRateFinder(estimator).find(make_data(), steps=3)
    assert net.weight.shape == (2, 3)


def test_it_stops_when_the_loss_explodes():
    mx.random.seed(1)
    estimator, _ = make_estimator()
    found = LearningRateFinder(estimator, divergence=1.5).find(make_data(8, 64), start=1e-3, end=1e6, steps=100)
    assert len(found.rates) < 100


def test_refusals(monkeypatch):
    estimator, _ = make_estimator()
    with pytest.raises(ValueError, match=r"received start=1, end=0.1, steps=100; expected rising rates above 0"):
        LearningRateFinder(estimator).find(make_data(), start=1, end=0.1)
    estimator.net[0].weight.set_data(mx.nd.full((6, 3), np.nan))
    with pytest.raises(ValueError, match=r"the loss is infinite or NaN after 0 steps; expected a start below"):
        LearningRateFinder(estimator).find(make_data())
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(ImportError, match=r"needs matplotlib: `pip install matplotlib`"):
        LearningRateCurve([0.1, 1.0], [2.0, 1.0], 0.1).plot()
