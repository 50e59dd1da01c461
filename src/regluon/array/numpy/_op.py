"""The operators that are functions of `mx.np` as they stand: `_np_*`, without the prefix."""

from collections.abc import Callable
from typing import Any

from .operators import operator_functions

_functions = operator_functions("_np_")


def __getattr__(name: str) -> Callable[..., Any]:
    return _functions.get(name, __name__)


def __dir__() -> list[str]:
    return _functions.names()
