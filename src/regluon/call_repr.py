"""Short texts of objects for `repr`: the call that makes such an object, without what is as by default."""

import inspect
import reprlib
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

_TAKES_MORE = inspect.Parameter.VAR_KEYWORD
_NAMELESS = (inspect.Parameter.VAR_POSITIONAL, _TAKES_MORE)
_PLAIN = (bool, int, float, str, tuple, list, type(None))
_short = reprlib.Repr()
_short.maxstring = _short.maxother = 200
_short.maxlist = _short.maxtuple = _short.maxdict = 8


def value_text(value: Any) -> str:
    """A value as it stands in a call: numbers rounded, functions by their names, long lists cut."""
    if isinstance(value, float):
        return f"{value:.6g}"
    if inspect.isroutine(value) or isinstance(value, type):
        return str(getattr(value, "__qualname__", value))
    return _short.repr(value) if isinstance(value, _PLAIN) else repr(value)


def call_text(name: str, *values: str, **settings: Any) -> str:
    """`name(values, key=value, ...)`; `values` are texts already."""
    return f"{name}({', '.join([*values, *(f'{key}={value_text(value)}' for key, value in settings.items())])})"


def changed_settings(thing: Any, stored: Mapping[str, str] = {}) -> dict[str, Any]:
    """The arguments of an object's constructor, base classes included, that differ from their defaults.

    Args:
        thing: the object. An argument is looked for in the attribute of its name, or of its name after an underscore.
        stored: attributes of other names, by argument; an empty name leaves an argument out.
    """
    kept = vars(thing)
    kind: Any = type(thing)
    found = {}
    for name, default in _arguments(kind).items():
        place = stored.get(name, name)
        place = place if place in kept else f"_{place}"
        if place in kept and not _is_same(kept[place], default):
            found[name] = kept[place]
    return found


def _is_same(value: Any, default: Any) -> bool:
    return value is default or (isinstance(value, _PLAIN) and isinstance(default, _PLAIN) and bool(value == default))


@lru_cache(256)
def _arguments(kind: Any) -> dict[str, Any]:
    """The arguments that a class takes, with their defaults, up to the base class that takes no others."""
    found: dict[str, Any] = {}
    for owner in kind.__mro__:
        if "__init__" not in vars(owner) or owner is object:
            continue
        taken = list(inspect.signature(vars(owner)["__init__"]).parameters.values())[1:]
        for each in taken:
            if each.kind not in _NAMELESS:
                found.setdefault(each.name, each.default)
        if not any(each.kind is _TAKES_MORE for each in taken):
            break
    return found
