"""MXNet's public path of the store class."""

from ._local import KVStore
from .base import create

__all__ = ["KVStore", "create"]
