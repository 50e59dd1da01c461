"""What neural networks need beyond NumPy, on symbols: what `F.npx` is where F is `mx.sym`."""

from collections.abc import Callable
from typing import Any

from ..numpy.functions import symbol_functions as symbol_functions
from . import image, random

_functions = symbol_functions("_npx_")


def __getattr__(name: str) -> Callable[..., Any]:
    return _functions.get(name, __name__)


def __dir__() -> list[str]:
    return sorted({*globals(), *_functions.names()})
