"""Define losses of classification and embeddings."""

from typing import TYPE_CHECKING, Any

import mxnet.ndarray as ndarray
from regluon.array.label_check import find_wrong_label, warn_about_label
from regluon.config import process, switches
from regluon.operators import Operators

from ...autograd import is_recording
from ...error import OpShapeError
from ...ndarray import NDArray
from .._block_inputs import BlockOptions
from .._hybrid_block import HybridBlock
from ..utils import ArgumentError
from ._base import Loss, _apply_weighting, _reshape_like

if TYPE_CHECKING:
    from typing_extensions import Unpack

__all__ = [
    "HingeLoss",
    "KLDivLoss",
    "LogisticLoss",
    "SigmoidBCELoss",
    "SigmoidBinaryCrossEntropyLoss",
    "SoftmaxCELoss",
    "SoftmaxCrossEntropyLoss",
    "SquaredHingeLoss",
    "CosineEmbeddingLoss",
    "SDMLLoss",
    "TripletLoss",
]


# Keeps the logarithm of a probability of 0 finite.
_EPSILON = 1e-12


def _softplus_of_negative(F: Any, pred: Any) -> Any:
    """log(1 + exp(-|pred|)), which cannot overflow."""
    return F.Activation(-F.abs(pred), act_type="softrelu")


class SigmoidBinaryCrossEntropyLoss(Loss):
    """Cross entropy of yes-or-no labels, each on its own.

    Args:
        from_sigmoid: whether predictions are probabilities already; from scores the result is more exact.
        weight: factor of the loss.
        batch_axis: the axis of the samples.
        kwargs: see Block.

    Inputs are `pred`, `label` of 0 to 1 with as many elements, and optionally `sample_weight` and `pos_weight` (factor
    of the positive labels), which broadcast to pred.

    Example:
        >>> loss = gluon.loss.SigmoidBinaryCrossEntropyLoss()
        >>> loss(nd.array([[0], [100]]), nd.array([[1], [1]])).asnumpy().round(4)
        array([0.6931, 0.    ], dtype=float32)
    """

    __module__ = "mxnet.gluon.loss"

    def __init__(
        self,
        from_sigmoid: bool = False,
        weight: float | None = None,
        batch_axis: int = 0,
        **kwargs: "Unpack[BlockOptions]",
    ) -> None:
        super().__init__(weight, batch_axis, **kwargs)
        self._from_sigmoid = from_sigmoid

    def hybrid_forward(
        self, F: Operators, pred: Any, label: Any, sample_weight: Any = None, pos_weight: Any = None
    ) -> Any:
        """Computes the loss of each sample."""
        label = _reshape_like(F, label, pred)
        if self._from_sigmoid:
            positive = F.log(pred + _EPSILON) * label
            if pos_weight is not None:
                positive = F.broadcast_mul(positive, pos_weight)
            loss = -(positive + F.log(1.0 - pred + _EPSILON) * (1.0 - label))
        elif pos_weight is None:
            loss = F.relu(pred) - pred * label + _softplus_of_negative(F, pred)
        else:
            factor = 1 + F.broadcast_mul(pos_weight - 1, label)
            loss = pred - pred * label + factor * (_softplus_of_negative(F, pred) + F.relu(-pred))
        return self._mean(F, loss, sample_weight)


SigmoidBCELoss = SigmoidBinaryCrossEntropyLoss


class SoftmaxCrossEntropyLoss(Loss):
    """Cross entropy of classes that exclude each other.

    Args:
        axis: the axis of the classes.
        sparse_label: whether labels are numbers of classes, or else probabilities of each class.
        from_logits: whether predictions are logarithms of probabilities already, as log_softmax gives.
        weight: factor of the loss.
        batch_axis: the axis of the samples.
        kwargs: see Block.

    Inputs are `pred`, `label` in its shape without the axis of the classes (or in its whole shape, if not sparse), and
    optionally `sample_weight`, which broadcasts to pred with one class.

    A label that is no class warns once: the first batch is checked, and every recorded batch whose labels are in CPU
    memory. Negative labels and labels of weight 0 count as padding. `mx.util.check_labels()` refuses wrong labels.

    Example:
        >>> loss = gluon.loss.SoftmaxCrossEntropyLoss()
        >>> loss(nd.array([[0, 0], [9, 0]]), nd.array([0, 0])).shape
        (2,)
    """

    __module__ = "mxnet.gluon.loss"

    def __init__(
        self,
        axis: int = -1,
        sparse_label: bool = True,
        from_logits: bool = False,
        weight: float | None = None,
        batch_axis: int = 0,
        **kwargs: "Unpack[BlockOptions]",
    ) -> None:
        super().__init__(weight, batch_axis, **kwargs)
        self._axis = axis
        self._sparse_label = sparse_label
        self._from_logits = from_logits

    _has_checked_labels = False
    _has_warned = False

    if not TYPE_CHECKING:

        def __call__(self, *args: Any, **kwargs: Any) -> Any:
            """Compute the loss of each sample and warn once about a label that is no class."""
            loss = super().__call__(*args, **kwargs)
            if (not self._has_checked_labels or is_recording()) and not self._has_warned:
                self._check_labels(*args, **kwargs)
            return loss

    def _check_labels(self, pred: Any, label: Any = None, sample_weight: Any = None, *others: Any) -> None:
        """Warn about the first label that is no class.

        The first batch is checked on every device. Later, labels on another device than the CPU would have to be waited
        for. On the CPU the check takes 3 us, 0.3% of a training step of two dense layers.
        """
        is_array = isinstance(pred, NDArray) and isinstance(label, NDArray) and label.stype == "default"
        if not is_array or not self._sparse_label or process.check_indices or switches.as_written:
            return
        # Subclasses with a computation of their own may pad in their own way.
        own = type(self).hybrid_forward, type(self).forward
        if own != (SoftmaxCrossEntropyLoss.hybrid_forward, HybridBlock.forward):
            return
        if self._has_checked_labels and label.context.device_type != "cpu":
            return
        self._has_checked_labels = True
        num_classes = pred.shape[self._axis]
        if sample_weight is not None:  # broadcasts to the predictions of one class
            samples = list(pred.shape)
            samples[self._axis] = 1
            label = label.reshape(samples)
        wrong = find_wrong_label(label, num_classes, sample_weight)
        if wrong is not None:
            self._has_warned = True
            warn_about_label(f"{type(self).__name__} {self.name}", wrong, num_classes)

    def hybrid_forward(self, F: Operators, pred: Any, label: Any, sample_weight: Any = None) -> Any:
        """Computes the loss of each sample."""
        try:
            if self._is_plain(F, pred, sample_weight):
                return _apply_weighting(F, F._internal._pick_log_softmax(pred, label), self._weight)
            scores = pred if self._from_logits else F.log_softmax(pred, axis=self._axis)
            if self._sparse_label:
                chosen = F.pick(scores, label, axis=self._axis, keepdims=True)
            else:
                chosen = F.sum(scores * _reshape_like(F, label, pred), axis=self._axis, keepdims=True)
        except OpShapeError as error:
            if not self._sparse_label:
                raise
            raise OpShapeError(self._misfit(pred, label)) from error
        return self._mean(F, -chosen, sample_weight)

    def _is_plain(self, F: Any, pred: Any, sample_weight: Any) -> bool:
        """The everyday case, rows of scores with a label each: there is nothing to take the mean of."""
        if sample_weight is not None or self._from_logits or not self._sparse_label or F is not ndarray:
            return False
        return pred.ndim == 2 and self._batch_axis == 0 and self._axis in (1, -1)

    def _misfit(self, pred: Any, label: Any) -> str:
        text = (
            f"[{type(self).__name__}] received a label of shape {label.shape} for a prediction of shape {pred.shape}; "
            f"expected one class number for each sample, so the shape of the prediction without axis {self._axis}."
        )
        if label.shape == pred.shape:
            text += " If the label has a probability for each class, make the loss with sparse_label=False."
        return text


SoftmaxCELoss = SoftmaxCrossEntropyLoss


class KLDivLoss(Loss):
    """The Kullback-Leibler divergence of a predicted distribution from the label, summed for each sample.

    Args:
        from_logits: whether predictions are logarithms of probabilities already, as log_softmax gives.
        axis: the axis of the classes, for log_softmax.
        weight: factor of the loss.
        batch_axis: the axis of the samples.
        kwargs: see Block.

    Inputs are `pred`, `label` with probabilities in the same shape, and optionally `sample_weight` that broadcasts to
    them.
    """

    __module__ = "mxnet.gluon.loss"

    def __init__(
        self,
        from_logits: bool = True,
        axis: int = -1,
        weight: float | None = None,
        batch_axis: int = 0,
        **kwargs: "Unpack[BlockOptions]",
    ) -> None:
        super().__init__(weight, batch_axis, **kwargs)
        self._from_logits = from_logits
        self._axis = axis

    def hybrid_forward(self, F: Operators, pred: Any, label: Any, sample_weight: Any = None) -> Any:
        """Computes the loss of each sample."""
        if not self._from_logits:
            pred = F.log_softmax(pred, axis=self._axis)
        loss = label * (F.log(label + _EPSILON) - pred)
        loss = _apply_weighting(F, loss, self._weight, sample_weight)
        return F.sum(loss, axis=self._batch_axis, exclude=True)


class HingeLoss(Loss):
    """How far scores are from the margin on the right side: `max(0, margin - pred * label)` with labels -1 and 1.

    Args:
        margin: the distance from 0 that is enough.
        weight: factor of the loss.
        batch_axis: the axis of the samples.
        kwargs: see Block.

    Inputs are `pred`, `label` with as many elements, and optionally `sample_weight` that broadcasts to pred.
    """

    __module__ = "mxnet.gluon.loss"

    def __init__(
        self, margin: float = 1, weight: float | None = None, batch_axis: int = 0, **kwargs: "Unpack[BlockOptions]"
    ) -> None:
        super().__init__(weight, batch_axis, **kwargs)
        self._margin = margin

    def hybrid_forward(self, F: Operators, pred: Any, label: Any, sample_weight: Any = None) -> Any:
        """Computes the loss of each sample."""
        loss = F.relu(self._margin - pred * _reshape_like(F, label, pred))
        return self._mean(F, loss, sample_weight)


class SquaredHingeLoss(Loss):
    """The square of HingeLoss, element by element; inputs as there.

    Args:
        margin: the distance from 0 that is enough.
        weight: factor of the loss.
        batch_axis: the axis of the samples.
        kwargs: see Block.
    """

    __module__ = "mxnet.gluon.loss"

    def __init__(
        self, margin: float = 1, weight: float | None = None, batch_axis: int = 0, **kwargs: "Unpack[BlockOptions]"
    ) -> None:
        super().__init__(weight, batch_axis, **kwargs)
        self._margin = margin

    def hybrid_forward(self, F: Operators, pred: Any, label: Any, sample_weight: Any = None) -> Any:
        """Computes the loss of each sample."""
        loss = F.square(F.relu(self._margin - pred * _reshape_like(F, label, pred)))
        return self._mean(F, loss, sample_weight)


class LogisticLoss(Loss):
    """The logistic loss of scores, `log(1 + exp(-pred * label))` with labels -1 and 1.

    Args:
        weight: factor of the loss.
        batch_axis: the axis of the samples.
        label_format: 'signed' for labels -1 and 1, 'binary' for 0 and 1.
        kwargs: see Block.

    Inputs are `pred`, `label` with as many elements, and optionally `sample_weight` that broadcasts to pred.
    """

    __module__ = "mxnet.gluon.loss"

    def __init__(
        self,
        weight: float | None = None,
        batch_axis: int = 0,
        label_format: str = "signed",
        **kwargs: "Unpack[BlockOptions]",
    ) -> None:
        super().__init__(weight, batch_axis, **kwargs)
        if label_format not in ("signed", "binary"):
            raise ValueError(
                f"[LogisticLoss] label_format: received {label_format!r}; expected 'signed' (labels -1 and 1) or "
                "'binary' (labels 0 and 1)."
            )
        self._label_format = label_format

    def hybrid_forward(self, F: Operators, pred: Any, label: Any, sample_weight: Any = None) -> Any:
        """Computes the loss of each sample."""
        label = _reshape_like(F, label, pred)
        if self._label_format == "signed":
            label = (label + 1.0) / 2.0
        loss = F.relu(pred) - pred * label + _softplus_of_negative(F, pred)
        return self._mean(F, loss, sample_weight)


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
