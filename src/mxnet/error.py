"""Errors by cause. Each is an MXNetError and the builtin a Python programmer would catch."""

from .base import MXNetError


class OpShapeError(MXNetError, ValueError):
    """Shapes of the inputs do not fit the operator or each other."""


class DynamicShapeError(OpShapeError):
    """A shape depends on the values of the data, so it cannot be told before they are there."""


class OpTypeError(MXNetError, TypeError):
    """Data types of the inputs, or the kind of an argument, do not fit the operator."""


class OpParamError(MXNetError, ValueError):
    """A parameter is missing, unknown, or has a value outside its domain."""


class OpIndexError(MXNetError, IndexError):
    """An index or an axis is out of range."""


class FileFormatError(MXNetError, ValueError):
    """A file is damaged, truncated, or not of the expected format."""


class InternalError(MXNetError):
    """A defect of this library: the text asks for a report."""
