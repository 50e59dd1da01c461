"""Key-value stores: sums over devices and workers, for training on several."""

from . import base, kvstore
from .asynchronous import AsyncKVStore as AsyncKVStore
from .base import KVStoreBase as KVStoreBase
from .base import create as create
from .horovod import Horovod as Horovod
from .kvstore_server import KVStoreServer as KVStoreServer
from .local import KVStore as KVStore
from .synchronous import SyncKVStore as SyncKVStore
