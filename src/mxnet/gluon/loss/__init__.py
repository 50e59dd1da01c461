"""Losses: one number for each sample of a batch, to call `backward` on."""

from ...util import is_np_array
from ..block import HybridBlock
from ._base import Loss, _apply_weighting, _reshape_like
from ._classification import (
    HingeLoss,
    KLDivLoss,
    LogisticLoss,
    SigmoidBCELoss,
    SigmoidBinaryCrossEntropyLoss,
    SoftmaxCELoss,
    SoftmaxCrossEntropyLoss,
    SquaredHingeLoss,
)
from ._ctc import CTCLoss
from ._embedding import CosineEmbeddingLoss, SDMLLoss, TripletLoss
from ._regression import HuberLoss, L1Loss, L2Loss, PoissonNLLLoss

__all__ = [
    "Loss",
    "L2Loss",
    "L1Loss",
    "SigmoidBinaryCrossEntropyLoss",
    "SigmoidBCELoss",
    "SoftmaxCrossEntropyLoss",
    "SoftmaxCELoss",
    "KLDivLoss",
    "CTCLoss",
    "HuberLoss",
    "HingeLoss",
    "SquaredHingeLoss",
    "LogisticLoss",
    "TripletLoss",
    "PoissonNLLLoss",
    "CosineEmbeddingLoss",
    "SDMLLoss",
]
