"""Where to cut numbers off before they are quantized, from their histogram.

The divergences of neighbouring thresholds differ in the sixth digit, so rounding decides which is the least. That the
same one is found as by MXNet, everything is in single precision, and sums go from the first number to the last. Many
thresholds are tried at once: each has a column of a matrix, so that sums go row by row and all of them in step.
"""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeAlias

import numpy as np
import torch
from numpy.lib.stride_tricks import sliding_window_view

from ...errors import OpParamError

Array: TypeAlias = np.ndarray[Any, np.dtype[np.float32]]
Integers: TypeAlias = np.ndarray[Any, np.dtype[np.int64]]
Bools: TypeAlias = np.ndarray[Any, np.dtype[np.bool_]]

_EPS = np.float32(1e-4)
_COLUMNS = 64
_NO_COUNTS = "hist has numbers that are no counts; expected whole numbers, none below 0"


def best_threshold(counts: Array, edges: Array, levels: int) -> tuple[np.float32, np.float32]:
    """The threshold with the least divergence, and that divergence.

    Args:
        counts: float32, an odd number of bins.
        edges: float32, where bins begin, and where the last one ends.
        levels: number of levels after quantizing, at most the number of bins.
    """
    if not np.isfinite(counts).all() or (counts < 0).any():
        raise OpParamError(_NO_COUNTS)
    histogram = _Histogram(counts, levels)
    with ThreadPoolExecutor(torch.get_num_threads()) as threads:
        found = np.concatenate(list(threads.map(histogram.divergences, histogram.groups())))
    best = int(found.argmin())
    threshold: np.float32 = edges[histogram.middle + levels // 2 + best + 1]
    return threshold, np.minimum(found[best], np.finfo(np.float32).max)


class _Histogram:
    """A histogram and the sums that all thresholds need of it.

    A threshold is named by its reach, the number of bins that are kept on either side of the one in the middle.
    """

    def __init__(self, counts: Array, levels: int) -> None:
        self.counts, self.levels, self.middle = counts, levels, len(counts) // 2
        self.sums = np.add.accumulate(counts)
        whole = np.trunc(counts).astype(np.int64)
        # What comes before each bin, to take sums over ranges of bins: whole numbers, so the order is all the same.
        self.totals = np.concatenate([[0], np.cumsum(whole)])
        self.filled = np.concatenate([[0], np.cumsum(whole != 0)])

    def groups(self) -> Iterator[Integers]:
        """Reaches in rising order, in groups with one number of bins to a level."""
        reaches = np.arange(self.levels // 2, self.middle + 1)
        changes = np.flatnonzero(np.diff((2 * reaches + 1) // self.levels)) + 1
        for part in np.split(reaches, changes):
            yield from np.split(part, range(_COLUMNS, len(part), _COLUMNS))

    def divergences(self, reaches: Integers) -> Array:
        """How far the bins that are kept change by quantizing, for each reach; infinite if nothing is left of them."""
        num_bins = 2 * reaches + 1
        before = self._kept(reaches)
        is_filled = before != 0
        after = self._quantized(reaches, len(before))
        np.multiply(after, is_filled, out=after)
        is_inside = np.arange(num_bins[0], num_bins[-1])[:, None] < num_bins
        with np.errstate(all="ignore"):  # in columns that have too little in them
            is_bare = _smooth(before, is_filled, num_bins) | _smooth(after, after != 0, num_bins)
            for histogram in (before, after):
                histogram[num_bins[0] :] *= is_inside
                np.divide(histogram, _sums(histogram), out=histogram)
                np.copyto(histogram[num_bins[0] :], 1, where=~is_inside)  # the logarithm of 1 to 1 adds nothing
            if not ((before > 0).all(axis=0) & (after > 0).all(axis=0) | is_bare).all():
                raise OpParamError(_NO_COUNTS)
            np.divide(before, after, out=after)
            np.multiply(before, np.log(after.astype(np.float64)).astype(np.float32), out=after)
        found = _sums(after)
        found[is_bare] = np.inf
        return found

    def _kept(self, reaches: Integers) -> Array:
        """The bins within reach, a column for each: what lies beyond is moved to the last one, on either side."""
        near, far = int(reaches[0]), int(reaches[-1])
        result = self._windows(self.middle - far, 2 * far + 1, len(reaches))[:, ::-1].copy()
        result[0] = self.sums[self.middle - reaches]
        beyond = self._windows(self.middle + near, self.middle - near + 1, len(reaches)).copy()
        result[2 * reaches, np.arange(len(reaches))] = _sums(beyond)
        for column, reach in enumerate(reaches):
            result[2 * reach + 1 :, column] = 0
        return result

    def _windows(self, start: int, length: int, num_columns: int) -> Array:
        """Bins from `start` on as a column, those from the next one on beside it, and so on; zeros after the last."""
        padded = np.concatenate([self.counts[start : start + length + num_columns], np.zeros(num_columns, np.float32)])
        return sliding_window_view(padded, num_columns)[:length]

    def _quantized(self, reaches: Integers, num_rows: int) -> Array:
        """Each level's numbers spread evenly over its bins that are not empty."""
        size = (2 * int(reaches[0]) + 1) // self.levels
        begins = (self.middle - reaches) + np.arange(self.levels + 1)[:, None] * size
        begins[-1] = self.middle + reaches + 1  # the last level takes what remains
        begins[0] += 1  # the first bin itself takes no part in quantizing: MXNet leaves it out
        total = np.diff(self.totals[begins], axis=0).astype(np.float32)
        filled = np.diff(self.filled[begins], axis=0).astype(np.float32)
        share = np.divide(total, filled, out=np.zeros_like(total), where=filled > 0)
        num_bins = np.full(self.levels, size)
        num_bins[-1] = num_rows - size * (self.levels - 1)
        return np.repeat(share, num_bins, axis=0)


def _smooth(histograms: Array, is_filled: Bools, num_bins: Integers) -> Bools:
    """Gives empty bins a little, taken from the others, so that no logarithm of 0 arises; says where too few have any.

    Args:
        histograms: one in each column, changed in place.
        is_filled: which bins are not empty.
        num_bins: how many bins each column has.
    """
    num_filled = np.count_nonzero(is_filled, axis=0).astype(np.float32)
    taken = _EPS * (num_bins.astype(np.float32) - num_filled) / num_filled
    np.subtract(histograms, np.multiply(is_filled, taken, dtype=np.float32), out=histograms)
    np.add(histograms, np.multiply(~is_filled, _EPS, dtype=np.float32), out=histograms)
    is_bare: Bools = ~(taken < 1)
    return is_bare


def _sums(columns: Array) -> Array:
    """The sum of each column, one number after the other, each sum rounded."""
    if columns.shape[1] == 1:  # NumPy adds numbers that lie side by side in pairs
        last: Array = np.add.accumulate(columns, axis=0)[-1]
        return last
    sums: Array = np.add.reduce(columns, axis=0)
    return sums
