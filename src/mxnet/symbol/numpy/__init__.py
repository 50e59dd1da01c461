"""NumPy's functions on symbols: what `F.np` is where F is `mx.sym`."""

from typing import TYPE_CHECKING, Any

from regluon.symbol.numpy import *  # noqa: F403
from regluon.symbol.numpy import __all__ as __all__
from regluon.symbol.numpy import _Symbol as _Symbol

from . import _internal, _op, _symbol, linalg, random

if TYPE_CHECKING:

    def __getattr__(name: str) -> Any: ...
