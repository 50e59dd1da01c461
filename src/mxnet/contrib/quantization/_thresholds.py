"""Where to cut numbers off before they are quantized, from their histograms."""

from collections.abc import MutableMapping
from typing import Any

import numpy as np

from ...context import cpu
from ...ndarray import _internal, array
from ._checks import QuantizationError
from ._collectors import Array, say


def _smooth_distribution(p: Array, eps: float = 0.0001) -> Array:
    """A histogram without zeros: they get a little, which is taken from the others."""
    is_empty = p == 0
    num_empty = int(is_empty.sum())
    num_filled = p.size - num_empty
    if not num_filled:
        raise QuantizationError("[calibration] the histogram has no numbers in it; expected at least one.")
    share = eps * num_empty / num_filled
    smoothed = p.astype(np.float32) + np.where(is_empty, eps, -share).astype(np.float32)
    if share >= 1 or (smoothed <= 0).any():
        raise QuantizationError(
            f"[calibration] {num_empty} of {p.size} bins are empty, too many for eps={eps}; expected larger counts, or "
            "a smaller eps."
        )
    return smoothed


def _get_optimal_threshold(
    hist_data: Any, quantized_dtype: str, num_quantized_bins: int = 255
) -> tuple[Any, Any, Array, Array]:
    """The threshold at which the histogram changes least by quantizing.

    Args:
        hist_data: counts, edges, least and largest number, and largest magnitude.
        quantized_dtype: 'int8', 'uint8' or 'auto'; unless it is 'int8', numbers that are not negative have twice as
            many levels.
        num_quantized_bins: number of levels.

    Returns:
        The least and the largest number, the threshold and the divergence.
    """
    counts, edges, least, largest, _ = hist_data
    if least >= 0 and quantized_dtype in ("auto", "uint8"):
        num_quantized_bins = num_quantized_bins * 2 + 1
    threshold, divergence = _internal._contrib_calibrate_entropy(
        hist=array(counts, ctx=cpu()), hist_edges=array(edges, ctx=cpu()), num_quantized_bins=num_quantized_bins
    )
    return least, largest, threshold.asnumpy(), divergence.asnumpy()


def _get_optimal_thresholds(
    hist_dict: MutableMapping[str, Any], quantized_dtype: str, num_quantized_bins: int = 255, logger: Any = None
) -> dict[str, tuple[Any, Any]]:
    """The ranges to keep, by the names of results; the histograms are taken out of the dictionary one by one."""
    if not isinstance(hist_dict, dict):
        raise QuantizationError(f"[calibration] hist_dict: received {type(hist_dict).__name__}; expected a dict.")
    say(logger, f"Calculating optimal thresholds from divergences with num_quantized_bins={num_quantized_bins}")
    found: dict[str, tuple[Any, Any]] = {}
    for name in list(hist_dict):
        least, largest, threshold, divergence = _get_optimal_threshold(
            hist_dict.pop(name), quantized_dtype, num_quantized_bins
        )
        is_positive = least >= 0 and quantized_dtype in ("auto", "uint8")
        found[name] = (0, threshold) if is_positive else (-threshold, threshold)
        if logger:
            logger.debug(f"layer={name}, min_val={least}, max_val={largest}, th={threshold}, divergence={divergence}")
    return found
