"""What a processor limits: the instructions in use, and threads that predict, on this library and the real MXNet."""

from functools import partial

from networks import SETTLED, WARM_UP
from networks_gluon import NETWORKS
from predicting import NETWORKS as PREDICTING
from predicting import Team, scaled
from steps_mxnet import IS_OURS, inference
from workload import Job, Timed

import regluon.native
from mxnet import nd


def _instructions(argument: str) -> str:
    """What torch's kernels are limited to, and which kernels of our own there are."""
    import torch  # MXNet's Python has none

    return f"{torch.backends.cpu.get_cpu_capability()} {regluon.native.version() or 'none'}"


def _predicting(argument: str) -> Job:
    """Seconds for one call of a network, of so many threads together: `lenet 10 hybridized`."""
    name, count, mode = argument.split()
    network, calls = PREDICTING[name]
    made = NETWORKS[network]()
    alone = inference(made, mode)
    for _ in range(SETTLED if IS_OURS else WARM_UP):
        alone()
    nd.waitall()

    def predicted(data):
        found = made.net(data)
        found.wait_to_read()
        return found

    team = Team([partial(predicted, scaled(made.data[0], number)) for number in range(int(count))], calls)
    return Job(team, warm_up=2, share=int(count) * calls)


WORKLOADS = {"instructions": _instructions, "predicting_threads": Timed(_predicting)}
