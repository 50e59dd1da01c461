"""The training steps of steps_mxnet.py written for plain PyTorch."""

import functools
import time

import numpy as np
import torch
from torch import nn


class _Step:
    def __init__(self, net, data, label, loops):
        self.net, self.data, self.label, self.loops = net, data, label, loops
        self.loss = nn.CrossEntropyLoss(reduction="sum")
        self.optimizer = torch.optim.SGD(net.parameters(), lr=0.1 / data.shape[0])
        for _ in range(3):
            self.run()

    def run(self):
        self.optimizer.zero_grad(set_to_none=True)
        self.loss(self.net(self.data).flatten(0, -2), self.label.flatten()).backward()
        self.optimizer.step()

    def measure(self) -> float:
        start = time.perf_counter()
        for _ in range(self.loops):
            self.run()
        return (time.perf_counter() - start) / self.loops


def _images(*shape):
    data = torch.tensor(np.random.RandomState(0).rand(*shape), dtype=torch.float32)
    return data, torch.tensor(np.random.RandomState(1).randint(0, 10, shape[0]))


def _mlp():
    return _Step(nn.Sequential(nn.Linear(784, 256), nn.ReLU(), nn.Linear(256, 10)), *_images(64, 784), loops=20)


def _lenet():
    net = nn.Sequential(
        nn.Conv2d(1, 20, 5),
        nn.ReLU(),
        nn.MaxPool2d(2, 2),
        nn.Conv2d(20, 50, 5),
        nn.ReLU(),
        nn.MaxPool2d(2, 2),
        nn.Flatten(),
        nn.Linear(800, 128),
        nn.ReLU(),
        nn.Linear(128, 10),
    )
    return _Step(net, *_images(64, 1, 28, 28), loops=4)


class _LanguageModel(nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(1000, 200)
        self.lstm = nn.LSTM(200, 200, num_layers=2)
        self.output = nn.Linear(200, 1000)

    def forward(self, x):
        return self.output(self.lstm(self.embedding(x))[0])


def _lstm():
    words = torch.tensor(np.random.RandomState(0).randint(0, 1000, (36, 20)))
    return _Step(_LanguageModel(), words[:-1], words[1:], loops=2)


def _workload(make):
    """Seconds of one training step; network and data are made when it is first asked for."""
    made = functools.cache(make)
    return lambda argument: made().measure()


WORKLOADS = {"mlp_step": _workload(_mlp), "lenet_step": _workload(_lenet), "lstm_step": _workload(_lstm)}
