"""The keywords that every function on symbols takes beside the operator's own, for type checkers."""

from typing import Any, TypedDict

from ..context import Context

__all__ = ["Attributes", "Drawn", "Named", "Placed"]

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
