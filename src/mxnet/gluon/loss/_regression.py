"""Losses between numbers."""

import math
from typing import TYPE_CHECKING, Any

from regluon.operators import Operators

from .._options import BlockOptions
from ._base import Loss, _apply_weighting, _reshape_like

if TYPE_CHECKING:
    from typing_extensions import Unpack


__all__ = ["HuberLoss", "L1Loss", "L2Loss", "PoissonNLLLoss"]


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
