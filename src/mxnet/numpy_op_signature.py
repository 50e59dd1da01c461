"""The functions that operators of NumPy's interface have: `_np_sum` is `mx.np.sum`, `_npx_relu` is `mx.npx.relu`."""

import inspect
from typing import Any

import mxnet.numpy as mx_np
import mxnet.numpy_extension as mx_npx

_ROOTS = {"_np_": mx_np, "_npx_": mx_npx}
_SUBMODULES = ("random", "linalg", "image")


def _get_builtin_op(op_name: str) -> Any:
    """The function of an operator by its registered name; None for operators that have no such function."""
    prefix = next((prefix for prefix in _ROOTS if op_name.startswith(prefix)), None)
    if prefix is None:
        return None
    module, name = _ROOTS[prefix], op_name.removeprefix(prefix)
    inside = next((each for each in _SUBMODULES if name.startswith(f"_{each}_")), None)
    if inside is not None:
        module, name = getattr(module, inside), name.removeprefix(f"_{inside}_")
    function = getattr(module, name, None)
    if function is None:
        raise ValueError(f"[_get_builtin_op] there is no function for the operator {op_name!r} in {module.__name__}.")
    if not hasattr(function, "__signature__"):
        function.__signature__ = inspect.signature(function)
    return function
