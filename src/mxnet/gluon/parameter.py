"""MXNet's public path of parameters and their dicts."""

from ..base import MXNetError
from ..context import Context, cpu
from ..ndarray import NDArray
from ..symbol import Symbol
from ..util import is_np_array, is_np_shape
from ._parameter_base import Parameter
from ._parameter_dict import Constant, ParameterDict
from ._parameter_support import (
    DeferredInitializationError,
    ParameterError,
    ShapeInferenceError,
    StorageTypeError,
    UnknownParameterError,
)
from .utils import shape_is_known

__all__ = [
    "Constant",
    "Context",
    "DeferredInitializationError",
    "MXNetError",
    "Parameter",
    "ParameterDict",
    "ParameterError",
    "ShapeInferenceError",
    "StorageTypeError",
    "UnknownParameterError",
    "cpu",
    "is_np_array",
    "is_np_shape",
    "shape_is_known",
    "tensor_types",
]

# What may stand where a network has an array: an array, or its place in a graph.
tensor_types = (Symbol, NDArray)
