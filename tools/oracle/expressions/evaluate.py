"""Runs one program and describes its result as plain JSON: the same code for the real MXNet and for ours."""

from __future__ import annotations

import math
import os
import tempfile
from typing import Any

import numpy as np

_MODES = ("set_recording", "set_training")


def evaluate(mx: Any, setup: str, expression: str) -> dict[str, Any]:
    """The description of what `expression` gives after `setup`, or of the exception that ended either."""
    start = os.getcwd()
    try:
        # Programs that save files use relative names, so that they look the same on every machine.
        with tempfile.TemporaryDirectory() as folder:
            os.chdir(folder)
            try:
                return _run(mx, setup, expression)
            finally:
                os.chdir(start)
    finally:
        _restore_modes(mx)


def _run(mx: Any, setup: str, expression: str) -> dict[str, Any]:
    names: dict[str, Any] = {"mx": mx, "nd": mx.nd, "np": np, "autograd": mx.autograd, "__name__": "program"}
    try:
        exec(compile(setup, "<setup>", "exec"), names)
    except Exception as error:
        return _failure(error, "setup")
    try:
        # Describing reads the values, where MXNet may report an error of an earlier asynchronous call.
        return describe(mx, eval(compile(expression, "<expression>", "eval"), names))
    except Exception as error:
        return _failure(error, "expression")


def _failure(error: Exception, where: str) -> dict[str, Any]:
    classes = [kind.__name__ for kind in type(error).__mro__]
    return {"error": type(error).__name__, "in": where, "classes": classes, "text": str(error)}


def _restore_modes(mx: Any) -> None:
    """A program may leave recording or a NumPy mode on, or print otherwise; the next one must not see it."""
    for mode in _MODES:
        getattr(mx.autograd, mode)(False)
    mx.util.reset_np()
    np.set_printoptions(precision=8, threshold=1000)


def describe(mx: Any, value: Any) -> dict[str, Any]:
    """Kind, shape, dtype and values of a result."""
    if isinstance(value, mx.nd.NDArray):
        array = value.asnumpy()
        return {"type": "NDArray", "class": type(value).__name__, **_describe_array(array), "repr": repr(value)}
    if isinstance(value, np.ndarray):
        return {"type": "numpy", **_describe_array(value)}
    if isinstance(value, np.generic):
        return {"type": "numpy scalar", **_describe_array(np.asarray(value))}
    if isinstance(value, (tuple, list)):
        return {"type": type(value).__name__, "items": [describe(mx, item) for item in value]}
    if isinstance(value, dict):
        return {"type": "dict", "items": {str(key): describe(mx, value[key]) for key in sorted(value)}}
    if isinstance(value, mx.Context):
        return {"type": "Context", "value": str(value)}
    if isinstance(value, float):
        return {"type": "float", "value": plain_float(value)}
    if value is None or isinstance(value, (bool, int, str)):
        return {"type": type(value).__name__, "value": value}
    if isinstance(value, (type, np.dtype)):
        return {"type": "type", "value": getattr(value, "__name__", str(value))}
    return {"type": type(value).__name__}


def _describe_array(array: np.ndarray) -> dict[str, Any]:
    return {"shape": list(array.shape), "dtype": str(array.dtype), "values": _nested(array)}


def _nested(array: np.ndarray) -> Any:
    if array.ndim:
        return [_nested(item) for item in array]
    # The shortest text that reads back as the same number of this dtype; `item()` would print float32 as float64.
    return plain_float(float(str(array[()]))) if array.dtype.kind == "f" else array.item()


def plain_float(value: float) -> float | str:
    """JSON has no NaN and no infinities: they are written as text."""
    return value if math.isfinite(value) else repr(value)
