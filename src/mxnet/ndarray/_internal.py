"""Operators whose names begin with an underscore: the internal forms that saved graphs contain.

There are a thousand of them, and a program uses a few: each is made when it is first asked for.
"""

from collections.abc import Callable
from typing import Any

from ..ops import registry
from ..ops.registry import ABSENT
from .dense import NDArray
from .register import make_function, refusing

__all__ = [name for name, _ in registry.names() if name.startswith("_")]
_known = frozenset(__all__) | ABSENT.keys()


def __getattr__(name: str) -> Callable[..., Any]:
    if name not in _known:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    made = refusing(name) if name in ABSENT else make_function(registry.find(name), name, NDArray)
    globals()[name] = made
    return made


def __dir__() -> list[str]:
    return sorted(_known)
