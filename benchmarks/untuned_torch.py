"""Steps of networks that nothing was tuned with, for plain PyTorch."""

import torch
from networks import CHECKED, WARM_UP
from networks_torch import classes_loss, squares
from steps_torch import inference, training
from untuned import UNTUNED, asked, inputs_of
from workload import Job, Timed
from zoo_torch import network

LOSSES = {"unet_train": squares}


def _job(argument: str) -> Job:
    name, mode, path = asked(argument)
    _, loops, optimizer, rate = UNTUNED[name]
    data, wanted = (torch.tensor(values) for values in inputs_of(name))
    made = network(path, data, [wanted], LOSSES.get(name, classes_loss))
    run = training(made, mode, optimizer, rate) if optimizer else inference(made, mode)
    return Job(run, loops=loops, warm_up=WARM_UP, checked=CHECKED)


WORKLOADS = {"untuned": Timed(_job)}
