"""Rules of differentiation for the operators that networks are mostly made of."""

from . import (
    activation,
    convolution,
    dense,
    elementwise,
    embedding,
    normalization,
    pooling,
    recurrent,
    shape,
    softmax,
)
from .rule import Rule

__all__ = ["Rule"]
