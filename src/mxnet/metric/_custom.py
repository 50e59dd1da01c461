"""Metrics from functions of NumPy arrays."""

from collections.abc import Callable
from typing import Any, NoReturn

from ._base import EvalMetric, check_label_shapes, register


@register
class CustomMetric(EvalMetric):
    """The mean of what a function says about each pair of arrays.

    Args:
        feval: `f(label, pred)` of NumPy arrays; returns a number, or a sum and how many it is of.
        name: of the metric; the function's by default.
        allow_extra_outputs: whether there may be more predictions than labels; the first ones are then taken.
        output_names: which outputs `update_dict` takes; all if None.
        label_names: which labels `update_dict` takes; all if None.
    """

    __module__ = "mxnet.metric"

    def __init__(
        self,
        feval: Callable[..., Any],
        name: str | None = None,
        allow_extra_outputs: bool = False,
        output_names: list[str] | None = None,
        label_names: list[str] | None = None,
    ) -> None:
        if name is None:
            name = feval.__name__
            if "<" in name:  # a lambda
                name = f"custom({name})"
        super().__init__(
            name,
            feval=feval,
            allow_extra_outputs=allow_extra_outputs,
            output_names=output_names,
            label_names=label_names,
            has_global_stats=True,
        )
        self._feval = feval
        self._allow_extra_outputs = allow_extra_outputs

    def update(self, labels: Any, preds: Any) -> None:
        """Calls the function with each label and its prediction."""
        if not self._allow_extra_outputs:
            labels, preds = check_label_shapes(labels, preds, True)
        for pred, label in zip(preds, labels, strict=False):
            result = self._feval(label.asnumpy(), pred.asnumpy())
            total, count = result if isinstance(result, tuple) else (result, 1)
            self.sum_metric += total
            self.global_sum_metric += total
            self.num_inst += count
            self.global_num_inst += count

    def get_config(self) -> NoReturn:
        """Refused: a function cannot be written down."""
        raise NotImplementedError("[CustomMetric] a metric made of a function has no description; keep the function.")


def np(numpy_feval: Callable[..., Any], name: str | None = None, allow_extra_outputs: bool = False) -> CustomMetric:
    """A metric from a function of NumPy arrays.

    Args:
        numpy_feval: `f(label, pred)`; returns a number, or a sum and how many it is of.
        name: of the metric; the function's by default.
        allow_extra_outputs: whether there may be more predictions than labels.
    """

    def feval(label: Any, pred: Any) -> Any:
        return numpy_feval(label, pred)

    feval.__name__ = numpy_feval.__name__
    return CustomMetric(feval, name, allow_extra_outputs)
