"""The path that `mxnet.kvstore.kvstore_server` had up to MXNet 1.6."""

from .kvstore.kvstore_server import KVStoreServer, _init_kvstore_server_module

__all__ = ["KVStoreServer", "_init_kvstore_server_module"]
