"""Numbers and tables that MXNet's modules shared under private names: dtypes, storage types, gradient requests."""

import builtins
from typing import Any

import numpy as np

from regluon.dtypes import FLAG_OF_NAME

from ..ndarray import NDArray
from ..runtime import Features
from ..symbol import Symbol

# Two bytes under a name: how MXNet, and NumPy, which has no such type, write it.
bfloat16 = np.dtype([("bfloat16", np.uint16)])

_NUMPY_OF_NAME: dict[str, Any] = {name: getattr(np, name) for name in FLAG_OF_NAME if name not in ("bool", "bfloat16")}
_NUMPY_OF_NAME |= {"bool": np.bool_, "bfloat16": bfloat16}

_DTYPE_NP_TO_MX: dict[Any, int] = {None: -1, **{_NUMPY_OF_NAME[name]: flag for name, flag in FLAG_OF_NAME.items()}}
_DTYPE_MX_TO_NP = {flag: dtype for dtype, flag in _DTYPE_NP_TO_MX.items()}
_DTYPE_CPP_TO_NP = {
    "float": np.float32,
    "double": np.float64,
    "__half": np.float16,
    "uint8_t": np.uint8,
    "int": np.int32,
    "int32_t": np.int32,
    "int8_t": np.int8,
    "char": np.int8,
    "int64_t": np.int64,
}
_STR_2_DTYPE_ = {
    **{name: dtype for name, dtype in _NUMPY_OF_NAME.items() if name != "bfloat16"},
    "bool": bool,
    "bool_": np.bool_,
    "float": np.float64,
    "int": np.int64,
    "None": None,
}

_GRAD_REQ_MAP = {"null": 0, "write": 1, "add": 3}

_STORAGE_TYPE_UNDEFINED, _STORAGE_TYPE_DEFAULT, _STORAGE_TYPE_ROW_SPARSE, _STORAGE_TYPE_CSR = -1, 0, 1, 2
_STORAGE_TYPE_STR_TO_ID = {
    "undefined": _STORAGE_TYPE_UNDEFINED,
    "default": _STORAGE_TYPE_DEFAULT,
    "row_sparse": _STORAGE_TYPE_ROW_SPARSE,
    "csr": _STORAGE_TYPE_CSR,
}
_STORAGE_TYPE_ID_TO_STR = {number: name for name, number in _STORAGE_TYPE_STR_TO_ID.items()}
_STORAGE_AUX_TYPES = {"row_sparse": [np.int64], "csr": [np.int64, np.int64]}

# What `get_indexing_dispatch_code` answers.
_NDARRAY_UNSUPPORTED_INDEXING, _NDARRAY_BASIC_INDEXING, _NDARRAY_ADVANCED_INDEXING = -1, 0, 1
_NDARRAY_EMPTY_TUPLE_INDEXING = 2
_NDARRAY_NO_ZERO_DIM_BOOL_ARRAY, _NDARRAY_ZERO_DIM_BOOL_ARRAY_FALSE, _NDARRAY_ZERO_DIM_BOOL_ARRAY_TRUE = -1, 0, 1
_SIGNED_INT32_UPPER_LIMIT = 2**31 - 1
_INT64_TENSOR_SIZE_ENABLED = True

_IR_FORMAT, _IR_SIZE = "IfQQ", 24  # the header before each image of a record file

_np_ufunc_default_kwargs = {"where": True, "casting": "same_kind", "order": "K", "dtype": None, "subok": True}
_CUDA_SUCCESS = 0
_features = Features()
tensor_types = (Symbol, NDArray)

# Names from the days of Python 2, and of builtins that a module's own functions hide.
long, basestring = int, str
py_slice, py_sum = slice, builtins.sum

_NP_OP_PREFIX, _NP_EXT_OP_PREFIX, _NP_INTERNAL_OP_PREFIX = "_np_", "_npx_", "_npi_"
_OP_NAME_PREFIX_LIST = ["_contrib_", "_linalg_", "_sparse_", "_image_", "_random_"]
_NP_OP_SUBMODULE_LIST, _NP_EXT_OP_SUBMODULE_LIST = ["_random_", "_linalg_"], ["_image_", "_random_"]
_NP_OUTPUT_IS_LIST_OPERATORS = {"_npi_split", "_npi_hsplit"}
