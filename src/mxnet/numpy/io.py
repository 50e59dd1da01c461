"""Arrays from text files."""

from typing import Any

import numpy as onp

from ..context import current_context
from .multiarray import array, ndarray

__all__ = ["genfromtxt"]


def genfromtxt(*args: Any, **kwargs: Any) -> ndarray:
    """Reads a table of numbers, as the official NumPy does; `ctx` is where to put the array."""
    ctx = kwargs.pop("ctx", None) or current_context()
    table = onp.genfromtxt(*args, **kwargs)
    return array(table, dtype=table.dtype, ctx=ctx)
