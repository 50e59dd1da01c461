"""Which kind of array the library hands out: `mx.nd`'s, or `mx.np`'s while NumPy's semantics are on."""

from typing import Any

from ..config import switches
from .dense import NDArray

__all__ = ["in_force"]


def in_force(data: Any) -> Any:
    """An array of the kind in force: one of `mx.np` over the same memory while NumPy's semantics are on.

    Sparse arrays, and whatever is no array, stay as they are.
    """
    if switches.np_array and isinstance(data, NDArray) and data.stype == "default":
        return data.as_np_ndarray()
    return data
