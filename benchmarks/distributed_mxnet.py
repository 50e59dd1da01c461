"""Serve one rank of this project's side: training with a `dist_sync` store, and collective calls.

worker.py describes the requests that the process answers; adapter_torch.py has the ranks of PyTorch.
"""

import contextlib
import statistics
import time
from collections.abc import Callable, Iterator
from functools import partial
from itertools import pairwise
from typing import Any, NamedTuple

import constants
import inputs
import numpy as np
import torch
from adapter import Network
from networks_mxnet import lenet, prepare
from worker import Call, Job, Timed, serve
from workloads import RANK_STEPS

import mxnet as mx
from mxnet import autograd, gluon, nd
from mxnet.gluon import nn
from mxnet.gluon.model_zoo import vision
from regluon.distributed import world

NUM_TIMED = 15  # steps whose parts are timed


def _mlp() -> gluon.HybridBlock:
    net = nn.HybridSequential()
    net.add(nn.Dense(256, activation="relu"), nn.Dense(128, activation="relu"), nn.Dense(10))
    return net


NETWORKS = {"mlp": _mlp, "lenet": lenet, "resnet18": vision.resnet18_v1}


class Training(NamedTuple):
    """A network with its trainer, and the parts of a step."""

    parameters: list[Any]
    forward: Callable[[], Any]
    update: Callable[[], None]

    def step(self) -> None:
        """Compute one training step."""
        self.forward().backward()
        self.update()


def training(name: str, **store: Any) -> Training:
    """Return a hybridized network and a trainer over all ranks.

    Args:
        name: key of RANK_STEPS.
        store: further arguments of the trainer.
    """
    step = RANK_STEPS[name]
    data, label = ([nd.array(values)] for values in inputs.rank_data(name))
    network = Network(NETWORKS[name](), data, label, gluon.loss.SoftmaxCrossEntropyLoss(), inputs.uniform)
    prepare(network, "hybridized")
    net, loss_of = network.net, network.loss
    parameters = net.collect_params()
    settings = {"learning_rate": step.rate, "momentum": constants.MOMENTUM}
    trainer = gluon.Trainer(parameters, "sgd", settings, kvstore="dist_sync", **store)
    batch = step.shape[0] * inputs.NUM_RANKS

    def forward():
        with autograd.record():
            return loss_of(net(*data), *label)

    trained = [parameter for parameter in parameters.values() if parameter.grad_req != "null"]
    return Training(trained, forward, partial(trainer.step, batch))


def _steps(name: str) -> Job:
    made, step = training(name), RANK_STEPS[name]
    return Job(
        made.step,
        nd.waitall,
        step.loops,
        step.warm_up,
        lambda _: [parameter.data() for parameter in made.parameters],
        checked=constants.NUM_CHECKED_STEPS,
        is_shared=True,
    )


def _gradients(argument: str) -> Call:
    """Measure the trainer's sum of 100 MB of gradients."""
    sizes = inputs.gradient_sizes()
    factors = [nd.array(part) for part in np.split(inputs.gradient_values(), np.cumsum(sizes)[:-1])]
    parameters = [gluon.Parameter(f"weight_{place}", shape=(size,)) for place, size in enumerate(sizes)]
    for parameter in parameters:
        parameter.initialize(mx.init.Zero())
    trainer = gluon.Trainer(parameters, "sgd", kvstore="dist_sync", update_on_kvstore=False)

    def prepare():
        for parameter in parameters:
            parameter.grad()  # a program that looks at gradients keeps them from being sent before the call
        with autograd.record():
            products = [parameter.data() * factor for parameter, factor in zip(parameters, factors, strict=True)]
        autograd.backward(products)
        nd.waitall()
        world().barrier()

    def results():
        return [nd.concat(*(parameter.grad() for parameter in parameters), dim=0)]

    return Call(prepare, trainer.allreduce_grads, results)


def _all_reduce(argument: str) -> Job:
    """Measure one sum of so many bytes over all ranks."""
    size, group = int(argument), world()
    tensor = torch.zeros(size // 4)
    loops = max(2, min(100, 2**24 // size) // inputs.NUM_RANKS)
    return Job(lambda: group.all_reduce(tensor) or [], loops=loops, warm_up=3, is_shared=True)


def bytes_of_step(argument: str) -> float:
    """Return the bytes that this rank sends in a step of LeNet, with compression `none` or `2bit`."""
    made = training("lenet", compression_params={"type": argument, "threshold": 0.01} if argument != "none" else None)
    for _ in range(5):
        made.step()
    before = world().bytes_sent
    for _ in range(4):
        made.step()
    return (world().bytes_sent - before) / 4


def parts(name: str) -> dict[str, float]:
    """Return the median seconds of forward, backward and the rest of a step, and its bytes and buckets of gradients."""
    made, found = training(name), []
    for _ in range(RANK_STEPS[name].warm_up):
        made.step()
    sent: list[int] = []

    def listen(tensor):
        sent.append(tensor.nbytes)
        return lambda: None

    with _watching(listen):
        for _ in range(NUM_TIMED):
            times = [time.perf_counter()]
            loss = made.forward()
            times.append(time.perf_counter())
            loss.backward()
            times.append(time.perf_counter())
            made.update()
            times.append(time.perf_counter())
            found.append([end - begin for begin, end in pairwise(times)])
    forward, backward, rest = (statistics.median(column) for column in zip(*found, strict=True))
    return {
        "forward": forward,
        "backward": backward,
        "rest": rest,
        "bytes": sum(sent) / NUM_TIMED,
        "buckets": len(sent) / NUM_TIMED,
    }


@contextlib.contextmanager
def _watching(listener: Callable[[torch.Tensor], Callable[[], None]]) -> Iterator[None]:
    """Call the listener with the tensor of every sum that starts; call its result when the sum is done."""
    group, begin = world(), world().start_all_reduce

    def start(tensor, what="all_reduce"):
        done = listener(tensor)
        pending = begin(tensor, what)
        pending._work.get_future().then(lambda _: done())
        return pending

    group.start_all_reduce = start  # type: ignore[method-assign]
    try:
        yield
    finally:
        del group.start_all_reduce


def trace(name: str) -> dict[str, list[list[Any]]]:
    """Return the spans of the parts of a step and of the sums of its buckets: name or bytes, start, end in seconds."""
    made = training(name)
    for _ in range(RANK_STEPS[name].warm_up):
        made.step()
    world().barrier()
    main: list[list[Any]] = []
    sums: list[list[Any]] = []
    start = time.perf_counter()

    def now() -> float:
        return time.perf_counter() - start

    def listen(tensor):
        entry = [tensor.nbytes, now(), None]
        sums.append(entry)
        return lambda: entry.__setitem__(2, now())

    def timed(part, call):
        begin = now()
        found = call()
        main.append([part, begin, now()])
        return found

    with _watching(listen):
        loss = timed("forward", made.forward)
        timed("backward", loss.backward)
        timed("step", made.update)
        world().barrier()  # all listeners have been called
    return {"main": main, "sums": sums[:-1]}


TASKS = {
    "step": Timed(_steps),
    "gradients": Timed(_gradients),
    "all_reduce": Timed(_all_reduce),
    "bytes": bytes_of_step,
    "parts": parts,
    "trace": trace,
}

if __name__ == "__main__":
    serve(mx.__version__, TASKS)
