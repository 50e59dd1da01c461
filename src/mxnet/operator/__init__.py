"""Operators written in Python: subclass `CustomOp` and `CustomOpProp`, `register` the latter, call `nd.Custom`."""

from ..ndarray import NDArray
from ..util import is_np_array
from .custom import CustomOp, CustomOpProp
from .legacy import NDArrayOp, NumpyOp, PythonOp
from .listing import OperatorArguments, get_all_registered_operators, get_operator_arguments
from .registration import register

__all__ = [
    "CustomOp",
    "CustomOpProp",
    "NDArray",
    "NDArrayOp",
    "NumpyOp",
    "OperatorArguments",
    "PythonOp",
    "get_all_registered_operators",
    "get_operator_arguments",
    "is_np_array",
    "register",
]
