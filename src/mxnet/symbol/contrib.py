"""Operators that MXNet calls contributed, on symbols: `mx.sym.contrib`."""

from ..ops.registry import names
from .register import make_function

__all__: list[str] = []

# Operators declared as `_contrib_<name>`; the functions written above come first.
for _full_name, _operator in names():
    _name = _full_name.removeprefix("_contrib_")
    if _name != _full_name and _name not in __all__:
        globals()[_name] = make_function(_operator, _name)
        __all__.append(_name)
