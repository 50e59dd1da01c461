"""Linear algebra on symbols: `mx.sym.linalg`."""

from ..array.linalg import __all__ as _NAMES
from ..ops.registry import find
from .register import make_function

__all__ = list(_NAMES)

globals().update({name: make_function(find(f"_linalg_{name}"), name) for name in __all__})
