"""Key-value stores: sums over devices and workers, for training on several."""

from . import base, kvstore
from ._asynchronous import AsyncKVStore as AsyncKVStore
from ._horovod import Horovod as Horovod
from ._local import KVStore as KVStore
from ._synchronous import SyncKVStore as SyncKVStore
from .base import KVStoreBase as KVStoreBase
from .base import create as create
from .kvstore_server import KVStoreServer as KVStoreServer
