"""Several metrics as one, and making metrics from what describes them."""

from typing import Any

from ..base import numeric_types
from ..error import OpParamError
from ..ndarray import NDArray
from ._base import EvalMetric, alias, create_registered, register
from ._regression import CustomMetric


def create(metric: Any, *args: Any, **kwargs: Any) -> EvalMetric:
    """Makes a metric.

    Args:
        metric: a name, a function of NumPy arrays `f(label, pred)`, a metric, or a list of such.
        *args: for the metric's class.
        **kwargs: for the metric's class.
    """
    if callable(metric):
        return CustomMetric(metric, *args, **kwargs)
    if isinstance(metric, list):
        composite = CompositeEvalMetric()
        for child in metric:
            composite.add(create(child, *args, **kwargs))
        return composite
    return create_registered(metric, *args, **kwargs)


@register
@alias("composite")
class CompositeEvalMetric(EvalMetric):
    """Several metrics on the same batches.

    Args:
        metrics: anything that `create` takes, each.
        name: of the whole.
        output_names: which outputs `update_dict` hands on; all if None.
        label_names: which labels `update_dict` hands on; all if None.
    """

    __module__ = "mxnet.metric"

    def __init__(
        self,
        metrics: list[Any] | None = None,
        name: str = "composite",
        output_names: list[str] | None = None,
        label_names: list[str] | None = None,
    ) -> None:
        super().__init__(name, output_names=output_names, label_names=label_names, has_global_stats=True)
        self.metrics = [create(metric) for metric in metrics or ()]

    def add(self, metric: Any) -> None:
        """Takes in one more metric, or what `create` makes one from."""
        self.metrics.append(create(metric))

    def get_metric(self, index: int) -> EvalMetric:
        """The metric at a position."""
        try:
            return self.metrics[index]
        except IndexError:
            raise OpParamError(
                f"[CompositeEvalMetric] received index {index}; there are {len(self.metrics)} metrics."
            ) from None

    def update_dict(self, label: dict[str, NDArray], pred: dict[str, NDArray]) -> None:
        """Hands a batch with names to every metric."""
        if self.label_names is not None:
            label = {name: array for name, array in label.items() if name in self.label_names}
        if self.output_names is not None:
            pred = {name: array for name, array in pred.items() if name in self.output_names}
        for metric in self.metrics:
            metric.update_dict(label, pred)

    def update(self, labels: Any, preds: Any) -> None:
        """Hands a batch to every metric."""
        for metric in self.metrics:
            metric.update(labels, preds)

    def reset(self) -> None:
        """Lets every metric forget everything."""
        for metric in vars(self).get("metrics", ()):  # the base's constructor calls this before there are any
            metric.reset()

    def reset_local(self) -> None:
        """Lets every metric forget everything but its global sums."""
        for metric in self.metrics:
            metric.reset_local()

    def get(self) -> tuple[Any, Any]:
        """Lists of names and values."""
        return _joined([metric.get() for metric in self.metrics])

    def get_global(self) -> tuple[Any, Any]:
        """Lists of names and global values."""
        return _joined([metric.get_global() for metric in self.metrics])

    def get_config(self) -> dict[str, Any]:
        """What `create` needs to make the whole again."""
        return {**super().get_config(), "metrics": [metric.get_config() for metric in self.metrics]}


def _joined(results: list[tuple[Any, Any]]) -> tuple[list[str], list[Any]]:
    names: list[str] = []
    values: list[Any] = []
    for name, value in results:
        names.extend([name] if isinstance(name, str) else name)
        values.extend([value] if isinstance(value, numeric_types) else value)
    return names, values
