"""Symbols that draw random numbers in ways beyond NumPy's: `mx.sym.npx.random`."""

from typing import TYPE_CHECKING, Any

import regluon.array.numpy_extension.random as _random

from ..numpy.functions import functions_of

_functions = functions_of(_random)
__all__ = list(_functions)
globals().update(_functions)

if TYPE_CHECKING:

    def __getattr__(name: str) -> Any: ...
