"""Servers of stores over several machines: MXNet's programs may ask for them, and need none here."""

import logging
import os
import sys
from typing import Any

__all__ = ["KVStoreServer"]

_log = logging.getLogger(__name__)
_WHY = "workers add up among themselves and keep the values; there is nothing to serve"


class KVStoreServer:
    """What a process that serves would run.

    Args:
        kvstore: a store over several machines.
    """

    def __init__(self, kvstore: Any) -> None:
        self.kvstore = kvstore

    def run(self) -> None:
        """Returns at once, and logs why."""
        _log.warning("[KVStoreServer.run] %s.", _WHY)


def _init_kvstore_server_module() -> None:
    """Ends a process that was started as a server or scheduler, as `import mxnet` did when it had served."""
    role = os.environ.get("DMLC_ROLE", "worker")
    if role in ("server", "scheduler"):
        _log.warning("[kvstore] this process was started as a %s and ends: %s.", role, _WHY)
        sys.exit(0)
