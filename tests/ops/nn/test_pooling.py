"""Pooling, beyond the recorded cases."""

from typing import Any

import numpy as np
import pytest
import torch

import mxnet as mx
from regluon.ops.nn import pooling
from tests.ops.base import check_bad_input


def _windows(values: np.ndarray, kernel: int, stride: int, pad: int, count: int) -> list[tuple[np.ndarray, int]]:
    """For each window of one channel: the elements of the data in it, and its size with padding."""
    windows = []
    for i in range(count):
        first, last = i * stride - pad, min(i * stride - pad + kernel, len(values) + pad)
        windows.append((values[max(first, 0) : max(last, 0)], last - first))
    return windows


@pytest.mark.parametrize("convention", ["valid", "full"])
@pytest.mark.parametrize(
    ("kernel", "stride", "pad"), [(3, 1, 0), (3, 2, 1), (3, 2, 2), (4, 3, 2), (2, 3, 1), (5, 4, 3)]
)
@pytest.mark.parametrize("size", [5, 6, 7, 8])
def test_reference_over_one_axis(convention: str, kernel: int, stride: int, pad: int, size: int) -> None:
    values = np.random.RandomState(size).permutation(size).astype("float64")
    rounding = np.ceil if convention == "full" else np.floor
    count = int(rounding((size + 2 * pad - kernel) / stride)) + 1
    windows = _windows(values, kernel, stride, pad, count)

    def pooled(**params: Any) -> list[float]:
        data = mx.nd.array(values.reshape(1, 1, size), dtype="float64")
        result = mx.nd.Pooling(
            data, kernel=(kernel,), stride=(stride,), pad=(pad,), pooling_convention=convention, **params
        )
        return result.asnumpy()[0, 0]

    least = np.finfo("float64").min
    np.testing.assert_allclose(pooled(), [w.max() if w.size else least for w, _ in windows])
    np.testing.assert_allclose(pooled(pool_type="sum"), [w.sum() for w, _ in windows])
    np.testing.assert_allclose(pooled(pool_type="avg"), [w.sum() / max(full, 1) for w, full in windows])
    means = [w.sum() / max(w.size, 1) for w, _ in windows]
    np.testing.assert_allclose(pooled(pool_type="avg", count_include_pad=False), means)


def test_same_convention_needs_no_pad() -> None:
    data = mx.nd.array([[[3, 1, 4, 1, 5]]])
    assert mx.nd.Pooling(data, kernel=(2,), stride=(2,), pooling_convention="same").asnumpy().tolist() == [[[3, 4, 5]]]


def test_results_of_channels_last_are_contiguous() -> None:
    data = mx.nd.ones((2, 5, 4, 3))
    for params in ({"kernel": (2, 2)}, {"global_pool": True}):
        assert mx.nd.Pooling(data, layout="NHWC", **params).as_torch().is_contiguous()


def test_refusals() -> None:
    data = mx.nd.ones((1, 1, 4, 4))

    def check(match: str, **params: Any) -> None:
        check_bad_input(lambda: mx.nd.Pooling(data, **params), match)

    check("kernel=\\(\\); expected 2 sizes for the spatial axes")
    check("kernel=\\(2,\\); expected 2 sizes", kernel=(2,))
    check("exceeds the data, whose size is \\(4, 4\\)", kernel=(5, 5))
    check("stride=\\(0, 1\\)", kernel=(2, 2), stride=(0, 1))
    check("'same' is for one spatial axis", kernel=(2, 2), pooling_convention="same")
    check("needs p_value=1, 2 or 3, got None", kernel=(2, 2), pool_type="lp")
    check("layout='NCW' is for 1 spatial axes, got 2", kernel=(2, 2), layout="NCW")
    check_bad_input(lambda: mx.nd.Pooling(mx.nd.ones((4, 4)), kernel=(2,)), "expected data of 3, 4 or 5 dimensions")
    check_bad_input(lambda: mx.nd.Pooling(data.astype("int32"), kernel=(2, 2)), "int32")


@pytest.mark.parametrize("size", [(2, 3, 8, 9), (4, 20, 24, 24)])
@pytest.mark.parametrize("params", [{}, {"stride": (2, 2), "pad": (1, 1)}, {"stride": (3, 2), "convention": "full"}])
def test_maxima_through_channels_last(size, params):
    torch.manual_seed(0)
    data = torch.randn(size).mul_(4).round_()  # many elements are equal: the first is the one that counts
    chosen = {"stride": (1, 1), "pad": (0, 0), "convention": "valid", **params}
    plan = pooling._plan(size[2:], (3, 2), chosen["stride"], chosen["pad"], chosen["convention"])
    results = []
    for way in (pooling._directly, pooling._through_last):
        leaf = data.clone().requires_grad_()
        result = way(leaf, plan)
        result.backward(torch.arange(result.numel(), dtype=torch.float32).view(result.shape))
        assert result.is_contiguous()
        results.append((result.detach(), leaf.grad))
    for one, other in zip(*results):
        torch.testing.assert_close(one, other)
    torch.testing.assert_close(pooling._through_last(data, plan), results[0][0])
