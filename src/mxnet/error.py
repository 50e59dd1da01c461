"""Errors by cause. Each is an MXNetError and the builtin a Python programmer would catch."""

from regluon.errors import DynamicShapeError as DynamicShapeError
from regluon.errors import FileFormatError as FileFormatError
from regluon.errors import InternalError as InternalError
from regluon.errors import MXNetError as MXNetError
from regluon.errors import OpIndexError as OpIndexError
from regluon.errors import OpMemoryError as OpMemoryError
from regluon.errors import OpParamError as OpParamError
from regluon.errors import OpShapeError as OpShapeError
from regluon.errors import OpTypeError as OpTypeError
from regluon.errors import memory_text as memory_text
