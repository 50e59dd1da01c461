"""Apply the functions of `mx.np` to symbols."""

from collections.abc import Callable, Iterable
from functools import wraps
from types import ModuleType
from typing import Any

import regluon.array.numpy.arithmetic as arithmetic
import regluon.array.numpy.axes as axes
import regluon.array.numpy.concatenation as joining
import regluon.array.numpy.creation as creation
import regluon.array.numpy.elementwise as elementwise
import regluon.array.numpy.products as products
import regluon.array.numpy.reduction as reduction
import regluon.array.numpy.search as searching
import regluon.array.numpy.statistics as statistics
import regluon.symbol.numpy.split as splitting

from ...array.numpy.dispatch import making
from ...array.register import FunctionsOnDemand, names_after
from ...runtime.handle import Handle
from ..graph_builder import local
from ..numpy_composition import composed
from ..register import make_function


def symbol_functions(prefix: str) -> FunctionsOnDemand:
    """The functions of operators whose names begin with a prefix."""
    return FunctionsOnDemand(names_after(prefix), lambda operator, name: make_function(operator, name, is_numpy=True))


def _created(name: str, params: dict[str, Any]) -> Any:
    return composed(name, (), params)


def _expect_no_arrays(who: str, values: Iterable[Any]) -> None:
    for value in values:
        if isinstance(value, Handle):
            raise TypeError(
                f"[sym.np.{who}] received an array of type {type(value).__name__}; expected symbols. Use mx.np.{who}, "
                "or let arrays enter the graph through mx.sym.var(name) and bind()."
            )
        if isinstance(value, (list, tuple)):
            _expect_no_arrays(who, value)


def on_symbols(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function of `mx.np` that takes and makes symbols."""

    @wraps(function)
    def symbolic(*args: Any, **kwargs: Any) -> Any:
        if local.maker is not None:  # a trace makes symbols anyway, and takes arrays as constants
            return function(*args, **kwargs)
        _expect_no_arrays(function.__name__, (*args, *kwargs.values()))
        before, making.creator = making.creator, _created
        try:
            return function(*args, **kwargs)
        finally:
            making.creator = before

    symbolic.__module__ = "mxnet.symbol.numpy"
    return symbolic


def functions_of(*modules: ModuleType, leave_out: Iterable[str] = ()) -> dict[str, Callable[..., Any]]:
    """The public functions of modules of `mx.np`, on symbols."""
    skipped = set(leave_out)
    return {
        name: on_symbols(getattr(module, name)) for module in modules for name in module.__all__ if name not in skipped
    }


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
