"""Key-value stores: sums over devices, for training on several."""

from . import base, kvstore
from .base import KVStoreBase, create
from .local import KVStore
