"""Sparse arrays: `mx.nd.sparse`."""

from ...context import Context, current_context
from ..dense import NDArray
from .base import BaseSparseNDArray
from .creation import array, csr_matrix, empty, row_sparse_array, zeros
from .csr import CSRNDArray
from .functions import add, cast_storage, divide, dot, multiply, retain, subtract
from .op import *  # noqa: F403
from .op import __all__ as _operators
from .row_sparse import RowSparseNDArray

gs_retain = retain  # MXNet's own second name

__all__ = [
    "BaseSparseNDArray",
    "CSRNDArray",
    "Context",
    "NDArray",
    "RowSparseNDArray",
    "add",
    "array",
    "cast_storage",
    "csr_matrix",
    "current_context",
    "divide",
    "dot",
    "empty",
    "gs_retain",
    "multiply",
    "retain",
    "row_sparse_array",
    "subtract",
    "zeros",
]
__all__.extend(_operators)
