"""Metrics of predicted classes and of their probabilities."""

import math
from typing import Any

import mxnet.ndarray as nd

from ..error import OpIndexError, OpParamError, OpShapeError
from ..ndarray import NDArray
from ._base import EvalMetric, alias, pairs, quotient, register
from ._totals import Running, Total, add, as_vector, classes_of, in_float


@register
@alias("acc")
class Accuracy(EvalMetric):
    """How often the class with the highest score is the right one.

    Args:
        axis: along which the scores of the classes lie. Predictions of the labels' shape are classes already.
        name: of the metric in results.
        output_names: which outputs `update_dict` takes; all if None.
        label_names: which labels `update_dict` takes; all if None.
    """

    __module__ = "mxnet.metric"

    def __init__(
        self,
        axis: int = 1,
        name: str = "accuracy",
        output_names: list[str] | None = None,
        label_names: list[str] | None = None,
    ) -> None:
        super().__init__(name, axis=axis, output_names=output_names, label_names=label_names, has_global_stats=True)
        self.axis = axis

    def update(self, labels: Any, preds: Any) -> None:
        """Takes a batch of classes, and of scores or classes."""
        for label, pred in pairs(labels, preds):
            chosen = pred if pred.shape == label.shape else nd.argmax(pred, axis=self.axis)
            if label.size != chosen.size:
                raise OpShapeError(
                    f"[Accuracy] received labels of shape {label.shape} for predictions of shape {pred.shape}, which "
                    f"give classes of shape {chosen.shape} along axis {self.axis}."
                )
            self._add(nd.sum(classes_of(label) == classes_of(chosen)), label.size)


@register
@alias("top_k_accuracy", "top_k_acc")
class TopKAccuracy(EvalMetric):
    """How often the right class is among those with the highest scores.

    Args:
        top_k: how many classes count, more than 1.
        name: of the metric in results, to which `_<top_k>` is added.
        output_names: which outputs `update_dict` takes; all if None.
        label_names: which labels `update_dict` takes; all if None.
    """

    __module__ = "mxnet.metric"

    def __init__(
        self,
        top_k: int = 1,
        name: str = "top_k_accuracy",
        output_names: list[str] | None = None,
        label_names: list[str] | None = None,
    ) -> None:
        super().__init__(name, top_k=top_k, output_names=output_names, label_names=label_names, has_global_stats=True)
        if top_k <= 1:
            raise OpParamError(f"[TopKAccuracy] top_k: received {top_k}; expected more than 1. Accuracy is for 1.")
        self.top_k = top_k
        self.name += f"_{top_k}"

    def update(self, labels: Any, preds: Any) -> None:
        """Takes a batch of classes, and of scores with a row for each."""
        for label, pred in pairs(labels, preds):
            if pred.ndim != 2 or label.size != pred.shape[0]:
                raise OpShapeError(
                    f"[TopKAccuracy] received labels of shape {label.shape} for predictions of shape {pred.shape}; "
                    "expected a row of scores for each label."
                )
            k = min(self.top_k, pred.shape[1])
            best = nd.topk(in_float(pred), k=k, axis=1, ret_typ="indices", dtype="int32")
            hits = nd.broadcast_equal(best, classes_of(label).reshape((-1, 1)))
            self._add(nd.sum(hits), pred.shape[0])


class _LogLikelihood(EvalMetric):
    """The mean of -log(probability + eps) of the right classes."""

    _out_of_range = Total()

    def __init__(self, eps: float, name: str, output_names: list[str] | None, label_names: list[str] | None) -> None:
        super().__init__(name, eps=eps, output_names=output_names, label_names=label_names, has_global_stats=True)
        self.eps = eps

    def update(self, labels: Any, preds: Any) -> None:
        """Takes a batch of classes, and of probabilities with a row for each."""
        for label, pred in pairs(labels, preds):
            if pred.ndim < 2 or label.size != pred.shape[0]:
                raise OpShapeError(
                    f"[{type(self).__name__}] received labels of shape {label.shape} for predictions of shape "
                    f"{pred.shape}; expected a row of probabilities for each label."
                )
            label, num_classes = classes_of(label), pred.shape[1]
            # To look at the labels' values now would mean to wait for the device: `get` refuses bad ones.
            add(self, nd.sum((label >= num_classes) + (label < -num_classes)), "_out_of_range")
            self._add(-nd.sum(nd.log(_picked(in_float(pred), label) + self.eps)), label.size)

    def reset(self) -> None:
        """Forgets everything."""
        super().reset()
        self._out_of_range = Running()

    def get(self) -> tuple[str, Any]:
        """Name and value; nan before the first batch."""
        self._check_labels()
        return super().get()

    def get_global(self) -> tuple[str, Any]:
        """Name and value over everything since `reset`."""
        self._check_labels()
        return super().get_global()

    def _check_labels(self) -> None:
        if count := getattr(self, "_out_of_range", 0):
            raise OpIndexError(
                f"[{type(self).__name__}] received {int(count)} labels that name no column of the predictions; "
                "expected classes from 0 on. Call reset() to go on."
            )


@register
@alias("ce")
class CrossEntropy(_LogLikelihood):
    """The cross entropy between labels and predicted probabilities.

    Args:
        eps: added to the probabilities, whose logarithm is taken.
        name: of the metric in results.
        output_names: which outputs `update_dict` takes; all if None.
        label_names: which labels `update_dict` takes; all if None.
    """

    __module__ = "mxnet.metric"

    def __init__(
        self,
        eps: float = 1e-12,
        name: str = "cross-entropy",
        output_names: list[str] | None = None,
        label_names: list[str] | None = None,
    ) -> None:
        super().__init__(eps, name, output_names, label_names)


@register
@alias("nll_loss")
class NegativeLogLikelihood(_LogLikelihood):
    """The negative logarithm of the likelihood of the labels: the same number as `CrossEntropy`.

    Args:
        eps: added to the probabilities, whose logarithm is taken.
        name: of the metric in results.
        output_names: which outputs `update_dict` takes; all if None.
        label_names: which labels `update_dict` takes; all if None.
    """

    __module__ = "mxnet.metric"

    def __init__(
        self,
        eps: float = 1e-12,
        name: str = "nll-loss",
        output_names: list[str] | None = None,
        label_names: list[str] | None = None,
    ) -> None:
        super().__init__(eps, name, output_names, label_names)


@register
class Perplexity(EvalMetric):
    """How many classes a language model wavers between: the exponential of the cross entropy.

    Args:
        ignore_label: a label that does not count, such as padding; None for none.
        axis: along which the probabilities of the classes lie.
        name: of the metric in results.
        output_names: which outputs `update_dict` takes; all if None.
        label_names: which labels `update_dict` takes; all if None.
    """

    __module__ = "mxnet.metric"

    def __init__(
        self,
        ignore_label: int | None,
        axis: int = -1,
        name: str = "perplexity",
        output_names: list[str] | None = None,
        label_names: list[str] | None = None,
    ) -> None:
        super().__init__(
            name, ignore_label=ignore_label, output_names=output_names, label_names=label_names, has_global_stats=True
        )
        self.ignore_label = ignore_label
        self.axis = axis

    def update(self, labels: Any, preds: Any) -> None:
        """Takes a batch of classes, and of probabilities."""
        for label, pred in pairs(labels, preds):
            if label.size * pred.shape[-1] != pred.size:
                raise OpShapeError(
                    f"[Perplexity] received labels of shape {label.shape} for predictions of shape {pred.shape}; "
                    "expected a label for each row of probabilities."
                )
            if pred.ndim > 2 and self.axis in (-1, pred.ndim - 1):
                pred = pred.reshape((-1, pred.shape[-1]))
            label = as_vector(label)
            chosen = nd.pick(in_float(pred), label.astype("int32", copy=False), axis=self.axis)
            count: Any = chosen.size
            if self.ignore_label is not None:
                counts = label != self.ignore_label
                chosen = nd.where(counts, chosen, nd.ones_like(chosen))
                count = nd.sum(counts.astype("int32", copy=False))
            self._add(-nd.sum(nd.log(nd.maximum(chosen, 1e-10))), count)

    def get(self) -> tuple[str, float]:
        """Name and value; nan before the first batch."""
        return self.name, _exp(quotient(self.sum_metric, self.num_inst))

    def get_global(self) -> tuple[str, float]:
        """Name and value over everything since `reset`."""
        return self.name, _exp(quotient(self.global_sum_metric, self.global_num_inst))


def _picked(pred: NDArray, label: NDArray) -> NDArray:
    """What stands in the column of each row that its label names; columns count from the end if negative."""
    if pred.ndim > 2:  # each row has several probabilities for a class
        label = label.reshape((-1, *(1,) * (pred.ndim - 2))).broadcast_to((pred.shape[0], *pred.shape[2:]))
    return nd.pick(pred, label, axis=1, mode="wrap")


def _exp(value: float) -> float:
    try:
        return math.exp(value)
    except OverflowError:
        return math.inf
