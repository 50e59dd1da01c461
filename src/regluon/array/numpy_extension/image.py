"""Operators on images: `npx.image`, the operators `_npx__image_*` without the prefix."""

from collections.abc import Callable
from typing import Any

from ..numpy.operators import operator_functions

_functions = operator_functions("_npx__image_")


def __getattr__(name: str) -> Callable[..., Any]:
    return _functions.get(name, __name__)


def __dir__() -> list[str]:
    return _functions.names()
