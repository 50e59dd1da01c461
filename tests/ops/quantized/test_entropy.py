"""Thresholds of least divergence: many are tried at once, with the results of one after the other."""

from itertools import accumulate

import numpy as np
import pytest

from regluon.ops.quantized.calibration import _Histogram, best_threshold


def total(numbers):
    """One number after the other, each sum in single precision."""
    *_, last = accumulate(np.asarray(numbers, np.float32), lambda a, b: np.float32(a + b))
    return last


def smoothed(histogram):
    is_empty = histogram == 0
    taken = np.float32(1e-4) * np.float32(is_empty.sum()) / np.float32((~is_empty).sum())
    return np.where(is_empty, np.float32(1e-4), histogram - taken)


def divergence(counts, reach, levels):
    """What MXNet computes for one threshold."""
    middle = len(counts) // 2
    first, stop = middle - reach, middle + reach + 1
    before = counts[first:stop].copy()
    before[0], before[-1] = total(counts[: first + 1]), total(counts[stop - 1 :])
    inner = counts[first:stop].astype(np.int64)
    inner[0] = 0
    after, size = np.zeros_like(before), len(inner) // levels
    for level in range(levels):
        bins = slice(level * size, None if level == levels - 1 else (level + 1) * size)
        if inner[bins].any():
            after[bins] = np.float32(inner[bins].sum()) / np.float32(np.count_nonzero(inner[bins]))
    before, after = smoothed(before), smoothed(np.where(before == 0, np.float32(0), after))
    before, after = before / total(before), after / total(after)
    return total(before * np.log((before / after).astype(np.float64)).astype(np.float32))


@pytest.mark.parametrize(
    ("num_bins", "levels", "mean"), [(301, 31, 20.0), (301, 31, 0.7), (141, 3, 3e6), (75, 74, 5.0), (73, 73, 5.0)]
)
def test_one_after_the_other(num_bins, levels, mean):
    counts = np.random.RandomState(num_bins).poisson(mean, num_bins).astype(np.float32)
    histogram = _Histogram(counts, levels)
    reaches = np.concatenate(list(histogram.groups()))
    assert reaches.tolist() == list(range(levels // 2, num_bins // 2 + 1))
    expected = [divergence(counts, reach, levels) for reach in reaches]
    found = np.concatenate([histogram.divergences(group) for group in histogram.groups()])
    np.testing.assert_array_equal(found, expected)
    edges = np.arange(num_bins + 1, dtype=np.float32)
    assert best_threshold(counts, edges, levels) == (edges[num_bins // 2 + reaches[found.argmin()] + 1], found.min())
