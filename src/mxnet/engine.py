"""MXNet's engine settings. Operators run when they are called here, so there is nothing to bundle."""

import threading
from types import TracebackType


class _Local(threading.local):
    """The bulk size of a thread, kept so that programs read back what they set."""

    size = 15


_local = _Local()


def set_bulk_size(size: int) -> int:
    """Sets how many operators MXNet would have run as one, and returns the former value."""
    before, _local.size = _local.size, int(size)
    return before


class _Bulk:
    """A block with a bulk size of its own."""

    def __init__(self, size: int) -> None:
        self._size = size

    def __enter__(self) -> "_Bulk":
        self._before = set_bulk_size(self._size)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        set_bulk_size(self._before)


def bulk(size: int) -> _Bulk:
    """`with bulk(n):` sets the bulk size inside the block."""
    return _Bulk(size)
