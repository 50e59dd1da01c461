"""Operators on images as functions on symbols: `mx.sym.image`."""

from ..ops.registry import names
from .register import make_function

__all__: list[str] = []

for _full_name, _operator in names():
    _name = _full_name.removeprefix("_image_")
    if _name != _full_name:
        globals()[_name] = make_function(_operator, _name)
        __all__.append(_name)
