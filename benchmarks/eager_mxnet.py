"""A training step of a network that is plain Python, for this library and the real MXNet 1.9.1 alike.

How often its loop runs is read from an array, so it cannot be hybridized: about 60 small operators, one by one.
"""

import inputs
from workload import Job, Timed

from mxnet import autograd, gluon, nd
from mxnet.gluon import nn

STEPS, BATCH, UNITS, GROUPS, KINDS = 5, 8, 32, 4, 10
LOOPS, RATE = 20, 0.05


class _Network(gluon.Block):
    def __init__(self):
        super().__init__()
        with self.name_scope():
            self.inside, self.across = nn.Dense(UNITS), nn.Dense(UNITS)
            self.output = nn.Dense(KINDS)

    def forward(self, x, length):
        state, seen = x[:, 0], []
        for step in range(1, int(length.asscalar())):
            mixed = nd.relu(self.inside(x[:, step]) + self.across(state))
            groups = mixed.reshape((BATCH, GROUPS, -1))
            gate = nd.softmax(groups.mean(axis=2), axis=-1)
            state = state + (groups * gate.expand_dims(2)).reshape((BATCH, UNITS))
            seen.append(state.sum(axis=1, keepdims=True))
        return self.output(nd.concat(*seen, state, dim=1))


def _job(argument: str) -> Job:
    net, loss_of = _Network(), gluon.loss.SoftmaxCrossEntropyLoss()
    x, length, label = nd.array(inputs.images(BATCH, STEPS, UNITS)), nd.array([STEPS]), nd.array(inputs.classes(BATCH))
    net.initialize()
    net(x, length)
    for number, parameter in enumerate(net.collect_params().values()):
        kind = parameter.name.rpartition("_")[2]
        parameter.set_data(nd.array(inputs.parameter(number, parameter.shape, kind) * 0.5))
    trainer = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": RATE})

    def run():
        with autograd.record():
            found = net(x, length)
            loss = loss_of(found, label)
        loss.backward()
        trainer.step(BATCH)
        return [found, loss]

    return Job(run, nd.waitall, LOOPS, 5, lambda found: [found[0], found[1].mean()], checked=3)


WORKLOADS = {"eager_network": Timed(_job)}
