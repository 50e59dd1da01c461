"""Front-end functions of the operators that belong to `mx.np` and `mx.npx`, made when they are first asked for."""

from collections.abc import Callable
from typing import Any

from ...ops.registry import find, names
from ..handle import Handle
from ..register import make_function


class OperatorFunctions:
    """The functions of all operators whose names begin with a prefix, by the rest of their names.

    Rests that begin with `_` belong to another module, and those of `replaced` have functions written by hand.
    """

    def __init__(self, prefix: str, replaced: tuple[str, ...] = ()) -> None:
        self._prefix, self._replaced = prefix, replaced
        self._made: dict[str, Callable[..., Any]] = {}

    def names(self) -> list[str]:
        """What there is."""
        rests = (name[len(self._prefix) :] for name, _ in names() if name.startswith(self._prefix))
        return sorted(rest for rest in rests if not rest.startswith("_") and rest not in self._replaced)

    def get(self, name: str, module: str) -> Callable[..., Any]:
        """The function of a name, for the `__getattr__` of a module."""
        made = self._made.get(name)
        if made is None:
            if name not in self.names():
                raise AttributeError(f"module {module!r} has no attribute {name!r}")
            made = self._made[name] = make_function(find(self._prefix + name), name, Handle._numpy_type)
        return made
