"""Names every other module stands on: the error type, the "not given" marker, type groups."""

from regluon.base import _LIB as _LIB
from regluon.base import MXNetError as MXNetError
from regluon.base import NotImplementedForSymbol as NotImplementedForSymbol
from regluon.base import NotSupportedForSparseNDArray as NotSupportedForSparseNDArray
from regluon.base import ShapeLike as ShapeLike
from regluon.base import _as_list as _as_list
from regluon.base import _generate_op_module_signature as _generate_op_module_signature
from regluon.base import _Null as _Null
from regluon.base import _NullType as _NullType
from regluon.base import any_parameters as any_parameters
from regluon.base import build_param_doc as build_param_doc
from regluon.base import c_str as c_str
from regluon.base import check_call as check_call
from regluon.base import data_dir as data_dir
from regluon.base import data_dir_default as data_dir_default
from regluon.base import integer_types as integer_types
from regluon.base import kept_folder as kept_folder
from regluon.base import mx_real_t as mx_real_t
from regluon.base import numeric_types as numeric_types
from regluon.base import py_str as py_str
from regluon.base import shortened as shortened
from regluon.base import string_types as string_types
