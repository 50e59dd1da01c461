"""Import the optional packages `onnx` and `onnxruntime` and run ONNX files."""

from collections.abc import Mapping
from os import PathLike, fspath
from typing import Any

import numpy as np

from ...base import MXNetError

_ADVICE = "Install both with `pip install 'regluon[onnx]'`."


def onnx_package(who: str) -> Any:
    """The package `onnx`, or an error that says how to install it."""
    try:
        import onnx
    except ImportError:
        raise ImportError(f"[{who}] Onnx and protobuf need to be installed. {_ADVICE}") from None
    return onnx


def onnxruntime_package(who: str) -> Any:
    """The package `onnxruntime`, or an error that says how to install it."""
    try:
        import onnxruntime
    except ImportError:
        raise ImportError(f"[{who}] checking an ONNX file needs onnxruntime. {_ADVICE}") from None
    return onnxruntime


def run_model(path: str | PathLike[str], inputs: Mapping[str, np.ndarray[Any, Any]]) -> list[np.ndarray[Any, Any]]:
    """The outputs of an ONNX file for inputs by name, computed by onnxruntime on the CPU."""
    onnxruntime = onnxruntime_package("run_model")
    try:
        session = onnxruntime.InferenceSession(fspath(path), providers=["CPUExecutionProvider"])
        found: list[np.ndarray[Any, Any]] = session.run(None, dict(inputs))
    except Exception as error:  # it has classes of its own, without a common one
        given = ", ".join(f"{name} {value.dtype}{value.shape}" for name, value in inputs.items())
        raise MXNetError(f"[run_model] onnxruntime refuses {fspath(path)} with {given}: {error}") from None
    return found
