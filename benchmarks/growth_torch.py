"""The deepest network of growth_mxnet.py written for plain PyTorch."""

import inputs
import torch
from networks import GROWTH_BATCH, GROWTH_UNITS, asked
from networks_torch import Network
from steps_torch import training
from torch import nn
from torch.nn import functional as F
from workload import Job, Timed


def _deep(argument: str) -> Job:
    depth, mode = asked(argument)
    layers = [layer for _ in range(int(depth)) for layer in (nn.Linear(GROWTH_UNITS, GROWTH_UNITS), nn.ReLU())]
    data = [torch.tensor(inputs.images(GROWTH_BATCH, GROWTH_UNITS))]
    label = [torch.tensor(inputs.classes(GROWTH_BATCH))]
    network = Network(nn.Sequential(*layers), data, label, F.cross_entropy, inputs.nearly_nothing)
    return Job(training(network, mode, "sgd", 1e-5), warm_up=4, checked=2)


WORKLOADS = {"deep": Timed(_deep)}
