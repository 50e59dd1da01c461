"""The operators behind `mx.np` that have no public name of their own: `_npi_*`, without the prefix."""

from collections.abc import Callable
from typing import Any

from .operators import operator_functions

_functions = operator_functions("_npi_")


def __getattr__(name: str) -> Callable[..., Any]:
    return _functions.get(name, __name__)


def __dir__() -> list[str]:
    return _functions.names()
