"""Operators with names that begin with an underscore, as functions on symbols, made when they are first asked for."""

from collections.abc import Callable
from typing import Any

from ..ndarray.register import refusing
from ..ops.registry import ABSENT, find, names
from .register import make_function

# On symbols there is nowhere to copy to: `_copyto` is the copy itself.
_ALSO = {"_copyto": "_copy"}

__all__ = [name for name in (*dict(names()), *_ALSO) if name.startswith("_")]
_known = frozenset(__all__) | ABSENT.keys()


def __getattr__(name: str) -> Callable[..., Any]:
    if name not in _known:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    made = refusing(name) if name in ABSENT else make_function(find(_ALSO.get(name, name)), name)
    globals()[name] = made
    return made


def __dir__() -> list[str]:
    return sorted(_known)
