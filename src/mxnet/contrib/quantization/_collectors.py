"""What calibration looks at: the least and largest number of results, or their histograms."""

import logging
from collections.abc import Collection
from typing import Any, NamedTuple, Protocol

import numpy as np

from ...base import py_str
from ...io import DataIter
from ...module import Module
from ...ndarray import NDArray
from ._checks import QuantizationError

NUM_BINS = 8001
Range = tuple[Any, Any]  # the least and the largest number
Array = np.ndarray[Any, Any]


class Histogram(NamedTuple):
    """How often numbers occurred, in bins as far to both sides of zero.

    Attributes:
        counts: of each bin.
        edges: where bins begin, and where the last one ends.
        least: the least number.
        largest: the largest number.
        threshold: the largest magnitude.
    """

    counts: Array
    edges: Array
    least: Any
    largest: Any
    threshold: Any


class Collector(Protocol):
    """What `set_monitor_callback` takes: anything that is told every result by its name."""

    def collect(self, name: str, arr: NDArray) -> None:
        """Looks at one result."""


def combine_histogram(old_hist: Any, arr: Any, new_min: Any, new_max: Any, new_th: Any) -> Histogram:
    """A histogram with more numbers in it; it gets more bins of the same width if they reach farther.

    Args:
        old_hist: counts, edges, least and largest number, and largest magnitude so far.
        arr: the numbers.
        new_min: their least one.
        new_max: their largest one.
        new_th: their largest magnitude.
    """
    counts, edges, old_min, old_max, old_th = old_hist
    least, largest = min(old_min, new_min), max(old_max, new_max)
    if new_th <= old_th:
        added, _ = np.histogram(arr, bins=len(counts), range=(-old_th, old_th))
        return Histogram(counts + added, edges, least, largest, old_th)
    num_bins = len(counts)
    width = 2 * old_th / num_bins
    more = int((new_th - old_th) // width + 1)  # on each side
    reach = more * width + old_th
    joined, edges = np.histogram(arr, bins=num_bins + 2 * more, range=(-reach, reach))
    joined[more : more + num_bins] += counts
    return Histogram(joined, edges, least, largest, reach)


class _LayerHistogramCollector:
    """Collects the histograms of results.

    Args:
        num_bins: how many bins the first histogram has; an odd number.
        include_layer: names of the results to look at.
        logger: where to say what was seen.

    Attributes:
        hist_dict: histograms by the names of results.
    """

    def __init__(
        self, num_bins: int = NUM_BINS, include_layer: Collection[str] | None = None, logger: Any = None
    ) -> None:
        self.hist_dict: dict[str, Histogram] = {}
        self.num_bins, self.include_layer, self.logger = num_bins, include_layer, logger

    def collect(self, name: str, arr: NDArray) -> None:
        """Adds one result's numbers."""
        name = py_str(name)
        if name not in (self.include_layer or ()):
            return
        numbers = arr.asnumpy()
        if self.logger:
            self.logger.debug(f"Collecting layer {name} histogram of shape {numbers.shape}")
        least, largest = numbers.min(), numbers.max()
        reach = max(abs(least), abs(largest))
        if name in self.hist_dict:
            self.hist_dict[name] = combine_histogram(self.hist_dict[name], numbers, least, largest, reach)
            return
        counts, edges = np.histogram(numbers, bins=self.num_bins, range=(-reach, reach))
        self.hist_dict[name] = Histogram(counts, edges, least, largest, reach)


class _LayerOutputMinMaxCollector:
    """Collects the least and the largest number of results.

    Args:
        quantized_dtype: has no effect.
        include_layer: names of the results to look at.
        logger: where to say what was seen.

    Attributes:
        min_max_dict: the least and the largest number by the names of results.
    """

    def __init__(self, quantized_dtype: str, include_layer: Collection[str] | None = None, logger: Any = None) -> None:
        self.min_max_dict: dict[str, Range] = {}
        self.quantized_dtype, self.include_layer, self.logger = quantized_dtype, include_layer, logger

    def collect(self, name: str, arr: NDArray) -> None:
        """Takes one result into account."""
        name = py_str(name)
        if name not in (self.include_layer or ()):
            return
        least, largest = arr.min().asscalar(), arr.max().asscalar()
        before = self.min_max_dict.get(name, (least, largest))
        self.min_max_dict[name] = (min(before[0], least), max(before[1], largest))
        if self.logger:
            self.logger.debug(f"Collecting layer {name} min_range={least:f}, max_range={largest:f}")


def _collect_layer_statistics(
    mod: Module, data: Any, collector: Collector, max_num_examples: int | None = None, logger: Any = None
) -> int:
    """Runs a bound module over data and shows every result to a collector; returns the number of examples."""
    if not isinstance(data, DataIter):
        raise QuantizationError(f"[calibration] data: received {type(data).__name__}; expected a DataIter.")
    mod._exec_group.execs[0].set_monitor_callback(collector.collect, monitor_all=True)
    num_batches = num_examples = 0
    for batch in data:
        mod.forward(data_batch=batch, is_train=False)
        num_batches += 1
        num_examples += data.batch_size
        if max_num_examples is not None and num_examples >= max_num_examples:
            break
    if logger is not None:
        logger.info(f"Collected statistics from {num_batches} batches with batch_size={data.batch_size}")
    return num_examples


def _collect_layer_output_min_max(
    mod: Module,
    data: DataIter,
    quantized_dtype: str,
    include_layer: Collection[str] | None = None,
    max_num_examples: int | None = None,
    logger: Any = None,
) -> tuple[dict[str, Range], int]:
    """The least and largest numbers of results over data, and the number of examples."""
    collector = _LayerOutputMinMaxCollector(quantized_dtype, include_layer, logger)
    num_examples = _collect_layer_statistics(mod, data, collector, max_num_examples, logger)
    return collector.min_max_dict, num_examples


def _collect_layer_histogram(
    mod: Module,
    data: DataIter,
    include_layer: Collection[str] | None = None,
    max_num_examples: int | None = None,
    logger: Any = None,
) -> tuple[dict[str, Histogram], int]:
    """The histograms of results over data, and the number of examples."""
    collector = _LayerHistogramCollector(include_layer=include_layer, logger=logger)
    num_examples = _collect_layer_statistics(mod, data, collector, max_num_examples, logger)
    return collector.hist_dict, num_examples


def say(logger: Any, text: str) -> None:
    """Tells a logger, if there is one."""
    if logger:
        (logger if logger is not logging else logging.getLogger()).info(text)
