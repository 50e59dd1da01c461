"""Functions of the official NumPy on `mx.np` arrays: they run on copies, outside of what is recorded.

Arrays among the arguments go in as NumPy arrays, and what comes out becomes `mx.np` arrays on the same context. Where
no argument is one, the official function answers as it is.
"""

from collections.abc import Callable
from functools import wraps
from typing import Any

import numpy as onp

from ...autograd.recording import live_node, state
from ...context import Context
from ...runtime.handle import Handle
from ..interop import from_numpy


class _Inputs:
    """Turns arrays into NumPy ones and remembers where they were."""

    def __init__(self) -> None:
        self.context: Context | None = None
        self.recorded = False

    def converted(self, value: Any) -> Any:
        """A value with the arrays in it, also inside lists, tuples and dicts, as NumPy arrays."""
        if isinstance(value, Handle):
            if self.context is None:
                self.context = value._ctx
            self.recorded |= state.tape is not None and live_node(value) is not None
            return value.asnumpy()  # type: ignore[attr-defined]
        if isinstance(value, (list, tuple)):
            return type(value)([self.converted(item) for item in value])
        if isinstance(value, dict):
            return {key: self.converted(item) for key, item in value.items()}
        return value


def _as_array(value: Any, context: Context) -> Any:
    """Results of a function: NumPy arrays become `mx.np` ones, everything else stays."""
    if isinstance(value, onp.ndarray):
        cls: Any = Handle._numpy_type
        array: Any = from_numpy(onp.ascontiguousarray(value).reshape(value.shape), array_cls=cls)
        return array if context == array._ctx else array.as_in_ctx(context)
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return tuple(_as_array(item, context) for item in value)  # such as the result of linalg.qr
    if isinstance(value, (list, tuple)):
        return type(value)([_as_array(item, context) for item in value])
    return value


def call_official(name: str, function: Callable[..., Any], args: Any, kwargs: Any, differentiable: bool = True) -> Any:
    """Runs a function of the official NumPy on `mx.np` arrays.

    Args:
        name: for error texts.
        function: the official one.
        args: its arguments.
        kwargs: and its keywords.
        differentiable: whether the result has a gradient that would be lost.
    """
    inputs = _Inputs()
    args, kwargs = inputs.converted(list(args)), inputs.converted(kwargs)
    if differentiable and inputs.recorded:
        raise ValueError(
            f"[np.{name}] runs in the official NumPy, so its gradient would be lost while recording. Call it outside "
            "of `with autograd.record():`, or on x.detach()."
        )
    result = function(*args, **kwargs)
    return result if inputs.context is None else _as_array(result, inputs.context)


def official(name: str, function: Callable[..., Any], differentiable: bool = True) -> Callable[..., Any]:
    """An `mx.np` function that the official NumPy carries out."""

    @wraps(function, assigned=("__doc__",))
    def wrapped(*args: Any, **kwargs: Any) -> Any:
        return call_official(name, function, args, kwargs, differentiable)

    wrapped.__name__ = wrapped.__qualname__ = name
    wrapped.__module__ = "mxnet.numpy"
    return wrapped
