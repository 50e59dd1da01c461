"""Operators written in Python: subclass `CustomOp` and `CustomOpProp`, `register` the latter, call `nd.Custom`."""

from ..ndarray import NDArray
from ..util import is_np_array
from ._custom import CustomOp, CustomOpProp
from ._legacy import NDArrayOp, NumpyOp, PythonOp
from ._registry import OperatorArguments, get_all_registered_operators, get_operator_arguments, register

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
