"""MXNet's engine settings. Operators run when they are called here, so there is nothing to bundle."""

import threading

from regluon.scopes import Setting


class _Local(threading.local):
    """The bulk size of a thread, kept so that programs read back what they set."""

    size = 15


_local = _Local()


def set_bulk_size(size: int) -> int:
    """Sets how many operators MXNet would have run as one, and returns the former value."""
    before, _local.size = _local.size, int(size)
    return before


def bulk(size: int) -> Setting:
    """`with bulk(n):` sets the bulk size inside the block."""
    return Setting(_local, size=int(size))
