"""The keywords that NumPy's universal functions take and ours accept with their defaults only."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal, TypedDict

import numpy as onp

from ...context import Context

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
