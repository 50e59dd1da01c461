"""Define the base of losses, regression losses and CTC."""

import math
from typing import TYPE_CHECKING, Any

import mxnet.ndarray as ndarray
from regluon.operators import ArrayOrSymbol, Operators, Result

from ...base import any_parameters, numeric_types
from ...error import OpShapeError
from .._block_inputs import BlockOptions
from ..block import HybridBlock
from ..utils import ArgumentError

if TYPE_CHECKING:
    from typing_extensions import Unpack

__all__ = ["Loss", "CTCLoss", "HuberLoss", "L1Loss", "L2Loss", "PoissonNLLLoss"]


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


class CTCLoss(Loss):
    """Connectionist temporal classification: sequences of labels, shorter than the data and not aligned with it.

    The last class is the blank. Labels shorter than the array end with -1, unless their lengths are given.

    Args:
        layout: axes of the predictions, 'NTC' or 'TNC': N samples, T steps, C classes.
        label_layout: axes of the labels, 'NT' or 'TN'.
        weight: factor of the loss.
        kwargs: see Block.

    Inputs are `pred` with scores before softmax, `label`, and optionally `pred_lengths`, `label_lengths` and
    `sample_weight`, each with one number per sample.
    """

    __module__ = "mxnet.gluon.loss"

    def __init__(
        self,
        layout: str = "NTC",
        label_layout: str = "NT",
        weight: float | None = None,
        **kwargs: "Unpack[BlockOptions]",
    ) -> None:
        if layout not in ("NTC", "TNC"):
            raise ArgumentError(f"[CTCLoss] layout: received {layout!r}; expected 'NTC' or 'TNC'.")
        if label_layout not in ("NT", "TN"):
            raise ArgumentError(f"[CTCLoss] label_layout: received {label_layout!r}; expected 'NT' or 'TN'.")
        super().__init__(weight, label_layout.find("N"), **kwargs)
        self._layout = layout
        self._label_layout = label_layout

    def hybrid_forward(
        self,
        F: Operators,
        pred: Any,
        label: Any,
        pred_lengths: Any = None,
        label_lengths: Any = None,
        sample_weight: Any = None,
    ) -> Any:
        """Computes the loss of each sample."""
        if self._layout == "NTC":
            pred = F.swapaxes(pred, 0, 1)
        if self._label_layout == "TN":
            label = F.swapaxes(label, 0, 1)
        loss = F.CTCLoss(
            pred,
            label,
            pred_lengths,
            label_lengths,
            use_data_lengths=pred_lengths is not None,
            use_label_lengths=label_lengths is not None,
            blank_label="last",
        )
        return _apply_weighting(F, loss, self._weight, sample_weight)


class L2Loss(Loss):
    """Half the mean squared difference.

    Args:
        weight: factor of the loss.
        batch_axis: the axis of the samples.
        kwargs: see Block.

    Inputs are `pred`, `label` with as many elements, and optionally `sample_weight` that broadcasts to pred; the loss
    has one number per sample.

    Example:
        >>> loss = gluon.loss.L2Loss()
        >>> loss(nd.array([[1, 3]]), nd.array([[0, 0]])).asnumpy()  # half of the mean square
        array([2.5], dtype=float32)
    """

    __module__ = "mxnet.gluon.loss"

    def __init__(self, weight: float = 1.0, batch_axis: int = 0, **kwargs: "Unpack[BlockOptions]") -> None:
        super().__init__(weight, batch_axis, **kwargs)

    def hybrid_forward(self, F: Operators, pred: Any, label: Any, sample_weight: Any = None) -> Any:
        """Computes the loss of each sample."""
        loss = F.square(_reshape_like(F, label, pred) - pred)
        loss = _apply_weighting(F, loss, self._weight / 2, sample_weight)  # type: ignore[operator]
        return F.mean(loss, axis=self._batch_axis, exclude=True)


class L1Loss(Loss):
    """The mean absolute difference; inputs as L2Loss.

    Args:
        weight: factor of the loss.
        batch_axis: the axis of the samples.
        kwargs: see Block.

    Example:
        >>> loss = gluon.loss.L1Loss()
        >>> loss(nd.array([[1, 3]]), nd.array([[0, 0]])).asnumpy()
        array([2.], dtype=float32)
    """

    __module__ = "mxnet.gluon.loss"

    def __init__(self, weight: float | None = None, batch_axis: int = 0, **kwargs: "Unpack[BlockOptions]") -> None:
        super().__init__(weight, batch_axis, **kwargs)

    def hybrid_forward(self, F: Operators, pred: Any, label: Any, sample_weight: Any = None) -> Any:
        """Computes the loss of each sample."""
        return self._mean(F, F.abs(_reshape_like(F, label, pred) - pred), sample_weight)


class HuberLoss(Loss):
    """Squared for small differences, linear for large ones, so that outliers pull less; inputs as L2Loss.

    Args:
        rho: the difference at which the one passes into the other.
        weight: factor of the loss.
        batch_axis: the axis of the samples.
        kwargs: see Block.
    """

    __module__ = "mxnet.gluon.loss"

    def __init__(
        self, rho: float = 1, weight: float | None = None, batch_axis: int = 0, **kwargs: "Unpack[BlockOptions]"
    ) -> None:
        super().__init__(weight, batch_axis, **kwargs)
        self._rho = rho

    def hybrid_forward(self, F: Operators, pred: Any, label: Any, sample_weight: Any = None) -> Any:
        """Computes the loss of each sample."""
        distance = F.abs(_reshape_like(F, label, pred) - pred)
        squared = F.square(distance) * (0.5 / self._rho)
        loss = F.where(distance > self._rho, distance - 0.5 * self._rho, squared)
        return self._mean(F, loss, sample_weight)


class PoissonNLLLoss(Loss):
    """The negative log likelihood of counts under Poisson distributions, as one mean over all samples.

    Args:
        weight: factor of the loss.
        from_logits: whether predictions are logarithms of the rates, or the rates themselves.
        batch_axis: the axis of the samples.
        compute_full: add Stirling's approximation of the term that depends on the target only, where it is above 1.
        kwargs: see Block.

    Inputs are `pred`, `target` with as many elements, optionally `sample_weight` that broadcasts to pred, and
    `epsilon`, which keeps the logarithm of a rate of 0 finite.
    """

    __module__ = "mxnet.gluon.loss"

    def __init__(
        self,
        weight: float | None = None,
        from_logits: bool = True,
        batch_axis: int = 0,
        compute_full: bool = False,
        **kwargs: "Unpack[BlockOptions]",
    ) -> None:
        super().__init__(weight, batch_axis, **kwargs)
        self._from_logits = from_logits
        self._compute_full = compute_full

    def hybrid_forward(
        self, F: Operators, pred: Any, target: Any, sample_weight: Any = None, epsilon: float = 1e-08
    ) -> Any:
        """Computes the mean loss of all samples, an array of one element."""
        target = _reshape_like(F, target, pred)
        if self._from_logits:
            loss = F.exp(pred) - target * pred
        else:
            loss = pred - target * F.log(pred + epsilon)
        if self._compute_full:
            # Below 1 the approximation is not used; a 1 in its place keeps the logarithm of 0 out.
            large = F.where(target > 1, target, F.ones_like(target))
            stirling = large * F.log(large) - large + 0.5 * F.log(2 * math.pi * large)
            loss = loss + stirling * (target > 1)
        return F.mean(_apply_weighting(F, loss, self._weight, sample_weight))
