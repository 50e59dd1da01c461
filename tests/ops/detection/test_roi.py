"""Pooling of regions: gradients against slopes, regions that are left out, and error texts."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch

import mxnet as mx
from regluon.ops.detection import roi
from tests.ops.base import check_bad_input

_REGIONS = [[0, 0.3, 0.7, 5.1, 4.2], [1, 2.2, 1.4, 6.6, 5.9], [0, -2.1, 1.3, 3.2, 8.7]]
_TURNED = [[0, 3.1, 2.2, 4.3, 3.4, 33], [1, 2.2, 3.4, 5.6, 2.9, -80]]


def _call(name: str, data: Any, trans: Any = None, dtype: str = "float64") -> Any:
    contrib, regions = mx.nd.contrib, mx.nd.array(_REGIONS, dtype=dtype)
    size = {"pooled_size": (2, 3), "spatial_scale": 0.8}
    groups = {"spatial_scale": 0.8, "output_dim": 2, "pooled_size": 2}
    calls: dict[str, Callable[[], Any]] = {
        "pool": lambda: mx.nd.ROIPooling(data, regions, **size),
        "align": lambda: contrib.ROIAlign(data, regions, **size),
        "align 2": lambda: contrib.ROIAlign(data, regions, sample_ratio=2, aligned=True, **size),
        "turned": lambda: contrib.RROIAlign(data, mx.nd.array(_TURNED, dtype=dtype), **size),
        "groups": lambda: contrib.PSROIPooling(data, regions, **groups),
        "moved": lambda: contrib.DeformablePSROIPooling(
            data, regions, trans, group_size=2, trans_std=0.2, sample_per_part=3, **groups
        ),
    }
    return calls[name]()


def _slopes(function: Callable[[Any], Any], array: Any) -> np.ndarray:
    slopes = np.zeros(array.shape)
    for place in np.ndindex(*array.shape):
        ends = []
        for step in (1e-6, -1e-6):
            moved = array.copy()
            moved[place] = array[place].asscalar() + step
            ends.append((function(moved) ** 2).sum().asscalar())
        slopes[place] = (ends[0] - ends[1]) / 2e-6
    return slopes


@pytest.mark.parametrize("name", ["pool", "align", "align 2", "turned", "groups", "moved"])
def test_gradient_is_the_slope(name: str) -> None:
    state = np.random.RandomState(6)
    data = mx.nd.array(state.permutation(2 * 8 * 6 * 5).reshape(2, 8, 6, 5) / 480, dtype="float64")
    trans = mx.nd.array(state.uniform(-1, 1, (3, 4, 2, 2)), dtype="float64") if name == "moved" else None
    arrays = [data] if trans is None else [data, trans]
    for array in arrays:
        array.attach_grad()
    with mx.autograd.record():
        loss = (_call(name, data, trans) ** 2).sum()
    loss.backward()
    few = data[:, :4, 1:4]  # enough places to see
    expected = _slopes(lambda part: _call(name, _replaced(data, part), trans), few)
    np.testing.assert_allclose(data.grad.asnumpy()[:, :4, 1:4], expected, 1e-5, 1e-8)
    if trans is not None:
        np.testing.assert_allclose(trans.grad.asnumpy(), _slopes(lambda t: _call(name, data, t), trans), 1e-5, 1e-8)


def _replaced(data: Any, part: Any) -> Any:
    whole = data.copy()
    whole[:, :4, 1:4] = part
    return whole


def test_second_derivatives() -> None:
    data = torch.rand(1, 8, 5, 5, dtype=torch.float64, requires_grad=True)
    regions = torch.tensor(_REGIONS[::2], dtype=torch.float64)
    trans = torch.rand(2, 2, 2, 2, dtype=torch.float64, requires_grad=True)

    def moved(data: torch.Tensor, trans: torch.Tensor) -> torch.Tensor:
        params = {"output_dim": 2, "group_size": 2, "pooled_size": 2, "trans_std": 0.3}
        return roi.deformable_psroi_pooling(data, regions, trans, spatial_scale=0.7, **params)

    assert torch.autograd.gradgradcheck(moved, (data, trans))


@pytest.mark.parametrize("number", [-1, 2, np.nan])
@pytest.mark.parametrize("name", ["pool", "align", "align 2", "turned", "groups", "moved"])
def test_regions_of_no_image_give_zeros(name: str, number: float, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(globals(), "_REGIONS", [[number, 1, 1, 1, 1], [1, 1, 1, 4, 4], [number, 0, 0, 9, 9]])
    monkeypatch.setitem(globals(), "_TURNED", [[number, 1, 1, 1, 1, 9], [1, 1, 1, 4, 4, 9], [number, 0, 0, 9, 9, 9]])
    data = mx.nd.ones((2, 8, 6, 5))
    data.attach_grad()
    with mx.autograd.record():
        out = _call(name, data, mx.nd.zeros((3, 2, 2, 2)), "float32")
    out.backward()
    assert not out.asnumpy()[[0, 2]].any()
    assert out.asnumpy()[1].any()
    assert not data.grad.asnumpy()[0].any()


def test_constant_data_pool_to_the_constant() -> None:
    """Within the map, means and maxima of one number are that number."""
    data, regions = mx.nd.full((1, 8, 9, 9), 3.5), mx.nd.array([[0, 1, 2, 6, 7]])
    for out in (
        mx.nd.ROIPooling(data, regions, pooled_size=(3, 3), spatial_scale=1),
        mx.nd.contrib.ROIAlign(data, regions, pooled_size=(3, 3), spatial_scale=1),
        mx.nd.contrib.RROIAlign(data, mx.nd.array([[0, 4, 4, 3, 3, 20]]), pooled_size=(3, 3), spatial_scale=1),
        mx.nd.contrib.PSROIPooling(data, regions, spatial_scale=1, output_dim=2, pooled_size=2),
        mx.nd.contrib.DeformablePSROIPooling(
            data, regions, spatial_scale=1, output_dim=2, pooled_size=3, group_size=2, no_trans=True
        ),
    ):
        np.testing.assert_allclose(out.asnumpy(), 3.5, rtol=1e-6)


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("name", ["pool", "align", "turned", "groups", "moved"])
def test_broken_regions_do_not_harm_the_others(name: str, value: float, monkeypatch: pytest.MonkeyPatch) -> None:
    data, trans = mx.nd.random.uniform(shape=(2, 8, 6, 5)), mx.nd.zeros((3, 2, 2, 2))
    expected = _call(name, data, trans, "float32").asnumpy()
    monkeypatch.setitem(globals(), "_REGIONS", [_REGIONS[0], _REGIONS[1], [0, 1, value, 3, 3]])
    monkeypatch.setitem(globals(), "_TURNED", [*_TURNED, [0, 1, value, value, 3, 3]])
    out = _call(name, data, trans, "float32").asnumpy()
    np.testing.assert_array_equal(out[:2], expected[:2])


@pytest.mark.parametrize("name", ["pool", "align", "align 2", "turned", "groups", "moved"])
def test_no_regions(name: str) -> None:
    data, width = torch.ones(1, 8, 4, 4), 6 if name == "turned" else 5
    regions, trans = torch.ones(0, width), torch.ones(0, 2, 2, 2)
    size, groups = {"pooled_size": (2, 2)}, {"output_dim": 2, "pooled_size": 2}
    out = {
        "pool": lambda: roi.roi_pooling(data, regions, spatial_scale=1, **size),
        "align": lambda: roi.roi_align(data, regions, spatial_scale=1, **size),
        "align 2": lambda: roi.roi_align(data, regions, spatial_scale=1, sample_ratio=2, **size),
        "turned": lambda: roi.rroi_align(data, regions, spatial_scale=1, **size),
        "groups": lambda: roi.psroi_pooling(data, regions, spatial_scale=1, **groups),
        "moved": lambda: roi.deformable_psroi_pooling(data, regions, trans, spatial_scale=1, group_size=2, **groups),
    }[name]()
    assert out.shape[0] == 0
    assert out.shape[2:] == (2, 2)


@pytest.mark.parametrize(
    ("change", "text"),
    [
        ({"pooled_size": (2,)}, r"pooled_size=\(2,\); expected height and width"),
        ({"pooled_size": (0, 2)}, r"pooled_size=\(0, 2\); expected height and width"),
        ({"spatial_scale": 2.0}, "spatial_scale=2.0; expected a number from 0 to 1"),
        ({"pooled_size": (3, 3), "position_sensitive": True}, "expected channels in multiples of 9 bins, got 8"),
        ({"aligned": True}, "expected regions of some height and width"),
    ],
)
def test_bad_parameters(change: dict[str, Any], text: str) -> None:
    params = {"pooled_size": (2, 2), "spatial_scale": 0.5, **change}
    data, regions = mx.nd.ones((2, 8, 4, 4)), mx.nd.array([[0, 3, 3, 3, 5]])
    check_bad_input(lambda: mx.nd.contrib.ROIAlign(data, regions, **params), text)


def test_bad_inputs() -> None:
    data, regions, contrib = mx.nd.ones((2, 8, 4, 4)), mx.nd.array(_REGIONS), mx.nd.contrib
    size, groups = {"pooled_size": (2, 2), "spatial_scale": 1}, {"spatial_scale": 1, "output_dim": 2, "pooled_size": 2}
    check_bad_input(lambda: mx.nd.ROIPooling(data[0], regions, **size), "expected data of 4 dimensions")
    check_bad_input(lambda: mx.nd.ROIPooling(data, regions[:, :4], **size), r"rois of shape \(regions, 5\)")
    check_bad_input(lambda: contrib.RROIAlign(data, regions, **size), r"rois of shape \(regions, 6\)")
    check_bad_input(lambda: contrib.ROIAlign(data, regions.astype("float64"), **size), "expected inputs of one dtype")
    check_bad_input(
        lambda: contrib.PSROIPooling(data, regions, group_size=3, **groups), "expected at least 18 channels"
    )
    moved = contrib.DeformablePSROIPooling
    trans = mx.nd.zeros((3, 2, 2, 2))
    check_bad_input(lambda: moved(data, regions, group_size=2, **groups), "trans is missing")
    check_bad_input(
        lambda: moved(data, regions, trans, group_size=2, no_trans=True, **groups), "although no_trans=True"
    )
    check_bad_input(lambda: moved(data, regions, trans[:, :1], group_size=2, **groups), r"2 \* classes, parts, parts")
    check_bad_input(lambda: moved(data, regions, trans, group_size=2, part_size=3, **groups), r"\(3, 2, 3, 3\)")
    check_bad_input(lambda: moved(data, regions, trans, group_size=2, trans_std=2, **groups), "trans_std=2.0")
    check_bad_input(lambda: moved(data, regions, trans, group_size=-1, **groups), "group_size=-1; expected a number")
    six = mx.nd.zeros((3, 6, 2, 2))
    check_bad_input(lambda: moved(data, regions, six, group_size=2, **groups), "divided among the 3 classes of trans")
