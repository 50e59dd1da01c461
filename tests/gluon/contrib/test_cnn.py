"""Deformable convolutions."""

from typing import Any

import numpy as np
import pytest

import mxnet as mx
from mxnet.gluon import nn
from mxnet.gluon.contrib import cnn

KINDS = [cnn.DeformableConvolution, cnn.ModulatedDeformableConvolution]


@pytest.mark.parametrize("kind", KINDS)
def test_without_offsets_it_is_a_convolution(kind: Any) -> None:
    data = mx.nd.random.uniform(-1, 1, shape=(2, 4, 6, 5))
    layer = kind(6, 2, strides=2, padding=1, groups=2)
    layer.initialize()
    out = layer(data)  # offsets start at zero, and masks, which start in the middle, at one
    plain = nn.Conv2D(6, 2, strides=2, padding=1, groups=2, in_channels=4)
    plain.initialize()
    plain.weight.set_data(layer.deformable_conv_weight.data())
    np.testing.assert_allclose(out.asnumpy(), plain(data).asnumpy(), 1e-4, 1e-6)


@pytest.mark.parametrize("kind", KINDS)
def test_offsets_are_learned(kind: Any) -> None:
    layer = kind(2, 3, padding=1)
    layer.initialize(mx.init.Normal(0.5))
    data = mx.nd.random.uniform(-1, 1, shape=(1, 2, 5, 5))
    with mx.autograd.record():
        loss = (layer(data) ** 2).sum()
    loss.backward()
    assert layer.offset_weight.grad().asnumpy().any()
    assert layer.offset_bias.grad().asnumpy().any()


@pytest.mark.parametrize("kind", KINDS)
def test_layouts(kind: Any) -> None:
    with pytest.raises(AssertionError, match="layout: received 'NCW'; expected 'NCHW' or 'NHWC'"):
        kind(2, layout="NCW")


def test_masks_follow_the_offsets() -> None:
    layer = cnn.ModulatedDeformableConvolution(2, (2, 3), num_deformable_group=2)
    assert layer.offset_split_index == 24
    assert layer._kwargs_offset["num_filter"] == 36
