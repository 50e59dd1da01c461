"""Symbols that draw random numbers in ways beyond NumPy's: `mx.sym.npx.random`."""

from regluon.symbol.numpy_extension.random import *  # noqa: F403
from regluon.symbol.numpy_extension.random import __all__ as __all__
