"""The base of all metrics, and how they are found by name."""

from collections.abc import Iterator
from typing import Any

import numpy as np

import mxnet.registry as registry

from ..error import OpShapeError, OpTypeError
from ..ndarray import NDArray
from ._totals import Total, add


def check_label_shapes(labels: Any, preds: Any, wrap: bool = False, shape: bool = False) -> tuple[Any, Any]:
    """Raises ValueError unless labels and predictions are as many.

    Args:
        labels: a list of arrays, or an array.
        preds: the same.
        wrap: whether to put a single array into a list.
        shape: whether to compare the shapes of two arrays, not their lengths.
    """
    if shape and labels.shape != preds.shape:
        raise OpShapeError(f"[metric] received labels of shape {labels.shape} for predictions of shape {preds.shape}.")
    if not shape and len(labels) != len(preds):
        raise OpShapeError(f"[metric] received {len(labels)} labels for {len(preds)} predictions; expected as many.")
    if wrap:
        labels = [labels] if isinstance(labels, NDArray) else labels
        preds = [preds] if isinstance(preds, NDArray) else preds
    return labels, preds


def pairs(labels: Any, preds: Any) -> Iterator[tuple[NDArray, NDArray]]:
    """Each label with its prediction, on the prediction's device and cut from any recorded graph."""
    labels, preds = check_label_shapes(labels, preds, True)
    for label, pred in zip(labels, preds, strict=True):
        pred = constant(pred)
        yield constant(label).as_in_context(pred.context), pred


def constant(array: Any) -> NDArray:
    """The array cut from any recorded graph, which a sum would keep alive."""
    if not isinstance(array, NDArray):
        raise OpTypeError(f"[metric] received {type(array).__name__}; expected an NDArray, or a list of them.")
    return array.as_nd_ndarray().detach()


class EvalMetric:
    """Judges predictions, batch by batch; the base of all metrics.

    A subclass implements `update`, in which it adds to `sum_metric` and `num_inst`; their quotient is the value. Sums
    of the metrics here stay on the device until a value is asked for.

    Args:
        name: of the metric in results.
        output_names: which outputs `update_dict` takes; all if None.
        label_names: which labels `update_dict` takes; all if None.
        **kwargs: what `get_config` writes down; and `has_global_stats`, whether the metric also keeps
            `global_sum_metric` and `global_num_inst`, which `reset_local` leaves alone.
    """

    __module__ = "mxnet.metric"

    sum_metric = Total()
    num_inst = Total()
    global_sum_metric = Total()
    global_num_inst = Total()

    def __init__(
        self, name: str, output_names: list[str] | None = None, label_names: list[str] | None = None, **kwargs: Any
    ) -> None:
        self.name: str = str(name)
        self.output_names = output_names
        self.label_names = label_names
        self._has_global_stats = kwargs.pop("has_global_stats", False)
        self._kwargs = kwargs
        self.reset()

    def __str__(self) -> str:
        return f"EvalMetric: {dict(self.get_name_value())}"

    def get_config(self) -> dict[str, Any]:
        """What `mx.metric.create` needs to make the metric again."""
        return {
            **self._kwargs,
            "metric": type(self).__name__,
            "name": self.name,
            "output_names": self.output_names,
            "label_names": self.label_names,
        }

    def update_dict(self, label: dict[str, NDArray], pred: dict[str, NDArray]) -> None:
        """Takes a batch whose labels and outputs have names."""
        outputs = list(pred.values()) if self.output_names is None else [pred[name] for name in self.output_names]
        labels = list(label.values()) if self.label_names is None else [label[name] for name in self.label_names]
        self.update(labels, outputs)

    def update(self, labels: Any, preds: Any) -> None:
        """Takes a batch.

        Args:
            labels: what is right: an NDArray, or a list of them, one per device or output.
            preds: what was predicted, in the same order.
        """
        raise NotImplementedError(f"[{type(self).__name__}] there is no update(self, labels, preds); write one.")

    def reset(self) -> None:
        """Forgets everything."""
        self.num_inst = self.global_num_inst = 0
        self.sum_metric = self.global_sum_metric = 0.0

    def reset_local(self) -> None:
        """Forgets everything but the global sums."""
        self.num_inst = 0
        self.sum_metric = 0.0

    def get(self) -> tuple[Any, Any]:
        """Name and value; nan before the first batch. This waits for the devices."""
        return self.name, quotient(self.sum_metric, self.num_inst)

    def get_global(self) -> tuple[Any, Any]:
        """Name and value over everything since `reset`, whatever `reset_local` did."""
        if not self._has_global_stats:
            return self.get()
        return self.name, quotient(self.global_sum_metric, self.global_num_inst)

    def get_name_value(self) -> list[tuple[str, Any]]:
        """Pairs of name and value."""
        return _paired(*self.get())

    def get_global_name_value(self) -> list[tuple[str, Any]]:
        """Pairs of name and global value."""
        return _paired(*self.get_global()) if self._has_global_stats else self.get_name_value()

    def _add(self, total: Any, count: Any) -> None:
        """Adds a batch to the local and the global sums: numbers, or arrays of one element, which nobody waits for."""
        add(self, total, "sum_metric", "global_sum_metric")
        add(self, count, "num_inst", "global_num_inst")


def quotient(total: Any, count: Any) -> Any:
    """The mean as a Python number; nan if there is nothing yet."""
    if count == 0:
        return float("nan")
    value = total / count
    return value.item() if isinstance(value, np.generic) else value


def _paired(names: Any, values: Any) -> list[tuple[str, Any]]:
    names = names if isinstance(names, list) else [names]
    values = values if isinstance(values, list) else [values]
    return list(zip(names, values, strict=False))


register = registry.get_register_func(EvalMetric, "metric")
alias = registry.get_alias_func(EvalMetric, "metric")
create_registered = registry.get_create_func(EvalMetric, "metric")
