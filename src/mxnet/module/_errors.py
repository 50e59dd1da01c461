"""What modules refuse."""

from ..base import MXNetError

__all__ = ["NotReadyError", "WrongUseError"]


class NotReadyError(MXNetError, AssertionError):
    """Something must be called before."""


class WrongUseError(MXNetError, AssertionError):
    """Arguments that do not go together, or with the module."""
