"""Automatic names of symbols and blocks."""

from collections.abc import Callable

from ..scopes import HasCurrent, Stack, popping


class NameManager(metaclass=HasCurrent):
    """Gives an operator without a name one from its kind and a counter: convolution0, convolution1, ..."""

    __module__ = "mxnet.name"

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

    __module__ = "mxnet.name"

    def __init__(self, prefix: str) -> None:
        super().__init__()
        self._prefix = prefix

    def get(self, name: str | None, hint: str) -> str:
        """The name with the prefix before it."""
        return self._prefix + super().get(name, hint)


_local = NameManager._current = Stack(NameManager)


def managers() -> list[NameManager]:
    """The name managers of this thread; the last one is in force."""
    return _local.stack


def current() -> NameManager:
    """The name manager in force in this thread."""
    scope: NameManager = _local.stack[-1]
    return scope
