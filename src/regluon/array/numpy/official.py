"""Run functions of the official NumPy on `mx.np` arrays and receive its dispatch protocols."""

from collections.abc import Callable
from functools import wraps
from typing import Any

import numpy as onp

import regluon.array.numpy.arithmetic as arithmetic
import regluon.array.numpy.axes as axes
import regluon.array.numpy.concatenation as joining
import regluon.array.numpy.creation as creation
import regluon.array.numpy.elementwise as elementwise
import regluon.array.numpy.linalg as linalg
import regluon.array.numpy.products as products
import regluon.array.numpy.reduction as reduction
import regluon.array.numpy.search as searching
import regluon.array.numpy.statistics as statistics

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


_FUNCTIONS: dict[Any, tuple[str, ...]] = {
    reduction: (
        *("all", "any", "argmin", "argmax", "cumsum", "max", "amax", "mean", "min", "amin", "prod", "std", "sum"),
        *("trace", "var"),
    ),
    searching: (
        *("argsort", "sort", "nonzero", "take", "unique", "unravel_index", "shares_memory", "may_share_memory"),
        "where",
    ),
    elementwise: ("around", "round", "clip", "fix", "nan_to_num", "isposinf", "isneginf"),
    joining: (
        *("append", "concatenate", "insert", "delete", "split", "array_split", "hsplit", "vsplit", "dsplit", "stack"),
        *("vstack", "column_stack", "hstack", "dstack"),
    ),
    axes: (
        *("broadcast_arrays", "broadcast_to", "diag", "diagonal", "diagflat", "expand_dims", "flip", "flipud"),
        *("fliplr", "atleast_1d", "atleast_2d", "atleast_3d", "ravel", "repeat", "reshape", "roll", "squeeze"),
        *("swapaxes", "tile", "transpose", "diag_indices_from", "shape", "tril", "meshgrid", "resize", "pad"),
    ),
    creation: ("copy", "ones_like", "zeros_like", "full_like", "empty_like"),
    products: ("dot", "inner", "outer", "tensordot", "vdot", "einsum", "polyval"),
    statistics: ("quantile", "percentile", "diff", "ediff1d", "bincount"),
}
_LINALG = (
    *("norm", "cholesky", "inv", "solve", "tensorinv", "tensorsolve", "pinv", "eigvals", "eig", "eigvalsh", "eigh"),
)
_UFUNCS: dict[Any, tuple[str, ...]] = {
    arithmetic: (
        *(
            "add",
            "arctan2",
            "copysign",
            "hypot",
            "lcm",
            "subtract",
            "multiply",
            "divide",
            "true_divide",
            "power",
            "mod",
        ),
        *("matmul", "remainder", "maximum", "minimum", "bitwise_and", "bitwise_xor", "bitwise_or", "equal"),
        *("not_equal", "less", "less_equal", "greater", "greater_equal"),
    ),
    elementwise: (
        *("absolute", "fabs", "degrees", "negative", "rint", "sign", "exp", "log", "log2", "log10", "expm1", "sqrt"),
        *("square", "cbrt", "reciprocal", "invert", "bitwise_not", "sin", "cos", "tan", "sinh", "cosh", "tanh"),
        *("arcsin", "arccos", "arctan", "arcsinh", "arccosh", "arctanh", "ceil", "trunc", "floor", "logical_not"),
        *("isnan", "isfinite", "isinf"),
    ),
}

FUNCTIONS: dict[Any, Callable[..., Any]] = {
    **{getattr(onp, name): getattr(module, name) for module, names in _FUNCTIONS.items() for name in names},
    **{getattr(onp.linalg, name): getattr(linalg, name) for name in _LINALG},
}
_QUANTILES = frozenset({onp.quantile, onp.percentile})  # NumPy has since given an argument of theirs another name
UFUNCS: dict[str, Callable[..., Any]] = {
    name: getattr(module, name) for module, names in _UFUNCS.items() for name in names
}


def array_function(self: Any, func: Any, types: Any, args: Any, kwargs: Any) -> Any:
    """What a function of the official NumPy gives for `mx.np` arrays."""
    ours = FUNCTIONS.get(func)
    if ours is None:
        return call_official(func.__name__, func, args, kwargs)
    if not all(issubclass(kind, Handle) for kind in types):
        return NotImplemented
    if "method" in kwargs and func in _QUANTILES:
        kwargs = {"interpolation" if name == "method" else name: value for name, value in kwargs.items()}
    return ours(*args, **kwargs)


def array_ufunc(self: Any, ufunc: Any, method: str, *inputs: Any, **kwargs: Any) -> Any:
    """What a universal function of the official NumPy gives for `mx.np` arrays."""
    if method != "__call__":
        return NotImplemented
    if "out" in kwargs:
        targets = kwargs["out"]
        if len(targets) != 1:
            raise ValueError(f"[np.{ufunc.__name__}] out: received {len(targets)} arrays; expected one.")
        kwargs["out"] = targets[0]
    ours = UFUNCS.get(ufunc.__name__)
    if ours is None:
        return call_official(ufunc.__name__, ufunc, inputs, kwargs)
    return ours(*inputs, **kwargs)
