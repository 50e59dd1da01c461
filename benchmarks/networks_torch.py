"""The networks of networks.py written for plain PyTorch, their parameters in the order that Gluon has them in."""

from functools import partial
from typing import Any, NamedTuple

import inputs
import torch
from networks import (
    ANCHORS,
    BATCHES,
    CLASSES,
    DENSE,
    DEPTHS,
    GROWTH_BATCH,
    GROWTH_UNITS,
    HEADS,
    INVERTED,
    LSTM_UNITS,
    LSTM_WORDS,
    MAPS,
    UNITS,
    WIDE,
)
from torch import nn
from torch.nn import functional as F


class Network(NamedTuple):
    """A network, its data, and for training what it should give and a function that says how far it is from it.

    `fill` makes the values that its parameters begin with.
    """

    net: nn.Module
    data: list
    label: list = []
    loss: Any = None
    fill: Any = inputs.parameter


class _BasicBlock(nn.Module):
    def __init__(self, before: int, channels: int, stride: int):
        super().__init__()
        self.body = nn.Sequential(
            nn.Conv2d(before, channels, 3, stride, 1, bias=False),
            nn.BatchNorm2d(channels),
            nn.ReLU(inplace=True),
            nn.Conv2d(channels, channels, 3, 1, 1, bias=False),
            nn.BatchNorm2d(channels),
        )
        self.downsample = None
        if before != channels:
            projection = nn.Conv2d(before, channels, 1, stride, bias=False)
            self.downsample = nn.Sequential(projection, nn.BatchNorm2d(channels))

    def forward(self, x):
        shortcut = x if self.downsample is None else self.downsample(x)
        return F.relu(self.body(x) + shortcut, inplace=True)


def resnet18() -> nn.Module:
    layers = [nn.Conv2d(3, 64, 7, 2, 3, bias=False), nn.BatchNorm2d(64), nn.ReLU(inplace=True), nn.MaxPool2d(3, 2, 1)]
    before = 64
    for channels in (64, 128, 256, 512):
        layers += [_BasicBlock(before, channels, 1 if channels == 64 else 2), _BasicBlock(channels, channels, 1)]
        before = channels
    return nn.Sequential(*layers, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(512, 1000))


def _conv_norm(before: int, channels: int, kernel: int = 1, stride: int = 1, groups: int = 1) -> list[nn.Module]:
    convolution = nn.Conv2d(before, channels, kernel, stride, kernel // 2, groups=groups, bias=False)
    return [convolution, nn.BatchNorm2d(channels)]


class _LinearBottleneck(nn.Module):
    def __init__(self, before: int, channels: int, expansion: int, stride: int):
        super().__init__()
        self.use_shortcut = stride == 1 and before == channels
        wide = before * expansion
        self.out = nn.Sequential(
            *(*_conv_norm(before, wide), nn.ReLU6(inplace=True)),
            *(*_conv_norm(wide, wide, 3, stride, wide), nn.ReLU6(inplace=True)),
            *_conv_norm(wide, channels),
        )

    def forward(self, x):
        return self.out(x) + x if self.use_shortcut else self.out(x)


def mobilenet_v2() -> nn.Module:
    layers, before = [*_conv_norm(3, 32, 3, 2), nn.ReLU6(inplace=True)], 32
    for expansion, channels, depth, first_stride in INVERTED:
        for i in range(depth):
            layers.append(_LinearBottleneck(before, channels, expansion, 1 if i else first_stride))
            before = channels
    layers += [*_conv_norm(before, 1280), nn.ReLU6(inplace=True), nn.AdaptiveAvgPool2d(1)]
    return nn.Sequential(*layers, nn.Conv2d(1280, 1000, 1, bias=False), nn.Flatten())


class _LanguageModel(nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(LSTM_WORDS, LSTM_UNITS)
        self.lstm = nn.LSTM(LSTM_UNITS, LSTM_UNITS, num_layers=2)
        self.output = nn.Linear(LSTM_UNITS, LSTM_WORDS)

    def forward(self, x):
        return self.output(self.lstm(self.embedding(x))[0])


class _EncoderLayer(nn.Module):
    def __init__(self):
        super().__init__()
        self.query, self.key, self.value = (nn.Linear(UNITS, UNITS) for _ in range(3))
        self.joined = nn.Linear(UNITS, UNITS)
        self.first_norm = nn.LayerNorm(UNITS)
        self.wide, self.narrow = nn.Linear(UNITS, WIDE), nn.Linear(WIDE, UNITS)
        self.second_norm = nn.LayerNorm(UNITS)

    def forward(self, x):
        def heads(y):
            return y.unflatten(-1, (HEADS, -1)).transpose(1, 2)

        mixed = F.scaled_dot_product_attention(heads(self.query(x)), heads(self.key(x)), heads(self.value(x)))
        x = self.first_norm(x + self.joined(mixed.transpose(1, 2).flatten(2)))
        return self.second_norm(x + self.narrow(F.gelu(self.wide(x))))


class _DetectionHead(nn.Module):
    def __init__(self):
        super().__init__()
        self.classes = nn.ModuleList(nn.Conv2d(channels, ANCHORS * CLASSES, 3, padding=1) for channels, _ in MAPS)
        self.boxes = nn.ModuleList(nn.Conv2d(channels, ANCHORS * 4, 3, padding=1) for channels, _ in MAPS)

    def forward(self, *maps):
        def rows(layers):
            parts = [layer(x).permute(0, 2, 3, 1).flatten(1) for layer, x in zip(layers, maps, strict=True)]
            return torch.cat(parts, dim=1)

        return rows(self.classes).unflatten(1, (-1, CLASSES)), rows(self.boxes)


def classes_loss(scores, label):
    return F.cross_entropy(scores.flatten(0, -2), label.flatten())


def _detection_loss(scores, boxes, label, places):
    return classes_loss(scores, label) + F.smooth_l1_loss(boxes, places)


def squares(found, wanted):
    return 0.5 * F.mse_loss(found, wanted)


def _classifier(net: nn.Module, data, label) -> Network:
    return Network(net, [torch.tensor(data)], [torch.tensor(label)], classes_loss)


def _mlp() -> Network:
    net = nn.Sequential(nn.Linear(784, 256), nn.ReLU(), nn.Linear(256, 10))
    return _classifier(net, inputs.images(64, 784), inputs.classes(64))


def _lenet(batch: int = 64) -> Network:
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
    return _classifier(net, inputs.images(batch, 1, 28, 28), inputs.classes(batch))


def image_classifier(make, batch: int, side: int = 224) -> Network:
    return _classifier(make(), inputs.images(batch, 3, side, side), inputs.classes(batch))


def _lstm() -> Network:
    words = inputs.words()
    return _classifier(_LanguageModel(), words[:-1], words[1:])


def _transformer() -> Network:
    data, wanted = inputs.sentences(UNITS)
    return Network(_EncoderLayer(), [torch.tensor(data)], [torch.tensor(wanted)], squares)


def _ssd_head() -> Network:
    maps, label, places = inputs.detection(8, MAPS, ANCHORS, CLASSES)
    wanted = [torch.tensor(label), torch.tensor(places)]
    return Network(_DetectionHead(), [torch.tensor(x) for x in maps], wanted, _detection_loss)


def _dense_chain(depth: int, units: int, batch: int) -> Network:
    layers = [layer for _ in range(depth) for layer in (nn.Linear(units, units), nn.ReLU())]
    return _classifier(nn.Sequential(*layers), inputs.images(batch, units), inputs.classes(batch))


def _deep(depth: int) -> Network:
    return _dense_chain(depth, GROWTH_UNITS, GROWTH_BATCH)._replace(fill=inputs.nearly_nothing)


NETWORKS = {
    "mlp_train": _mlp,
    "lenet_train": _lenet,
    "resnet18_infer_1": partial(image_classifier, resnet18, 1),
    "resnet18_infer_8": partial(image_classifier, resnet18, 8),
    "resnet18_train": partial(image_classifier, resnet18, 16, 64),
    "mobilenet_infer_1": partial(image_classifier, mobilenet_v2, 1),
    "mobilenet_infer_8": partial(image_classifier, mobilenet_v2, 8),
    "lstm_train": _lstm,
    "transformer_train": _transformer,
    "ssd_head_train": _ssd_head,
    "adam_160_train": partial(_dense_chain, DENSE, 64, 16),
    **{f"depth_{depth}": partial(_deep, depth) for depth in DEPTHS},
    **{f"batch_{batch}": partial(_lenet, batch) for batch in BATCHES},
}
