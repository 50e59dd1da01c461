"""MXNet's public path of the store class."""

from .base import create
from .local import KVStore

__all__ = ["KVStore", "create"]
