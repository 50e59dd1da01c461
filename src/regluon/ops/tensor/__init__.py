"""Arrays: arithmetic, reductions, shapes, indexing, linear algebra."""

from . import (
    arithmetic,
    concatenation,
    creation,
    dot,
    gather,
    linalg,
    padding,
    reduction,
    shape,
    slicing,
    sort,
    storage,
    unary,
    unary_gradients,
)
