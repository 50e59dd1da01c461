"""Deformable convolution: gradients that MXNet lacks on a CPU, and error texts."""

from typing import Any

import numpy as np
import pytest

import mxnet as mx
from tests.ops.base import check_bad_input


def _arrays(masked: bool) -> list[Any]:
    state = np.random.RandomState(3)
    # Whole numbers, where the gradient jumps, are half an element away.
    offset = state.randint(-2, 2, (1, 8, 3, 3)) + state.uniform(0.2, 0.8, (1, 8, 3, 3))
    mask = [state.uniform(0, 2, (1, 4, 3, 3))] if masked else []
    values = [state.uniform(-1, 1, (1, 4, 4, 4)), offset, *mask, state.uniform(-1, 1, (2, 2, 2, 2)), state.randn(2)]
    return [mx.nd.array(value, dtype="float64") for value in values]


def _call(arrays: list[Any]) -> Any:
    name = "ModulatedDeformableConvolution" if len(arrays) == 5 else "DeformableConvolution"
    return getattr(mx.nd.contrib, name)(*arrays, kernel=(2, 2), num_filter=2, num_group=2)


@pytest.mark.parametrize("masked", [False, True])
def test_gradient_is_the_slope(masked: bool) -> None:
    arrays = _arrays(masked)
    for array in arrays:
        array.attach_grad()
    with mx.autograd.record():
        loss = (_call(arrays) ** 2).sum()
    loss.backward()
    step = 1e-6
    for position, array in enumerate(arrays):
        slopes = np.zeros(array.shape)
        for place in np.ndindex(*array.shape):
            ends = []
            for sign in (1, -1):
                moved = [each.copy() for each in arrays]
                moved[position][place] = array[place].asscalar() + sign * step
                ends.append((_call(moved) ** 2).sum().asscalar())
            slopes[place] = (ends[0] - ends[1]) / (2 * step)
        np.testing.assert_allclose(array.grad.asnumpy(), slopes, 1e-5, 1e-7, err_msg=f"input {position}")


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf, 1e30])
def test_offsets_to_nowhere_see_zeros(value: float) -> None:
    data, offset = mx.nd.ones((1, 1, 3, 3)), mx.nd.zeros((1, 2, 3, 3))
    offset[0, 0, 1, 1] = value
    out = mx.nd.contrib.DeformableConvolution(
        data, offset, mx.nd.ones((1, 1, 1, 1)), kernel=(1, 1), num_filter=1, no_bias=True
    )
    assert out.asnumpy()[0, 0, 1, 1] == 0
    assert out.asnumpy().sum() == 8


@pytest.mark.parametrize(
    ("change", "text"),
    [
        ({"kernel": (3,)}, "expected the sizes of 2 spatial axes"),
        ({"num_deformable_group": 3}, "num_deformable_group=3 does not divide the 4 channels"),
        ({"num_group": 3}, "num_group=3 divides the 4 channels"),
        ({"kernel": (9, 9)}, "exceeds the data"),
        ({"num_deformable_group": 2}, r"expected offset of shape \(1, 16, 3, 3\), got \(1, 8, 3, 3\)"),
        ({"no_bias": True}, "received a bias although no_bias=True"),
        ({"layout": "NCW"}, "layout='NCW' is for 1 spatial axes"),
    ],
)
def test_bad_parameters(change: dict[str, Any], text: str) -> None:
    params = {"kernel": (2, 2), "num_filter": 2, "num_group": 2, **change}
    check_bad_input(lambda: mx.nd.contrib.DeformableConvolution(*_arrays(False), **params), text)


def test_mask_of_another_shape() -> None:
    arrays = _arrays(True)
    arrays[2] = arrays[2][:, :3]
    check_bad_input(lambda: _call(arrays), r"expected mask of shape \(1, 4, 3, 3\), got \(1, 3, 3, 3\)")
