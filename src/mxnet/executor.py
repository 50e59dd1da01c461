"""Executors under their public path; they live with the symbols."""

from .ndarray import NDArray
from .symbol.executor import Executor

__all__ = ["Executor", "NDArray"]
