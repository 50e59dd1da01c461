"""Quantizing: there and back again, and texts of errors."""

import numpy as np
import pytest

import mxnet as mx
from mxnet.error import OpParamError, OpShapeError, OpTypeError
from tests.ops.base import check_bad_input

contrib = mx.nd.contrib


@pytest.mark.parametrize("out_type", ["int8", "uint8"])
def test_there_and_back(out_type: str) -> None:
    values = np.random.RandomState(0).uniform(-3 if out_type == "int8" else 0, 3, (50, 20))
    levels, low, high = contrib.quantize_v2(mx.nd.array(values), out_type=out_type)
    assert levels.dtype == np.dtype(out_type)
    back = contrib.dequantize(levels, low, high).asnumpy()
    assert np.abs(back - values).max() <= (1.01 if out_type == "int8" else 0.51) * 3 / (
        127 if out_type == "int8" else 255
    )


def test_asymmetric_levels_cover_the_range() -> None:
    values = np.random.RandomState(0).uniform(-1, 5, (7, 3))
    levels, scale, shift = contrib.quantize_asym(mx.nd.array(values))
    assert (levels.asnumpy().min(), levels.asnumpy().max()) == (0, 255)
    back = (levels.asnumpy() - shift.asnumpy()) / scale.asnumpy()
    assert np.abs(back - values).max() < 0.51 * 6 / 255


def test_zeros_stay_zeros() -> None:
    levels, low, high = contrib.quantize_v2(mx.nd.zeros((2, 3)))
    assert not levels.asnumpy().any()
    assert not contrib.dequantize(levels, low, high).asnumpy().any()


def test_entropy_cuts_off_a_lonely_outlier() -> None:
    values = np.append(np.random.RandomState(0).randn(100000), 60.0)
    counts, edges = np.histogram(values, 2001, (-60, 60))
    threshold, divergence = contrib.calibrate_entropy(mx.nd.array(counts), mx.nd.array(edges), num_quantized_bins=31)
    assert 2 < threshold.asscalar() < 8
    assert 0 < divergence.asscalar() < 0.1


@pytest.mark.parametrize(
    ("seed", "num_bins", "levels", "threshold", "divergence"),
    [
        (1, 8001, 255, 3.9440057, 0.023133509),
        (1, 2001, 255, 4.030709, 0.01135704),
        (1, 4001, 31, 3.9646814, 0.014363389),
        (5, 8001, 255, 4.064446, 0.023433575),
    ],
)
def test_entropy_finds_the_threshold_that_mxnet_finds(seed, num_bins, levels, threshold, divergence) -> None:
    """Recorded from MXNet 1.9.1: in double precision another threshold is the best for the first and the third."""
    skipped, count = {8001: (0, 100000), 2001: (100000, 50000), 4001: (175000, 100000)}[num_bins]
    values = np.random.RandomState(seed).randn(skipped + count)[skipped:]
    limit = np.abs(values).max()
    counts, edges = np.histogram(values, num_bins, (-limit, limit))
    found, change = contrib.calibrate_entropy(
        mx.nd.array(counts), mx.nd.array(edges, dtype="float32"), num_quantized_bins=levels
    )
    assert found.asscalar() == np.float32(threshold)
    np.testing.assert_allclose(change.asscalar(), divergence, rtol=1e-6)


def test_entropy_of_an_empty_histogram() -> None:
    """Nothing is better than anything else: the first threshold, as MXNet."""
    edges = mx.nd.arange(12)
    threshold, divergence = contrib.calibrate_entropy(mx.nd.zeros(11), edges, num_quantized_bins=3)
    assert threshold.asscalar() == 7
    assert divergence.asscalar() == np.finfo(np.float32).max


def test_texts_of_errors() -> None:
    data, one = mx.nd.ones(3), mx.nd.ones(1)
    check_bad_input(
        lambda: contrib.quantize(data.astype("float64"), -one, one),
        "expected data of float32, got float64",
        OpTypeError,
    )
    check_bad_input(
        lambda: contrib.quantize(data, data, one), r"expected min_range of shape \(1,\), got \(3,\)", OpShapeError
    )
    check_bad_input(
        lambda: contrib.quantize_v2(data.astype("int8"), out_type="uint8"),
        "expected data of uint8, got int8",
        OpTypeError,
    )
    check_bad_input(lambda: contrib.dequantize(data, -one, one), "expected data of int8 or uint8", OpTypeError)
    check_bad_input(lambda: contrib.requantize(data, -one, one), "expected data of int32, got float32", OpTypeError)
    check_bad_input(
        lambda: contrib.calibrate_entropy(data, data, num_quantized_bins=1),
        "expected hist_edges of 4 elements, got 3",
        OpShapeError,
    )
    check_bad_input(
        lambda: contrib.calibrate_entropy(data, mx.nd.ones(4)), "num_quantized_bins=255; expected", OpParamError
    )
    for wrong in (-1, np.nan, np.inf):
        check_bad_input(
            lambda wrong=wrong: contrib.calibrate_entropy(mx.nd.full(3, wrong), mx.nd.ones(4), num_quantized_bins=1),
            "hist has numbers that are no counts; expected whole numbers, none below 0",
            OpParamError,
        )
