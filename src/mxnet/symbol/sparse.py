"""Operators that also work on sparse arrays, as functions on symbols: `mx.sym.sparse`."""

from regluon.symbol.sparse import *  # noqa: F403
from regluon.symbol.sparse import __all__ as __all__
