"""The operators of `mx.npx`: `_npx_*`, without the prefix."""

from collections.abc import Callable
from typing import Any

from ..numpy.operators import operator_functions
from .functions import __all__ as written

_functions = operator_functions("_npx_", replaced=tuple(written))


def __getattr__(name: str) -> Callable[..., Any]:
    return _functions.get(name, __name__)


def __dir__() -> list[str]:
    return _functions.names()
