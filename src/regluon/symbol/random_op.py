"""Operators declared as `_random_<name>_like`, as functions on symbols; the stub beside this file shows them."""

from ..array.register import names_after
from ..ops.registry import find
from .register import make_function

_named = {name: full_name for name, full_name in names_after("_random_").items() if name.endswith("_like")}
__all__ = list(_named)

globals().update({name: make_function(find(full_name), name) for name, full_name in _named.items()})
