"""Convolutions and their gradients in C++ against torch's, in double precision."""

import pytest
import torch

from regluon.kernels import convolution as ways
from regluon.kernels.convolution import Window

pytestmark = pytest.mark.usefixtures("native")

LAST = torch.channels_last
# (batch, channels, height, width), filters, kernel, stride, pad
SHAPES = [
    ((4, 1, 28, 28), 20, (5, 5), (1, 1), (0, 0)),  # one channel, images that are worked on where they are
    ((5, 20, 12, 12), 50, (5, 5), (1, 1), (0, 0)),  # half a vector of channels, a quarter of filters
    ((2, 3, 32, 32), 64, (7, 7), (2, 2), (3, 3)),
    ((3, 64, 16, 16), 64, (3, 3), (1, 1), (1, 1)),
    ((3, 64, 8, 8), 128, (3, 3), (2, 2), (1, 1)),
    ((3, 64, 9, 9), 40, (1, 1), (2, 2), (0, 0)),
    ((16, 64, 2, 2), 48, (3, 3), (1, 1), (1, 1)),  # more padding than data
    ((9, 160, 4, 4), 70, (3, 3), (1, 1), (1, 1)),  # filters that are laid out panel by panel
    ((30, 40, 5, 5), 9, (3, 3), (2, 2), (1, 1)),  # groups of images with a rest
    ((2, 33, 5, 6), 7, (3, 2), (2, 1), (1, 0)),
    ((3, 17, 7, 9), 13, (3, 3), (1, 1), (1, 1)),
    ((5, 40, 6, 6), 9, (3, 3), (3, 3), (2, 2)),
    ((2, 8, 4, 4), 8, (4, 4), (1, 1), (3, 3)),
    ((7, 3, 10, 11), 5, (3, 3), (2, 2), (0, 0)),
    ((10, 36, 9, 9), 31, (2, 2), (2, 2), (0, 0)),
    ((8, 32, 3, 3), 12, (1, 1), (1, 1), (0, 0)),
    ((2, 5, 9, 9), 3, (2, 2), (4, 4), (0, 0)),  # places that no window meets
    ((2, 48, 9, 9), 3, (2, 2), (4, 4), (0, 0)),
    ((2, 34, 2, 2), 4, (1, 1), (1, 1), (2, 2)),  # windows that meet padding only
    ((1, 1, 1, 1), 1, (1, 1), (1, 1), (0, 0)),
]


def _drawn(*shape, seed=0):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed))


def _close(found, expected):
    """Within the rounding of sums of products that may nearly cancel out."""
    assert found.shape == expected.shape
    torch.testing.assert_close(found.double(), expected, rtol=1e-5, atol=5e-6 * max(1.0, expected.abs().max().item()))


def _inputs(shape, filters, window):
    data, weight = _drawn(*shape), _drawn(filters, shape[1], *window.kernel, seed=1)
    return data.contiguous(memory_format=LAST), weight, _drawn(filters, seed=2)


def _gradients(grad, data, weight, window):
    doubles = [tensor.double() for tensor in (grad, data, weight)]
    geometry = (window.stride, window.pad, window.dilate, False, (0, 0), 1)
    return torch.ops.aten.convolution_backward(*doubles, None, *geometry, (True, True, False))[:2]


@pytest.fixture(params=[1, 2])
def threads(request):
    before = torch.get_num_threads()
    torch.set_num_threads(request.param)
    yield request.param
    torch.set_num_threads(before)


@pytest.mark.parametrize(("shape", "filters", "kernel", "stride", "pad"), SHAPES)
def test_gives_what_torch_gives(threads, shape, filters, kernel, stride, pad):
    window = Window(kernel, stride, pad, (1, 1), 1)
    data, weight, bias = _inputs(shape, filters, window)
    result = ways._native(data, weight, bias, window)
    _close(result, torch.conv2d(data.double(), weight.double(), bias.double(), stride, pad))
    assert result.is_contiguous(memory_format=LAST)
    grad = _drawn(*result.shape, seed=3).contiguous(memory_format=LAST)
    of_data, of_weight = _gradients(grad, data, weight, window)
    found = ways._native_data(grad, data, weight, window)
    _close(found, of_data)
    assert found.is_contiguous(memory_format=LAST)
    found = ways._native_weight(grad, data, weight, window)
    _close(found, of_weight)
    assert found.is_contiguous()


def test_takes_other_orders_of_memory():
    window = Window((3, 3), (1, 1), (1, 1), (1, 1), 1)
    data, weight, _ = _inputs((2, 6, 5, 7), 10, window)
    expected = ways._native(data, weight, None, window)
    found = ways._native(data.contiguous(), weight.contiguous(memory_format=LAST), None, window)
    assert torch.equal(found, expected)
    grad = torch.ones(1, 10, 1, 1).expand(2, 10, 5, 7)
    of_data, of_weight = _gradients(grad, data, weight, window)
    _close(ways._native_data(grad, data, weight, window), of_data)
    _close(ways._native_weight(grad, data.contiguous(), weight, window), of_weight)


@pytest.mark.parametrize("shape", [(3, 20, 9, 7), (1, 3, 1, 1), (70, 64, 5, 5)])
def test_sums_over_places(threads, shape):
    grad = _drawn(*shape).contiguous(memory_format=LAST)
    _close(ways.bias_gradient(grad), grad.double().sum((0, 2, 3)))


def test_what_is_no_number_stays_in_its_column():
    """Columns are computed in vectors, and those of other filters must not see it."""
    window = Window((3, 3), (1, 1), (1, 1), (1, 1), 1)
    data, weight, _ = _inputs((2, 20, 5, 5), 20, window)
    weight[19] = float("nan")
    result = ways._native(data, weight, None, window)
    assert result[:, 19].isnan().all()
    assert not result[:, :19].isnan().any()
    grad = torch.ones_like(result)
    grad[:, 19] = float("nan")
    found = ways._native_weight(grad, data, weight, window)
    assert not found[:19].isnan().any()


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda ops, x, w: ops.convolution(x, w[:, :1], None, (1, 1), (0, 0)), "as many channels"),
        (lambda ops, x, w: ops.convolution(x.double(), w, None, (1, 1), (0, 0)), "float32"),
        (lambda ops, x, w: ops.convolution(x[:0], w, None, (1, 1), (0, 0)), "some elements"),
        (lambda ops, x, w: ops.convolution(x[..., :2, :], w, None, (1, 1), (0, 0)), "one that fits"),
        (lambda ops, x, w: ops.convolution(x, w, None, (0, 1), (0, 0)), "strides above 0"),
        (lambda ops, x, w: ops.convolution(x, w, torch.ones(3), (1, 1), (0, 0)), "expected 4 numbers"),
        (lambda ops, x, w: ops.convolution_data_gradient(x, w, (5, 5), (1, 1), (0, 0)), "a gradient of shape"),
        (lambda ops, x, w: ops.convolution_weight_gradient(x, x, (3, 3), (1, 1), (0, 0)), "a gradient of shape"),
    ],
)
def test_refuses_what_it_cannot_do(call, said):
    data, weight = _drawn(2, 3, 5, 5), _drawn(4, 3, 3, 3)
    with pytest.raises(RuntimeError, match=said):
        call(torch.ops.regluon, data, weight)


def test_is_offered_only_where_it_fits(monkeypatch):
    offered = []
    monkeypatch.setattr(ways, "run_best", lambda work, candidates, *args: offered.append([n for n, _ in candidates]))
    data, weight = _drawn(1, 4, 6, 6), _drawn(4, 4, 3, 3)
    for dilate, groups in (((1, 1), 1), ((2, 2), 1), ((1, 1), 2)):
        ways.convolve(data, weight, None, Window((3, 3), (1, 1), (0, 0), dilate, groups))
    assert ["native" in names for names in offered] == [True, False, False]
