"""What MXNet called its C library with: the plain parts work, the handles say that there is no such library."""

import array
import ctypes
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NoReturn

import numpy as np

from ..base import MXNetError

mx_int = ctypes.c_int
mx_uint = ctypes.c_uint
mx_int64 = ctypes.c_int64
mx_float = ctypes.c_float
mx_float_p = ctypes.POINTER(mx_float)
c_int_p = ctypes.POINTER(ctypes.c_int)

_NUMPY_OF_C = {
    ctypes.c_float: np.float32,
    ctypes.c_double: np.float64,
    ctypes.c_int32: np.int32,
    ctypes.c_int64: np.int64,
}


class CHandle:
    """Stands for the type of a pointer into MXNet's C library; there is nothing it could point to."""

    def __init__(self, name: str) -> None:
        self.__name__ = name

    def __repr__(self) -> str:
        return f"<{self.__name__}: a pointer into MXNet's C library, which this package does not have>"

    def _refuse(self, *args: Any, **kwargs: Any) -> NoReturn:
        raise MXNetError(
            f"[{self.__name__}] there is no MXNet C library in this package: arrays live on PyTorch, and there are no "
            "handles. Use the Python interface, or `NDArray.as_torch()` to reach the storage."
        )

    __call__ = __mul__ = __rmul__ = _refuse


HANDLES = {
    name: CHandle(name)
    for name in (
        "CachedOpHandle",
        "CudaKernelHandle",
        "CudaModuleHandle",
        "DLPackHandle",
        "DataIterCreatorHandle",
        "DataIterHandle",
        "ExecutorHandle",
        "FunctionHandle",
        "KVStoreHandle",
        "NDArrayHandle",
        "OpHandle",
        "ProfileHandle",
        "RecordIOHandle",
        "RtcHandle",
        "SymbolHandle",
    )
}


class MXCallbackList(ctypes.Structure):
    """A list of callbacks in C's layout: how many, the functions, and what each is called with."""

    __module__ = "mxnet.base"

    _fields_ = [
        ("num_callbacks", ctypes.c_int),
        ("callbacks", ctypes.POINTER(ctypes.CFUNCTYPE(ctypes.c_int))),
        ("contexts", ctypes.POINTER(ctypes.c_void_p)),
    ]


def c_array(ctype: Any, values: Sequence[Any]) -> Any:
    """A C array of the values."""
    return (ctype * len(values))(*values)


def c_array_buf(ctype: Any, buf: Any) -> Any:
    """A C array over the memory of a buffer, such as an `array.array`."""
    return (ctype * len(buf)).from_buffer(buf)


def c_str_array(strings: Iterable[str]) -> Any:
    """A C array of C strings."""
    encoded = [text.encode("utf-8") for text in strings]
    return (ctypes.c_char_p * len(encoded))(*encoded)


def c_handle_array(objs: Iterable[Any]) -> NoReturn:
    """The handles of arrays or symbols; they have none here."""
    HANDLES["NDArrayHandle"]._refuse(objs)


def ctypes2buffer(cptr: Any, length: int) -> bytearray:
    """A copy of memory that a `char` pointer of the program's own library shows."""
    if not isinstance(cptr, ctypes.POINTER(ctypes.c_char)):
        raise TypeError(f"[ctypes2buffer] received a {type(cptr).__name__}; expected a pointer to char.")
    return bytearray(ctypes.string_at(cptr, length))


def ctypes2numpy_shared(cptr: Any, shape: tuple[int, ...]) -> Any:
    """An array over memory that a pointer of the program's own library shows."""
    if getattr(type(cptr), "_type_", None) not in _NUMPY_OF_C:
        raise RuntimeError(f"[ctypes2numpy_shared] received a {type(cptr).__name__}; expected a pointer to numbers.")
    return np.ctypeslib.as_array(cptr, shape)


def with_metaclass(meta: Callable[..., Any], *bases: type) -> Any:
    """A base class with a metaclass, as Python 2 and 3 both understood it."""
    return meta("NewBase", bases, {})


py_array = native_array = array.array
