"""Layers that are made for a number of spatial axes: constructors, documentation, subclasses."""

import inspect
import pickle
import re
from typing import Any

import pytest

import mxnet as mx
from mxnet.gluon import nn
from mxnet.gluon.nn._convolution import SpatialLayer

LAYERS = [getattr(nn, name) for name in nn.conv_layers.__all__ if name != "ReflectionPad2D"]
DEFAULTS = {
    nn.Conv1D: {"strides": 1, "padding": 0, "dilation": 1, "layout": "NCW"},
    nn.Conv2D: {"strides": (1, 1), "padding": (0, 0), "dilation": (1, 1), "layout": "NCHW"},
    nn.Conv3DTranspose: {"strides": (1, 1, 1), "output_padding": (0, 0, 0), "layout": "NCDHW"},
    nn.MaxPool2D: {"pool_size": (2, 2), "strides": None, "padding": 0, "layout": "NCHW"},
    nn.GlobalAvgPool3D: {"layout": "NCDHW"},
}


@pytest.mark.parametrize("layer", DEFAULTS)
def test_defaults(layer: Any):
    parameters = inspect.signature(layer).parameters
    assert {name: parameters[name].default for name in DEFAULTS[layer]} == DEFAULTS[layer]


@pytest.mark.parametrize("layer", LAYERS)
def test_documentation_and_identity(layer: Any):
    assert re.findall(r"^    (\w+):", inspect.getdoc(layer), re.MULTILINE) == list(inspect.signature(layer).parameters)
    assert layer.__init__.__qualname__ == f"{layer.__name__}.__init__"
    assert layer is pickle.loads(pickle.dumps(layer))  # noqa: S301


@pytest.mark.parametrize(
    ("layer", "order"),
    [
        *((nn.MaxPool1D, "lc"), (nn.MaxPool2D, "lc"), (nn.MaxPool3D, "cl")),
        *((nn.AvgPool1D, "lc"), (nn.AvgPool2D, "cl"), (nn.AvgPool3D, "cl")),
    ],
)
def test_positions_of_layout_and_ceil_mode(layer: Any, order: str):
    """MXNet's order is not the same everywhere."""
    names = [name for name in inspect.signature(layer).parameters if name in ("layout", "ceil_mode")]
    assert "".join(name[0] for name in names) == order


def test_subclasses_are_ordinary_classes():
    class Same(nn.Conv2D):
        """Keeps the size."""

        def __init__(self, channels: int) -> None:
            super().__init__(channels, 3, padding=1)

    net = Same(4)
    net.initialize()
    assert net(mx.nd.ones((1, 2, 5, 5))).shape == (1, 4, 5, 5)
    assert repr(net) == "Same(2 -> 4, kernel_size=(3, 3), stride=(1, 1), padding=(1, 1))"
    assert Same.__doc__ == "Keeps the size."
    assert issubclass(Same, SpatialLayer)
