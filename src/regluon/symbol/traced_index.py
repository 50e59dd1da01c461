"""Indexing of symbols that know their shapes: `x[1:, None, 0]` as operators of the graph."""

from typing import Any

import numpy as np
import torch

from ..array import NDArray
from ..base import MXNetError, NotImplementedForSymbol
from ..ops.registry import find
from .graph_builder import apply_operator
from .symbol import Symbol

__all__ = ["selected"]


def selected(symbol: Any, key: Any) -> Any:
    """`symbol[key]` for integers, slices, None and one array of indices."""
    items = list(key) if isinstance(key, tuple) else [key]
    if any(isinstance(item, (list, np.ndarray, NDArray, Symbol)) for item in items):
        return _taken(symbol, items)
    places = [place for place, item in enumerate(items) if item is Ellipsis]
    used = sum(item is not None and item is not Ellipsis for item in items)
    if len(places) > 1 or used > symbol.ndim:
        raise IndexError(f"[{symbol.name}] received {key!r} for {symbol.ndim} axes.")
    at = places[0] if places else len(items)
    items = items[:at] + [slice(None)] * (symbol.ndim - used) + items[at + 1 :]
    bounds = [item for item in items if item is not None]
    if not all(isinstance(item, (int, np.integer, slice)) for item in bounds):
        raise NotImplementedForSymbol("__getitem__", None, *bounds)
    begin, end, step = zip(*(_bounds(item, n) for item, n in zip(bounds, symbol.shape, strict=True)), strict=True)
    result = symbol
    if any(item != slice(None) for item in bounds):
        params = {"begin": begin, "end": end, "step": step}
        result = apply_operator(find("slice"), "slice", (symbol,), params)
    lengths = iter(result.shape)
    shape: list[int] = []
    for item in items:
        if item is None:
            shape.append(1)
        else:
            length = next(lengths)
            shape += [length] if isinstance(item, slice) else []
    if tuple(shape) == result.shape:
        return result
    if not shape:  # a single element has the shape (1,)
        shape = [1]
    return apply_operator(find("Reshape"), "reshape", (result,), {"shape": tuple(shape)})


def _bounds(item: Any, length: int) -> tuple[int | None, int | None, int]:
    if isinstance(item, slice):
        chosen = range(*item.indices(length))
        if not chosen:
            raise NotImplementedForSymbol("__getitem__", "an empty slice")
        stop = chosen.stop if chosen.stop >= 0 else None
        return chosen.start, stop, chosen.step
    index = int(item)
    if not -length <= index < length:
        raise IndexError(f"index {index} is out of bounds for an axis of length {length}.")
    return index % length, index % length + 1, 1


def _taken(symbol: Any, items: list[Any]) -> Any:
    """Index arrays: one, along the first axis."""
    if len(items) != 1:
        raise NotImplementedForSymbol("__getitem__", None, *items)
    indices = items[0]
    if not isinstance(indices, Symbol):
        indices = symbol._trace.constant(indices if isinstance(indices, NDArray) else NDArray(_index_tensor(indices)))
    return apply_operator(find("take"), "take", (symbol, indices), {"axis": 0})


def _index_tensor(indices: Any) -> torch.Tensor:
    array = np.asarray(indices)
    if array.dtype == bool:
        raise MXNetError("[take] received a mask; use contrib.boolean_mask.")
    return torch.from_numpy(array.astype(np.int64))
