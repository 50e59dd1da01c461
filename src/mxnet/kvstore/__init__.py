"""Key-value stores: sums over devices and workers, for training on several."""

from . import base, kvstore
from .asynchronous import AsyncKVStore
from .base import KVStoreBase, create
from .horovod import Horovod
from .kvstore_server import KVStoreServer
from .local import KVStore
from .synchronous import SyncKVStore
