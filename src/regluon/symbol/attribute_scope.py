"""Manage `mx.AttrScope` and the attribute keywords of symbols."""

from collections import Counter
from collections.abc import Callable
from typing import Any, ClassVar, TypedDict

from ..context import Context
from ..scopes import HasCurrent, Stack, popping

__all__ = ["Attributes", "Drawn", "Named", "Placed"]


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


# By the names that MXNet and its graphs know. Not a class: `__init__` is one of them.
Attributes = TypedDict(
    "Attributes",
    {
        "ctx_group": Any,
        "lr_mult": Any,
        "wd_mult": Any,
        "force_mirroring": Any,
        "mirror_stage": Any,
        "__ctx_group__": Any,
        "__lr_mult__": Any,
        "__wd_mult__": Any,
        "__force_mirroring__": Any,
        "__mirror_stage__": Any,
        "__layout__": Any,
        "__init__": Any,
        "__shape__": Any,
        "__dtype__": Any,
        "__profiler_scope__": Any,
    },
    total=False,
)


class Named(TypedDict, total=False):
    """What functions written by hand pass on to an operator."""

    name: str | None
    attr: dict[str, str] | None


class Placed(Named, Attributes, total=False):
    """What functions that make arrays take as well."""

    ctx: Context | str | None
    out: Any


class Drawn(Placed, total=False):
    """The parameters of `randn`, whose positional ones are lengths."""

    loc: Any
    scale: Any
    dtype: Any
