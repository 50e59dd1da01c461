"""Winograd's convolutions in C++ against torch's, in double precision."""

import math

import pytest
import torch

from regluon.kernels import prepacked_convolution as fused
from regluon.kernels import winograd

pytestmark = pytest.mark.usefixtures("native")

LAST = torch.channels_last
SIZES = [(1, 1), (2, 3), (3, 5), (4, 8), (7, 7), (14, 9), (13, 6)]  # tiles of all lengths, down and across
PADS = [(0, 0), (1, 1), (2, 0), (0, 3)]
# Whole and half panels, and vectors that are not full; the last two go filter by filter.
CHANNELS = [(8, 8), (16, 24), (72, 40), (13, 21), (3, 1), (128, 200), (131, 187)]


def _drawn(*shape, seed=0):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed))


def _close(found, expected, scale=1.0):
    torch.testing.assert_close(found.double(), expected, rtol=1e-4, atol=1e-4 * scale)


def _is_too_small(size, pad):
    return size[0] + 2 * pad[0] < 3 or size[1] + 2 * pad[1] < 3


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("pad", PADS)
@pytest.mark.parametrize(("channels", "count"), CHANNELS)
@pytest.mark.sample(one_in=4)
def test_gives_what_the_direct_way_gives(size, pad, channels, count):
    if _is_too_small(size, pad):
        pytest.skip("smaller than the filter")
    data, weight, bias = _drawn(3, channels, *size), _drawn(count, channels, 3, 3, seed=1), _drawn(count, seed=2)
    weight = weight / math.sqrt(channels)
    found = winograd.convolve_natively(data.contiguous(memory_format=LAST), weight, bias, pad)
    _close(found, torch.conv2d(data.double(), weight.double(), bias.double(), padding=pad))
    assert found.is_contiguous(memory_format=LAST)


@pytest.mark.parametrize("size", [(3, 5), (7, 7), (14, 9)])
@pytest.mark.parametrize("pad", [(0, 0), (1, 1), (2, 1)])
@pytest.mark.parametrize(("channels", "count"), CHANNELS)
def test_gradient_of_the_data(size, pad, channels, count):
    data = _drawn(2, channels, *size).double().requires_grad_()
    weight = _drawn(count, channels, 3, 3, seed=1) / math.sqrt(count)
    result = torch.conv2d(data, weight.double(), padding=pad)
    grad = _drawn(*result.shape, seed=2)
    result.backward(grad.double())
    _close(winograd.data_gradient_natively(grad.contiguous(memory_format=LAST), weight, pad), data.grad)


@pytest.mark.parametrize("shape", [(2, 64, 56, 56), (40, 160, 14, 14)])
def test_many_tiles_are_done_in_blocks(shape):
    data = _drawn(*shape).contiguous(memory_format=LAST)
    weight = _drawn(shape[1], shape[1], 3, 3, seed=1) / math.sqrt(shape[1])
    found = winograd.convolve_natively(data, weight, None, (1, 1))
    _close(found, torch.conv2d(data.double(), weight.double(), padding=1))


@pytest.mark.parametrize("count", [1, 2, 3])
def test_any_number_of_threads(count):
    data, weight = _drawn(1, 136, 7, 7).contiguous(memory_format=LAST), _drawn(136, 136, 3, 3, seed=1)
    expected = winograd.convolve_natively(data, weight, None, (1, 1))
    before = torch.get_num_threads()
    torch.set_num_threads(count)
    try:
        torch.testing.assert_close(winograd.convolve_natively(data, weight, None, (1, 1)), expected, rtol=0, atol=0)
    finally:
        torch.set_num_threads(before)


def test_the_error_is_of_the_order_of_the_direct_way():
    data, weight = _drawn(2, 256, 14, 14).contiguous(memory_format=LAST), _drawn(256, 256, 3, 3, seed=1) / 48
    expected = torch.conv2d(data.double(), weight.double(), padding=1)
    ours = winograd.convolve_natively(data, weight, None, (1, 1)) - expected
    direct = torch.conv2d(data, weight, padding=1) - expected
    assert ours.square().mean().sqrt() < 6 * direct.square().mean().sqrt()


@pytest.mark.parametrize(("unary", "limits"), [("none", ()), ("relu", ()), ("hardtanh", (-0.5, 2.0))])
@pytest.mark.parametrize(("with_bias", "with_addend"), [(True, True), (True, False), (False, True), (False, False)])
@pytest.mark.parametrize("count", [16, 24, 84, 136, 205])
def test_what_follows_is_done_on_the_way(unary, limits, with_bias, with_addend, count):
    data, weight, bias = _drawn(2, 128, 9, 6), _drawn(count, 128, 3, 3, seed=1) / 32, _drawn(count, seed=2)
    form = fused.Form((1, 1), (1, 1), (1, 1), 1, unary, limits, tuple(data.shape))
    assert fused._fitting(weight, form) == ["packed", "native winograd"]
    expected = torch.conv2d(data.double(), weight.double(), bias.double() if with_bias else None, padding=1)
    addend = _drawn(*expected.shape, seed=3) if with_addend else None
    expected = form.activated(expected if addend is None else expected + addend)
    kernel = fused._MAKERS["native winograd"](weight, form)
    _close(kernel(data, bias if with_bias else None, addend), expected)


def test_what_is_not_a_number_stays_so():
    data, weight = torch.full((1, 16, 6, 6), math.nan), torch.ones(16, 16, 3, 3)
    form = fused.Form((1, 1), (1, 1), (1, 1), 1, "relu", (), tuple(data.shape))
    assert fused._MAKERS["native winograd"](weight, form)(data, None, None).isnan().all()


def test_what_is_not_a_number_stays_in_its_channel_and_image():
    data, weight = _drawn(2, 11, 9, 9), _drawn(13, 11, 3, 3, seed=1)
    data[1, 10, 4, 4] = math.nan  # in the vector that is not full
    weight[:12, 10] = 0.0
    found = winograd.convolve_natively(data.contiguous(memory_format=LAST), weight, None, (1, 1))
    assert not found[0].isnan().any()
    assert found[1, :, 4, 4].isnan().all()


def test_few_channels_are_left_to_torch():
    form = fused.Form((1, 1), (1, 1), (1, 1), 1, "none", (), (1, 7, 8, 8))
    assert fused._fitting(torch.zeros(16, 7, 3, 3), form) == ["packed"]
    assert fused._fitting(torch.zeros(7, 16, 3, 3), form) == ["packed"]


def test_no_images():
    found = winograd.convolve_natively(
        torch.zeros(0, 8, 5, 5).contiguous(memory_format=LAST), torch.zeros(16, 8, 3, 3), None, (1, 1)
    )
    assert found.shape == (0, 16, 5, 5)


def test_refusals():
    data, weight = torch.zeros(1, 8, 5, 5).contiguous(memory_format=LAST), torch.zeros(16, 8, 3, 3)
    with pytest.raises(RuntimeError, match=r"channels last in memory; received Float of shape \[2, 8, 5, 5\]"):
        winograd.convolve_natively(torch.zeros(2, 8, 5, 5), weight, None, (1, 1))
    with pytest.raises(RuntimeError, match=r"data must have 16 channels; received shape \[1, 8, 5, 5\]"):
        winograd.convolve_natively(data, torch.zeros(16, 16, 3, 3), None, (1, 1))
    with pytest.raises(RuntimeError, match=r"\(filters, channels, 3, 3\); received Float of shape \[12, 8, 3, 2\]"):
        winograd.convolve_natively(data, torch.zeros(12, 8, 3, 2), None, (1, 1))
    with pytest.raises(RuntimeError, match=r"bias must be contiguous float32 of shape \(16\); received shape \[8\]"):
        winograd.convolve_natively(data, weight, torch.zeros(8), (1, 1))
    with pytest.raises(RuntimeError, match=r"must fit into the data"):
        winograd.convolve_natively(data[:, :, :2].contiguous(memory_format=LAST), weight, None, (0, 0))
    packed = torch.ops.regluon.winograd_pack(weight)
    with pytest.raises(RuntimeError, match=r"laid out by winograd_pack; received shape"):
        torch.ops.regluon.winograd_fused(data, packed, 32, None, None, (1, 1), 0.0, 1.0)
    addend = torch.zeros(1, 16, 4, 5).contiguous(memory_format=LAST)
    with pytest.raises(RuntimeError, match=r"shape of the result, \[1, 16, 5, 5\]; received shape \[1, 16, 4, 5\]"):
        torch.ops.regluon.winograd_fused(data, packed, 16, None, addend, (1, 1), 0.0, 1.0)
