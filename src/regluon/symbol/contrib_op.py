"""Operators declared as `_contrib_<name>`, as functions on symbols; the stub beside this file shows them to editors."""

from ..array.register import names_after
from ..ops.registry import find
from .register import make_function

_named = names_after("_contrib_")
__all__ = list(_named)

globals().update({name: make_function(find(full_name), name) for name, full_name in _named.items()})
