"""All public operators as functions on symbols; the stub beside this file shows them to editors."""

from ..ops.registry import find, names
from .register import make_function

__all__ = [name for name, _ in names() if not name.startswith("_")]

globals().update({name: make_function(find(name), name) for name in __all__})
