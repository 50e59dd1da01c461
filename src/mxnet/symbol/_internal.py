"""Operators with names that begin with an underscore, as functions on symbols."""

from ..ops.registry import find, names
from .register import make_function

__all__ = [name for name, _ in names() if name.startswith("_")]

globals().update({name: make_function(find(name), name) for name in __all__})

_copyto = make_function(find("_copy"), "_copyto")  # on symbols there is nowhere to copy to: it is the copy itself
__all__.append("_copyto")
