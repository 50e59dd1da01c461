"""Training steps written for Gluon; they run on this library and on the real MXNet 1.9.1 alike."""

import time

import inputs
from workload import Job, Timed

from mxnet import autograd, gluon, nd
from mxnet.gluon import nn, rnn


class _LanguageModel(gluon.Block):
    def __init__(self):
        super().__init__()
        with self.name_scope():
            self.embedding = nn.Embedding(1000, 200)
            self.lstm = rnn.LSTM(200, num_layers=2)
            self.output = nn.Dense(1000, flatten=False)

    def forward(self, x):
        return self.output(self.lstm(self.embedding(x)))


def _mlp():
    net = nn.HybridSequential()
    net.add(nn.Dense(256, activation="relu"), nn.Dense(10))
    return net, nd.array(inputs.images(64, 784)), nd.array(inputs.classes(64))


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
    return net, nd.array(inputs.images(64, 1, 28, 28)), nd.array(inputs.classes(64))


def _lstm():
    words = inputs.words()
    return _LanguageModel(), nd.array(words[:-1]), nd.array(words[1:])


def _step(make, loops: int, hybridized: bool = False) -> Timed:
    """Seconds of one training step."""

    def made(argument: str) -> Job:
        net, data, label = make()
        net.initialize()
        net(data)
        for number, parameter in enumerate(net.collect_params().values()):
            parameter.set_data(nd.array(inputs.parameter(number, parameter.shape)))
        if hybridized:
            net.hybridize(static_alloc=True)
        loss_of = gluon.loss.SoftmaxCrossEntropyLoss()
        trainer = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.1})

        def run():
            with autograd.record():
                loss = loss_of(net(data), label)
            loss.backward()
            trainer.step(data.shape[0])
            return loss

        return Job(run, nd.waitall, loops, warm_up=3, results=lambda loss: [loss.mean()])

    return Timed(made)


_NETWORKS = {"mlp": (_mlp, 20), "lenet": (_lenet, 4), "lstm": (_lstm, 2)}


def first_call(argument: str) -> float:
    """Seconds of the first call of a hybridized network; worth something only as the first request of a process."""
    net, data, _ = _NETWORKS[argument][0]()
    net.initialize()
    net.hybridize(static_alloc=True)
    nd.waitall()
    start = time.perf_counter()
    net(data).wait_to_read()
    return time.perf_counter() - start


WORKLOADS = {f"{name}_step": _step(*network) for name, network in _NETWORKS.items()}
WORKLOADS.update({f"{name}_step_hybridized": _step(*_NETWORKS[name], hybridized=True) for name in ("mlp", "lenet")})
WORKLOADS["first_call"] = first_call
