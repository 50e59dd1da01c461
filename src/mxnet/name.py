"""Automatic names of symbols and blocks."""

import threading


class _Local(threading.local):
    """The name manager in force in a thread."""

    def __init__(self) -> None:
        self.current: NameManager = NameManager()


class NameManager:
    """Gives an operator without a name one from its kind and a counter: convolution0, convolution1, ..."""

    def __init__(self) -> None:
        self._counter: dict[str, int] = {}
        self._outer: NameManager | None = None

    def get(self, name: str | None, hint: str) -> str:
        """`name` itself if given, else the next automatic name for `hint`."""
        if name:
            return name
        number = self._counter.get(hint, 0)
        self._counter[hint] = number + 1
        return f"{hint}{number}"

    def __enter__(self) -> "NameManager":
        self._outer = _local.current
        _local.current = self
        return self

    def __exit__(self, *exc_info: object) -> None:
        assert self._outer is not None
        _local.current = self._outer


class Prefix(NameManager):
    """A name manager that puts a prefix before every name, given ones included."""

    def __init__(self, prefix: str) -> None:
        super().__init__()
        self._prefix = prefix

    def get(self, name: str | None, hint: str) -> str:
        """The name with the prefix before it."""
        return self._prefix + super().get(name, hint)


_local = _Local()


def current() -> NameManager:
    """The name manager in force in this thread."""
    return _local.current
