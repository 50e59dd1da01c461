"""`x[key]` and `x[key] = value` of `mx.np` arrays.

Keys mean what they mean to NumPy: integers take axes away down to arrays without axes, and booleans select. As
everywhere in MXNet, a basic key whose elements lie side by side gives a view and others give copies.
"""

from typing import Any, TypeVar

import numpy as onp
import torch

from ...autograd.recording import plain, state
from ...errors import OpIndexError
from ...runtime.handle import Handle
from ..indexing import parse_key, selected
from ..indexing import set_item as assign_item

A = TypeVar("A", bound=Any)  # an array, of whichever class

_ALL = slice(None)


def _is_mask(item: Any) -> bool:
    if isinstance(item, Handle):
        return item._t.dtype is torch.bool
    if isinstance(item, onp.ndarray):
        return item.dtype == bool
    return isinstance(item, list) and bool(item) and _all_bools(item)


def _all_bools(item: list[Any]) -> bool:
    return all(_all_bools(part) if isinstance(part, list) else isinstance(part, (bool, onp.bool_)) for part in item)


def _without_masks(key: Any, tensor: torch.Tensor) -> Any:
    """The key with the positions where masks are true in their place, one index array for each of their axes."""
    items = key if isinstance(key, tuple) else (key,)
    if not any(_is_mask(item) for item in items):
        return key
    expanded: list[Any] = []
    axis = 0
    after_ellipsis = sum(_axes_used(item) for item in items)
    for item in items:
        if _is_mask(item):
            mask = plain(item).to(tensor.device) if isinstance(item, Handle) else torch.as_tensor(item)
            _check_mask(mask, axis, tensor)
            expanded += [Handle._numpy_type(index) for index in mask.to(tensor.device).nonzero(as_tuple=True)]
            axis += mask.dim()
            continue
        expanded.append(item)
        if item is Ellipsis:
            axis += tensor.dim() - after_ellipsis
        elif item is not None:
            axis += 1
    return tuple(expanded)


def _axes_used(item: Any) -> int:
    if item is None or item is Ellipsis:
        return 0
    if _is_mask(item):
        return item._t.dim() if isinstance(item, Handle) else onp.ndim(item)
    return 1


def _check_mask(mask: torch.Tensor, axis: int, tensor: torch.Tensor) -> None:
    if mask.dim() == 0:
        raise IndexError("[np.ndarray] received a bool array without axes inside a key; expected one with axes.")
    covered = tuple(tensor.shape[axis : axis + mask.dim()])
    if tuple(mask.shape) != covered:
        raise OpIndexError(
            f"[np.ndarray] received a bool key of shape {tuple(mask.shape)} from axis {axis} on; an array of shape "
            f"{tuple(tensor.shape)} has {covered} there."
        )


def _scalar_mask(key: Any) -> Any:
    """A bool array without axes as the whole key means what a bool means."""
    if isinstance(key, Handle) and key._t.dtype is torch.bool and key._t.dim() == 0:
        return bool(plain(key))
    return key


def _is_flag(item: Any) -> bool:
    return isinstance(item, (bool, onp.bool_))


def _without_flags(key: Any, ndim: int) -> tuple[Any, list[int]]:
    """The key with an index array for each bool among its items, and the places of the axes that these are for.

    True chooses the one element of such an axis, False none.
    """
    if not isinstance(key, tuple) or not any(_is_flag(item) for item in key):
        return key, []
    items: list[Any] = []
    added: list[int] = []
    axis = 0
    rest = ndim - sum(0 if _is_flag(item) else _axes_used(item) for item in key)
    for item in key:
        if _is_flag(item):
            added.append(axis)
            items.append(Handle._numpy_type(torch.zeros(int(item), dtype=torch.int64)))
            axis += 1
        else:
            items.append(item)
            axis += rest if item is Ellipsis else _axes_used(item)
    return tuple(items), added


def _with_axes(tensor: torch.Tensor, places: list[int]) -> torch.Tensor:
    for place in places:
        tensor = tensor.unsqueeze(place)
    return tensor


def get_item(array: A, key: Any) -> A:
    """`array[key]`."""
    if (isinstance(key, slice) and key == _ALL and array._t.dim()) or (isinstance(key, tuple) and not key):
        return array
    tensor, tape = array._t, state.tape
    key = _scalar_mask(key)
    flag = key if _is_flag(key) else None
    items, added = _without_flags(key, tensor.dim())
    shown = _with_axes(tensor, added)
    parsed = parse_key(_without_masks(items, shown), shown.shape, tensor.device) if flag is None else None

    def taken(source: torch.Tensor) -> torch.Tensor:
        if parsed is None:
            return source.unsqueeze(0)[: int(bool(flag))]
        result = selected(_with_axes(source, added), parsed)
        return result.contiguous() if parsed.is_basic and not result.is_contiguous() else result

    if tape is not None:
        return array._recorded_view(taken, tape)
    return array._result_type(taken(plain(array)), array._ctx)


def set_item(array: Any, key: Any, value: Any) -> None:
    """`array[key] = value`, in the memory that views of the array share."""
    key = _scalar_mask(key)
    if isinstance(key, (bool, onp.bool_)):
        if not key:
            return
        key = ...
    if isinstance(key, tuple) and any(_is_flag(item) for item in key):
        if not all(key[place] for place, item in enumerate(key) if _is_flag(item)):
            return  # False selects nothing
        key = tuple(item for item in key if not _is_flag(item))
    assign_item(array, _without_masks(key, array._t), value)
