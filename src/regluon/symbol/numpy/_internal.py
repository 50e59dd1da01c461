"""The operators `_npi_*` as functions on symbols, without the prefix."""

from collections.abc import Callable
from typing import Any

from .functions import symbol_functions

_functions = symbol_functions("_npi_")


def __getattr__(name: str) -> Callable[..., Any]:
    return _functions.get(name, __name__)


def __dir__() -> list[str]:
    return _functions.names()
