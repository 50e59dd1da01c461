"""Training steps written for Gluon; they run on this library and on the real MXNet 1.9.1 alike."""

import functools
import time

import numpy as np

import mxnet as mx
from mxnet import autograd, gluon, nd
from mxnet.gluon import nn, rnn


class _Step:
    """A network with data, and what one training step does. Made when it is first asked for."""

    def __init__(self, net, data, label, optimizer, arguments, loops):
        self.net, self.data, self.label, self.loops = net, data, label, loops
        self.loss = gluon.loss.SoftmaxCrossEntropyLoss()
        net.initialize(mx.init.Xavier())
        net(data)
        self.trainer = gluon.Trainer(net.collect_params(), optimizer, arguments)
        for _ in range(3):
            self.run()

    def run(self):
        with autograd.record():
            loss = self.loss(self.net(self.data), self.label)
        loss.backward()
        self.trainer.step(self.data.shape[0])
        return loss

    def measure(self) -> float:
        nd.waitall()
        start = time.perf_counter()
        for _ in range(self.loops):
            loss = self.run()
        loss.wait_to_read()
        nd.waitall()
        return (time.perf_counter() - start) / self.loops


def _images(*shape):
    return nd.array(np.random.RandomState(0).rand(*shape)), nd.array(np.random.RandomState(1).randint(0, 10, shape[0]))


def _mlp():
    net = nn.HybridSequential()
    net.add(nn.Dense(256, activation="relu"), nn.Dense(10))
    return _Step(net, *_images(64, 784), "sgd", {"learning_rate": 0.1}, loops=20)


def _lenet():
    net = nn.HybridSequential()
    net.add(
        nn.Conv2D(20, kernel_size=5, activation="relu"),
        nn.MaxPool2D(2, 2),
        nn.Conv2D(50, kernel_size=5, activation="relu"),
        nn.MaxPool2D(2, 2),
        nn.Flatten(),
        nn.Dense(128, activation="relu"),
        nn.Dense(10),
    )
    return _Step(net, *_images(64, 1, 28, 28), "sgd", {"learning_rate": 0.1}, loops=4)


class _LanguageModel(gluon.Block):
    def __init__(self):
        super().__init__()
        with self.name_scope():
            self.embedding = nn.Embedding(1000, 200)
            self.lstm = rnn.LSTM(200, num_layers=2)
            self.output = nn.Dense(1000, flatten=False)

    def forward(self, x):
        return self.output(self.lstm(self.embedding(x)))


def _lstm():
    words = np.random.RandomState(0).randint(0, 1000, (36, 20)).astype("float32")
    return _Step(_LanguageModel(), nd.array(words[:-1]), nd.array(words[1:]), "sgd", {"learning_rate": 0.1}, loops=2)


def _workload(make):
    """Seconds of one training step; network and data are made when it is first asked for."""
    made = functools.cache(make)
    return lambda argument: made().measure()


WORKLOADS = {"mlp_step": _workload(_mlp), "lenet_step": _workload(_lenet), "lstm_step": _workload(_lstm)}
