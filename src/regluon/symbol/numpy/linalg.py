"""Linear algebra on symbols: `mx.sym.np.linalg`."""

from typing import TYPE_CHECKING, Any

import regluon.array.numpy.linalg as _linalg

from .functions import functions_of

_functions = functions_of(_linalg)
__all__ = list(_functions)
globals().update(_functions)

if TYPE_CHECKING:

    def __getattr__(name: str) -> Any: ...
