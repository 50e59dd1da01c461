"""Executors under their public path; they live with the symbols."""

from regluon.symbol.executor import Executor

from .ndarray import NDArray

__all__ = ["Executor", "NDArray"]
