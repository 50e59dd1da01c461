"""The order of images in memory, without kernels of our own."""

import pytest
import torch

from regluon.kernels.layout import ordered_like, to_channels_first, to_channels_last

LAST = torch.channels_last


def _images(last: bool) -> torch.Tensor:
    return torch.randn(2, 5, 3, 4).contiguous(memory_format=LAST if last else torch.contiguous_format)


@pytest.mark.parametrize("last", [True, False])
def test_the_other_order(last: bool) -> None:
    images = _images(last)
    assert to_channels_last(images).is_contiguous(memory_format=LAST)
    assert to_channels_first(images).is_contiguous()
    assert (to_channels_last if last else to_channels_first)(images) is images


@pytest.mark.parametrize("images_last", [True, False])
@pytest.mark.parametrize("other_last", [True, False])
def test_the_order_of_others(images_last: bool, other_last: bool) -> None:
    images, other = _images(images_last), _images(other_last)
    found = ordered_like(images, other)
    assert found.stride() == other.stride()
    assert torch.equal(found, images)


def test_what_has_no_order_stays() -> None:
    images, part = _images(False), torch.randn(4, 10, 3, 4)[::2, ::2]
    assert ordered_like(images, part) is images
    rows = torch.randn(3, 4).t()
    assert ordered_like(rows, torch.randn(4, 3)) is rows
