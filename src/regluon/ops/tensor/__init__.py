"""Arrays: arithmetic, reductions, shapes, indexing, linear algebra."""

from . import (
    arithmetic,
    creation,
    dot,
    gather,
    joining,
    linalg,
    ordering,
    reduction,
    sequence,
    shape,
    slicing,
    storage,
    unary,
    unary_gradients,
)
