"""Symbols with NumPy's rules: what functions of `mx.sym.np` take and give."""

from regluon.symbol.numpy._symbol import *  # noqa: F403
from regluon.symbol.numpy._symbol import NumpySymbol as NumpySymbol
from regluon.symbol.numpy._symbol import Symbol as Symbol
from regluon.symbol.numpy._symbol import __all__ as __all__
from regluon.symbol.numpy._symbol import integer_types as integer_types
from regluon.symbol.numpy._symbol import is_basic as is_basic
