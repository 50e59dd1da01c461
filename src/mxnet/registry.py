"""Classes by name: how initializers, optimizers and metrics are found from text.

One table per base class. `register` and `alias` enter classes, `create` makes an object from a name, from JSON text
such as '["xavier", {"magnitude": 2}]', or from a dict of that content.
"""

import json
import warnings
from collections.abc import Callable
from typing import Any, Protocol, TypeVar

from regluon.arguments import check_keywords, nearest

from .error import OpParamError, OpTypeError

__all__ = ["get_alias_func", "get_create_func", "get_register_func", "get_registry"]

C = TypeVar("C", bound=type)
Base = TypeVar("Base")

_REGISTRY: dict[type, dict[str, type]] = {}


class Register(Protocol):
    """A decorator of classes that can be given by name; the class stays what it is, to type checkers too."""

    def __call__(self, klass: C, name: str | None = None) -> C:
        """Enters the class, under another name than its own if one is given."""


class Alias(Protocol):
    """What makes decorators that enter classes under further names."""

    def __call__(self, *aliases: str) -> Callable[[C], C]:
        """The decorator for these names."""


def get_registry(base_class: type) -> dict[str, type]:
    """A copy of the table of a base class: lower-case names and what they stand for."""
    return dict(_table(base_class))


def get_register_func(base_class: type, nickname: str) -> Register:
    """The decorator that enters subclasses of `base_class` under their own name in lower case.

    Args:
        base_class: what every registered class must derive from.
        nickname: what such a class is called in messages, for example "metric".
    """
    table = _table(base_class)

    def register(klass: C, name: str | None = None) -> C:
        if not (isinstance(klass, type) and issubclass(klass, base_class)):
            raise OpTypeError(
                f"[{nickname}.register] received {klass!r}; expected a subclass of {base_class.__name__}."
            )
        name = (klass.__name__ if name is None else name).lower()
        if name in table:
            warnings.warn(
                f"[{nickname}.register] {_path(klass)} takes the name {name!r} from {_path(table[name])}.",
                UserWarning,
                stacklevel=2,
            )
        table[name] = klass
        return klass

    register.__doc__ = f"Enters a class, so that `create` finds this {nickname} by name."
    return register


def get_alias_func(base_class: type, nickname: str) -> Alias:
    """The decorator maker that enters a class under further names: `@alias("acc", "hits")`."""
    register = get_register_func(base_class, nickname)

    def alias(*aliases: str) -> Callable[[C], C]:
        def enter(klass: C) -> C:
            for name in aliases:
                register(klass, name)
            return klass

        return enter

    alias.__doc__ = f"Enters a class under each of these names, so that `create` finds this {nickname} by them."
    return alias


def get_create_func(base_class: type[Base], nickname: str) -> Callable[..., Base]:
    """The function that makes an object of a registered class from its name and arguments."""
    table = _table(base_class)

    def create(*args: Any, **kwargs: Any) -> Any:
        if args:
            chosen, *rest = args
        elif nickname in kwargs:
            chosen, rest = kwargs.pop(nickname), []
        else:
            raise OpParamError(f"[{nickname}.create] received no {nickname}; expected a name or an object.")
        is_complete = isinstance(chosen, (base_class, dict)) or (isinstance(chosen, str) and chosen[:1] in ("[", "{"))
        if is_complete and (rest or kwargs):
            raise OpParamError(
                f"[{nickname}.create] received {chosen!r}, which is complete, and more arguments; expected it alone."
            )
        if isinstance(chosen, base_class):
            return chosen
        if isinstance(chosen, dict):
            return create(**chosen)
        if not isinstance(chosen, str):
            made = f" Make one: {chosen.__name__}(...)." if isinstance(chosen, type) else ""
            raise OpTypeError(
                f"[{nickname}.create] received {chosen!r}; expected a name or an object of {base_class.__name__}.{made}"
            )
        if is_complete:
            name, arguments = _parse(chosen, nickname)
            return create(**arguments) if name is None else create(name, **arguments)
        if chosen.lower() not in table:
            raise OpParamError(_unknown(chosen, table, nickname))
        if kwargs:
            check_keywords(table[chosen.lower()], kwargs)
        return table[chosen.lower()](*rest, **kwargs)

    create.__doc__ = (
        f"Makes the {nickname} that a name, JSON text or a dict describes; returns one that is made already.\n\n"
        f"Further arguments go to the class that the name stands for."
    )
    return create


def _table(base_class: type) -> dict[str, type]:
    return _REGISTRY.setdefault(base_class, {})


def _path(klass: type) -> str:
    return f"{klass.__module__}.{klass.__name__}"


def _parse(text: str, nickname: str) -> tuple[str | None, dict[str, Any]]:
    """Name and arguments from '["name", {...}]'; no name from '{...}', where it stands among the arguments."""
    try:
        content = json.loads(text)
    except ValueError as error:  # also of numbers with more digits than Python reads
        raise OpParamError(f"[{nickname}.create] received {text!r}, which is no JSON: {error}.") from None
    if isinstance(content, dict):
        return None, content
    if len(content) == 2 and isinstance(content[0], str) and isinstance(content[1], dict):
        return content[0], content[1]
    raise OpParamError(f"[{nickname}.create] received {text!r}; expected '[\"name\", {{arguments}}]'.")


def _unknown(name: str, table: dict[str, type], nickname: str) -> str:
    near = nearest(name, table, 3)
    hint = f"did you mean {' or '.join(map(repr, near))}?" if near else f"there are {', '.join(sorted(table))}."
    return f"[{nickname}.create] received {name!r}, which is not registered; {hint} Your own: {nickname}.register."
