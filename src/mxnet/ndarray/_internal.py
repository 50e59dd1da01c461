"""Operators whose names begin with an underscore: the internal forms that saved graphs contain."""

from ..ops import registry
from .dense import NDArray
from .register import make_function

__all__ = [name for name, _ in registry.names() if name.startswith("_")]

globals().update({name: make_function(registry.find(name), name, NDArray) for name in __all__})
