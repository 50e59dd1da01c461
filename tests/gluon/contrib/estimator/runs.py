"""Small trainings for the tests of the Estimator."""

import io
import logging

import numpy as np

import mxnet as mx
from mxnet import gluon
from mxnet.gluon.contrib.estimator import Estimator


def make_net(dropout: float = 0.0):
    """Two layers and, on request, dropout and batch normalization."""
    net = gluon.nn.HybridSequential(prefix="net_")
    with net.name_scope():
        net.add(gluon.nn.Dense(6, activation="relu", in_units=3))
        if dropout:
            net.add(gluon.nn.BatchNorm(in_channels=6), gluon.nn.Dropout(dropout))
        net.add(gluon.nn.Dense(2, in_units=6))
    net.initialize(mx.init.Xavier())
    net.hybridize()
    return net


def make_data(batch_size: int = 4, length: int = 22, **given):
    """Samples whose class can be learnt."""
    values = np.random.RandomState(0)
    data = values.normal(size=(length, 3)).astype("float32")
    return gluon.data.DataLoader(
        gluon.data.ArrayDataset(data, (data.sum(1) > 0).astype("float32")), batch_size=batch_size, **given
    )


def make_estimator(net=None, optimizer="sgd", kvstore="device", metrics=None, trainer=None, **given):
    """An Estimator that says nothing, and what it would have said."""
    net = net or make_net()
    trainer = trainer or gluon.Trainer(net.collect_params(), optimizer, {"learning_rate": 0.1}, kvstore=kvstore)
    estimator = Estimator(net, gluon.loss.SoftmaxCrossEntropyLoss(), train_metrics=metrics, trainer=trainer, **given)
    text = io.StringIO()
    estimator.logger.handlers[:] = [logging.StreamHandler(text)]
    return estimator, text


def weights(net):
    """All parameters and states of a network."""
    return [parameter.data().asnumpy() for parameter in net.collect_params().values()]


def assert_same(found, expected):
    """Compares bit by bit."""
    for mine, theirs in zip(found, expected, strict=True):
        np.testing.assert_array_equal(mine, theirs)
