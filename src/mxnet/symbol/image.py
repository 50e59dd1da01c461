"""Operators on images as functions on symbols: `mx.sym.image`."""

from regluon.symbol.image import *  # noqa: F403
from regluon.symbol.image import __all__ as __all__
