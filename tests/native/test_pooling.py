"""The largest elements of windows, and where they were, in C++ against torch's."""

import pytest
import torch

pytestmark = pytest.mark.usefixtures("native")

LAST = torch.channels_last
# (batch, channels, height, width), kernel, stride, pad, whether the last window may be partial
SHAPES = [
    ((3, 20, 8, 8), (2, 2), (2, 2), (0, 0), False),  # tiles, with a rest of channels
    ((2, 64, 9, 9), (3, 3), (2, 2), (1, 1), False),
    ((2, 5, 7, 9), (3, 3), (2, 2), (1, 1), True),  # less than a vector of channels
    ((3, 9, 10, 7), (2, 2), (3, 3), (1, 1), True),
    ((2, 17, 9, 8), (3, 2), (1, 2), (1, 0), False),
    ((2, 16, 5, 5), (2, 2), (2, 2), (0, 0), False),  # elements that are left out
    ((1, 1, 1, 1), (1, 1), (1, 1), (0, 0), False),
]


def _gradient(grad, places, shape):
    """The gradient of elements whose numbers are known, an image and a channel at a time."""
    flat = torch.zeros(*shape[:2], shape[2] * shape[3])
    return flat.scatter_add_(2, places.flatten(2), grad.flatten(2)).view(shape)


@pytest.mark.parametrize(("shape", "kernel", "stride", "pad", "rounds_up"), SHAPES)
def test_gives_what_torch_gives(shape, kernel, stride, pad, rounds_up):
    drawn = torch.randn(shape, generator=torch.Generator().manual_seed(0))
    data = drawn.round(decimals=1).contiguous(memory_format=LAST)  # rounded, so that some windows have two largest
    expected, places = torch.ops.aten.max_pool2d_with_indices(data, kernel, stride, pad, (1, 1), rounds_up)
    result, taps = torch.ops.regluon.max_pool(data, expected.shape[2:], kernel, stride, pad)
    assert torch.equal(result, expected)
    assert result.is_contiguous(memory_format=LAST)
    grad = torch.randn(expected.shape, generator=torch.Generator().manual_seed(1))
    found = torch.ops.regluon.max_pool_gradient(grad, taps, shape[2:], kernel, stride, pad)
    torch.testing.assert_close(found, _gradient(grad, places, shape))
    assert found.is_contiguous(memory_format=LAST)


@pytest.mark.parametrize("channels", [3, 12])
def test_what_is_no_number_is_largest(channels):
    data = torch.arange(16.0 * channels).view(1, channels, 4, 4)
    data[0, 1, 0, 0] = float("nan")
    result, taps = torch.ops.regluon.max_pool(data, (2, 2), (2, 2), (2, 2), (0, 0))
    assert result.isnan().nonzero().tolist() == [[0, 1, 0, 0]]
    assert taps[0, 1, 0, 0] == 0
    assert (taps == 3).sum() == taps.numel() - 1


def test_refuses_what_it_cannot_do():
    data, ops = torch.ones(1, 8, 4, 4), torch.ops.regluon
    with pytest.raises(RuntimeError, match="at most 256 elements"):
        ops.max_pool(torch.ones(1, 8, 40, 40), (1, 1), (40, 40), (1, 1), (0, 0))
    with pytest.raises(RuntimeError, match="windows that meet the data"):
        ops.max_pool(data, (4, 4), (2, 2), (2, 2), (0, 0))
    with pytest.raises(RuntimeError, match="four axes"):
        ops.max_pool(data.double(), (2, 2), (2, 2), (2, 2), (0, 0))
