"""Losses: one number for each sample of a batch, to call `backward` on."""

from ...util import is_np_array
from ..block import HybridBlock
from ._base import CTCLoss, HuberLoss, L1Loss, L2Loss, Loss, PoissonNLLLoss, _apply_weighting, _reshape_like
from ._classification import (
    CosineEmbeddingLoss,
    HingeLoss,
    KLDivLoss,
    LogisticLoss,
    SDMLLoss,
    SigmoidBCELoss,
    SigmoidBinaryCrossEntropyLoss,
    SoftmaxCELoss,
    SoftmaxCrossEntropyLoss,
    SquaredHingeLoss,
    TripletLoss,
)

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
