"""Front-end functions of the operators that belong to `mx.np` and `mx.npx`."""

from collections.abc import Callable
from typing import Any

from ...ops.registry import names
from ..register import make_function
from .array import ndarray


def functions(prefix: str) -> dict[str, Callable[..., Any]]:
    """The functions of all operators with a prefix, by the rest of their names."""
    return {
        name[len(prefix) :]: make_function(operator, name[len(prefix) :], ndarray)
        for name, operator in names()
        if name.startswith(prefix)
    }
