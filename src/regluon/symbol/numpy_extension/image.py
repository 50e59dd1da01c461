"""Operators on images, on symbols: `mx.sym.npx.image`."""

from collections.abc import Callable
from typing import Any

from ..numpy.functions import symbol_functions

_functions = symbol_functions("_npx__image_")


def __getattr__(name: str) -> Callable[..., Any]:
    return _functions.get(name, __name__)


def __dir__() -> list[str]:
    return _functions.names()
