"""The keywords that NumPy's universal functions take and ours accept with their defaults only."""

from typing import Any

import numpy as onp

_DEFAULTS: dict[str, Any] = {"where": True, "casting": "same_kind", "order": "K", "dtype": None, "subok": True}
_DTYPE_NAMES = ("int8", "uint8", "int32", "int64", "float16", "float32", "float64")


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


def check_options(name: str, options: dict[str, Any]) -> None:
    """Refuses keywords that NumPy does not know, and values that we do not offer."""
    for key, value in options.items():
        if key not in _DEFAULTS or not is_legal_option(key, value):
            if value is not _DEFAULTS.get(key, options):
                raise TypeError(f"[{name}] received {key}={value!r}, which NumPy does not know for this function.")
        elif value != _DEFAULTS[key]:
            raise NotImplementedError(f"[{name}] received {key}={value!r}; only {_DEFAULTS[key]!r} is available.")
