"""The training steps of steps_mxnet.py written for plain PyTorch."""

import inputs
import torch
from torch import nn
from workload import Job, Timed


class _LanguageModel(nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(1000, 200)
        self.lstm = nn.LSTM(200, 200, num_layers=2)
        self.output = nn.Linear(200, 1000)

    def forward(self, x):
        return self.output(self.lstm(self.embedding(x))[0])


def _mlp():
    net = nn.Sequential(nn.Linear(784, 256), nn.ReLU(), nn.Linear(256, 10))
    return net, torch.tensor(inputs.images(64, 784)), torch.tensor(inputs.classes(64))


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
    return net, torch.tensor(inputs.images(64, 1, 28, 28)), torch.tensor(inputs.classes(64))


def _lstm():
    words = torch.tensor(inputs.words())
    return _LanguageModel(), words[:-1], words[1:]


def _step(make, loops: int) -> Timed:
    """Seconds of one training step."""

    def made(argument: str) -> Job:
        net, data, label = make()
        with torch.no_grad():
            for number, parameter in enumerate(net.parameters()):
                parameter.copy_(torch.tensor(inputs.parameter(number, parameter.shape)))
        loss_of = nn.CrossEntropyLoss()
        optimizer = torch.optim.SGD(net.parameters(), lr=0.1)

        def run():
            optimizer.zero_grad(set_to_none=True)
            loss = loss_of(net(data).flatten(0, -2), label.flatten())
            loss.backward()
            optimizer.step()
            return [loss]

        return Job(run, loops=loops, warm_up=3)

    return Timed(made)


WORKLOADS = {"mlp_step": _step(_mlp, 20), "lenet_step": _step(_lenet, 4), "lstm_step": _step(_lstm, 2)}
