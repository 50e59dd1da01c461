"""What a processor limits: the instructions in use, and threads that predict, for plain PyTorch."""

from functools import partial

import torch
from networks import WARM_UP
from networks_torch import NETWORKS
from predicting import NETWORKS as PREDICTING
from predicting import Team, scaled
from steps_torch import inference
from workload import Job, Timed


def _instructions(argument: str) -> str:
    return torch.backends.cpu.get_cpu_capability()


def _predicting(argument: str) -> Job:
    """Seconds for one call of a network, of so many threads together: `lenet 10 eager`."""
    name, count, mode = argument.split()
    network, calls = PREDICTING[name]
    made = NETWORKS[network]()
    alone = inference(made, mode)
    for _ in range(WARM_UP):
        alone()

    def predicted(data):
        with torch.no_grad():  # holds for one thread only
            return made.net(data)

    team = Team([partial(predicted, scaled(made.data[0], number)) for number in range(int(count))], calls)
    return Job(team, warm_up=2, share=int(count) * calls)


WORKLOADS = {"instructions": _instructions, "predicting_threads": Timed(_predicting)}
