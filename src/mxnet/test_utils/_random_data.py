"""Random shapes, arrays and matrices for tests, drawn from NumPy's global generator: `np.random.seed` repeats them."""

from collections.abc import Callable, Sequence
from typing import Any, TypeVar, overload

import numpy as np

from regluon.dtypes import DTypeLike

from ..ndarray import NDArray, arange, array, broadcast_to, zeros
from ._environment import default_dtype

__all__ = [
    "assign_each",
    "assign_each2",
    "collapse_sum_like",
    "create_2d_tensor",
    "create_vector",
    "get_identity_mat",
    "get_identity_mat_batch",
    "new_matrix_with_real_eigvals_2d",
    "new_matrix_with_real_eigvals_nd",
    "new_orthonormal_matrix_2d",
    "new_sym_matrix_with_real_eigvals_2d",
    "new_sym_matrix_with_real_eigvals_nd",
    "np_reduce",
    "rand_coord_2d",
    "rand_shape_2d",
    "rand_shape_3d",
    "rand_shape_nd",
    "random_arrays",
    "random_sample",
    "random_uniform_arrays",
]

Array = np.ndarray[Any, Any]
Population = TypeVar("Population", bound=Sequence[Any])


@overload
def random_arrays(shape: tuple[int, ...], /) -> Array: ...
@overload
def random_arrays(*shapes: tuple[int, ...]) -> list[Array]: ...
def random_arrays(*shapes: tuple[int, ...]) -> Array | list[Array]:
    """Normally distributed NumPy arrays of float32: one, or a list for several shapes."""
    arrays = [
        np.random.randn(*shape).astype(default_dtype()) if shape else np.array(np.random.randn(), default_dtype())
        for shape in shapes
    ]
    return arrays[0] if len(arrays) == 1 else arrays


def random_uniform_arrays(*shapes: tuple[int, ...], **kwargs: Any) -> list[Array]:
    """Uniformly distributed NumPy arrays.

    Args:
        shapes: their shapes.
        kwargs: the bounds `low` and `high`, by default 0 and 1, and `dtype`.
    """
    low, high, dtype = kwargs.pop("low", 0.0), kwargs.pop("high", 1.0), kwargs.pop("dtype", default_dtype())
    if kwargs:
        raise TypeError(f"[random_uniform_arrays] received {', '.join(kwargs)}; expected low, high or dtype.")
    return [np.random.uniform(low, high, size=shape).astype(dtype) for shape in shapes]


def random_sample(population: Population, k: int) -> Population:
    """Some elements of a sequence, none twice."""
    if not 0 <= k <= len(population):
        raise AssertionError(f"[random_sample] k: received {k}; expected a number from 0 to {len(population)}.")
    shuffled: Any = population[:]
    np.random.shuffle(shuffled)
    drawn: Population = shuffled[:k]
    return drawn


def _length(longest: int, allow_zero_size: bool) -> int:
    return int(np.random.randint(0 if allow_zero_size else 1, longest + 1))


def rand_shape_2d(dim0: int = 10, dim1: int = 10, allow_zero_size: bool = False) -> tuple[int, int]:
    """A random shape of two axes, of at most the given lengths."""
    return _length(dim0, allow_zero_size), _length(dim1, allow_zero_size)


def rand_shape_3d(
    dim0: int = 10, dim1: int = 10, dim2: int = 10, allow_zero_size: bool = False
) -> tuple[int, int, int]:
    """A random shape of three axes, of at most the given lengths."""
    return _length(dim0, allow_zero_size), _length(dim1, allow_zero_size), _length(dim2, allow_zero_size)


def rand_shape_nd(num_dim: int, dim: int = 10, allow_zero_size: bool = False) -> tuple[int, ...]:
    """A random shape of so many axes, of at most the given length."""
    drawn = np.random.randint(0 if allow_zero_size else 1, dim + 1, size=num_dim)
    return tuple(int(length) for length in drawn)


def rand_coord_2d(x_low: int, x_high: int, y_low: int, y_high: int) -> tuple[Any, Any]:
    """A random place in a rectangle; the upper bounds are outside."""
    x = np.random.randint(x_low, x_high, dtype=np.int64)
    return x, np.random.randint(y_low, y_high, dtype=np.int64)


def assign_each(the_input: Array, function: Callable[[Any], Any] | None) -> Array:
    """An array of the results of a function on each element; a copy if there is no function."""
    if function is None:
        return np.array(the_input)
    results = [function(value) for value in np.ravel(the_input)]
    return np.array(results, np.float64).reshape(the_input.shape)


def assign_each2(input1: Array, input2: Array, function: Callable[[Any, Any], Any] | None) -> Array:
    """An array of the results of a function on pairs of elements; a copy of the first array without a function."""
    if function is None:
        return np.array(input1)
    if input1.shape != input2.shape:
        raise AssertionError(f"[assign_each2] received shapes {input1.shape} and {input2.shape}; expected equal ones.")
    results = [function(*pair) for pair in zip(np.ravel(input1), np.ravel(input2), strict=True)]
    return np.array(results, np.float64).reshape(input1.shape)


def np_reduce(dat: Array, axis: Any, keepdims: bool, numpy_reduce_func: Callable[..., Any]) -> Array:
    """Reduces an array along axes one after the other, the last first.

    Args:
        dat: the array.
        axis: an axis, several, or None for all.
        keepdims: whether they stay, with length 1.
        numpy_reduce_func: such as `np.sum`.
    """
    axes = [axis] if isinstance(axis, int) else list(range(dat.ndim) if axis is None else axis)
    result = dat
    for each in sorted(axes, reverse=True):
        result = numpy_reduce_func(result, axis=each)
    if keepdims:
        lengths = list(dat.shape)
        for each in axes:
            lengths[each] = 1
        result = np.reshape(result, lengths)
    return result


def collapse_sum_like(a: Array, shape: tuple[int, ...]) -> Array:
    """The sum of an array over the axes along which `shape` was broadcast to it."""
    if a.ndim < len(shape):
        raise AssertionError(f"[collapse_sum_like] received {a.ndim} axes; expected at least {len(shape)}.")
    if 0 in shape or a.size == 0:
        return np.zeros(shape, dtype=a.dtype)
    extra = a.ndim - len(shape)
    axes = [*range(extra), *(extra + place for place, n in enumerate(shape) if n != a.shape[extra + place])]
    if any(shape[axis - extra] != 1 for axis in axes[extra:]):
        raise AssertionError(f"[collapse_sum_like] {shape} does not broadcast to {a.shape}.")
    return np.asarray(np.sum(a, axis=tuple(axes))).reshape(shape)


def create_2d_tensor(rows: int, columns: int, dtype: DTypeLike = np.int64) -> NDArray:
    """An NDArray whose rows hold their own number."""
    return broadcast_to(arange(0, rows, dtype=dtype).reshape(rows, 1), shape=(rows, columns))


def create_vector(size: int, dtype: DTypeLike = np.int64) -> NDArray:
    """An NDArray of the numbers from 0."""
    return arange(0, size, dtype=dtype)


def get_identity_mat(size: int) -> NDArray:
    """An identity matrix as an NDArray."""
    return array(np.eye(size, dtype=np.float32)) if size else zeros((0, 0))


def get_identity_mat_batch(size: int) -> NDArray:
    """Two identity matrices as an NDArray."""
    return array(np.stack([np.eye(size, dtype=np.float32)] * 2))


def new_matrix_with_real_eigvals_2d(n: int) -> Array:
    """A well-conditioned matrix with real eigenvalues of at most 10."""
    while True:
        scales = np.diag(np.random.uniform(-1.0, 1.0, n))
        normal = np.random.uniform(-1.0, 1.0, n).reshape(n, 1)
        normal = normal / np.linalg.norm(normal)
        q = (np.eye(n) - 2 * normal @ normal.T) @ scales
        if np.linalg.cond(q, 2) < 3:
            break
    values = np.diag(np.random.uniform(-10.0, 10.0, n))
    return np.linalg.inv(q) @ values @ q


def _stacked(shape: tuple[int, ...], make: Callable[[int], Array]) -> Array:
    count = int(np.prod(shape[:-2]))
    return np.array([make(shape[-1]) for _ in range(count)]).reshape(shape)


def new_matrix_with_real_eigvals_nd(shape: tuple[int, ...]) -> Array:
    """Several such matrices: `shape` ends with their shape."""
    return _stacked(shape, new_matrix_with_real_eigvals_2d)


def new_orthonormal_matrix_2d(n: int) -> Array:
    """A matrix with orthogonal rows of length 1."""
    drawn = np.random.randn(n, n)
    return np.linalg.qr(drawn.T @ drawn)[0]


def new_sym_matrix_with_real_eigvals_2d(n: int) -> Array:
    """A symmetric matrix."""
    q = new_orthonormal_matrix_2d(n)
    return q.T @ np.diag(np.random.uniform(-10.0, 10.0, n)) @ q


def new_sym_matrix_with_real_eigvals_nd(shape: tuple[int, ...]) -> Array:
    """Several symmetric matrices: `shape` ends with their shape."""
    return _stacked(shape, new_sym_matrix_with_real_eigvals_2d)
