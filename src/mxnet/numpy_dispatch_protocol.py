"""The functions of the official NumPy that, given `mx.np` arrays, end in `mx.np`: their names, and marks for tests."""

import functools
from collections.abc import Callable
from typing import Any

from regluon.array.numpy.official import FUNCTIONS, UFUNCS

_NUMPY_ARRAY_FUNCTION_LIST = [
    f"linalg.{function.__name__}" if function.__module__ == "numpy.linalg" else function.__name__
    for function in FUNCTIONS
]
# `divide` and `true_divide` are one function, and MXNet lists the second name.
_NUMPY_ARRAY_UFUNC_LIST = [name for name in UFUNCS if name != "divide"]


def with_array_function_protocol(func: Callable[..., Any]) -> Callable[..., None]:
    """Marks a test of functions; what it raises says that the protocol is at work."""
    return _named_in_errors(func, "function")


def with_array_ufunc_protocol(func: Callable[..., Any]) -> Callable[..., None]:
    """Marks a test of universal functions; what it raises says that the protocol is at work."""
    return _named_in_errors(func, "ufunc")


def _named_in_errors(func: Callable[..., Any], protocol: str) -> Callable[..., None]:
    @functools.wraps(func)
    def run(*args: Any, **kwargs: Any) -> None:
        try:
            func(*args, **kwargs)
        except Exception as error:
            raise RuntimeError(
                f"[{func.__name__}] failed where NumPy's array {protocol} protocol calls mx.np: {error}"
            ) from error

    return run
