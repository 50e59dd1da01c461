"""Images of another size."""

import pytest
import torch
from torch.nn.functional import interpolate

from tests.contrib.torch_export.support import check, randn, used


@pytest.mark.parametrize(
    "options",
    [
        {"scale_factor": 2},
        {"scale_factor": 3, "mode": "nearest"},
        {"size": (8, 10)},
        {"size": (7, 9)},
        {"scale_factor": 1.7},
        {"scale_factor": (2, 3)},
        {"size": (2, 3)},
        {"scale_factor": 2, "mode": "bilinear"},
        {"scale_factor": 2, "mode": "bilinear", "align_corners": True},
        {"size": (7, 9), "mode": "bilinear"},
        {"size": (7, 9), "mode": "bilinear", "align_corners": True},
        {"size": (2, 3), "mode": "bilinear"},
        {"scale_factor": 1.7, "mode": "bilinear"},
        {"scale_factor": 1.7, "mode": "bilinear", "recompute_scale_factor": True},
        {"scale_factor": 2, "mode": "bicubic"},
        {"size": (7, 9), "mode": "bicubic", "align_corners": True},
    ],
    ids=str,
)
def test_images(options):
    check(lambda x: interpolate(x, **options), randn(2, 3, 4, 5))


@pytest.mark.parametrize(
    ("shape", "options"),
    [
        ((2, 3, 5), {"scale_factor": 2}),
        ((2, 3, 5), {"size": 9, "mode": "linear"}),
        ((2, 3, 4, 4, 4), {"scale_factor": 2, "mode": "trilinear"}),
        ((2, 3, 4, 4, 4), {"scale_factor": 2}),
    ],
    ids=str,
)
def test_other_numbers_of_axes(shape, options):
    check(lambda x: interpolate(x, **options), randn(*shape))


def test_operators():
    symbol, arguments, _ = check(torch.nn.Upsample(scale_factor=2), randn(2, 3, 4, 5))
    assert used(symbol) == ["UpSampling"]
    assert not arguments
    symbol, _, _ = check(torch.nn.Upsample(size=(8, 9), mode="bilinear"), randn(2, 3, 4, 5))
    assert used(symbol) == ["_contrib_BilinearResize2D"]
