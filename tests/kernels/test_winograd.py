"""Winograd's convolutions against torch's, in double precision."""

import pytest
import torch

from mxnet.kernels.winograd import convolve, filters_at_points


@pytest.mark.parametrize("size", [(1, 1), (3, 5), (4, 8), (7, 7), (14, 9)])
@pytest.mark.parametrize("pad", [(0, 0), (1, 1), (2, 0)])
@pytest.mark.parametrize("with_bias", [False, True])
def test_gives_what_the_direct_way_gives(size, pad, with_bias):
    if size[0] + 2 * pad[0] < 3 or size[1] + 2 * pad[1] < 3:
        pytest.skip("smaller than the filter")
    generator = torch.Generator().manual_seed(0)
    data = torch.randn(3, 6, *size, generator=generator)
    weight = torch.randn(5, 6, 3, 3, generator=generator)
    bias = torch.randn(5, generator=generator) if with_bias else None
    found = convolve(data.contiguous(memory_format=torch.channels_last), filters_at_points(weight), bias, pad)
    expected = torch.conv2d(data.double(), weight.double(), None if bias is None else bias.double(), padding=pad)
    torch.testing.assert_close(found.double(), expected, rtol=1e-4, atol=1e-4)
    assert found.is_contiguous(memory_format=torch.channels_last)


def test_many_images_are_done_in_parts():
    generator = torch.Generator().manual_seed(0)
    data = torch.randn(3, 64, 56, 56, generator=generator).contiguous(memory_format=torch.channels_last)
    weight = torch.randn(64, 64, 3, 3, generator=generator) / 24
    found = convolve(data, filters_at_points(weight), None, (1, 1))
    torch.testing.assert_close(found, torch.conv2d(data, weight, padding=1), rtol=1e-4, atol=1e-4)
