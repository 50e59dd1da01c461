"""Functions that make arrays: from other data, filled, or numbered."""

import mmap
from collections.abc import Sequence
from math import prod
from operator import index
from typing import Any

import numpy as np
import torch

from ..base import NotImplementedForSymbol, numeric_types
from ..config import switches
from ..context import Context, context_of
from ..dtypes import default_dtype, torch_dtype
from ..errors import OpMemoryError, OpParamError, memory_text
from ..ops.registry import find
from ..runtime.handle import storage_type
from ..runtime.invoke import invoke, write
from .dense import NDArray

__all__ = [
    "arange",
    "array",
    "concatenate",
    "empty",
    "eye",
    "full",
    "histogram",
    "linspace",
    "moveaxis",
    "onehot_encode",
    "ones",
    "split_v2",
    "waitall",
    "zeros",
]

_IN_ORDER = torch.contiguous_format  # whatever strides the source has
_WORTH_MAPPING = 1 << 18  # bytes; memory is mapped in pages, and each mapping is a call of the system


def _call(name: str, inputs: Sequence[Any] = (), out: Any = None, **params: Any) -> Any:
    operator = find(name)
    return invoke(operator, inputs, operator.parse(params), out, NDArray)


def _shape(shape: Any) -> tuple[int, ...]:
    try:
        return (int(shape),) if isinstance(shape, (int, np.integer)) else tuple(index(n) for n in shape)
    except TypeError:
        raise OpParamError(f"[shape] received {shape!r}; expected an integer or a tuple of integers.") from None


def array(source_array: Any, ctx: Context | None = None, dtype: Any = None) -> NDArray:
    """An array from any data, always a copy.

    Args:
        source_array: an array of any kind, or nested lists of numbers.
        ctx: where to put it; the current context by default.
        dtype: the type of the elements; by default that of a given NDArray or torch tensor, otherwise float32.

    Example:
        >>> nd.array([[1, 2], [3, 4]]).asnumpy()
        array([[1., 2.],
               [3., 4.]], dtype=float32)
        >>> nd.array([1, 2], dtype="int32").dtype.__name__
        'int32'
    """
    context = context_of(ctx)
    made: NDArray
    if isinstance(source_array, NDArray) and source_array.stype != "default":
        return source_array.astype(source_array.dtype if dtype is None else dtype).as_in_context(context)
    if isinstance(source_array, (NDArray, torch.Tensor)):
        source = source_array.as_nd_ndarray() if isinstance(source_array, NDArray) else NDArray(source_array.detach())
        target = source._t.dtype if dtype is None else torch_dtype(dtype)
        made = source._view(lambda tensor: tensor.to(context.device, target, copy=True, memory_format=_IN_ORDER))
        made._ctx = context
        return made
    if is_scipy_matrix(source_array):
        made = storage_type("csr", "nd.array")._from_scipy(source_array, context, dtype)
        return made
    if switches.tracing:
        raise NotImplementedForSymbol("nd.array", None)  # the values may be others in the next call
    target = torch_dtype(default_dtype(dtype))
    try:
        values = np.array(_without_ndarrays(source_array), order="C")
        if values.dtype.kind not in "biuf":
            values = values.astype(np.float64)  # numbers as text, None as NaN: what NumPy can read, we take
    except MemoryError as error:
        raise _refused("nd.array", np.shape(source_array), error) from error
    except (TypeError, ValueError) as error:
        raise TypeError(
            f"[nd.array] received {type(source_array).__module__}.{type(source_array).__name__} ({error}); expected an "
            "array, or nested lists of numbers of equal lengths."
        ) from None
    if values.dtype.kind == "u" and values.dtype.itemsize > 1:
        values = values.astype(np.int64)  # torch works with few unsigned types
    return NDArray(torch.from_numpy(values).to(device=context.device, dtype=target), context)


def is_scipy_matrix(source: Any) -> bool:
    """Whether something is a sparse matrix of SciPy, which is not imported to find out."""
    return type(source).__module__.startswith("scipy.sparse")


def _without_ndarrays(source: Any) -> Any:
    if isinstance(source, (list, tuple)):
        return [_without_ndarrays(item) for item in source]
    return source.asnumpy() if isinstance(source, NDArray) else source


def empty(shape: Any, ctx: Context | None = None, dtype: Any = None, stype: str | None = None) -> NDArray:
    """An array whose elements are not set.

    Example:
        >>> nd.empty((2, 3)).shape
        (2, 3)
    """
    if stype not in (None, "default"):
        return zeros(shape, ctx, dtype, stype)
    context = context_of(ctx)
    target = torch_dtype(default_dtype(dtype))
    try:
        return NDArray(torch.empty(_shape(shape), dtype=target, device=context.device), context)
    except (RuntimeError, TypeError, OverflowError) as error:
        raise _refused("nd.empty", shape, error) from error


def _refused(who: str, shape: Any, error: Exception) -> Exception:
    """The error for an array that there is no memory for; any other as it is."""
    text = memory_text(error)
    return error if text is None else OpMemoryError(f"[{who}] received the shape {shape}: {text}.")


def zeros(
    shape: Any, ctx: Context | None = None, dtype: Any = None, stype: str | None = None, out: NDArray | None = None
) -> NDArray:
    """An array of zeros; sparse if `stype` is 'csr' or 'row_sparse'.

    Example:
        >>> nd.zeros((2, 2)).asnumpy()
        array([[0., 0.],
               [0., 0.]], dtype=float32)
    """
    if stype not in (None, "default"):
        made: NDArray = storage_type(stype, "nd.zeros")._zeros(
            _shape(shape), torch_dtype(default_dtype(dtype)), context_of(ctx)
        )
        return made
    return _call("_zeros", out=out, shape=_shape(shape), ctx=ctx, dtype=default_dtype(dtype))


def reserved_zeros(shape: tuple[int, ...], ctx: Context, dtype: Any) -> NDArray:
    """An array of zeros that takes memory only where something is written to it, if it is large.

    Gradients of a network that only predicts are never written.
    """
    target = torch_dtype(dtype)
    size = prod(shape) * target.itemsize
    if size < _WORTH_MAPPING or ctx.device.type != "cpu" or not hasattr(mmap, "MAP_PRIVATE"):
        return zeros(shape, ctx, dtype)
    try:
        memory = mmap.mmap(-1, size, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    except (OSError, OverflowError) as error:
        raise _refused("nd.zeros", shape, error) from error
    return NDArray(torch.frombuffer(memory, dtype=target).view(shape), ctx)


def ones(shape: Any, ctx: Context | None = None, dtype: Any = None, out: NDArray | None = None) -> NDArray:
    """An array of ones.

    Example:
        >>> nd.ones((2, 2), dtype="int32").asnumpy()
        array([[1, 1],
               [1, 1]], dtype=int32)
    """
    return _call("_ones", out=out, shape=_shape(shape), ctx=ctx, dtype=default_dtype(dtype))


def full(
    shape: Any, val: Any, ctx: Context | None = None, dtype: Any = np.float32, out: NDArray | None = None
) -> NDArray:
    """An array filled with one value, or with an array that broadcasts to the shape.

    Example:
        >>> nd.full((2,), 7).asnumpy()
        array([7., 7.], dtype=float32)
    """
    if not isinstance(val, numeric_types):
        result = empty(shape, ctx, dtype) if out is None else out
        result[:] = val
        return result
    return _call("_full", out=out, shape=_shape(shape), value=val, ctx=ctx, dtype=default_dtype(dtype))


def arange(
    start: float,
    stop: float | None = None,
    step: float = 1.0,
    repeat: int = 1,
    infer_range: bool | None = None,
    ctx: Context | None = None,
    dtype: Any = np.float32,
) -> NDArray:
    """Evenly spaced numbers in [start, stop), each `repeat` times; `arange(n)` counts from 0.

    Example:
        >>> nd.arange(3).asnumpy()
        array([0., 1., 2.], dtype=float32)
        >>> nd.arange(1, 3, step=0.5).asnumpy()
        array([1. , 1.5, 2. , 2.5], dtype=float32)
    """
    return _call("_arange", start=start, stop=stop, step=step, repeat=repeat, ctx=ctx, dtype=default_dtype(dtype))


def linspace(
    start: float,
    stop: float,
    num: int,
    endpoint: bool = True,
    ctx: Context | None = None,
    dtype: Any = np.float32,
) -> NDArray:
    """`num` evenly spaced numbers from `start` to `stop`, which is left out if `endpoint` is False."""
    if num < 0:
        raise OpParamError(f"[nd.linspace] num: received {num}; expected a number of points, at least 0.")
    steps = num - 1 if endpoint else num
    step = (stop - start) / steps if steps > 0 else 0.0
    context = context_of(ctx)
    try:
        points = torch.arange(num, dtype=torch.float64, device=context.device) * step + start
    except (RuntimeError, TypeError, OverflowError) as error:
        raise _refused("nd.linspace", (num,), error) from error
    return NDArray(points.to(torch_dtype(default_dtype(dtype))), context)


def eye(N: int, M: int = 0, k: int = 0, ctx: Context | None = None, dtype: Any = None) -> NDArray:
    """A matrix with ones on the k-th diagonal.

    Example:
        >>> nd.eye(2).asnumpy()
        array([[1., 0.],
               [0., 1.]], dtype=float32)
    """
    return _call("_eye", N=N, M=M, k=k, ctx=ctx, dtype=default_dtype(dtype))


def concatenate(arrays: Sequence[NDArray], axis: int = 0, always_copy: bool = True) -> NDArray:
    """Joins arrays along an axis; a single one is returned as it is unless `always_copy`.

    Example:
        >>> nd.concatenate([nd.zeros((1, 2)), nd.ones((1, 2))], axis=0).asnumpy()
        array([[0., 0.],
               [1., 1.]], dtype=float32)
    """
    if len(arrays) == 1 and not always_copy:
        return arrays[0]
    return _call("Concat", arrays, dim=axis)


def _axes(axes: Any, ndim: int) -> list[int]:
    listed = [axes] if isinstance(axes, int) else list(axes)
    for axis in listed:
        if not -ndim <= axis < ndim:
            raise ValueError(f"[nd.moveaxis] received axis {axis}; expected one of the {ndim} dimensions.")
    return [axis % ndim for axis in listed]


def moveaxis(tensor: NDArray, source: Any, destination: Any) -> NDArray:
    """Moves axes to other places; the rest keep their order."""
    sources = _axes(source, tensor.ndim)
    destinations = _axes(destination, tensor.ndim)
    if len(sources) != len(destinations):
        raise ValueError(f"[nd.moveaxis] received {len(sources)} source and {len(destinations)} destination axes.")
    if len({*sources}) < len(sources) or len({*destinations}) < len(destinations):
        raise ValueError(
            f"[nd.moveaxis] received source={source} and destination={destination}; expected each axis once."
        )
    order = [axis for axis in range(tensor.ndim) if axis not in sources]
    for place, axis in sorted(zip(destinations, sources, strict=True)):
        order.insert(place, axis)
    return tensor.transpose(order)


def split_v2(
    ary: NDArray, indices_or_sections: Any, axis: int = 0, squeeze_axis: bool = False
) -> "NDArray | list[NDArray]":
    """Cuts an array along an axis, into equal sections or at the given places."""
    return ary.split_v2(indices_or_sections, axis, squeeze_axis)


def histogram(a: NDArray, bins: Any = 10, range: Any = None) -> tuple[NDArray, NDArray]:
    """Counts elements in bins: their edges as an array, or their number within `range`."""
    if isinstance(bins, NDArray):
        return _call("_histogram", [a, bins])
    if range is None:  # the edges come from the data, so NumPy does it, as in MXNet
        counts, edges = np.histogram(a.asnumpy(), bins=bins)
        return array(counts, a.context), array(edges, a.context)
    return _call("_histogram", [a], bin_cnt=bins, range=range)


def onehot_encode(indices: NDArray, out: NDArray) -> NDArray:
    """Writes a 1 per row of `out` at the place that `indices` names, 0 elsewhere."""
    encoded = indices._plain().long().unsqueeze(1) == torch.arange(out.shape[1], device=indices._t.device)
    write(out, encoded.to(out._t.dtype), None, "onehot_encode")
    return out


def waitall() -> None:
    """Waits until everything started on any device is done.

    Example:
        >>> y = nd.ones((2, 2)) * 2
        >>> nd.waitall()  # now a clock can be read
    """
    if torch.cuda.is_initialized():
        torch.cuda.synchronize()
