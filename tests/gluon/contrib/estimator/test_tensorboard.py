"""What TensorBoard reads in the event files of a training."""

import sys
import time

import numpy as np
import pytest
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

import mxnet as mx
from mxnet import gluon
from mxnet.gluon.contrib.estimator import TensorBoardHandler
from mxnet.gluon.contrib.estimator._event_base import BatchEnd
from tests.gluon.contrib.estimator.runs import make_data, make_estimator


def read(folder):
    return EventAccumulator(str(folder)).Reload()


def steps(found, tag):
    return [event.step for event in found.Scalars(tag)]


def test_scalars(tmp_path):
    estimator, _ = make_estimator()
    estimator.fit(
        make_data(), val_data=make_data(), epochs=2, event_handlers=TensorBoardHandler(tmp_path, batch_period=5)
    )
    (path,) = tmp_path.iterdir()
    assert path.name.startswith("events.out.tfevents.")
    found = read(tmp_path)
    assert steps(found, "accuracy/training") == [5, 6, 10, 12]
    assert steps(found, "accuracy/validation") == [6, 12]
    assert set(found.Tags()["scalars"]) == {
        *(f"{name}/{kind}" for name in ("accuracy", "softmaxcrossentropyloss") for kind in ("training", "validation")),
        "learning rate",
    }
    assert found.Scalars("accuracy/training")[-1].value == pytest.approx(estimator.train_metrics[0].get()[1])
    assert found.Scalars("learning rate")[-1].value == pytest.approx(0.1)


def test_histograms_and_the_graph(tmp_path):
    estimator, _ = make_estimator()
    estimator.fit(make_data(), epochs=1, event_handlers=TensorBoardHandler(tmp_path, histograms=True, graph=True))
    found = read(tmp_path)
    (event,) = found.Histograms("parameters/net_dense0_weight")
    facts, weight = event.histogram_value, estimator.net[0].weight.data().asnumpy().astype("float64")
    assert (event.step, facts.num) == (6, weight.size)
    assert [facts.min, facts.max, facts.sum, facts.sum_squares] == pytest.approx(
        [weight.min(), weight.max(), weight.sum(), np.square(weight).sum()]
    )
    assert sum(facts.bucket) == weight.size
    assert "gradients/net_dense1_bias" in found.Tags()["histograms"]
    nodes = {node.name: (node.op, list(node.input)) for node in found.Graph().node}
    operator, inputs = nodes["net_dense0_fwd"]
    assert operator == "FullyConnected"
    assert "net_dense0_weight" in inputs
    assert nodes["net_dense0_weight"] == ("Parameter", [])


def test_networks_without_a_graph(tmp_path):
    net = gluon.nn.Sequential()
    net.add(gluon.nn.Dense(2))
    net.initialize()
    estimator, text = make_estimator(net)
    estimator.fit(make_data(), epochs=1, event_handlers=TensorBoardHandler(tmp_path, graph=True))
    assert "the graph is not written; sequential" in text.getvalue()
    hybrid = gluon.nn.Dense(2, in_units=3)  # not hybridized: it is traced for the picture
    hybrid.initialize()
    estimator, _ = make_estimator(hybrid)
    estimator.fit(make_data(), epochs=1, event_handlers=TensorBoardHandler(tmp_path / "hybrid", graph=True))
    assert read(tmp_path / "hybrid").Graph().node


def test_numbers_that_are_none_are_left_out_of_histograms(tmp_path):
    estimator, _ = make_estimator()
    handler = TensorBoardHandler(tmp_path, histograms=True)
    estimator.fit(make_data(), epochs=1)
    estimator.net[0].weight.data()[0, 0] = np.inf
    estimator.net[0].bias.set_data(mx.nd.full(estimator.net[0].bias.shape, np.nan))
    handler.epoch_end(estimator)
    handler.release()
    found = read(tmp_path)
    assert found.Histograms("parameters/net_dense0_weight")[0].histogram_value.num == 17
    assert "parameters/net_dense0_bias" not in found.Tags()["histograms"]


class Interruption(BatchEnd):
    priority = 5000

    def __init__(self):
        self.left = 11

    def batch_end(self, estimator, *args, **kwargs):
        self.left -= 1
        if not self.left:
            raise KeyboardInterrupt


def test_what_came_after_the_checkpoint_is_taken_back(tmp_path):
    def run(*others):
        estimator, _ = make_estimator()
        handlers = [TensorBoardHandler(tmp_path / "runs", batch_period=5), *others]
        estimator.fit(make_data(), epochs=3, event_handlers=handlers, checkpoint=tmp_path / "saved", every=4)

    with pytest.raises(KeyboardInterrupt):
        run(Interruption())
    assert steps(read(tmp_path / "runs"), "accuracy/training") == [5, 6, 10]
    time.sleep(1)  # files are read in the order of their names, which tell the second
    run()
    assert len(list((tmp_path / "runs").iterdir())) == 2
    assert steps(read(tmp_path / "runs"), "accuracy/training") == [5, 6, 10, 12, 15, 18]


def test_without_the_package(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "torch.utils.tensorboard", None)
    with pytest.raises(ImportError, match=r"\[TensorBoardHandler\].*pip install 'regluon\[tensorboard\]'"):
        TensorBoardHandler(tmp_path)
