"""Operators declared as `_contrib_<name>`, as functions on arrays; the stub beside this file shows them to editors."""

from ..ops.registry import find
from .dense import NDArray
from .register import make_function, names_after

_named = names_after("_contrib_")
__all__ = list(_named)

globals().update({name: make_function(find(full_name), name, NDArray) for name, full_name in _named.items()})
