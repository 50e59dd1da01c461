"""Rules of differentiation for the operators that networks are mostly made of."""

from . import (
    activation,
    convolution,
    dense,
    elementwise,
    embedding,
    normalization,
    pooled_convolution,
    pooling,
    recurrent,
    shape,
    softmax,
)
from .rule import RULES, Rule

__all__ = ["RULES", "Rule"]
