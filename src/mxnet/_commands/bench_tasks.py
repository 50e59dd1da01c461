"""The kinds of work that `python -m mxnet bench` times: each here and, the same, in plain torch."""

from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from torch import nn as torch_nn

from ..autograd import record
from ..gluon import Trainer, nn
from ..gluon.data import ArrayDataset, DataLoader
from ..gluon.loss import SoftmaxCrossEntropyLoss
from ..gluon.model_zoo.vision import resnet18_v1
from ..ndarray import array

Pair = tuple[Callable[[], None], Callable[[], None]]


def _numbers(*shape: int) -> "np.ndarray[Any, Any]":
    return np.random.RandomState(0).uniform(-1, 1, shape).astype(np.float32)


def add_arrays() -> Pair:
    """One addition, eager."""
    mine, theirs = array(_numbers(1000)), torch.from_numpy(_numbers(1000))

    def here() -> None:
        mine + mine

    def there() -> None:
        theirs + theirs

    return here, there


def train() -> Pair:
    """A step of LeNet with momentum: forward, backward, update."""
    data, label = _numbers(64, 1, 28, 28), np.arange(64) % 10
    return _train_here(data, label), _train_there(data, label)


def _train_here(data: Any, label: Any) -> Callable[[], None]:
    net = nn.HybridSequential()
    net.add(nn.Conv2D(20, 5, activation="tanh"), nn.MaxPool2D(2, 2), nn.Conv2D(50, 5, activation="tanh"))
    net.add(nn.MaxPool2D(2, 2), nn.Dense(500, activation="tanh"), nn.Dense(10))
    net.initialize()
    net.hybridize(static_alloc=True)
    loss = SoftmaxCrossEntropyLoss()
    trainer = Trainer(net.collect_params(), "sgd", {"learning_rate": 0.01, "momentum": 0.9})
    x, y = array(data), array(label)

    def step() -> None:
        with record():
            value = loss(net(x), y)
        value.backward()
        trainer.step(64)
        value.wait_to_read()

    return step


def _train_there(data: Any, label: Any) -> Callable[[], None]:
    net = torch_nn.Sequential(
        *(torch_nn.Conv2d(1, 20, 5), torch_nn.Tanh(), torch_nn.MaxPool2d(2)),
        *(torch_nn.Conv2d(20, 50, 5), torch_nn.Tanh(), torch_nn.MaxPool2d(2), torch_nn.Flatten()),
        *(torch_nn.Linear(800, 500), torch_nn.Tanh(), torch_nn.Linear(500, 10)),
    )
    optimizer = torch.optim.SGD(net.parameters(), lr=0.01, momentum=0.9)
    x, y = torch.from_numpy(data), torch.from_numpy(label)

    def step() -> None:
        optimizer.zero_grad()
        torch_nn.functional.cross_entropy(net(x), y).backward()
        optimizer.step()

    return step


def predict() -> Pair:
    """ResNet-18 of 1,000 classes on one image."""
    data = _numbers(1, 3, 224, 224)
    net = resnet18_v1()
    net.initialize()
    net.hybridize(static_alloc=True, static_shape=True)
    mine = array(data)
    other, theirs = _resnet18().eval(), torch.from_numpy(data)

    def here() -> None:
        net(mine).wait_to_read()

    def there() -> None:
        with torch.inference_mode():
            other(theirs)

    return here, there


class _Residual(torch_nn.Module):
    """Two convolutions and what goes past them."""

    def __init__(self, channels_in: int, channels: int, stride: int) -> None:
        super().__init__()
        self.body = torch_nn.Sequential(
            *_normalized(channels_in, channels, 3, stride), torch_nn.ReLU(), *_normalized(channels, channels, 3, 1)
        )
        is_same = stride == 1 and channels_in == channels
        self.past = torch_nn.Sequential(*(() if is_same else _normalized(channels_in, channels, 1, stride)))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """The sum of both paths."""
        return torch.relu(self.body(x) + self.past(x))


def _normalized(channels_in: int, channels: int, size: int, stride: int) -> tuple[torch_nn.Module, ...]:
    convolution = torch_nn.Conv2d(channels_in, channels, size, stride, size // 2, bias=False)
    return convolution, torch_nn.BatchNorm2d(channels)


def _resnet18() -> torch_nn.Sequential:
    layers: list[torch_nn.Module] = [*_normalized(3, 64, 7, 2), torch_nn.ReLU(), torch_nn.MaxPool2d(3, 2, 1)]
    before = 64
    for channels, stride in ((64, 1), (128, 2), (256, 2), (512, 2)):
        layers += [_Residual(before, channels, stride), _Residual(channels, channels, 1)]
        before = channels
    return torch_nn.Sequential(*layers, torch_nn.AdaptiveAvgPool2d(1), torch_nn.Flatten(), torch_nn.Linear(512, 1000))


def load_batches() -> Pair:
    """A shuffled pass over images in memory, without workers."""
    images, labels = _numbers(10_000, 1, 28, 28), np.arange(10_000) % 10
    mine = DataLoader(ArrayDataset(images, labels.astype(np.float32)), 100, shuffle=True)
    dataset = torch.utils.data.TensorDataset(torch.from_numpy(images), torch.from_numpy(labels))
    theirs = torch.utils.data.DataLoader(dataset, 100, shuffle=True)

    def here() -> None:
        for _ in mine:
            pass

    def there() -> None:
        for _ in theirs:
            pass

    return here, there
