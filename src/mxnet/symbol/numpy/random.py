"""Symbols that draw random numbers: `mx.sym.np.random`."""

from regluon.symbol.numpy.random import *  # noqa: F403
from regluon.symbol.numpy.random import __all__ as __all__
