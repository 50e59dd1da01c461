"""Symbols: graphs that are put together first and computed later."""

from regluon.symbol.symbol import *  # noqa: F403
from regluon.symbol.symbol import Context as Context
from regluon.symbol.symbol import MXNetError as MXNetError
from regluon.symbol.symbol import NotImplementedForSymbol as NotImplementedForSymbol
from regluon.symbol.symbol import __all__ as __all__
from regluon.symbol.symbol import current_context as current_context
