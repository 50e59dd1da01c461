"""All public operators as functions on symbols; the stub beside this file shows them to editors."""

from regluon.symbol.op import *  # noqa: F403
from regluon.symbol.op import __all__ as __all__
