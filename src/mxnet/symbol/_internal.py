"""Operators with names that begin with an underscore, as functions on symbols, made when they are first asked for."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from regluon.symbol._internal import *  # noqa: F403
else:
    from regluon.symbol._internal import __dir__ as __dir__
    from regluon.symbol._internal import __getattr__ as __getattr__
    from regluon.symbol._internal import _CachedOp as _CachedOp
