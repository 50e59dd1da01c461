"""Call the operators behind `mx.np` and refuse unsupported keywords."""

import threading
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, TypedDict

import numpy as onp

from ...base import numeric_types
from ...context import Context
from ...ops.registry import Operand, find
from ...runtime.handle import Composable, Handle
from ...runtime.invoke import invoke

if TYPE_CHECKING:
    from .array import ndarray


_DEFAULTS: dict[str, Any] = {"where": True, "casting": "same_kind", "order": "K", "dtype": None, "subok": True}
_DTYPE_NAMES = ("int8", "uint8", "int32", "int64", "float16", "float32", "float64")


class Options(TypedDict, total=False):
    """What a call may say; of most, only the default is available."""

    where: Any
    casting: Literal["no", "equiv", "safe", "same_kind", "unsafe"]
    order: str
    dtype: Any
    subok: bool


class Grid(TypedDict, total=False):
    """Of `meshgrid`."""

    indexing: Literal["xy", "ij"]
    copy: bool
    sparse: bool


class Padding(TypedDict, total=False):
    """Of `pad`; which one is taken depends on the mode."""

    constant_values: float
    reflect_type: str
    stat_length: None


class Products(TypedDict, total=False):
    """Of `einsum`."""

    optimize: Any
    out: "ndarray | None"


class Placed(TypedDict, total=False):
    """Of `eye`."""

    ctx: Context | None
    order: str


def is_legal_option(key: str, value: Any) -> bool:
    """Whether NumPy's universal functions know this keyword with this value."""
    if key == "where":
        return True
    if key == "casting":
        return value in ("no", "equiv", "safe", "same_kind", "unsafe")
    if key == "order":
        return isinstance(value, str)
    if key == "dtype":
        return value in _DTYPE_NAMES or value in [getattr(onp, name) for name in _DTYPE_NAMES]
    return key == "subok" and isinstance(value, bool)


def check_options(name: str, options: Mapping[str, Any]) -> None:
    """Refuses keywords that NumPy does not know, and values that we do not offer."""
    for key, value in options.items():
        if key not in _DEFAULTS or not is_legal_option(key, value):
            if value is not _DEFAULTS.get(key, options):
                raise TypeError(f"[{name}] received {key}={value!r}, which NumPy does not know for this function.")
        elif value != _DEFAULTS[key]:
            raise NotImplementedError(f"[{name}] received {key}={value!r}; only {_DEFAULTS[key]!r} is available.")


class _Making(threading.local):
    """What makes the results of operators without inputs: None for arrays, else from the name and parameters."""

    creator: Callable[[str, dict[str, Any]], Any] | None = None


making = _Making()


def call(name: str, inputs: Sequence[Any], params: dict[str, Any] | None = None, out: Any = None) -> Any:
    """Runs an operator on arrays, or composes it with symbols.

    Args:
        name: of the operator.
        inputs: arrays or symbols, in the operator's order; None for optional ones left out.
        params: its parameters, as a user gives them.
        out: an array to write the result to.
    """
    for given in inputs:
        if isinstance(given, Composable):
            return given._call(name, inputs, params or {}, out)
    operator = find(name)
    return invoke(operator, inputs, operator.parse(params) if params else {}, out, Handle._numpy_type)


def make(name: str, params: dict[str, Any], ctx: Any = None, out: Any = None) -> Any:
    """Runs an operator that has no inputs; `ctx` is where to put the result, the current context if None."""
    operator = find(name)
    if ctx is not None and operator.placed:
        params = {**params, "ctx": ctx}
    if making.creator is not None:
        return making.creator(name, params)
    return invoke(operator, (), operator.parse(params), out, Handle._numpy_type)


def as_list(who: str, arrays: Any) -> list[Any]:
    """The arrays of a sequence; a generator is refused, as in NumPy."""
    if not hasattr(arrays, "__getitem__"):
        raise ValueError(f"[np.{who}] received {type(arrays).__name__}; expected a list or tuple of arrays.")
    return list(arrays)


def is_array(value: Any) -> bool:
    """Whether something is an array or a symbol."""
    return isinstance(value, Operand)


def is_number(value: Any) -> bool:
    """Whether something is a plain number, Python's or NumPy's."""
    return isinstance(value, numeric_types)


def expect_arrays(who: str, **given: Any) -> None:
    """Refuses arguments that are no arrays."""
    for name, value in given.items():
        if not isinstance(value, Operand):
            raise TypeError(
                f"[np.{who}] {name}: received {type(value).__module__}.{type(value).__name__}; expected an array. "
                "Wrap it: np.array(...)."
            )


def expect_c_order(who: str, order: Any) -> None:
    """Refuses orders of elements other than row by row."""
    if order != "C":
        raise NotImplementedError(f"[np.{who}] order: received {order!r}; only 'C', row by row, is available.")
