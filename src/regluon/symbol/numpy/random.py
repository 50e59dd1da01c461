"""Symbols that draw random numbers: `mx.sym.np.random`."""

from typing import TYPE_CHECKING, Any

import regluon.array.numpy.random as _random

from .functions import functions_of

_functions = functions_of(_random, leave_out=("shuffle",))  # it changes memory, which symbols have none of
__all__ = list(_functions)
globals().update(_functions)

if TYPE_CHECKING:

    def __getattr__(name: str) -> Any: ...
