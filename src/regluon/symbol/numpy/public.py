"""Which functions `mx.sym.np` offers, and where each comes from."""

from collections.abc import Callable
from typing import Any

import regluon.array.numpy.arithmetic as arithmetic
import regluon.array.numpy.axes as axes
import regluon.array.numpy.creation as creation
import regluon.array.numpy.elementwise as elementwise
import regluon.array.numpy.joining as joining
import regluon.array.numpy.products as products
import regluon.array.numpy.reduction as reduction
import regluon.array.numpy.searching as searching
import regluon.array.numpy.statistics as statistics
import regluon.symbol.numpy.splitting as splitting

from ..building import local
from .functions import functions_of
from .operators import symbol_functions

# What needs values, memory to look at, or the number of axes.
_FOR_ARRAYS = ("array", "empty", "may_share_memory", "nonzero", "shares_memory", "shape")
_LENGTHS_ASKED = tuple(splitting.__all__)

_shared = functions_of(
    *(arithmetic, axes, creation, elementwise, joining, products, reduction, searching, statistics),
    leave_out=_FOR_ARRAYS,
)


def _by_shape(name: str) -> Callable[..., Any]:
    """A function in two forms: for traced symbols, which know their lengths, and for others."""
    known, unknown = _shared[name], getattr(splitting, name)

    def function(*args: Any, **kwargs: Any) -> Any:
        return (known if local.maker is not None else unknown)(*args, **kwargs)

    function.__name__ = function.__qualname__ = name
    function.__module__ = "mxnet.symbol.numpy"
    function.__doc__ = unknown.__doc__
    return function


_operators = symbol_functions("_np_")

FUNCTIONS: dict[str, Callable[..., Any]] = {
    **_shared,
    # Operators that are functions as they stand: what was not given does not enter the graph.
    **{name: _operators.get(name, "mxnet.symbol.numpy") for name in _operators.names()},
    **{name: _by_shape(name) for name in _LENGTHS_ASKED},
}
