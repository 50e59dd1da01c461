"""How costs grow with a network, a file or the shapes of data, for this library and the real MXNet 1.9.1 alike."""

import time
from pathlib import Path

import inputs
import numpy as np
from networks import GROWTH_BATCH, GROWTH_UNITS, asked
from networks_gluon import Network
from steps_mxnet import training
from workload import Job, Timed

import mxnet as mx
from mxnet import autograd, gluon, nd
from mxnet.gluon import nn

CALLS = 200
NODES_OF_LAYER = 4
ARRAYS = 100
LEAST_SIDE, SIDES = 8, 40


def _deep(argument: str) -> Job:
    """A training step of a chain of dense layers: `5000 hybridized`."""
    depth, mode = asked(argument)
    net = nn.HybridSequential()
    net.add(*(nn.Dense(GROWTH_UNITS, activation="relu") for _ in range(int(depth))))
    data = [nd.array(inputs.images(GROWTH_BATCH, GROWTH_UNITS))]
    label = [nd.array(inputs.classes(GROWTH_BATCH))]
    network = Network(net, data, label, gluon.loss.SoftmaxCrossEntropyLoss(), inputs.nearly_nothing)
    run = training(network, mode, "sgd", 1e-5)
    return Job(run, nd.waitall, 1, 12, lambda found: [*found[:-1], found[-1].mean()], checked=2)


class _Long(gluon.HybridBlock):
    """A network of so many operators that all share one weight."""

    def __init__(self, nodes: int) -> None:
        super().__init__()
        self._layers = nodes // NODES_OF_LAYER
        with self.name_scope():
            self.weight = self.params.get("weight", shape=(GROWTH_UNITS, GROWTH_UNITS), init=mx.init.Constant(0.01))
            self.bias = self.params.get("bias", shape=(GROWTH_UNITS,), init="zeros")

    def hybrid_forward(self, F, x, weight, bias):
        for _ in range(self._layers):
            x = F.tanh(F.FullyConnected(x, weight, bias, num_hidden=GROWTH_UNITS)) * 0.5 + x
        return x


def _first_step(argument: str) -> Job:
    """The first recorded call of a new network with its backward: tracing it, compiling it, and running it once."""
    data = nd.array(inputs.images(GROWTH_BATCH, GROWTH_UNITS) * 1e-3)

    def run():
        net = _Long(int(argument))
        net.initialize()
        net.hybridize()
        with autograd.record():
            found = net(data)
        found.backward()
        return [found, net.bias.grad()]

    return Job(run, nd.waitall)


def _tojson(argument: str) -> Job:
    """A graph as text; what is compared is how many nodes it has."""
    symbol = _Long(int(argument))(mx.sym.Variable("data"))
    return Job(lambda: [[symbol.tojson().count('"op"')]])


class _Unused(gluon.HybridBlock):
    """One layer that is called, and many parameters that are not."""

    def __init__(self, unused: int) -> None:
        super().__init__()
        with self.name_scope():
            self.used, self.unused = nn.Dense(4, in_units=4), nn.HybridSequential()
            for _ in range(unused // 2):  # each has a weight and a bias
                self.unused.add(nn.Dense(1, in_units=1))

    def hybrid_forward(self, F, x):
        return self.used(x)


def _unused_parameters(argument: str) -> Job:
    """A call of a network with so many parameters that it does not need."""
    count, mode = asked(argument)
    net, data = _Unused(int(count)), nd.ones((3, 4))
    net.initialize(mx.init.One())
    if mode == "hybridized":
        net.hybridize()

    def run():
        for _ in range(CALLS):
            found = net(data)
        return [found]

    return Job(run, nd.waitall, warm_up=2, share=CALLS)


def _memory(kind: str = "VmRSS") -> float:
    """Megabytes that the process has in memory now; `RssAnon`: without pages of files, which the system may drop."""
    status = Path("/proc/self/status").read_text(encoding="utf-8")
    return int(status.partition(f"{kind}:")[2].split()[0]) / 1024


def save_large(argument: str) -> float:
    """Writes a file of so many megabytes: `2000 /tmp/x.params`. Not a measurement."""
    megabytes, _, path = argument.partition(" ")
    one = nd.ones((int(megabytes) * 250000 // ARRAYS,))
    nd.save(path, {f"layer{number}_weight": one for number in range(ARRAYS)})
    return 0.0


def load_large(argument: str) -> tuple[float, float, float]:
    """A file is opened, and one element of each of its arrays read.

    Returns:
        Megabytes of its own by which the process grows, the same with pages of the file, and seconds.
    """
    nd.ones(3)[0].asscalar()
    kinds = ("RssAnon", "VmRSS")
    before, start = [_memory(kind) for kind in kinds], time.perf_counter()
    arrays = nd.load(argument)
    for array in arrays.values():
        assert array[len(array) // 2].asscalar() == 1
    seconds = time.perf_counter() - start
    own, resident = (_memory(kind) - earlier for kind, earlier in zip(kinds, before, strict=True))
    return own, resident, seconds


def many_shapes(argument: str) -> tuple[float, float]:
    """Megabytes by which the process grows over images of so many shapes through one network, and seconds for one.

    The first tenth does not count: it fills what every program needs once.
    """
    net = nn.HybridSequential()
    net.add(nn.Conv2D(16, 3, activation="relu"), nn.Conv2D(16, 3, activation="relu"))
    net.add(nn.GlobalAvgPool2D(), nn.Dense(10))
    net.initialize()
    net.hybridize()
    count = int(argument)
    for number in range(count):
        if number == count // 10:
            before, start = _memory(), time.perf_counter()
        shape = (1, 3, LEAST_SIDE + number // SIDES, LEAST_SIDE + number % SIDES)
        net(nd.array(np.zeros(shape, "float32"))).wait_to_read()
    return _memory() - before, (time.perf_counter() - start) / (count - count // 10)


WORKLOADS = {
    "deep": Timed(_deep),
    "first_step": Timed(_first_step),
    "tojson": Timed(_tojson),
    "unused_parameters": Timed(_unused_parameters),
    "save_large": save_large,
    "load_large": load_large,
    "many_shapes": many_shapes,
}
