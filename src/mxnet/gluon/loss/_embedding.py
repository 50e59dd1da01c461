"""Losses between vectors that stand for things: alike or not."""

from typing import TYPE_CHECKING, Any

from regluon.operators import Operators

from .._options import BlockOptions
from ..utils import ArgumentError
from ._base import Loss, _apply_weighting, _reshape_like
from ._classification import KLDivLoss

if TYPE_CHECKING:
    from typing_extensions import Unpack


__all__ = ["CosineEmbeddingLoss", "SDMLLoss", "TripletLoss"]

# Keeps a vector of length 0 from dividing by it.
_SHORTEST = 1e-12


class TripletLoss(Loss):
    """How much farther the positive example is than the negative one, plus a margin.

    Args:
        margin: by how much the negative example should be farther away, in squared distance.
        weight: factor of the loss.
        batch_axis: the axis of the samples.
        kwargs: see Block.

    Inputs are `pred`, `positive` and `negative`, each with as many elements.
    """

    __module__ = "mxnet.gluon.loss"

    def __init__(
        self, margin: float = 1, weight: float | None = None, batch_axis: int = 0, **kwargs: "Unpack[BlockOptions]"
    ) -> None:
        super().__init__(weight, batch_axis, **kwargs)
        self._margin = margin

    def hybrid_forward(self, F: Operators, pred: Any, positive: Any, negative: Any) -> Any:
        """Computes the loss of each sample."""
        to_positive = F.square(_reshape_like(F, positive, pred) - pred)
        to_negative = F.square(_reshape_like(F, negative, pred) - pred)
        excess = F.sum(to_positive - to_negative, axis=self._batch_axis, exclude=True)
        return _apply_weighting(F, F.relu(excess + self._margin), self._weight, None)


class CosineEmbeddingLoss(Loss):
    """One minus the cosine of the angle for pairs that belong together, the cosine above a margin for others.

    Args:
        weight: factor of the loss.
        batch_axis: the axis of the samples.
        margin: the cosine that is small enough for pairs that do not belong together.
        kwargs: see Block.

    Inputs are `input1` and `input2` with vectors in the last axis, `label` of 1 (together) or -1, and optionally
    `sample_weight` of shape (samples, 1), the shape of the result.
    """

    __module__ = "mxnet.gluon.loss"

    def __init__(
        self, weight: float | None = None, batch_axis: int = 0, margin: float = 0, **kwargs: "Unpack[BlockOptions]"
    ) -> None:
        super().__init__(weight, batch_axis, **kwargs)
        self._margin = margin

    def hybrid_forward(self, F: Operators, input1: Any, input2: Any, label: Any, sample_weight: Any = None) -> Any:
        """Computes the loss of each pair, a column."""
        input1 = _reshape_like(F, input1, input2)
        label = label.reshape((-1, 1))
        cosine = _cosine(F, input1, input2)
        loss = (1 - cosine) * (label == 1) + F.relu((label == -1) * (cosine - self._margin))
        return _apply_weighting(F, loss, self._weight, sample_weight)


def _cosine(F: Any, x: Any, y: Any) -> Any:
    """The cosine of the angle between vectors in the last axis, as a column."""
    lengths = F.norm(x, axis=-1) * F.norm(y, axis=-1)
    return (F.sum(x * y, axis=-1) / F.maximum(lengths, _SHORTEST)).reshape((-1, 1))


class SDMLLoss(Loss):
    """Smoothed deep metric learning: each pair of a batch against all other pairings of it.

    Squared distances between all vectors of the first input and all of the second become probabilities, compared with
    the identity, smoothed.

    Args:
        smoothing_parameter: the probability that is spread over the wrong pairings.
        weight: kept for the sake of the signature: MXNet does not use it.
        batch_axis: the axis of the samples.
        kwargs: see Block.

    Inputs are `x1` and `x2` of shape (samples, length); row i of the one belongs to row i of the other.
    """

    __module__ = "mxnet.gluon.loss"

    def __init__(
        self,
        smoothing_parameter: float = 0.3,
        weight: float = 1.0,
        batch_axis: int = 0,
        **kwargs: "Unpack[BlockOptions]",
    ) -> None:
        super().__init__(weight, batch_axis, **kwargs)
        self.kl_loss = KLDivLoss(from_logits=True)
        self.smoothing_parameter = smoothing_parameter

    def hybrid_forward(self, F: Operators, x1: Any, x2: Any) -> Any:
        """Computes the loss of each sample."""
        if x1.shape != x2.shape or x1.ndim != 2:
            raise ArgumentError(
                f"[SDMLLoss] received inputs of shapes {x1.shape} and {x2.shape}; expected both of one shape (samples, "
                "length)."
            )
        distances = F.sum(F.square(x1.expand_dims(1) - x2.expand_dims(0)), axis=2)
        return self.kl_loss(F.log_softmax(-distances, axis=1), self._smoothed_identity(F, distances))

    def _smoothed_identity(self, F: Any, distances: Any) -> Any:
        """The probabilities that belong to the distances: most on the diagonal, the rest spread over the others."""
        count, wrong = distances.shape[0], self.smoothing_parameter
        identity = F.eye(count, ctx=distances.context, dtype=distances.dtype)
        return identity * (1 - wrong) + (1 - identity) * wrong / (count - 1)
