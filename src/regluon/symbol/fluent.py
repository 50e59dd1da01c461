"""Methods of symbols that call the operator of the same name: `x.sum(axis=1)` is `sym.sum(x, axis=1)`."""

from ..array.fluent import NAMES as ARRAY_METHODS
from ..ops.registry import find
from .register import make_function

NAMES = (
    *ARRAY_METHODS,
    *("broadcast_like", "broadcast_to", "expand_dims", "flatten", "reshape", "transpose"),
)


class FluentMethods:
    """Filled below from the registry; the stub beside this file shows the signatures."""

    __slots__ = ()


for _name in NAMES:
    _method = make_function(find(_name), _name)
    _method.__qualname__ = f"Symbol.{_name}"
    setattr(FluentMethods, _name, _method)
