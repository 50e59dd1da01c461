"""Translations of ATen operators by family; importing this package fills the table."""

from . import (
    activations,
    arithmetic,
    attention,
    creation,
    indexing,
    layers,
    norms,
    padding,
    pieces,
    pooling,
    products,
    recurrent,
    reductions,
    resizing,
    selecting,
    shapes,
)
