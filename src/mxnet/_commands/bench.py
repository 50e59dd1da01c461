"""Implement `python -m mxnet bench`."""

import argparse
import statistics
import time
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import nn as torch_nn

from regluon import native
from regluon.cli.output import DONE, FAILED, HelpFormatter, describe_exits, progress, table

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


_EXITS = {
    DONE: "the table is printed",
    FAILED: "the time is not above 0, or a measurement failed; the message says which",
}

Run = Callable[[], None]


class Row(NamedTuple):
    """One kind of work.

    Attributes:
        name: what is done.
        make: makes the function that does it once here, and the same for torch.
        repeat: how many times it is done for one measurement, where a single one is too short.
    """

    name: str
    make: Callable[[], tuple[Run, Run]]
    repeat: int = 1


ROWS = (
    Row("add two arrays of 1,000 numbers", add_arrays, 1000),
    Row("train LeNet for a step, 64 images of 28x28", train),
    Row("ResNet-18 on an image of 224x224", predict),
    Row("read 10,000 images in batches of 100", load_batches),
)


def add_parser(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Adds the command."""
    parser = commands.add_parser(
        "bench",
        help="time this machine, in a minute",
        description="Times a few kinds of work here and with plain torch, in turns, and prints the medians. Networks "
        "are hybridized. Nothing is downloaded or written. Other programs on the machine disturb the numbers.",
        epilog=describe_exits(_EXITS),
        formatter_class=HelpFormatter,
    )
    parser.add_argument("--seconds", type=float, default=6.0, help="how long each kind of work may take (default: 6)")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Prints the table."""
    if args.seconds <= 0:
        raise ValueError(f"[bench] --seconds: received {args.seconds}; expected more than 0.")
    print(f"torch {torch.__version__}, {torch.get_num_threads()} threads; kernels: {native.library()}")
    lines: list[tuple[str, ...]] = [("", "here", "torch", "torch / here")]
    for row in progress(ROWS, len(ROWS), "bench: measuring row"):
        here, theirs = measure(row, args.seconds)
        lines.append((row.name, _time_text(here), _time_text(theirs), f"{theirs / here:.2f}"))
    print("\n".join(table(lines)))
    print("torch / here above 1: this library is the faster one.")
    return DONE


def measure(row: Row, seconds: float) -> tuple[float, float]:
    """The median times of one run, here and with torch, measured in turns so that both meet the same disturbances."""
    runs = row.make()
    for each in runs:
        for _ in range(5):  # compiles, and chooses kernels
            each()
    times: tuple[list[float], list[float]] = [], []
    end = time.perf_counter() + seconds
    while len(times[0]) < 3 or time.perf_counter() < end:
        for each, found in zip(runs, times, strict=True):
            began = time.perf_counter()
            for _ in range(row.repeat):
                each()
            found.append((time.perf_counter() - began) / row.repeat)
    return statistics.median(times[0]), statistics.median(times[1])


def _time_text(seconds: float) -> str:
    for unit, size in (("s", 1.0), ("ms", 1e-3)):
        if seconds >= size:
            return f"{seconds / size:.3g} {unit}"
    return f"{seconds * 1e6:.3g} us"
