"""Runs an ONNX file, to compare it with the network it was made from."""

from collections.abc import Mapping
from os import PathLike, fspath
from typing import Any

import numpy as np

from .packages import onnxruntime_package


def run_model(path: str | PathLike[str], inputs: Mapping[str, np.ndarray[Any, Any]]) -> list[np.ndarray[Any, Any]]:
    """The outputs of an ONNX file for inputs by name, computed by onnxruntime on the CPU."""
    onnxruntime = onnxruntime_package("run_model")
    session = onnxruntime.InferenceSession(fspath(path), providers=["CPUExecutionProvider"])
    found: list[np.ndarray[Any, Any]] = session.run(None, dict(inputs))
    return found
