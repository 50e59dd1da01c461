"""Where to cut numbers off before they are quantized, from their histogram.

The divergences of neighbouring thresholds differ in the sixth digit, so rounding decides which is the least. That the
same one is found as by MXNet, everything is in single precision, and sums go from the first number to the last.
"""

from typing import Any, TypeAlias

import numpy as np

from ...error import OpParamError

Array: TypeAlias = np.ndarray[Any, np.dtype[np.float32]]

_EPS = np.float32(1e-4)
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
    middle = len(counts) // 2
    sums = np.add.accumulate(counts)
    best, threshold = np.finfo(np.float32).max, edges[middle + levels // 2 + 1]
    for reach in range(levels // 2, middle + 1):
        found = _divergence(counts, sums, middle - reach, middle + reach + 1, levels)
        if found < best:
            best, threshold = found, edges[middle + reach + 1]
    return threshold, best


def _divergence(counts: Array, sums: Array, first: int, stop: int, levels: int) -> np.float32:
    """How far the histogram of the bins that are kept changes by quantizing; infinite if nothing is left of it."""
    # What lies beyond the threshold is moved to the last bin that is kept, on either side.
    reference = counts[first:stop].copy()
    reference[0] = sums[first]
    reference[-1] = _sum(np.concatenate([reference[-1:], counts[stop:]]))
    # The first bin itself takes no part in quantizing: MXNet leaves it out.
    inner = np.trunc(counts[first:stop]).astype(np.int64)
    inner[0] = 0
    begins = np.arange(levels) * (len(inner) // levels)  # the last level takes what remains
    total = np.add.reduceat(inner, begins).astype(np.float32)
    filled = np.add.reduceat(inner != 0, begins, dtype=np.int64).astype(np.float32)
    share = np.divide(total, filled, out=np.zeros_like(total), where=filled > 0)
    spread = np.repeat(share, np.diff(begins, append=len(inner)))
    spread[reference == 0] = 0
    after = _smoothed(spread)
    before = _smoothed(reference)
    if after is None or before is None:
        return np.float32(np.inf)
    np.divide(before, _sum(before), out=before)
    np.divide(after, _sum(after), out=after)
    if not (before > 0).all() or not (after > 0).all():
        raise OpParamError(_NO_COUNTS)
    logarithms = np.log((before / after).astype(np.float64)).astype(np.float32)
    return _sum(before * logarithms)


def _smoothed(histogram: Array) -> Array | None:
    """Gives empty bins a little, taken from the others, so that no logarithm of 0 arises; None if too few have any."""
    is_empty = histogram == 0
    num_empty = np.float32(np.count_nonzero(is_empty))
    num_filled = np.float32(len(histogram)) - num_empty
    if not num_filled or _EPS * num_empty / num_filled >= 1:
        return None
    return histogram + np.where(is_empty, _EPS, -(_EPS * num_empty / num_filled))


def _sum(numbers: Array) -> np.float32:
    """One after the other, each sum rounded."""
    total: np.float32 = np.add.accumulate(numbers)[-1]
    return total
