"""Linear algebra on symbols: `mx.sym.linalg`."""

from regluon.symbol.linalg import *  # noqa: F403
from regluon.symbol.linalg import __all__ as __all__
