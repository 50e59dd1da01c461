"""ResNet-50 for plain PyTorch, as Gluon has it: the stride in the first convolution of a block, biases around it."""

from networks_large import BOTTLENECKS
from torch import nn
from torch.nn import functional as F


class _Bottleneck(nn.Module):
    def __init__(self, before: int, channels: int, stride: int):
        super().__init__()
        narrow = channels // 4
        self.body = nn.Sequential(
            nn.Conv2d(before, narrow, 1, stride),
            nn.BatchNorm2d(narrow),
            nn.ReLU(inplace=True),
            nn.Conv2d(narrow, narrow, 3, padding=1, bias=False),
            nn.BatchNorm2d(narrow),
            nn.ReLU(inplace=True),
            nn.Conv2d(narrow, channels, 1),
            nn.BatchNorm2d(channels),
        )
        self.downsample = None
        if before != channels:
            projection = nn.Conv2d(before, channels, 1, stride, bias=False)
            self.downsample = nn.Sequential(projection, nn.BatchNorm2d(channels))

    def forward(self, x):
        shortcut = x if self.downsample is None else self.downsample(x)
        return F.relu(self.body(x) + shortcut, inplace=True)


def resnet50() -> nn.Module:
    layers = [nn.Conv2d(3, 64, 7, 2, 3, bias=False), nn.BatchNorm2d(64), nn.ReLU(inplace=True), nn.MaxPool2d(3, 2, 1)]
    before = 64
    for channels, depth in BOTTLENECKS:
        for i in range(depth):
            layers.append(_Bottleneck(before, channels, 2 if i == 0 and before != 64 else 1))
            before = channels
    return nn.Sequential(*layers, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(before, 1000))
