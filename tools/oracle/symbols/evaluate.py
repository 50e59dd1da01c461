"""Runs one Symbol program and describes its result as plain JSON: the same code for the real MXNet and for ours."""

from __future__ import annotations

import json
import math
import os
import tempfile
import warnings
from typing import Any

import numpy as np

_DIGITS = 6  # of numbers that are not whole


def evaluate(mx: Any, setup: str, expression: str) -> dict[str, Any]:
    """The description of what `expression` gives after `setup`, or of the exception that ended either."""
    start = os.getcwd()
    mx.AttrScope._subgraph_names.clear()  # bodies of loops are numbered through the whole process
    # Programs that save files use relative names, so that they look the same on every machine.
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        try:
            with mx.name.NameManager(), mx.AttrScope(), warnings.catch_warnings():
                warnings.simplefilter("ignore")
                return {"value": _run(mx, setup, expression)}
        except Exception as error:
            classes = [kind.__name__ for kind in type(error).__mro__]
            return {"error": type(error).__name__, "classes": classes, "text": str(error)}
        finally:
            os.chdir(start)


def _run(mx: Any, setup: str, expression: str) -> Any:
    names: dict[str, Any] = {"mx": mx, "sym": mx.sym, "nd": mx.nd, "np": np, "json": json, "__name__": "program"}
    exec(compile(setup, "<setup>", "exec"), names)
    # Describing reads the values, where MXNet may report an error of an earlier asynchronous call.
    return describe(mx, eval(compile(expression, "<expression>", "eval"), names))


def describe(mx: Any, value: Any) -> Any:
    """A result as plain JSON: numbers, text, None and lists as they are, others as objects that say what."""
    if value is None or isinstance(value, (bool, int, str)):
        return value
    if isinstance(value, float):
        return _number(value)
    if isinstance(value, list):
        return [describe(mx, item) for item in value]
    if isinstance(value, tuple):
        return {"tuple": [describe(mx, item) for item in value]}
    if isinstance(value, dict):
        return {"dict": [[str(key), describe(mx, value[key])] for key in sorted(value, key=str)]}
    if isinstance(value, mx.nd.NDArray):
        return {"array": _nested(value.asnumpy()), "shape": list(value.shape), "dtype": np.dtype(value.dtype).name}
    if isinstance(value, np.ndarray):
        return {"numpy": _nested(value), "shape": list(value.shape), "dtype": value.dtype.name}
    if isinstance(value, np.generic):
        return {"scalar": _nested(np.asarray(value)), "dtype": value.dtype.name}
    if isinstance(value, mx.sym.Symbol):
        return {"symbol": value.tojson()}
    if isinstance(value, (type, np.dtype)):
        return {"type": np.dtype(value).name if not isinstance(value, type) else value.__name__}
    if isinstance(value, mx.Context):
        return {"context": str(value)}
    return {"object": type(value).__name__}


def _nested(array: np.ndarray) -> Any:
    if array.ndim:
        return [_nested(item) for item in array]
    return _number(float(array)) if array.dtype.kind == "f" else array.item()


def _number(value: float) -> float | str:
    """Rounded, so that records look the same on every machine; JSON has no NaN and no infinities."""
    return float(f"{value:.{_DIGITS}g}") if math.isfinite(value) else repr(value)
