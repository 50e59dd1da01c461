"""What all losses share: weights, the batch axis, labels in the shape of the prediction."""

from typing import TYPE_CHECKING, Any

import mxnet.ndarray as ndarray
from regluon.operators import ArrayOrSymbol, Operators, Result

from ...base import any_parameters, numeric_types
from ...error import OpShapeError
from .._options import BlockOptions
from ..block import HybridBlock
from ..utils import ArgumentError

if TYPE_CHECKING:
    from typing_extensions import Unpack


__all__ = ["Loss"]


def _apply_weighting(F: Any, loss: Any, weight: float | None = None, sample_weight: Any = None) -> Any:
    """The loss times the weights of the samples, times the weight of the whole.

    Args:
        F: where the operators come from.
        loss: the loss.
        weight: a number, or None for 1.
        sample_weight: an array that broadcasts to the loss, such as (batch, 1), or None.
    """
    if sample_weight is not None:
        loss = F.broadcast_mul(loss, sample_weight)
    if weight is not None:
        if not isinstance(weight, numeric_types):
            raise ArgumentError(
                f"[Loss] weight: received {weight!r}; expected a number. Weights of samples are an input of the "
                "call: loss(pred, label, sample_weight)."
            )
        loss = loss * weight
    return loss


def _reshape_like(F: Any, x: Any, y: Any) -> Any:
    """`x` in the shape of `y`."""
    if F is not ndarray:
        return F.reshape_like(x, y)
    shape = y.shape
    if x.shape == shape:
        return x
    if x.size != y.size:
        raise OpShapeError(
            f"[Loss] received a label of shape {x.shape} for a prediction of shape {shape}; expected {y.size} elements "
            f"in the label, not {x.size}."
        )
    return x.reshape(shape)


class Loss(HybridBlock):
    """Base of all losses.

    Args:
        weight: factor of the loss, or None.
        batch_axis: the axis of the samples: the loss keeps it.
        kwargs: `prefix` and `params`, see Block.
    """

    __module__ = "mxnet.gluon.loss"

    def __init__(self, weight: float | None, batch_axis: int, **kwargs: "Unpack[BlockOptions]") -> None:
        super().__init__(**kwargs)
        self._weight = weight
        self._batch_axis = batch_axis

    def __repr__(self) -> str:
        return f"{type(self).__name__}(batch_axis={self._batch_axis}, w={self._weight})"

    def _mean(self, F: Any, loss: Any, sample_weight: Any) -> Any:
        """The weighted mean over all axes but that of the samples."""
        loss = _apply_weighting(F, loss, self._weight, sample_weight)
        return F.mean(loss, axis=self._batch_axis, exclude=True)

    if TYPE_CHECKING:

        def __call__(self, pred: ArrayOrSymbol, *args: Any, **kwargs: Any) -> ArrayOrSymbol:
            """The loss of each sample."""
            ...

        @any_parameters
        def hybrid_forward(self, F: Operators, pred: Result, label: Result, sample_weight: Any = None) -> Any:
            """The loss; written by subclasses, which may take other arguments."""
    else:

        def hybrid_forward(self, F: Any, x: Any, *args: Any, **kwargs: Any) -> Any:
            """The loss; written by subclasses."""
            raise NotImplementedError(f"[{type(self).__name__}] write a hybrid_forward method.")
