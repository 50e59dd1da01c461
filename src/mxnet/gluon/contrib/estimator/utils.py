"""Checks of the metrics that an Estimator and its handlers are given."""

from typing import Any

from ....metric import Accuracy, CompositeEvalMetric, EvalMetric
from ...loss import SoftmaxCrossEntropyLoss


def _check_metrics(metrics: Any) -> list[EvalMetric]:
    """A list of metrics: from one, from a composite one, or from a list."""
    if isinstance(metrics, CompositeEvalMetric):
        return [each for metric in metrics.metrics for each in _check_metrics(metric)]
    if isinstance(metrics, EvalMetric):
        return [metrics]
    if not metrics:
        return []
    for metric in metrics:
        if not isinstance(metric, EvalMetric):
            raise ValueError(
                f"[Estimator] metrics: received {type(metric).__name__} ({metric!r}); expected an "
                "mx.metric.EvalMetric, or a list of them. mx.metric.create makes one from a name."
            )
    return list(metrics)


def _check_handler_metric_ref(handler: Any, known_metrics: Any) -> None:
    """Refuses a handler that looks at metrics which nobody updates."""
    for attribute in dir(handler):
        if "metric" not in attribute:
            continue
        found = getattr(handler, attribute)
        if not found or callable(found):
            continue
        for metric in found if isinstance(found, list) else [found]:
            _check_metric_known(handler, metric, known_metrics)


def _check_metric_known(handler: Any, metric: Any, known_metrics: Any) -> None:
    if not any(metric is known for known in known_metrics):
        raise ValueError(
            f"[{type(handler).__name__}] received the metric {metric}, which is not among the training and validation "
            "metrics of the estimator: nobody would update it. Take those in estimator.train_metrics and "
            "estimator.val_metrics."
        )


def _suggest_metric_for_loss(loss: Any) -> EvalMetric | None:
    """The metric that goes with a loss, where there is an obvious one."""
    return Accuracy() if isinstance(loss, SoftmaxCrossEntropyLoss) else None
