"""Define metrics of regression, losses and custom functions."""

from collections.abc import Callable
from typing import Any, NoReturn

import mxnet.ndarray as nd

from ..error import OpShapeError
from ..ndarray import NDArray
from ._base import EvalMetric, check_label_shapes, constant, pairs, register
from ._totals import in_same_float, sum_of


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


@register
class Loss(EvalMetric):
    """The mean of all elements of the predictions; labels are not looked at."""

    __module__ = "mxnet.metric"

    def __init__(
        self, name: str = "loss", output_names: list[str] | None = None, label_names: list[str] | None = None
    ) -> None:
        super().__init__(name, output_names=output_names, label_names=label_names, has_global_stats=True)

    def update(self, _: Any, preds: Any) -> None:
        """Takes a batch of losses: an NDArray, or a list of them."""
        for pred in [preds] if isinstance(preds, NDArray) else preds:
            self._add(sum_of(constant(pred)), pred.size)


@register
class Torch(Loss):
    """`Loss` under the name that criterions of Torch had."""

    __module__ = "mxnet.metric"

    def __init__(
        self, name: str = "torch", output_names: list[str] | None = None, label_names: list[str] | None = None
    ) -> None:
        super().__init__(name, output_names=output_names, label_names=label_names)


@register
class Caffe(Loss):
    """`Loss` under the name that criterions of Caffe had."""

    __module__ = "mxnet.metric"

    def __init__(
        self, name: str = "caffe", output_names: list[str] | None = None, label_names: list[str] | None = None
    ) -> None:
        super().__init__(name, output_names=output_names, label_names=label_names)


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
