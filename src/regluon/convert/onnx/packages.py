"""The packages `onnx` and `onnxruntime`, which are optional."""

from typing import Any

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
