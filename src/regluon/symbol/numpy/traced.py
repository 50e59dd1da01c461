"""Traced symbols that stand for `mx.np` arrays: see tracing.py."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as onp

from ...array import NDArray
from ...array.interop import from_numpy
from ...array.numpy.dispatch import call
from ...base import NotImplementedForSymbol
from ...dtypes import dtype_name
from ...ops.registry import find
from ..symbol import Symbol
from ..tracer import TRACED_CLASSES, Trace, TracedSymbol
from ._symbol import NumpySymbol, is_basic

__all__ = ["TracedNumpySymbol"]

_ALL = slice(None)


class TracedNumpySymbol(NumpySymbol, TracedSymbol):  # type: ignore[misc]
    """A symbol that behaves like the `mx.np` array it stands for, as far as no values are asked for."""

    __module__ = "mxnet.symbol.numpy"

    __slots__ = ()
    __hash__ = object.__hash__
    _trace: Trace

    # The code of a network may write `x += 1`: what stands for x afterwards is the sum.
    __iadd__, __isub__, __imul__ = NumpySymbol.__add__, NumpySymbol.__sub__, NumpySymbol.__mul__
    __itruediv__, __imod__, __imatmul__ = NumpySymbol.__truediv__, NumpySymbol.__mod__, NumpySymbol.__matmul__
    __iand__, __ior__, __ixor__ = NumpySymbol.__and__, NumpySymbol.__or__, NumpySymbol.__xor__

    def _captured(self, array: Any) -> Any:
        return self._trace.constant(array)

    def _call(self, name: str, inputs: Sequence[Any], params: dict[str, Any], out: Any) -> Any:
        if "scalar" in params and "is_int" in find(name).params and "float" not in dtype_name(inputs[0].dtype):
            # Arrays of integers meet numbers of their own dtype, 1.5 as 1; only in graphs made by hand MXNet differs.
            params = {**params, "scalar": float(params["scalar"]), "is_int": True}
        return super()._call(name, inputs, params, out)

    @property
    def dtype(self) -> Any:
        """The NumPy dtype of the elements."""
        kind = TracedSymbol.dtype.fget(self)  # type: ignore[attr-defined]
        return kind if kind == "bfloat16" else onp.dtype(kind)

    def copy(self, order: str = "C") -> Any:
        """The values."""
        return call("_np_copy", (self,))

    def item(self, *args: Any) -> Any:
        """Refused: there are no values yet."""
        raise NotImplementedForSymbol("item", None)

    tolist = __float__ = __int__ = __index__ = item

    def __len__(self) -> int:
        return TracedSymbol.__len__(self)

    def __iter__(self) -> Iterator[Any]:
        return TracedSymbol.__iter__(self)

    def __getitem__(self, key: Any) -> Any:
        """Outputs of an operator that has several; otherwise parts of the data, as with `mx.np` arrays."""
        if len(self._heads) != 1 or isinstance(key, str):
            return Symbol.__getitem__(self, key)
        if is_basic(key):
            return self if key == _ALL else self._part(key)
        items = key if isinstance(key, tuple) else (key,)
        if any(isinstance(item, (list, onp.ndarray, NDArray, Symbol)) for item in items):
            return _gathered(self, _for_each_axis(self, items))
        return _with_new_axes(self, _for_each_axis(self, items, keep_new=True))


def _for_each_axis(symbol: TracedNumpySymbol, items: Sequence[Any], keep_new: bool = False) -> list[Any]:
    """The key with one item for each axis, and None for new axes where they are kept."""
    places = [place for place, item in enumerate(items) if item is Ellipsis]
    used = sum(_axes_of(item) for item in items)
    if len(places) > 1 or used > symbol.ndim:
        raise IndexError(f"[{symbol.name}] received {len(items)} items of a key for {symbol.ndim} axes.")
    at = places[0] if places else len(items)
    filled = [*items[:at], *[_ALL] * (symbol.ndim - used), *items[at + 1 :]]
    if not keep_new and any(item is None for item in filled):
        raise NotImplementedForSymbol("__getitem__", "new axes beside index arrays")
    return filled


def _axes_of(item: Any) -> int:
    if item is None or item is Ellipsis:
        return 0
    if isinstance(item, (bool, onp.bool_)):
        raise NotImplementedForSymbol("__getitem__", "a bool as key")
    return 1


def _with_new_axes(symbol: TracedNumpySymbol, items: list[Any]) -> Any:
    """Integers, slices and None."""
    bounds = tuple(item for item in items if item is not None)
    result = symbol if all(item == _ALL for item in bounds) else symbol._sliced(bounds)
    kept = [item for item in items if item is None or isinstance(item, slice)]
    for axis, item in enumerate(kept):
        if item is None:
            result = call("_npi_expand_dims", (result,), {"axis": axis})
    return result


def _gathered(symbol: TracedNumpySymbol, items: list[Any]) -> Any:
    """Index arrays, and integers beside them; slices of the other axes."""
    places = [axis for axis, item in enumerate(items) if not isinstance(item, slice)]
    first, last = places[0], places[-1]
    if last - first + 1 != len(places):
        raise NotImplementedForSymbol("__getitem__", "index arrays with a slice between them")
    slices = tuple(item if isinstance(item, slice) else _ALL for item in items)
    data = symbol if all(item == _ALL for item in slices) else symbol._sliced(slices)
    if first:  # the axes that are looked up come first
        data = data.transpose((*places, *(axis for axis in range(len(items)) if axis not in places)))
    indices = [_index(symbol, items[place]) for place in places]
    common = onp.broadcast_shapes(*(index.shape for index in indices))
    indices = [index if index.shape == common else index.broadcast_to(common) for index in indices]
    stacked = call("_npi_stack", indices, {"axis": 0, "num_args": len(indices)})
    result = call("_npi_gather_nd", (data, stacked))
    if not first:
        return result
    count = len(common)
    order = (*range(count, count + first), *range(count), *range(count + first, len(result.shape)))
    return result.transpose(order)


def _index(symbol: TracedNumpySymbol, item: Any) -> Any:
    """One index array as a symbol of integers."""
    if not isinstance(item, Symbol):
        if not isinstance(item, NDArray):
            values = onp.asarray(item)
            item = from_numpy(values if values.dtype == bool else values.astype(onp.int64)).as_np_ndarray()
        item = symbol._captured(item)
    if item.dtype == bool:
        raise NotImplementedForSymbol("__getitem__", "a mask, whose result has a shape that only the data tell")
    return item if item.dtype == onp.int64 else item.astype("int64")


TRACED_CLASSES[True] = TracedNumpySymbol
