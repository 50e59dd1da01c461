"""Operators that MXNet calls contributed, on symbols: `mx.sym.contrib`."""

from regluon.symbol.contrib import *  # noqa: F403
from regluon.symbol.contrib import __all__ as __all__
from regluon.symbol.contrib import uniform as uniform
from regluon.symbol.contrib_op import *  # noqa: F403
