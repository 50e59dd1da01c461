"""Pooling with channels last."""

from typing import Any

import numpy as np
import pytest

import mxnet as mx
from mxnet.gluon import nn

LAYOUTS = {1: ("NCW", "NWC"), 2: ("NCHW", "NHWC"), 3: ("NCDHW", "NDHWC")}
NAMES = [f"{kind}Pool{n}D" for kind in ("Max", "Avg", "GlobalMax", "GlobalAvg") for n in (1, 2, 3)]


@pytest.mark.parametrize("options", [{}, {"strides": 1, "padding": 1}, {"ceil_mode": True}])
@pytest.mark.parametrize("name", NAMES)
def test_channels_last_is_channels_first_moved(name: str, options: Any) -> None:
    first, last = LAYOUTS[int(name[-2])]
    options = {} if name.startswith("Global") else options
    data = mx.nd.random.uniform(-1, 1, shape=(2, 3, 5, 4, 5)[: len(first)])
    expected = getattr(nn, name)(layout=first, **options)(data)
    out = getattr(nn, name)(layout=last, **options)(mx.nd.moveaxis(data, 1, -1))
    np.testing.assert_allclose(np.moveaxis(out.asnumpy(), -1, 1), expected.asnumpy(), 1e-5, 1e-6)


@pytest.mark.parametrize("name", NAMES)
def test_has_no_parameters(name: str) -> None:
    assert not getattr(nn, name)().collect_params()
