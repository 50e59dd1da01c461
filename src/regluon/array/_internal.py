"""Operators whose names begin with an underscore: the internal forms that saved graphs contain.

There are a thousand of them, and a program uses a few: each is made when it is first asked for.
"""

from collections.abc import Callable
from typing import Any

from .dense import NDArray
from .register import FunctionsOnDemand, internal_names, make_function

_functions = FunctionsOnDemand(internal_names(), lambda operator, name: make_function(operator, name, NDArray))


def __getattr__(name: str) -> Callable[..., Any]:
    return _functions.get(name, __name__)


def __dir__() -> list[str]:
    return _functions.names()
