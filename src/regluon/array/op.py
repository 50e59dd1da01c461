"""All public operators as functions on arrays; the stub beside this file shows them to editors."""

from ..ops import registry
from .dense import NDArray
from .register import make_function

__all__ = [name for name, _ in registry.names() if not name.startswith("_")]

globals().update({name: make_function(registry.find(name), name, NDArray) for name in __all__})
