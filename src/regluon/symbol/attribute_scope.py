"""`mx.AttrScope`: attributes that every symbol made in a block receives."""

from collections import Counter
from collections.abc import Callable
from typing import ClassVar

from ..scopes import HasCurrent, Stack, popping


class AttrScope(metaclass=HasCurrent):
    """Attributes for the symbols made inside `with AttrScope(name='value'):`; scopes nest, inner values win."""

    __module__ = "mxnet.attribute"

    _subgraph_names: ClassVar[Counter[str]] = Counter()  # how often a name was given to a body of control flow

    def __init__(self, **kwargs: str) -> None:
        for name, value in kwargs.items():
            if not isinstance(value, str):
                raise ValueError(
                    f"[AttrScope] attribute {name!r} received {value!r} ({type(value).__name__}); expected a string."
                )
        self._attr = kwargs

    def get(self, attr: dict[str, str] | None) -> dict[str, str]:
        """The attributes of this scope, with `attr` laid over them."""
        return {**self._attr, **(attr or {})}

    @classmethod
    def _unique_subgraph(cls, name: str) -> str:
        """The name with a number that no other body in this process has."""
        cls._subgraph_names[name] += 1
        return f"{name}{cls._subgraph_names[name] - 1}"

    def __enter__(self) -> "AttrScope":
        stack = _local.stack
        # Entering adds the outer scope's attributes for good, as MXNet does: a scope can be entered again elsewhere.
        self._attr = {**stack[-1]._attr, **self._attr}
        stack += [self]
        return self

    def _leaving(self) -> Callable[..., None]:
        return popping(_local.stack)

    __exit__ = property(_leaving)


_local = AttrScope._current = Stack(AttrScope)


def current() -> AttrScope:
    """The scope in force in this thread."""
    scope: AttrScope = _local.stack[-1]
    return scope
