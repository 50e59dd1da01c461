"""Convolutions of prediction in C++, 1 x 1 and depthwise, against torch's in double precision."""

import math

import numpy as np
import pytest
import torch

from mxnet import gluon, nd
from regluon.kernels import prepacked_convolution as prepacked
from regluon.kernels.tuning import tuner

pytestmark = pytest.mark.usefixtures("native")

# (batch, channels, height, width), filters, kernel, stride, pad, groups
POINTWISE = [
    ((1, 3, 7, 5), 5, (1, 1), (1, 1), (0, 0), 1),
    ((2, 16, 9, 8), 24, (1, 1), (1, 1), (0, 0), 1),
    ((1, 40, 33, 31), 17, (1, 1), (1, 1), (0, 0), 1),
    ((2, 24, 9, 7), 20, (1, 1), (2, 3), (0, 0), 1),
    ((1, 1030, 2, 2), 9, (1, 1), (1, 1), (0, 0), 1),  # more channels than are worked on at once
]
DEPTHWISE = [
    ((1, 16, 30, 30), 16, (3, 3), (1, 1), (1, 1), 16),
    ((2, 13, 17, 19), 13, (3, 3), (1, 1), (1, 1), 13),
    ((1, 32, 23, 40), 32, (3, 3), (2, 2), (1, 1), 32),
    ((2, 9, 11, 12), 9, (5, 5), (1, 2), (2, 2), 9),
    ((1, 8, 2, 3), 8, (3, 3), (1, 1), (1, 1), 8),
    ((1, 3, 1, 1), 3, (5, 5), (1, 1), (4, 4), 3),  # mostly padding
    ((1, 10, 6, 6), 10, (2, 3), (3, 1), (0, 0), 10),
    ((1, 2, 4, 4), 2, (1, 1), (1, 1), (2, 2), 2),  # windows that meet padding only
]
NAMES = {"native pointwise": POINTWISE, "native depthwise": DEPTHWISE}
CASES = [(name, *case) for name, cases in NAMES.items() for case in cases]


def _drawn(*shape, seed=0):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed))


def _form(stride, pad, groups, unary="none", limits=(), size=()):
    return prepacked.Form(stride, (1, 1), pad, groups, unary, limits, size)


@pytest.mark.parametrize(("unary", "limits"), [("none", ()), ("relu", ()), ("hardtanh", (-0.5, 1.0))])
@pytest.mark.parametrize(("name", "shape", "filters", "kernel", "stride", "pad", "groups"), CASES)
def test_against_torch(name, shape, filters, kernel, stride, pad, groups, unary, limits):
    data, weight = _drawn(*shape), _drawn(filters, shape[1] // groups, *kernel, seed=1)
    bias, form = _drawn(filters, seed=2), _form(stride, pad, groups, unary, limits)
    assert name in prepacked._fitting(weight, form)
    run = prepacked._MAKERS[name](weight, form)
    plain = torch.conv2d(data.double(), weight.double(), None, stride, pad, 1, groups)
    addend = _drawn(*plain.shape, seed=3)
    for with_bias, with_addend in [(False, False), (True, False), (False, True), (True, True)]:
        expected = plain + (bias.double().view(-1, 1, 1) if with_bias else 0) + (addend.double() if with_addend else 0)
        for given in (data, data.contiguous(memory_format=torch.channels_last)):
            found = run(given, bias if with_bias else None, addend if with_addend else None)
            assert found.is_contiguous(memory_format=torch.channels_last)
            scale = max(1.0, float(expected.abs().max()))
            torch.testing.assert_close(found.double(), form.activated(expected.clone()), rtol=1e-5, atol=1e-5 * scale)


@pytest.mark.parametrize("value", [math.nan, math.inf])
@pytest.mark.parametrize(("name", "groups", "side"), [("native pointwise", 1, 1), ("native depthwise", 8, 3)])
def test_what_is_not_a_number_stays_so(name, groups, side, value):
    data, weight = _drawn(1, 8, 6, 6), _drawn(8, 8 // groups, side, side, seed=1)
    data[0, 3, 2, 2] = value
    form = _form((1, 1), (side // 2, side // 2), groups, "relu")
    found = prepacked._MAKERS[name](weight, form)(data, None, None)
    expected = torch.conv2d(data, weight, None, 1, side // 2, 1, groups).relu()
    torch.testing.assert_close(found, expected, rtol=1e-4, atol=1e-4, equal_nan=True)
    assert not found.isfinite().all()


@pytest.mark.parametrize(("groups", "side"), [(1, 1), (8, 3)])
def test_an_empty_batch_in_a_compiled_network(monkeypatch, tmp_path, groups, side):
    monkeypatch.setenv("MXNET_HOME", str(tmp_path))
    monkeypatch.setenv("MXNET_AUTOTUNE", "1")  # so that every candidate has its turn
    tuner.forget()
    net = gluon.nn.HybridSequential()
    for _ in range(2):
        net.add(gluon.nn.Conv2D(8, side, padding=side // 2, groups=groups, in_channels=8, activation="relu"))
    net.initialize()
    net.hybridize()
    for count in (*[2] * 8, *[0] * 8):
        assert net(nd.array(np.ones((count, 8, 5, 5)))).shape == (count, 8, 5, 5)


def test_what_does_not_fit_is_refused():
    data = _drawn(1, 8, 4, 4)
    ours = torch.ops.regluon
    with pytest.raises(RuntimeError, match=r"expected \(filters, channels\) of float32 in one piece"):
        ours.pointwise_pack(_drawn(3, 8).t())
    packed = ours.pointwise_pack(_drawn(3, 8))
    with pytest.raises(RuntimeError, match="must have been laid out by pointwise_pack; received 128 numbers"):
        ours.pointwise_fused(data[:, :7], packed, 3, None, None, 0.0, 1.0)
    with pytest.raises(RuntimeError, match="expected 3 numbers of float32 in one piece"):
        ours.pointwise_fused(data, packed, 3, _drawn(4), None, 0.0, 1.0)
    with pytest.raises(RuntimeError, match="expected that of the result, with channels last"):
        ours.pointwise_fused(data, packed, 3, None, _drawn(1, 3, 4, 5), 0.0, 1.0)
    with pytest.raises(RuntimeError, match=r"expected \(height, width, channels\) of float32 in one piece"):
        ours.depthwise_fused(data, _drawn(3, 3, 7), None, None, [1, 1], [1, 1], 0.0, 1.0)
    with pytest.raises(RuntimeError, match="expected one that fits into them"):
        ours.depthwise_fused(data, _drawn(7, 7, 8), None, None, [1, 1], [0, 0], 0.0, 1.0)
    with pytest.raises(RuntimeError, match="expected strides above 0"):
        ours.depthwise_fused(data, _drawn(3, 3, 8), None, None, [0, 1], [0, 0], 0.0, 1.0)
