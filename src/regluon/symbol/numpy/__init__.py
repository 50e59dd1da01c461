"""NumPy's functions on symbols: what `F.np` is where F is `mx.sym`."""

from typing import TYPE_CHECKING, Any

from . import _internal, _op, linalg, random
from ._symbol import _Symbol
from .functions import FUNCTIONS as _FUNCTIONS
from .traced import TracedNumpySymbol

__all__ = list(_FUNCTIONS)
globals().update(_FUNCTIONS)

if TYPE_CHECKING:

    def __getattr__(name: str) -> Any: ...
