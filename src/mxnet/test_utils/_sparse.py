"""Random sparse arrays for tests."""

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np

from ..ndarray import NDArray, array
from ..ndarray.sparse import csr_matrix, row_sparse_array
from ..ndarray.sparse import zeros as sparse_zeros
from ._environment import default_context, default_dtype
from ._random_data import assign_each, random_arrays

__all__ = [
    "create_sparse_array",
    "create_sparse_array_zd",
    "rand_ndarray",
    "rand_sparse_ndarray",
    "shuffle_csr_column_indices",
]

Modifier = Callable[[Any], Any] | None


def rand_ndarray(
    shape: tuple[int, ...],
    stype: str = "default",
    density: float | None = None,
    dtype: Any = None,
    modifier_func: Modifier = None,
    shuffle_csr_indices: bool = False,
    distribution: str | None = None,
    ctx: Any = None,
) -> NDArray:
    """A random NDArray: normally distributed if it is dense; see rand_sparse_ndarray for the others."""
    if stype == "default":
        return array(random_arrays(shape), dtype=dtype, ctx=ctx or default_context())
    return rand_sparse_ndarray(
        shape,
        stype,
        density=density,
        dtype=dtype,
        distribution=distribution,
        modifier_func=modifier_func,
        shuffle_csr_indices=shuffle_csr_indices,
        ctx=ctx,
    )[0]


def rand_sparse_ndarray(
    shape: tuple[int, ...],
    stype: str,
    density: float | None = None,
    dtype: Any = None,
    distribution: str | None = None,
    data_init: float | None = None,
    rsp_indices: Any = None,
    modifier_func: Modifier = None,
    shuffle_csr_indices: bool = False,
    ctx: Any = None,
) -> tuple[Any, tuple[Any, ...]]:
    """A random sparse array, and its parts.

    Args:
        shape: its shape.
        stype: 'row_sparse' or 'csr'.
        density: the part of the rows, or of the elements, that is stored; random by default.
        dtype: float32 by default.
        distribution: 'uniform', or 'powerlaw' for a csr array whose rows store twice as much from one to the next.
        data_init: the value of what is stored; random by default.
        rsp_indices: which rows a row_sparse array stores.
        modifier_func: applied to what is stored, of a row_sparse array.
        shuffle_csr_indices: leave the columns within rows unordered.
        ctx: where to make it.

    Returns:
        The array, and (values, indices) of a row_sparse or (indptr, indices, data) of a csr array.
    """
    context = ctx or default_context()
    density = np.random.rand() if density is None else density
    dtype = default_dtype() if dtype is None else dtype
    distribution = distribution or "uniform"
    if stype == "row_sparse":
        if distribution != "uniform":
            raise AssertionError(f"Distribution {distribution} not supported for row_sparse")
        return _row_sparse(shape, density, dtype, data_init, rsp_indices, modifier_func, context)
    if stype != "csr":
        raise AssertionError(f"unknown storage type {stype!r}; expected 'row_sparse' or 'csr'")
    if len(shape) != 2:
        raise AssertionError(f"a csr array has two axes; received the shape {shape}")
    if distribution == "uniform":
        made = _uniform_csr(shape, density, dtype, data_init, shuffle_csr_indices)
    elif distribution == "powerlaw":
        made = _powerlaw_csr(shape, density, dtype)
    else:
        raise AssertionError(f"Distribution not supported: {distribution}")
    csr = made.as_in_context(context)
    return csr, (csr.indptr, csr.indices, csr.data)


def _row_sparse(
    shape: tuple[int, ...],
    density: float,
    dtype: Any,
    data_init: float | None,
    rsp_indices: Any,
    modifier_func: Modifier,
    context: Any,
) -> tuple[Any, tuple[Any, Any]]:
    if rsp_indices is None:
        indices = np.flatnonzero(np.random.rand(shape[0]) < density)
    else:
        indices = np.asarray(rsp_indices)
        if len(indices) > shape[0]:
            raise AssertionError(f"received {len(indices)} indices for {shape[0]} rows")
    if not len(indices):
        empty = sparse_zeros("row_sparse", shape, dtype=dtype, ctx=context)
        return empty, (np.array([], dtype=dtype), np.array([]))
    values = np.random.rand(len(indices), *shape[1:]).astype(dtype)
    if data_init is not None:
        values.fill(data_init)
    if modifier_func is not None:
        values = assign_each(values, modifier_func)
    return row_sparse_array((values, indices), shape=shape, dtype=dtype, ctx=context), (values, indices)


def _check_csr(shape: tuple[int, ...], density: float) -> None:
    if not 0 <= density <= 1:
        raise ValueError(f"density has to be between 0 and 1, not {density}")
    if shape[0] <= 0 or shape[1] <= 0:
        raise ValueError(f"num_rows or num_cols should be greater than 0; received {shape}")


def _uniform_csr(shape: tuple[int, ...], density: float, dtype: Any, data_init: float | None, shuffle: bool) -> Any:
    """Elements at random places, as many as the density says."""
    _check_csr(shape, density)
    size = shape[0] * shape[1]
    places = np.sort(np.random.choice(size, round(size * density), replace=False))
    values = np.random.rand(len(places)) if data_init is None else np.full(len(places), data_init)
    indptr = np.searchsorted(places, np.arange(shape[0] + 1) * shape[1])
    columns = places % shape[1]
    if shuffle:
        for start, end in itertools.pairwise(indptr):
            np.random.shuffle(columns[start:end])
    return csr_matrix((values.astype(dtype), columns, indptr), shape=shape, dtype=dtype)


def _powerlaw_csr(shape: tuple[int, ...], density: float, dtype: Any) -> Any:
    """One element at least in each row, then twice as many from row to row until all are used."""
    _check_csr(shape, density)
    rows, columns = shape
    total = int(rows * columns * density)
    unsupported = f"not supported for this density: {density} for this shape ({rows}, {columns})"
    if total < 2 * rows:
        raise ValueError(f"{unsupported} Please keep : num_rows * num_cols * density >= 2 * num_rows")
    lengths = np.ones(rows, np.int64)
    left, widest = total - rows, 2
    for row in range(rows):
        width = min(columns, widest)
        taken = min(width - 1, left)
        lengths[row] += taken
        left -= taken
        widest *= 2
    if left > 0:
        raise ValueError(unsupported)
    dense = np.zeros(shape, dtype)
    for row, length in enumerate(lengths):
        dense[row, :length] = 1 + np.random.uniform(0.001, 2, size=length)
    return array(dense, dtype=dtype).tostype("csr")


def shuffle_csr_column_indices(csr: Any) -> None:
    """Shuffles the columns within each row of a csr matrix, in place: their order is free.

    Args:
        csr: a SciPy matrix, or anything with NumPy arrays `indptr` and `indices`.
    """
    for start, end in itertools.pairwise(csr.indptr):
        columns = np.array(csr.indices[start:end])
        np.random.shuffle(columns)
        csr.indices[start:end] = columns


def create_sparse_array(
    shape: tuple[int, ...],
    stype: str,
    data_init: float | None = None,
    rsp_indices: Any = None,
    dtype: Any = None,
    modifier_func: Modifier = None,
    density: float = 0.5,
    shuffle_csr_indices: bool = False,
) -> NDArray:
    """A random sparse array; the rows of a row_sparse one are in order."""
    if stype not in ("row_sparse", "csr"):
        raise AssertionError(f"Unknown storage type: {stype}")
    rows = None if rsp_indices is None or stype == "csr" else np.sort(np.asarray(rsp_indices))
    return rand_sparse_ndarray(
        shape,
        stype,
        density=density,
        dtype=dtype,
        data_init=data_init,
        rsp_indices=rows,
        modifier_func=modifier_func,
        shuffle_csr_indices=shuffle_csr_indices and stype == "csr",
    )[0]


def create_sparse_array_zd(
    shape: tuple[int, ...],
    stype: str,
    density: float,
    data_init: float | None = None,
    rsp_indices: Any = None,
    dtype: Any = None,
    modifier_func: Modifier = None,
    shuffle_csr_indices: bool = False,
) -> NDArray:
    """A random sparse array; of a row_sparse one, `rsp_indices` alone say what is stored."""
    return create_sparse_array(
        shape,
        stype,
        data_init=data_init,
        rsp_indices=rsp_indices,
        dtype=dtype,
        modifier_func=modifier_func,
        density=0.0 if stype == "row_sparse" else density,
        shuffle_csr_indices=shuffle_csr_indices,
    )
