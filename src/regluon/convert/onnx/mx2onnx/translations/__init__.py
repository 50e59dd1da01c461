"""Translations by family; importing this package fills the table."""

from ..table import TRANSLATIONS as TRANSLATIONS
from . import (
    activation,
    convolution,
    elementwise,
    indexing,
    matrix,
    normalization,
    pooling,
    recurrent,
    reduction,
    shape,
)
