"""Convert MXNet's data types between names, file flags, NumPy types and torch dtypes."""

from typing import Any, TypeAlias

import numpy as np
import torch

from .arguments import did_you_mean
from .errors import OpTypeError

# The numbers stand in .params files and symbol JSON: never renumber. 8 to 11 belong to types MXNet 1.x never had.
FLAG_OF_NAME = {
    "float32": 0,
    "float64": 1,
    "float16": 2,
    "uint8": 3,
    "int32": 4,
    "int8": 5,
    "int64": 6,
    "bool": 7,
    "bfloat16": 12,
}
NAME_OF_FLAG = {flag: name for name, flag in FLAG_OF_NAME.items()}


# What stands for a dtype in calls. Texts are not limited to the names we know: programs pass them on in variables.
DTypeLike: TypeAlias = str | type[Any] | np.dtype[Any] | torch.dtype

TORCH_OF_NAME = {name: getattr(torch, name) for name in FLAG_OF_NAME}
NAME_OF_TORCH = {dtype: name for name, dtype in TORCH_OF_NAME.items()}
_NUMPY_OF_NAME: dict[str, Any] = {name: getattr(np, name) for name in FLAG_OF_NAME if name not in ("bool", "bfloat16")}
_NUMPY_OF_NAME["bool"] = np.bool_
_NAME_OF = {**NAME_OF_TORCH, **{numpy_type: name for name, numpy_type in _NUMPY_OF_NAME.items()}}
# What MXNet had for bfloat16, which NumPy lacks: a record of 16 bits with its name.
_BFLOAT16_RECORD = np.dtype([("bfloat16", np.uint16)])


def dtype_name(dtype: Any) -> str:
    """Return MXNet's name of a dtype.

    Args:
        dtype: a name, a NumPy type or dtype, a torch dtype, a Python type, or an object whose `dtype` is one of
            these: an array, a parameter, a tensor. NumPy arrays are refused, as in MXNet. Python's `float` and
            `int` mean float64 and int64, and None means float64, as in NumPy.

    Raises:
        OpTypeError: the dtype is unknown, or MXNet does not have it.
    """
    if isinstance(dtype, str) and dtype in FLAG_OF_NAME:
        return dtype
    name = _NAME_OF.get(dtype) if isinstance(dtype, (torch.dtype, type)) else None
    if name is None:
        try:
            name = np.dtype(dtype).name
        except (TypeError, ValueError, SyntaxError):  # NumPy reads ',f4' as the beginning of a record's description
            # NumPy 2 takes a `dtype` attribute only if it is a np.dtype; that of an NDArray is a type.
            attribute = None if isinstance(dtype, np.ndarray) else getattr(dtype, "dtype", None)
            if attribute is not None:
                return dtype_name(attribute)
            name = str(dtype)
    if name not in FLAG_OF_NAME and isinstance(dtype, np.dtype) and dtype == _BFLOAT16_RECORD:
        return "bfloat16"
    if name not in FLAG_OF_NAME:
        raise OpTypeError(
            f"[dtype] received {dtype!r}; expected one of {', '.join(FLAG_OF_NAME)}."
            + did_you_mean(dtype, FLAG_OF_NAME)
        )
    return name


def default_dtype(dtype: Any) -> Any:
    """Return the argument, or "float32" if it is None."""
    return "float32" if dtype is None else dtype


def torch_dtype(dtype: Any) -> torch.dtype:
    """Return the torch dtype for any argument that `dtype_name` accepts."""
    return TORCH_OF_NAME[dtype_name(dtype)]


_NUMPY_OF_TORCH = {TORCH_OF_NAME[name]: numpy_type for name, numpy_type in _NUMPY_OF_NAME.items()}


def numpy_type(dtype: torch.dtype) -> Any:
    """The NumPy scalar type of a torch dtype: what `NDArray.dtype` returns.

    NumPy has no bfloat16, so that one is named by MXNet's string.
    """
    return _NUMPY_OF_TORCH.get(dtype, "bfloat16")
