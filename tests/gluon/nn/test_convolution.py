"""Convolutions beyond what MXNet can run on a CPU: channels last."""

from typing import Any

import numpy as np
import pytest

import mxnet as mx
from mxnet.gluon import nn

LAST = {"NCHW": "NHWC", "NCDHW": "NDHWC"}


@pytest.mark.parametrize("activation", [None, "relu"])
@pytest.mark.parametrize(
    ("kind", "first", "options"),
    [
        (nn.Conv2D, "NCHW", {"strides": 2, "padding": 1}),
        (nn.Conv2D, "NCHW", {"groups": 2, "use_bias": False}),
        (nn.Conv3D, "NCDHW", {"dilation": 2}),
        (nn.Conv2DTranspose, "NCHW", {"strides": 2, "output_padding": 1}),
        (nn.Conv3DTranspose, "NCDHW", {"strides": (1, 2, 1)}),
    ],
)
def test_channels_last_is_channels_first_moved(kind: Any, first: str, options: Any, activation: Any) -> None:
    data = mx.nd.random.uniform(-1, 1, shape=(2, 4, 6, 5, 5)[: len(first)])
    layer = kind(6, 3, layout=first, activation=activation, **options)
    layer.initialize()
    expected = layer(data).asnumpy()
    moved = kind(6, 3, layout=LAST[first], activation=activation, **options)
    moved.initialize()
    to_last = mx.nd.moveaxis(data, 1, -1)
    moved(to_last)
    moved.weight.set_data(mx.nd.moveaxis(layer.weight.data(), 1, -1))
    np.testing.assert_allclose(np.moveaxis(moved(to_last).asnumpy(), -1, 1), expected, 1e-5, 1e-5)


def test_groups_of_a_transposed_convolution_can_wait_for_the_data() -> None:
    """MXNet refuses to make this layer without in_channels."""
    layer = nn.Conv2DTranspose(4, 3, groups=2)
    layer.initialize()
    assert layer(mx.nd.ones((1, 6, 4, 4))).shape == (1, 4, 6, 6)
    assert layer.weight.shape == (6, 2, 3, 3)


@pytest.mark.parametrize(
    ("make", "text"),
    [
        (lambda: nn.Conv2D(3, 3, layout="NCW"), r"\[Conv2D\] layout: received 'NCW'; expected 'NCHW' or 'NHWC'"),
        (lambda: nn.Conv1D(3, (3, 3)), r"\[Conv1D\] kernel_size: received \(3, 3\); expected a number or a tuple of 1"),
        (lambda: nn.Conv2D(3, 3, strides=(1,)), r"\[Conv2D\] strides: received \(1,\)"),
        (lambda: nn.Conv2D(3, 3, groups=2), r"\[Conv2D\] received channels=3, in_channels=0, groups=2"),
        (lambda: nn.Conv2DTranspose(3, 3, output_padding=(1,)), r"\[Conv2DTranspose\] output_padding: received \(1,\)"),
        (
            lambda: nn.MaxPool3D((1, 2)),
            r"\[MaxPool3D\] pool_size: received \(1, 2\); expected a number or a tuple of 3",
        ),
        (lambda: nn.GlobalMaxPool1D(layout="NCHW"), r"\[GlobalMaxPool1D\] layout: received 'NCHW'; expected 'NCW' or"),
        (lambda: nn.ReflectionPad2D((1, 2)), r"\[ReflectionPad2D\] padding: received \(1, 2\); .* 8 numbers"),
    ],
)
def test_says_what_it_cannot_be_made_with(make: Any, text: str) -> None:
    with pytest.raises(mx.base.MXNetError, match=text) as caught:
        make()
    assert isinstance(caught.value, ValueError)


def test_another_operator_may_be_named() -> None:
    layer = nn.Conv2D(2, 3, op_name="Convolution", in_channels=1)
    assert layer._op_name == "Convolution"
    assert nn.Conv2DTranspose(2, 3)._op_name == "Deconvolution"


def test_numpy_numbers_are_numbers() -> None:
    layer = nn.Conv2D(2, np.int64(3), strides=np.int64(1))
    layer.initialize()
    assert layer(mx.nd.ones((1, 1, 4, 4))).shape == (1, 2, 2, 2)
