"""Functions that make sparse arrays: from their parts, from dense data, or empty."""

from typing import Any, Literal, TypeVar, overload

import numpy as np
import torch

import regluon.array.creation as dense

from ...context import Context, context_of
from ...dtypes import default_dtype, torch_dtype
from ...errors import OpShapeError
from ...runtime.handle import storage_type
from ..dense import NDArray
from .base import BaseSparseNDArray
from .csr import CSRNDArray
from .row_sparse import RowSparseNDArray
from .storage import Csr, Rows

S = TypeVar("S", bound=BaseSparseNDArray)

__all__ = ["array", "csr_matrix", "empty", "row_sparse_array", "zeros"]


def _same_shape(found: Any, asked: Any) -> None:
    if asked is not None and tuple(found) != tuple(asked):
        raise ValueError(f"[nd.sparse] Shape mismatch detected. {tuple(found)} v.s. {tuple(asked)}")


def _values(source: Any, dtype: Any, context: Context) -> torch.Tensor:
    """The tensor of stored elements: of the given dtype, else the source's own if it has one, else float32."""
    if dtype is None and isinstance(source, (NDArray, np.ndarray)):
        dtype = source.dtype
    return dense.array(source, context, default_dtype(dtype))._t


def _numbers(source: Any, context: Context, what: str) -> torch.Tensor:
    """An index array."""
    found = dense.array(source, context, "int64")._t
    if found.dim() != 1:
        raise ValueError(f"[nd.sparse] {what}: received an invalid shape {tuple(found.shape)}; expected a vector.")
    return found


def _is_shape(given: Any) -> bool:
    return isinstance(given, tuple) and bool(given) and all(isinstance(n, (int, np.integer)) for n in given)


def csr_matrix(arg1: Any, shape: Any = None, ctx: Context | None = None, dtype: Any = None) -> CSRNDArray:
    """A matrix in compressed sparse row format.

    Args:
        arg1: a dense matrix, nested lists, a CSRNDArray or a SciPy matrix; or the shape (M, N) of an empty one; or its
            parts `(data, indices, indptr)`; or `(data, (row, col))`.
        shape: needed with parts only if the last rows or columns have no element.
        ctx: where to put it; the current context by default.
        dtype: of the elements; by default that of the data if they are an array, else float32. Lists of elements with
            their places have NumPy's dtype.
    """
    context = context_of(ctx)
    if not isinstance(arg1, tuple):
        return _matrix_from(arg1, shape, context, dtype)
    if len(arg1) == 2 and isinstance(arg1[1], tuple):
        row, col = arg1[1]
        return _matrix_from_places(arg1[0], row, col, shape, context, dtype)
    if len(arg1) == 2:
        _same_shape(arg1, shape)
        return empty("csr", arg1, ctx, dtype)
    if len(arg1) == 3:
        data, indices, indptr = arg1
        return _matrix_from_parts(data, indices, indptr, shape, context, dtype)
    raise ValueError(f"[csr_matrix] Unexpected length of input tuple: {len(arg1)}; expected 2 or 3.")


def _matrix_from(source: Any, shape: Any, context: Context, dtype: Any) -> CSRNDArray:
    if isinstance(source, CSRNDArray) or dense.is_scipy_matrix(source):
        _same_shape(source.shape, shape)
        return array(source, context, dtype)
    if isinstance(source, BaseSparseNDArray):
        raise ValueError(f"[csr_matrix] Unexpected input type: {type(source).__name__}.")
    made = NDArray(_values(source, dtype, context), context)
    _same_shape(made.shape, shape)
    return made.tostype("csr")


def _matrix_from_parts(data: Any, indices: Any, indptr: Any, shape: Any, context: Context, dtype: Any) -> CSRNDArray:
    values = _values(data, dtype, context)
    columns, starts = _numbers(indices, context, "indices"), _numbers(indptr, context, "indptr")
    if shape is None:
        if not len(columns):
            raise ValueError("[csr_matrix] shape: received none, and no element to tell it; expected (M, N).")
        shape = (len(starts) - 1, int(columns.max()) + 1)
    if values.dim() != 1 or len(shape) != 2:
        raise ValueError(f"[csr_matrix] invalid shape: received data of shape {tuple(values.shape)} for {shape}.")
    return CSRNDArray(Csr(values, starts, columns, tuple(shape)), context)


def _matrix_from_places(data: Any, row: Any, col: Any, shape: Any, context: Context, dtype: Any) -> CSRNDArray:
    """Return the matrix of the given elements. Elements at one place are added up in the dtype that SciPy gives them.

    As in MXNet, which builds this form with SciPy: lists have NumPy's dtype and float16 becomes float32.
    """
    if not isinstance(data, NDArray):
        data = np.asarray(data)
    summed_as = np.float32 if data.dtype == np.float16 else data.dtype
    values = _values(data, summed_as, context)
    rows, columns = _numbers(row, context, "row"), _numbers(col, context, "col")
    if not len(values) == len(rows) == len(columns):
        raise ValueError(f"[csr_matrix] received {len(values)} elements, {len(rows)} rows and {len(columns)} columns.")
    if shape is None:
        if not len(rows):
            raise ValueError("[csr_matrix] shape: received none, and no element to tell it; expected (M, N).")
        shape = (int(rows.max()) + 1, int(columns.max()) + 1)
    for what, found, length in (("row", rows, shape[0]), ("col", columns, shape[1])):
        if len(found) and (int(found.min()) < 0 or int(found.max()) >= length):
            raise ValueError(f"[csr_matrix] {what}: received numbers outside 0 to {length - 1}.")
    places, inverse = torch.unique(rows * shape[1] + columns, return_inverse=True)
    sums = values.new_zeros(len(places)).index_add_(0, inverse, values)
    if dtype is not None:
        sums = sums.to(torch_dtype(dtype))
    return CSRNDArray(Csr.from_places(sums, places, tuple(shape)), context)


def row_sparse_array(arg1: Any, shape: Any = None, ctx: Context | None = None, dtype: Any = None) -> RowSparseNDArray:
    """An array of which some rows are stored.

    Args:
        arg1: a dense array, nested lists or a RowSparseNDArray; or the shape of an empty one; or `(data, indices)`, the
            rows and their numbers, rising.
        shape: needed with parts only if the last rows are not stored.
        ctx: where to put it; the current context by default.
        dtype: of the elements; that of the data if they have one, else float32.
    """
    context = context_of(ctx)
    if isinstance(arg1, tuple):
        if len(arg1) < 2:
            raise ValueError(f"[row_sparse_array] Unexpected length of input tuple: {len(arg1)}; expected 2 or more.")
        if len(arg1) > 2 or _is_shape(arg1):
            _same_shape(arg1, shape)
            return empty("row_sparse", arg1, ctx, dtype)
        data, indices = arg1
        return _rows_from_parts(data, indices, shape, context, dtype)
    if isinstance(arg1, RowSparseNDArray):
        _same_shape(arg1.shape, shape)
        return array(arg1, context, dtype)
    if isinstance(arg1, BaseSparseNDArray):
        raise ValueError(f"[row_sparse_array] Unexpected input type: {type(arg1).__name__}.")
    made = NDArray(_values(arg1, dtype, context), context)
    _same_shape(made.shape, shape)
    return made.tostype("row_sparse")


def _rows_from_parts(data: Any, indices: Any, shape: Any, context: Context, dtype: Any) -> RowSparseNDArray:
    values, rows = _values(data, dtype, context), _numbers(indices, context, "indices")
    if shape is None:
        if not len(rows):
            raise ValueError("[row_sparse_array] shape: received none, and no row to tell it; expected a shape.")
        shape = (int(rows.max()) + 1, *values.shape[1:])
    if tuple(values.shape) != (len(rows), *shape[1:]):
        raise OpShapeError(
            f"[row_sparse_array] received data of shape {tuple(values.shape)} and {len(rows)} indices for the shape "
            f"{tuple(shape)}; expected {(len(rows), *shape[1:])}."
        )
    return RowSparseNDArray(Rows(values, rows, tuple(shape)), context)


@overload
def zeros(
    stype: Literal["csr"], shape: Any, ctx: Context | None = None, dtype: Any = None, **kwargs: Any
) -> CSRNDArray: ...
@overload
def zeros(
    stype: Literal["row_sparse"], shape: Any, ctx: Context | None = None, dtype: Any = None, **kwargs: Any
) -> RowSparseNDArray: ...
@overload
def zeros(stype: str, shape: Any, ctx: Context | None = None, dtype: Any = None, **kwargs: Any) -> NDArray: ...
def zeros(stype: str, shape: Any, ctx: Context | None = None, dtype: Any = None, **kwargs: Any) -> Any:
    """An array of zeros of a storage type; with 'default', a dense one."""
    if stype == "default":
        return dense.zeros(shape, ctx=ctx, dtype=dtype, **kwargs)
    target = torch_dtype(default_dtype(dtype))
    return storage_type(stype, "nd.sparse.zeros")._zeros(shape, target, context_of(ctx))


@overload
def empty(stype: Literal["csr"], shape: Any, ctx: Context | None = None, dtype: Any = None) -> CSRNDArray: ...
@overload
def empty(
    stype: Literal["row_sparse"], shape: Any, ctx: Context | None = None, dtype: Any = None
) -> RowSparseNDArray: ...
@overload
def empty(stype: str, shape: Any, ctx: Context | None = None, dtype: Any = None) -> NDArray: ...
def empty(stype: str, shape: Any, ctx: Context | None = None, dtype: Any = None) -> Any:
    """A sparse array with nothing stored, to be filled later."""
    storage_type(stype, "nd.sparse.empty")
    return zeros(stype, shape, ctx, dtype)


@overload
def array(source_array: S, ctx: Context | None = None, dtype: Any = None) -> S: ...
@overload
def array(source_array: Any, ctx: Context | None = None, dtype: Any = None) -> CSRNDArray: ...
def array(source_array: Any, ctx: Context | None = None, dtype: Any = None) -> Any:
    """A copy of a sparse array or of a SciPy matrix.

    Args:
        source_array: what to copy.
        ctx: where to put it; the current context by default.
        dtype: of the elements; that of the source by default.
    """
    context = context_of(ctx)
    if isinstance(source_array, BaseSparseNDArray):
        return source_array.astype(source_array.dtype if dtype is None else dtype).as_in_context(context)
    if dense.is_scipy_matrix(source_array):
        return CSRNDArray._from_scipy(source_array, context, dtype)
    if isinstance(source_array, NDArray):
        raise AssertionError(
            "[nd.sparse.array] received a dense array; Please use `tostype` to create RowSparseNDArray or CSRNDArray "
            "from an NDArray"
        )
    hint = " Use mx.nd.array, then tostype." if isinstance(source_array, (np.ndarray, np.generic)) else ""
    raise ValueError(f"[nd.sparse.array] Unexpected source_array type: {type(source_array)}.{hint}")
