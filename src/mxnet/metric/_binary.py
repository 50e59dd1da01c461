"""Metrics of yes or no: class 1 is yes, every other label is no."""

from typing import Any

import mxnet.ndarray as nd

from ..error import OpParamError, OpShapeError
from ..ndarray import NDArray
from ._base import EvalMetric, pairs, register
from ._totals import Running, Total, add, classes_of, precise


class _Outcomes:
    """Counts of yes: rightly predicted, predicted, and true, as a vector that stays on the device; and of all."""

    def __init__(self) -> None:
        self._counts: NDArray | None = None
        self.total = 0

    def add(self, counts: NDArray, total: int) -> None:
        if self._counts is None:
            self._counts = counts
        else:
            self._counts = self._counts + counts.as_in_context(self._counts.context)
        self.total += total

    def fscore(self) -> Any:
        """The harmonic mean of precision and recall, as an array of one element; 0 without right ones."""
        if self._counts is None:
            return 0.0
        right, predicted, true = (self._counts[i : i + 1] for i in range(3))
        return 2 * right / nd.maximum(predicted + true, 1)

    def matthews(self) -> Any:
        """The correlation of prediction and truth, as an array of one element; empty classes are left out."""
        if self._counts is None:
            return 0.0
        right, predicted, true = (self._counts[i : i + 1] for i in range(3))
        product = nd.ones_like(right)
        for count in (predicted, true, self.total - true, self.total - predicted):
            product = product * nd.maximum(count, 1)
        return (right * self.total - predicted * true) / nd.sqrt(product)

    def read(self) -> tuple[int, int, int, int]:
        """True positives, false positives, false negatives, true negatives. This waits for the device."""
        right, predicted, true = (0, 0, 0) if self._counts is None else map(int, self._counts.asnumpy())
        return right, predicted - right, true - right, self.total - predicted - true + right


def _count(scope: str, place: int, doc: str) -> Any:
    return property(lambda self: getattr(self, scope).read()[place], doc=doc)


def _share(scope: str, place: int, doc: str) -> Any:
    def share(self: Any) -> float:
        counts = getattr(self, scope).read()
        total = counts[0] + counts[place]
        return counts[0] / total if total else 0.0

    return property(share, doc=doc)


class _BinaryClassificationMetrics:
    """Outcomes since the last reset and, apart, since the last global one."""

    _not_binary = Total()

    true_positives = _count("_local", 0, "Yes, and rightly so.")
    false_positives = _count("_local", 1, "Yes instead of no.")
    false_negatives = _count("_local", 2, "No instead of yes.")
    true_negatives = _count("_local", 3, "No, and rightly so.")
    precision = _share("_local", 1, "How many of those predicted were right.")
    recall = _share("_local", 2, "How many of those to be found were found.")
    fscore = property(lambda self: _number(self._local.fscore()), doc="Harmonic mean of precision and recall.")
    total_examples = property(lambda self: self._local.total, doc="How many there were.")

    global_true_positives = _count("_global", 0, "Yes, and rightly so.")
    global_false_positives = _count("_global", 1, "Yes instead of no.")
    global_false_negatives = _count("_global", 2, "No instead of yes.")
    global_true_negatives = _count("_global", 3, "No, and rightly so.")
    global_precision = _share("_global", 1, "How many of those predicted were right.")
    global_recall = _share("_global", 2, "How many of those to be found were found.")
    global_fscore = property(lambda self: _number(self._global.fscore()), doc="Harmonic mean of precision and recall.")
    global_total_examples = property(lambda self: self._global.total, doc="How many there were.")

    def __init__(self) -> None:
        self.reset_stats()
        self._not_binary = Running()

    def update_binary_stats(self, label: NDArray, pred: NDArray) -> None:
        """Counts the outcomes of a batch.

        Args:
            label: classes, of which there may be two.
            pred: scores, the classes along axis 1.
        """
        if pred.ndim < 2 or pred.size != label.size * pred.shape[1]:
            raise OpShapeError(
                f"[metric] received labels of shape {label.shape} for predictions of shape {pred.shape}; expected a "
                "label for each row of scores."
            )
        label = classes_of(label)
        # To look at the labels' values now would mean to wait for the device: `check` refuses bad ones.
        others = nd.broadcast_not_equal(label, nd.max(label)) * nd.broadcast_not_equal(label, nd.min(label))
        add(self, nd.sum(others), "_not_binary")
        predicted = classes_of(nd.argmax(pred, axis=1) == 1)
        true = label == 1
        counts = precise(nd.concat(nd.sum(predicted * true), nd.sum(predicted), nd.sum(true), dim=0))
        self._local.add(counts, label.size)
        self._global.add(counts, label.size)

    def matthewscc(self, use_global: bool = False) -> float:
        """The correlation of prediction and truth."""
        return _number((self._global if use_global else self._local).matthews())

    def check(self) -> None:
        """Raises if a batch had labels of more than two classes."""
        if self._not_binary:
            raise OpParamError(
                "[metric] received a batch with labels of more than two classes; expected a binary classification. "
                "PCC takes any number of classes. Call reset() to go on."
            )

    def local_reset_stats(self) -> None:
        """Forgets what is not global."""
        self._local = _Outcomes()

    def reset_stats(self) -> None:
        """Forgets everything."""
        self._local, self._global = _Outcomes(), _Outcomes()


def _number(value: Any) -> float:
    return float(value.asscalar()) if isinstance(value, NDArray) else value


class _BinaryMetric(EvalMetric):
    """A score of the outcomes, taken from each batch ("macro") or from all together ("micro")."""

    def __init__(self, name: str, output_names: list[str] | None, label_names: list[str] | None, average: str) -> None:
        self.average = average
        self.metrics = _BinaryClassificationMetrics()
        super().__init__(name, output_names=output_names, label_names=label_names, has_global_stats=True)

    def _score(self, outcomes: _Outcomes) -> Any:
        raise NotImplementedError

    def update(self, labels: Any, preds: Any) -> None:
        """Takes a batch of classes 0 and 1, and of scores for both."""
        for label, pred in pairs(labels, preds):
            self.metrics.update_binary_stats(label, pred)
        local, overall = self.metrics._local, self.metrics._global
        if self.average == "macro":
            self._add(self._score(local), 1)
            self.metrics.reset_stats()
        else:
            self.sum_metric = Running().plus(self._score(local) * local.total)
            self.global_sum_metric = Running().plus(self._score(overall) * overall.total)
            self.num_inst, self.global_num_inst = local.total, overall.total

    def reset(self) -> None:
        """Forgets everything."""
        super().reset()
        self.metrics.reset_stats()
        self.metrics._not_binary = Running()

    def reset_local(self) -> None:
        """Forgets everything but the global sums."""
        super().reset_local()
        self.metrics.local_reset_stats()

    def get(self) -> tuple[str, Any]:
        """Name and value; nan before the first batch."""
        self.metrics.check()
        return super().get()

    def get_global(self) -> tuple[str, Any]:
        """Name and value over everything since `reset`."""
        self.metrics.check()
        return super().get_global()


@register
class F1(_BinaryMetric):
    """The harmonic mean of precision and recall of class 1.

    Args:
        name: of the metric in results.
        output_names: which outputs `update_dict` takes; all if None.
        label_names: which labels `update_dict` takes; all if None.
        average: "macro" for the mean over batches, "micro" for the score of all batches together.
    """

    __module__ = "mxnet.metric"

    def __init__(
        self,
        name: str = "f1",
        output_names: list[str] | None = None,
        label_names: list[str] | None = None,
        average: str = "macro",
    ) -> None:
        super().__init__(name, output_names, label_names, average)

    def _score(self, outcomes: _Outcomes) -> Any:
        return outcomes.fscore()


@register
class MCC(_BinaryMetric):
    """Matthews' correlation coefficient: 1 for all right, 0 for chance, -1 for all wrong.

    Args:
        name: of the metric in results.
        output_names: which outputs `update_dict` takes; all if None.
        label_names: which labels `update_dict` takes; all if None.
        average: "macro" for the mean over batches, "micro" for the coefficient of all batches together.
    """

    __module__ = "mxnet.metric"

    def __init__(
        self,
        name: str = "mcc",
        output_names: list[str] | None = None,
        label_names: list[str] | None = None,
        average: str = "macro",
    ) -> None:
        super().__init__(name, output_names, label_names, average)

    def _score(self, outcomes: _Outcomes) -> Any:
        return outcomes.matthews()
