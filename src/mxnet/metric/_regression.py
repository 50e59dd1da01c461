"""Metrics of predicted quantities. Each is a mean over batches of what one batch gives."""

from typing import Any

import mxnet.ndarray as nd

from ..error import OpShapeError
from ..ndarray import NDArray
from ._base import EvalMetric, pairs, register
from ._totals import in_same_float


class _Regression(EvalMetric):
    """Adds one number a batch."""

    def __init__(self, name: str, output_names: list[str] | None = None, label_names: list[str] | None = None) -> None:
        super().__init__(name, output_names=output_names, label_names=label_names, has_global_stats=True)

    def update(self, labels: Any, preds: Any) -> None:
        """Takes a batch of quantities, of the same shape or of shapes that stretch to one."""
        for label, pred in pairs(labels, preds):
            self._add(self._of(_difference(label, pred)), 1)

    def _of(self, difference: NDArray) -> NDArray:
        raise NotImplementedError


@register
class MAE(_Regression):
    """Mean absolute error."""

    __module__ = "mxnet.metric"

    def __init__(
        self, name: str = "mae", output_names: list[str] | None = None, label_names: list[str] | None = None
    ) -> None:
        super().__init__(name, output_names, label_names)

    def _of(self, difference: NDArray) -> NDArray:
        return nd.mean(nd.abs(difference))


@register
class MSE(_Regression):
    """Mean squared error."""

    __module__ = "mxnet.metric"

    def __init__(
        self, name: str = "mse", output_names: list[str] | None = None, label_names: list[str] | None = None
    ) -> None:
        super().__init__(name, output_names, label_names)

    def _of(self, difference: NDArray) -> NDArray:
        return nd.mean(nd.square(difference))


@register
class RMSE(_Regression):
    """Root of the mean squared error of each batch."""

    __module__ = "mxnet.metric"

    def __init__(
        self, name: str = "rmse", output_names: list[str] | None = None, label_names: list[str] | None = None
    ) -> None:
        super().__init__(name, output_names, label_names)

    def _of(self, difference: NDArray) -> NDArray:
        return nd.sqrt(nd.mean(nd.square(difference)))


def _difference(label: NDArray, pred: NDArray) -> NDArray:
    """Label less prediction; a vector counts as a column."""
    label, pred = in_same_float(label, pred)
    if label.shape == pred.shape:
        return label - pred
    label, pred = (array.reshape((-1, 1)) if array.ndim == 1 else array for array in (label, pred))
    ndim = max(label.ndim, pred.ndim)
    label, pred = (array.reshape((1,) * (ndim - array.ndim) + array.shape) for array in (label, pred))
    if any(a != b and 1 not in (a, b) for a, b in zip(label.shape, pred.shape, strict=True)):
        raise OpShapeError(f"[metric] received labels of shape {label.shape} for predictions of shape {pred.shape}.")
    return nd.broadcast_sub(label, pred)
