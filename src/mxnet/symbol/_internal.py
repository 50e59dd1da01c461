"""Operators with names that begin with an underscore, as functions on symbols, made when they are first asked for."""

from collections.abc import Callable
from typing import Any

from ..ndarray.register import FunctionsOnDemand, internal_names
from .register import make_function

# On symbols there is nowhere to copy to: `_copyto` is the copy itself.
_functions = FunctionsOnDemand({**internal_names(), "_copyto": "_copy"}, make_function)


def __getattr__(name: str) -> Callable[..., Any]:
    return _functions.get(name, __name__)


def __dir__() -> list[str]:
    return _functions.names()
