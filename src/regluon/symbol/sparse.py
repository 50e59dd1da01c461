"""Operators that also work on sparse arrays, as functions on symbols: `mx.sym.sparse`."""

from ..ops.registry import names as _names
from .register import make_function as _make_function

__all__: list[str] = []

for _full_name, _operator in _names():
    _name = _full_name.removeprefix("_sparse_")
    if _name != _full_name or _full_name == "cast_storage":
        globals()[_name] = _make_function(_operator, _name)
        __all__.append(_name)
