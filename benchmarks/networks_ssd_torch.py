"""A single-shot detector on MobileNet for plain PyTorch."""

import detection_torch
import inputs_large
import torch
from networks_large import (
    EXTRA,
    MOBILE,
    SSD_ANCHORS,
    SSD_CLASSES,
    SSD_OBJECTS,
    SSD_SIDE,
    SSD_SIZES,
    TAPS,
)
from networks_torch import Network
from torch import nn
from torch.nn import functional as F


def _unit(before: int, channels: int, kernel: int, stride: int = 1, groups: int = 1) -> list[nn.Module]:
    convolution = nn.Conv2d(before, channels, kernel, stride, kernel // 2, groups=groups, bias=False)
    return [convolution, nn.BatchNorm2d(channels), nn.ReLU(inplace=True)]


def _stages() -> tuple[nn.ModuleList, list[int]]:
    """MobileNet 1.0 cut where boxes are predicted, and what follows it; and the channels of each stage."""
    layers, before = _unit(3, 32, 3, 2), 32
    stages, widths = nn.ModuleList(), []
    for number, (channels, stride) in enumerate(MOBILE, 1):
        layers += [*_unit(before, before, 3, stride, before), *_unit(before, channels, 1)]
        before = channels
        if number in TAPS:
            stages.append(nn.Sequential(*layers))
            widths.append(channels)
            layers = []
    for narrow, wide in EXTRA:
        stages.append(nn.Sequential(*_unit(before, narrow, 1), *_unit(narrow, wide, 3, 2)))
        widths.append(wide)
        before = wide
    return stages, widths


class _Detector(nn.Module):
    def __init__(self):
        super().__init__()
        self.stages, widths = _stages()
        self.classes = nn.ModuleList(
            nn.Conv2d(width, SSD_ANCHORS * (SSD_CLASSES + 1), 3, padding=1) for width in widths
        )
        self.boxes = nn.ModuleList(nn.Conv2d(width, SSD_ANCHORS * 4, 3, padding=1) for width in widths)
        # They depend on the size of images only, so they are made once. No buffer: those get values from outside.
        self.anchors = detection_torch.anchors_of(tuple(SSD_SIDE // 8 // 2**i for i in range(len(SSD_SIZES))))

    def forward(self, x):
        scores, shifts = [], []
        for stage, classes, boxes in zip(self.stages, self.classes, self.boxes, strict=True):
            x = stage(x)
            scores.append(classes(x).permute(0, 2, 3, 1).flatten(1))
            shifts.append(boxes(x).permute(0, 2, 3, 1).flatten(1))
        return self.anchors, torch.cat(scores, 1).unflatten(1, (-1, SSD_CLASSES + 1)), torch.cat(shifts, 1)


class _Detections(nn.Module):
    def __init__(self):
        super().__init__()
        self.detector = _Detector()

    def forward(self, x):
        anchors, scores, shifts = self.detector(x)
        return detection_torch.detections(anchors, scores[0], shifts[0].unflatten(0, (-1, 4)))


def _loss(anchors, scores, shifts, objects):
    wanted, mask, label = detection_torch.targets(anchors, objects, scores)
    classes = F.cross_entropy(scores.flatten(0, 1), label.flatten(), ignore_index=-1, reduction="sum") / label.numel()
    return classes + F.smooth_l1_loss(shifts.unflatten(1, (-1, 4)) * mask.unsqueeze(2), wanted)


def ssd_training() -> Network:
    batch = 4
    objects = torch.tensor(inputs_large.objects(batch, SSD_OBJECTS, SSD_CLASSES))
    data = torch.tensor(inputs_large.pictures(batch, SSD_SIDE))
    return Network(_Detector(), [data], [objects], _loss)


def ssd_detection() -> Network:
    return Network(_Detections(), [torch.tensor(inputs_large.pictures(1, SSD_SIDE))])
