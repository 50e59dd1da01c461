"""Metrics of correlation."""

import math
from typing import Any

import numpy as np

import mxnet.ndarray as nd

from ..error import OpShapeError
from ..ndarray import NDArray
from ._base import EvalMetric, alias, check_label_shapes, pairs, register
from ._totals import as_vector, precise


class _Moments:
    """Means and co-moments of pairs of numbers, grown batch by batch on the device."""

    def __init__(self) -> None:
        self.count = 0
        self._sums: NDArray | None = None  # mean of x, mean of y, then the sums of dx dx, dy dy and dx dy

    def add(self, x: NDArray, y: NDArray) -> None:
        """Takes in two vectors, by Chan's formulas for joining two samples."""
        batch = _moments(x, y)
        if self._sums is None:
            self._sums, self.count = batch, x.size
            return
        batch = batch.as_in_context(self._sums.context)
        total = self.count + x.size
        step = batch[:2] - self._sums[:2]
        products = nd.concat(step * step, step[0:1] * step[1:2], dim=0)
        self._sums = nd.concat(
            self._sums[:2] + step * (x.size / total),
            self._sums[2:] + batch[2:] + products * (self.count * x.size / total),
            dim=0,
        )
        self.count = total

    def correlation(self) -> NDArray:
        """As an array of one element; nan if one of them never changes."""
        assert self._sums is not None
        squares_x, squares_y, products = (self._sums[i : i + 1] for i in (2, 3, 4))
        return nd.clip(products / nd.sqrt(squares_x) / nd.sqrt(squares_y), -1, 1)


def _moments(x: NDArray, y: NDArray) -> NDArray:
    means = nd.mean(x), nd.mean(y)
    dx, dy = nd.broadcast_sub(x, means[0]), nd.broadcast_sub(y, means[1])
    return nd.concat(*means, nd.sum(dx * dx), nd.sum(dy * dy), nd.sum(dx * dy), dim=0)


@register
@alias("pearsonr")
class PearsonCorrelation(EvalMetric):
    """Pearson's correlation of labels and predictions.

    Args:
        name: of the metric in results.
        output_names: which outputs `update_dict` takes; all if None.
        label_names: which labels `update_dict` takes; all if None.
        average: "macro" for the mean over batches, "micro" for the correlation of all batches together.
    """

    __module__ = "mxnet.metric"

    def __init__(
        self,
        name: str = "pearsonr",
        output_names: list[str] | None = None,
        label_names: list[str] | None = None,
        average: str = "macro",
    ) -> None:
        self.average = average
        super().__init__(name, output_names=output_names, label_names=label_names, has_global_stats=True)

    def reset(self) -> None:
        """Forgets everything."""
        super().reset()
        self.reset_micro()

    def reset_micro(self) -> None:
        """Forgets what the correlation of all batches is made of."""
        self._moments = _Moments()

    def update(self, labels: Any, preds: Any) -> None:
        """Takes a batch of quantities of the same shape."""
        for label, pred in pairs(labels, preds):
            check_label_shapes(label, pred, False, True)
            label, pred = (as_vector(precise(array)) for array in (label, pred))
            if self.average == "macro":
                moments = _Moments()
                moments.add(label, pred)
                self._add(moments.correlation(), 1)
            else:
                self._moments.add(label, pred)
                self._add(0.0, 1)

    def get(self) -> tuple[str, Any]:
        """Name and value; nan before the first batch."""
        return super().get() if self.average == "macro" else (self.name, self._micro(self.num_inst))

    def get_global(self) -> tuple[str, Any]:
        """Name and value over everything since `reset`."""
        return super().get_global() if self.average == "macro" else (self.name, self._micro(self.global_num_inst))

    def _micro(self, num_batches: int) -> float:
        return float(self._moments.correlation().asscalar()) if num_batches and self._moments.count else math.nan


# How many pairs PCC lets wait on the device before it counts them: 8 MB.
_MOST_WAITING = 2**20


@register
class PCC(EvalMetric):
    """Pearson's correlation of classes, of which there may be any number: MCC for more than two.

    Args:
        name: of the metric in results.
        output_names: which outputs `update_dict` takes; all if None.
        label_names: which labels `update_dict` takes; all if None.
        has_global_stats: whether `get_global` has its own counts.
    """

    __module__ = "mxnet.metric"

    def __init__(
        self,
        name: str = "pcc",
        output_names: list[str] | None = None,
        label_names: list[str] | None = None,
        has_global_stats: bool = True,
    ) -> None:
        self.k = 2  # classes seen so far
        self._waiting: list[tuple[NDArray, ...]] = []
        self._num_waiting = 0
        self._lcm = self._gcm = np.zeros((0, 0))
        super().__init__(name, output_names=output_names, label_names=label_names, has_global_stats=has_global_stats)

    def update(self, labels: Any, preds: Any) -> None:
        """Takes a batch of classes, and of classes or their scores along axis 1."""
        for label, pred in pairs(labels, preds):
            chosen = pred if pred.shape == label.shape else nd.argmax(pred, axis=1)
            if chosen.size != label.size:
                raise OpShapeError(
                    f"[PCC] received labels of shape {label.shape} for predictions of shape {pred.shape}; expected a "
                    "label for each row of scores, or for each class."
                )
            # Copies: the arrays may change before they are counted.
            self._waiting.append(tuple(as_vector(array.astype("int32")) for array in (chosen, label)))
            self._num_waiting += label.size
        if self._num_waiting > _MOST_WAITING:
            self._count()
        self.num_inst += 1
        self.global_num_inst += 1

    def _count(self) -> None:
        """Reads the pairs that wait. How many classes there are is not known before."""
        waiting, self._waiting, self._num_waiting = self._waiting, [], 0
        for pair in waiting:
            pred, label = (array.asnumpy() for array in pair)
            if not label.size:
                continue
            grown = max(self.k, int(pred.max()) + 1, int(label.max()) + 1)
            if grown > self.k:
                margin = (0, grown - self.k)
                self._lcm, self._gcm = (np.pad(counts, (margin, margin)) for counts in (self._lcm, self._gcm))
                self.k = grown
            np.add.at(self._lcm, (pred, label), 1)
            np.add.at(self._gcm, (pred, label), 1)

    @property
    def lcm(self) -> np.ndarray:
        """How often each class (row) was predicted for each label (column) since `reset_local`."""
        self._count()
        return self._lcm

    @property
    def gcm(self) -> np.ndarray:
        """The same since `reset`."""
        self._count()
        return self._gcm

    @property
    def sum_metric(self) -> float:
        """The correlation, times the number of batches."""
        return _correlation(self.lcm) * self.num_inst

    @property
    def global_sum_metric(self) -> float:
        """The correlation of everything, times the number of batches."""
        return _correlation(self.gcm) * self.global_num_inst

    def reset(self) -> None:
        """Forgets everything."""
        self._waiting = []
        self._num_waiting = 0
        self._gcm = np.zeros((self.k, self.k))
        self._lcm = np.zeros((self.k, self.k))
        self.num_inst = self.global_num_inst = 0

    def reset_local(self) -> None:
        """Forgets everything but the global counts."""
        self._count()
        self._lcm = np.zeros((self.k, self.k))
        self.num_inst: int = 0


def _correlation(counts: np.ndarray) -> float:
    """The correlation of rows and columns of a table of counts; nan if one of them never changes."""
    total, rows, columns = counts.sum(), counts.sum(axis=1), counts.sum(axis=0)
    spread = float((rows * (total - rows)).sum()) * float((columns * (total - columns)).sum())
    if spread == 0:
        return math.nan
    return float((counts.diagonal() * total - rows * columns).sum()) / math.sqrt(spread)
