"""Pooling."""

import pytest
from torch import nn

from regluon.convert.torch_export import UnsupportedProgram, from_exported_program
from tests.contrib.torch_export.support import check, exported, randn


@pytest.mark.parametrize(
    ("layer", "shape"),
    [
        (nn.MaxPool2d(2), (2, 3, 8, 8)),
        (nn.MaxPool2d(3, stride=2, padding=1), (2, 3, 9, 8)),
        (nn.MaxPool2d(3, stride=2, ceil_mode=True), (2, 3, 8, 8)),
        (nn.MaxPool2d((2, 3), stride=(1, 2)), (2, 3, 8, 8)),
        (nn.MaxPool1d(2), (2, 3, 8)),
        (nn.MaxPool3d(2), (2, 3, 4, 4, 4)),
        (nn.AvgPool2d(2), (2, 3, 8, 8)),
        (nn.AvgPool2d(3, stride=2, padding=1), (2, 3, 9, 8)),
        (nn.AvgPool2d(3, stride=2, padding=1, count_include_pad=False), (2, 3, 9, 8)),
        (nn.AvgPool2d(3, stride=2, ceil_mode=True), (2, 3, 8, 8)),
        (nn.AvgPool1d(2), (2, 3, 8)),
        (nn.AvgPool3d(2), (2, 3, 4, 4, 4)),
        (nn.AdaptiveAvgPool2d(1), (2, 3, 7, 5)),
        (nn.AdaptiveAvgPool2d((3, 2)), (2, 3, 7, 5)),
        (nn.AdaptiveAvgPool1d(1), (2, 3, 7)),
        (nn.AdaptiveAvgPool1d(4), (2, 3, 8)),
        (nn.AdaptiveMaxPool2d(1), (2, 3, 7, 5)),
        (nn.AdaptiveMaxPool2d(2), (2, 3, 8, 6)),
    ],
    ids=str,
)
def test_pooling(layer, shape):
    check(layer, randn(*shape))


@pytest.mark.parametrize(
    ("layer", "shape", "text"),
    [
        (nn.MaxPool2d(2, dilation=2), (2, 3, 8, 8), r"max_pool2d.*dilation=\[2, 2\]; MXNet's Pooling has none but 1"),
        (nn.AvgPool2d(2, divisor_override=3), (2, 3, 8, 8), "divisor_override=3 has no counterpart"),
        (nn.AdaptiveMaxPool2d(3), (2, 3, 8, 8), r"makes \(3, 3\) of \(8, 8\) with windows of different sizes"),
        (nn.AvgPool2d(2), (3, 8, 8), "without a batch"),
    ],
    ids=str,
)
def test_refused(layer, shape, text):
    with pytest.raises(UnsupportedProgram, match=text):
        from_exported_program(exported(layer, randn(*shape)))
