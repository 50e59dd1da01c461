"""The functions of `mx.np` on symbols: the very functions, told to make symbols where they have no input to tell."""

from collections.abc import Callable, Iterable
from functools import wraps
from types import ModuleType
from typing import Any

from ...array.numpy.dispatch import making
from ...runtime.handle import Handle
from ..building import local
from ..np_composing import composed


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
