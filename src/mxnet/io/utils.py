"""Arrays as iterators keep them: a sorted list of names and NDArrays."""

from typing import Any

import numpy as np

from regluon.array.creation import array
from regluon.array.dense import NDArray
from regluon.array.sparse.csr import CSRNDArray

from ..ndarray.op import take
from ._sparse_rows import SparseTable

__all__: list[str] = []

_Named = list[tuple[str, NDArray]]


def _init_data(data: Any, allow_empty: bool, default_name: str) -> _Named:
    """Names and arrays from an array, a list of arrays or a dict of them, in the order of their names.

    Args:
        data: what was given.
        allow_empty: whether None and an empty list will do.
        default_name: the name of a single array; several are called `_0_name`, `_1_name`, ...
    """
    if data is None:
        data = []
    elif _is_array(data):
        data = [data]
    if isinstance(data, list):
        if not data and not allow_empty:
            raise ValueError(f"[NDArrayIter] {default_name}: received no array; expected at least one.")
        single = len(data) == 1
        data = {default_name if single else f"_{i}_{default_name}": each for i, each in enumerate(data)}
    if not isinstance(data, dict):
        raise TypeError(
            f"[NDArrayIter] {default_name}: received {type(data).__name__}; expected an NDArray or a NumPy array, or a "
            "list or dict of them."
        )
    return [(name, _as_array(name, data[name])) for name in sorted(data)]


def _is_array(data: Any) -> bool:
    return isinstance(data, (np.ndarray, NDArray)) or _is_hdf5(data)


def _is_hdf5(data: Any) -> bool:
    return type(data).__module__.split(".")[0] == "h5py"


def _as_array(name: str, given: Any) -> NDArray:
    if _is_hdf5(given):
        raise TypeError(
            f"[NDArrayIter] {name}: received h5py.{type(given).__name__}, which stays on disk; expected an array in "
            "memory. Write `dataset[:]`, or read batches in a gluon.data.Dataset."
        )
    if isinstance(given, NDArray):
        return given
    try:
        return array(given)
    except (TypeError, ValueError):
        raise TypeError(
            f"[NDArrayIter] {name}: received {type(given).__module__}.{type(given).__name__}; expected an NDArray or a "
            "NumPy array of numbers."
        ) from None


def _has_instance(data: _Named, dtype: Any) -> bool:
    """Whether one of the arrays is of a class."""
    return any(isinstance(each, dtype) for _, each in data)


def _getdata_by_idx(data: _Named, idx: Any, axis: int = 0) -> _Named:
    """The arrays with their examples in another order, of the same dtypes."""
    rows = array(idx, dtype="int64")
    return [
        (
            name,
            SparseTable.of(each).take(idx)
            if isinstance(each, CSRNDArray)
            else take(each, rows.as_in_context(each.context), axis=axis),
        )
        for name, each in data
    ]
