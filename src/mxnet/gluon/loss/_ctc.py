"""The loss for labels without alignment to the data."""

from typing import TYPE_CHECKING, Any

from regluon.operators import Operators

from .._options import BlockOptions
from ..utils import ArgumentError
from ._base import Loss, _apply_weighting

if TYPE_CHECKING:
    from typing_extensions import Unpack


__all__ = ["CTCLoss"]


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
