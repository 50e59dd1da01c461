"""Steps of networks that nothing was tuned with, on this library and the real MXNet 1.9.1 alike."""

from networks import CHECKED, SETTLED, WARM_UP
from networks_untuned_gluon import network
from steps_mxnet import IS_OURS, inference, results, training
from untuned import UNTUNED, asked
from workload import Job, Timed
from zoo_mxnet import graph

from mxnet import nd


def _job(argument: str) -> Job:
    name, mode, _ = asked(argument)
    _, loops, optimizer, rate = UNTUNED[name]
    made, warm_up = network(name), SETTLED if IS_OURS else WARM_UP
    if optimizer:
        return Job(training(made, mode, optimizer, rate), nd.waitall, loops, warm_up, results, checked=CHECKED)
    return Job(inference(made, mode), nd.waitall, loops, warm_up, checked=CHECKED)


WORKLOADS = {"untuned": Timed(_job), "untuned_graph": lambda name: graph(network(name))}
