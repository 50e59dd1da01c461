"""Build the networks of workloads.py with plain PyTorch, parameters in Gluon's order, as one would write them by hand.

Networks of the groups `zoo` and `untuned` come from graphs of Gluon instead: see torch_from_graph.py.
"""

import itertools
import math
from collections.abc import Callable
from functools import partial
from typing import Any

import constants
import torch
from networks_torch_large import bert, multibox_loss, ssd, ssd_detections
from torch import nn
from torch.nn import functional as F
from workloads import DEEPEST, DEPTHS

# -- Networks for images -----------------------------------------------------------------------------------------------


class _BasicBlock(nn.Module):
    def __init__(self, previous: int, channels: int, stride: int):
        super().__init__()
        self.body = nn.Sequential(
            nn.Conv2d(previous, channels, 3, stride, 1, bias=False),
            nn.BatchNorm2d(channels),
            nn.ReLU(inplace=True),
            nn.Conv2d(channels, channels, 3, 1, 1, bias=False),
            nn.BatchNorm2d(channels),
        )
        self.downsample = None
        if previous != channels:
            projection = nn.Conv2d(previous, channels, 1, stride, bias=False)
            self.downsample = nn.Sequential(projection, nn.BatchNorm2d(channels))

    def forward(self, x):
        shortcut = x if self.downsample is None else self.downsample(x)
        return F.relu(self.body(x) + shortcut, inplace=True)


class _Bottleneck(nn.Module):
    def __init__(self, previous: int, channels: int, stride: int):
        super().__init__()
        narrow = channels // 4
        self.body = nn.Sequential(
            nn.Conv2d(previous, narrow, 1, stride),
            nn.BatchNorm2d(narrow),
            nn.ReLU(inplace=True),
            nn.Conv2d(narrow, narrow, 3, padding=1, bias=False),
            nn.BatchNorm2d(narrow),
            nn.ReLU(inplace=True),
            nn.Conv2d(narrow, channels, 1),
            nn.BatchNorm2d(channels),
        )
        self.downsample = None
        if previous != channels:
            projection = nn.Conv2d(previous, channels, 1, stride, bias=False)
            self.downsample = nn.Sequential(projection, nn.BatchNorm2d(channels))

    def forward(self, x):
        shortcut = x if self.downsample is None else self.downsample(x)
        return F.relu(self.body(x) + shortcut, inplace=True)


def _resnet(block: type[nn.Module], stages: tuple[tuple[int, int], ...]) -> nn.Module:
    layers = [nn.Conv2d(3, 64, 7, 2, 3, bias=False), nn.BatchNorm2d(64), nn.ReLU(inplace=True), nn.MaxPool2d(3, 2, 1)]
    previous = 64
    for number, (channels, depth) in enumerate(stages):
        for i in range(depth):
            layers.append(block(previous, channels, 2 if i == 0 and number else 1))
            previous = channels
    return nn.Sequential(*layers, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(previous, 1000))


def resnet18() -> nn.Module:
    return _resnet(_BasicBlock, ((64, 2), (128, 2), (256, 2), (512, 2)))


def _resnet50() -> nn.Module:
    """Return ResNet-50 as Gluon has it: stride in the first convolution of a block, biases around the second."""
    return _resnet(_Bottleneck, constants.BOTTLENECKS)


def _conv_norm(previous: int, channels: int, kernel: int = 1, stride: int = 1, groups: int = 1) -> list[nn.Module]:
    convolution = nn.Conv2d(previous, channels, kernel, stride, kernel // 2, groups=groups, bias=False)
    return [convolution, nn.BatchNorm2d(channels)]


class _LinearBottleneck(nn.Module):
    def __init__(self, previous: int, channels: int, expansion: int, stride: int):
        super().__init__()
        self.use_shortcut = stride == 1 and previous == channels
        wide = previous * expansion
        self.out = nn.Sequential(
            *(*_conv_norm(previous, wide), nn.ReLU6(inplace=True)),
            *(*_conv_norm(wide, wide, 3, stride, wide), nn.ReLU6(inplace=True)),
            *_conv_norm(wide, channels),
        )

    def forward(self, x):
        return self.out(x) + x if self.use_shortcut else self.out(x)


def _mobilenet_v2() -> nn.Module:
    layers, previous = [*_conv_norm(3, 32, 3, 2), nn.ReLU6(inplace=True)], 32
    for expansion, channels, depth, first_stride in constants.INVERTED:
        for i in range(depth):
            layers.append(_LinearBottleneck(previous, channels, expansion, 1 if i else first_stride))
            previous = channels
    layers += [*_conv_norm(previous, 1280), nn.ReLU6(inplace=True), nn.AdaptiveAvgPool2d(1)]
    return nn.Sequential(*layers, nn.Conv2d(1280, 1000, 1, bias=False), nn.Flatten())


# -- Other networks and losses -----------------------------------------------------------------------------------------


class _LanguageModel(nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(constants.LSTM_WORDS, constants.LSTM_UNITS)
        self.lstm = nn.LSTM(constants.LSTM_UNITS, constants.LSTM_UNITS, num_layers=2)
        self.output = nn.Linear(constants.LSTM_UNITS, constants.LSTM_WORDS)

    def forward(self, x):
        return self.output(self.lstm(self.embedding(x))[0])


class _EncoderLayer(nn.Module):
    def __init__(self):
        super().__init__()
        self.query, self.key, self.value = (nn.Linear(constants.UNITS, constants.UNITS) for _ in range(3))
        self.projection = nn.Linear(constants.UNITS, constants.UNITS)
        self.first_norm = nn.LayerNorm(constants.UNITS)
        self.wide, self.narrow = nn.Linear(constants.UNITS, constants.WIDE), nn.Linear(constants.WIDE, constants.UNITS)
        self.second_norm = nn.LayerNorm(constants.UNITS)

    def forward(self, x):
        def heads(y):
            return y.unflatten(-1, (constants.HEADS, -1)).transpose(1, 2)

        mixed = F.scaled_dot_product_attention(heads(self.query(x)), heads(self.key(x)), heads(self.value(x)))
        x = self.first_norm(x + self.projection(mixed.transpose(1, 2).flatten(2)))
        return self.second_norm(x + self.narrow(F.gelu(self.wide(x))))


class _DetectionHead(nn.Module):
    def __init__(self):
        super().__init__()
        self.classes = nn.ModuleList(
            nn.Conv2d(channels, constants.ANCHORS * constants.CLASSES, 3, padding=1) for channels, _ in constants.MAPS
        )
        self.boxes = nn.ModuleList(
            nn.Conv2d(channels, constants.ANCHORS * 4, 3, padding=1) for channels, _ in constants.MAPS
        )

    def forward(self, *maps):
        def rows(layers):
            parts = [layer(x).permute(0, 2, 3, 1).flatten(1) for layer, x in zip(layers, maps, strict=True)]
            return torch.cat(parts, dim=1)

        return rows(self.classes).unflatten(1, (-1, constants.CLASSES)), rows(self.boxes)


def _detection_loss(scores, boxes, label, offsets):
    return _classes_loss(scores, label) + F.smooth_l1_loss(boxes, offsets)


def _classes_loss(scores, label):
    return F.cross_entropy(scores.flatten(0, -2), label.flatten())


def _squares(found, target):
    return 0.5 * F.mse_loss(found, target)


def mlp(*units: int) -> nn.Module:
    """Return dense layers with ReLU between them; units include those of the input."""
    layers: list[nn.Module] = []
    for previous, following in itertools.pairwise(units):
        layers += [nn.Linear(previous, following), nn.ReLU()]
    return nn.Sequential(*layers[:-1])


def lenet() -> nn.Module:
    return nn.Sequential(
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


def _dense_chain(depth: int, units: int) -> nn.Module:
    return nn.Sequential(*(layer for _ in range(depth) for layer in (nn.Linear(units, units), nn.ReLU())))


class _EagerLoop(nn.Module):
    """A Python loop whose number of iterations is read from a tensor."""

    def __init__(self):
        super().__init__()
        self.inside, self.across = (nn.Linear(constants.EAGER_UNITS, constants.EAGER_UNITS) for _ in range(2))
        self.output = nn.Linear(constants.EAGER_UNITS + constants.EAGER_STEPS - 1, 10)

    def forward(self, x, length):
        state, sums = x[:, 0], []
        for step in range(1, int(length.item())):
            mixed = torch.relu(self.inside(x[:, step]) + self.across(state))
            groups = mixed.reshape((constants.EAGER_BATCH, constants.EAGER_GROUPS, -1))
            gate = torch.softmax(groups.mean(dim=2), dim=-1)
            state = state + (groups * gate.unsqueeze(2)).reshape((constants.EAGER_BATCH, constants.EAGER_UNITS))
            sums.append(state.sum(dim=1, keepdim=True))
        return self.output(torch.cat((*sums, state), dim=1))


class Forecast(nn.Module):
    """DeepAR: LSTM layers that give a Student-t distribution per hour. The output is the negative log-likelihood."""

    def __init__(self) -> None:
        super().__init__()
        size = len(constants.LAGS) + 2 + constants.SERIES_UNITS + 1
        self.embedding = nn.Embedding(constants.SERIES, constants.SERIES_UNITS)
        self.layers = nn.LSTM(size, constants.CELLS, constants.LAYERS, batch_first=True)
        self.middle, self.spread, self.freedom = (nn.Linear(constants.CELLS, 1) for _ in range(3))

    def forward(self, number, scale, features, target):
        static = torch.cat((self.embedding(number), scale.log()), dim=1)
        data = torch.cat((features, static.unsqueeze(1).expand(-1, features.shape[1], -1)), dim=2)
        found, _ = self.layers(data)
        middle, spread, freedom = (layer(found).squeeze(2) for layer in (self.middle, self.spread, self.freedom))
        spread, freedom = F.softplus(spread), F.softplus(freedom) + 2
        away = (target / scale - middle) / spread
        negative_log_likelihood = (
            (freedom + 1) / 2 * torch.log1p(away.square() / freedom)
            + torch.log(freedom * math.pi) / 2
            + torch.lgamma(freedom / 2)
            - torch.lgamma((freedom + 1) / 2)
            + spread.log()
        )
        return (negative_log_likelihood + scale.log()).mean()


NETWORKS: dict[str, Callable[[], nn.Module]] = {
    "mlp": partial(mlp, 784, 256, 10),
    "lenet": lenet,
    "resnet18_v1": resnet18,
    "resnet50_v1": _resnet50,
    "mobilenetv2_1.0": _mobilenet_v2,
    "lstm": _LanguageModel,
    "transformer": _EncoderLayer,
    "ssd_head": _DetectionHead,
    "dense_80": partial(_dense_chain, 80, 64),
    **{f"dense_{depth}": partial(_dense_chain, depth, constants.GROWTH_UNITS) for depth in (*DEPTHS, DEEPEST)},
    "bert": bert,
    "ssd": ssd,
    "ssd_detections": ssd_detections,
    "eager_loop": _EagerLoop,
}
LOSSES: dict[str, Callable[..., Any]] = {
    "classes": _classes_loss,
    "squares": _squares,
    "detection_head": _detection_loss,
    "multibox": multibox_loss,
}
