"""Linear algebra on arrays: `mx.nd.linalg`."""

from ..ops import registry
from .ndarray import NDArray
from .register import make_function

__all__ = [
    "det",
    "extractdiag",
    "extracttrian",
    "gelqf",
    "gemm",
    "gemm2",
    "inverse",
    "makediag",
    "maketrian",
    "potrf",
    "potri",
    "slogdet",
    "sumlogdiag",
    "syevd",
    "syrk",
    "trmm",
    "trsm",
]

globals().update({name: make_function(registry.find(f"_linalg_{name}"), name, NDArray) for name in __all__})
