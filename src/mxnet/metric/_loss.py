"""The mean of outputs that are losses already."""

from typing import Any

from ..ndarray import NDArray
from ._base import EvalMetric, constant, register
from ._totals import sum_of


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
