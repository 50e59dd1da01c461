"""Runs an ONNX file, to compare it with the network it was made from."""

from collections.abc import Mapping
from os import PathLike, fspath
from typing import Any

import numpy as np

from ...base import MXNetError
from .packages import onnxruntime_package


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
