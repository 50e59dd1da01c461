"""Signatures and texts of the operators `_np_*` and `_npx_*`: here those of their functions."""

from typing import Any

from .numpy_op_signature import _get_builtin_op


def __getattr__(name: str) -> Any:
    function = _get_builtin_op(name)
    if function is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return function
