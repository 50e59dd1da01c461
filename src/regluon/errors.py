"""Errors by cause. Each is an MXNetError and the builtin a Python programmer would catch."""

import re

from .base import MXNetError


class OpShapeError(MXNetError, ValueError):
    """Shapes of the inputs do not fit the operator or each other."""

    __module__ = "mxnet.error"


class DynamicShapeError(OpShapeError):
    """A shape depends on the values of the data, so it cannot be told before they are there."""

    __module__ = "mxnet.error"


class OpTypeError(MXNetError, TypeError):
    """Data types of the inputs, or the kind of an argument, do not fit the operator."""

    __module__ = "mxnet.error"


class OpParamError(MXNetError, ValueError):
    """A parameter is missing, unknown, or has a value outside its domain."""

    __module__ = "mxnet.error"


class OpIndexError(MXNetError, IndexError):
    """An index or an axis is out of range."""

    __module__ = "mxnet.error"


class FileFormatError(MXNetError, ValueError):
    """A file is damaged, truncated, or not of the expected format."""

    __module__ = "mxnet.error"


class OpMemoryError(MXNetError, MemoryError):
    """A result needs more memory than there is."""

    __module__ = "mxnet.error"


# What torch, NumPy, OpenCV and the system say of memory that they cannot give.
_TOO_MUCH = re.compile(
    r"[Tt]ried to allocate (?P<torch>[\d.]+ \w+)|Unable to allocate (?P<numpy>[\d.]+ \w+)|Failed to allocate "
    r"(?P<opencv>\d+ bytes)|Storage size calculation overflowed|Cannot allocate memory|array is too big|"
    r"maximum supported dimension|too large to fit into a C integer|numel: integer multiplication overflow"
)


def memory_text(error: BaseException) -> str | None:
    """What to say of an error that means lack of memory; None for any other."""
    found = _TOO_MUCH.search(str(error))
    if found is None:
        return "more memory is needed than there is" if isinstance(error, MemoryError) else None
    asked = next((text for text in found.groups() if text), None)
    if asked is None:
        return "more memory is needed than can be counted or had; expected a smaller shape"
    return f"{asked} of memory are needed, which is more than there is; expected a smaller shape"


class InternalError(MXNetError):
    """A defect of this library: the text asks for a report."""

    __module__ = "mxnet.error"
