"""A rank of this library's side: networks trained with a `dist_sync` store, and its collective calls.

workload.py says what it reads and answers; distributed_torch.py does the same work.
"""

import contextlib
import statistics
import time
from collections.abc import Callable, Iterator
from functools import partial
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import torch
from distributed_works import CHECKED, MOMENTUM, SIZE, WORKS, Call, data, gradient_sizes, gradient_values, label
from networks_gluon import NETWORKS, Network
from steps_mxnet import _prepared
from workload import Job, Timed, serve

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


NETS = {"mlp": _mlp, "lenet": lambda: NETWORKS["lenet_train"]().net, "resnet18": vision.resnet18_v1}


def _network(work: str) -> Network:
    inputs, labels = [nd.array(data(work))], [nd.array(label(work))]
    return Network(NETS[work](), inputs, labels, gluon.loss.SoftmaxCrossEntropyLoss())


class Training(NamedTuple):
    """A network with its trainer, and the parts of a step."""

    parameters: list[Any]
    forward: Callable[[], Any]
    update: Callable[[], None]

    def step(self) -> None:
        """One training step."""
        self.forward().backward()
        self.update()


def training(work: str, **store: Any) -> Training:
    """A hybridized network and a trainer over all ranks.

    Args:
        work: of WORKS.
        store: more arguments of the trainer.
    """
    network = _network(work)
    _prepared(network, "hybridized")
    net, inputs, labels, loss_of, _ = network
    parameters = net.collect_params()
    settings = {"learning_rate": WORKS[work].rate, "momentum": MOMENTUM}
    trainer = gluon.Trainer(parameters, "sgd", settings, kvstore="dist_sync", **store)
    batch = WORKS[work].shape[0] * SIZE

    def forward():
        with autograd.record():
            return loss_of(net(*inputs), *labels)

    trained = [parameter for parameter in parameters.values() if parameter.grad_req != "null"]
    return Training(trained, forward, partial(trainer.step, batch))


def _steps(work: str) -> Job:
    made = training(work)
    return Job(
        made.step,
        nd.waitall,
        WORKS[work].loops,
        WORKS[work].settled,
        lambda _: [parameter.data() for parameter in made.parameters],
        checked=CHECKED,
        is_shared=True,
    )


def _gradients(argument: str) -> Call:
    """The trainer's sum of 100 MB of gradients."""
    sizes = gradient_sizes()
    factors = [nd.array(part) for part in np.split(gradient_values(), np.cumsum(sizes)[:-1])]
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
    """One sum over all ranks of so many bytes."""
    size, group = int(argument), world()
    tensor = torch.zeros(size // 4)
    loops = max(2, min(100, 2**24 // size) // SIZE)
    return Job(lambda: group.all_reduce(tensor) or [], loops=loops, warm_up=3, is_shared=True)


def bytes_of_step(argument: str) -> float:
    """How many bytes this rank sends in a step of LeNet, without compression or with `2bit`."""
    made = training("lenet", compression_params={"type": argument, "threshold": 0.01} if argument != "none" else None)
    for _ in range(5):
        made.step()
    before = world().bytes_sent
    for _ in range(4):
        made.step()
    return (world().bytes_sent - before) / 4


def parts(work: str) -> dict[str, float]:
    """Of a step: median seconds of forward, backward and the rest, and the bytes and buckets of its gradients."""
    made, found = training(work), []
    for _ in range(WORKS[work].settled):
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
    """In a `with` block, tells of every sum that begins; what the listener returns is called when it is done."""
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


def trace(work: str) -> dict[str, list[list[Any]]]:
    """When the parts of one step began and ended, and the sums of its buckets: name or bytes, seconds, seconds."""
    made = training(work)
    for _ in range(WORKS[work].settled):
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

    def timed(name, call):
        begin = now()
        found = call()
        main.append([name, begin, now()])
        return found

    with _watching(listen):
        loss = timed("forward", made.forward)
        timed("backward", loss.backward)
        timed("step", made.update)
        world().barrier()  # all listeners have been called
    return {"main": main, "sums": sums[:-1]}


WORKLOADS = {
    "step": Timed(_steps),
    "gradients": Timed(_gradients),
    "all_reduce": Timed(_all_reduce),
    "bytes": bytes_of_step,
    "parts": parts,
    "trace": trace,
}

if __name__ == "__main__":
    serve(mx.__version__, WORKLOADS)
