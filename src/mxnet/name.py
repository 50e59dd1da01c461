"""Automatic names of symbols and blocks."""

import threading
from collections.abc import Callable

from .scopes import popping


class _Local(threading.local):
    """The name managers of a thread; the last one is in force."""

    def __init__(self) -> None:
        self.stack: list[NameManager] = [NameManager()]


class NameManager:
    """Gives an operator without a name one from its kind and a counter: convolution0, convolution1, ..."""

    def __init__(self) -> None:
        self._counter: dict[str, int] = {}

    def get(self, name: str | None, hint: str) -> str:
        """`name` itself if given, else the next automatic name for `hint`."""
        if name:
            return name
        number = self._counter.get(hint, 0)
        self._counter[hint] = number + 1
        return f"{hint}{number}"

    def __enter__(self) -> "NameManager":
        stack = _local.stack
        stack += [self]
        return self

    def _leaving(self) -> Callable[..., None]:
        return popping(_local.stack)

    __exit__ = property(_leaving)


class Prefix(NameManager):
    """A name manager that puts a prefix before every name, given ones included."""

    def __init__(self, prefix: str) -> None:
        super().__init__()
        self._prefix = prefix

    def get(self, name: str | None, hint: str) -> str:
        """The name with the prefix before it."""
        return self._prefix + super().get(name, hint)


_local = _Local()


def managers() -> list[NameManager]:
    """The name managers of this thread; the last one is in force."""
    return _local.stack


def current() -> NameManager:
    """The name manager in force in this thread."""
    return _local.stack[-1]
