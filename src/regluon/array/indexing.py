"""`x[key]` and `x[key] = value`.

A key is made of integers, slices, `...`, None and index arrays (lists, NumPy arrays, NDArrays). As in MXNet, a basic
key whose elements lie side by side in memory gives a view; other keys give copies, and booleans count as 0 and 1.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple, TypeVar

import numpy as np
import torch

from ..autograd.recording import plain, recorded_input, state
from ..base import numeric_types
from ..config import switches
from ..errors import OpShapeError
from ..ops.common import cast, is_view
from ..ops.tensor.arithmetic import fit_scalar
from ..runtime.handle import Handle
from ..runtime.invoke import check_writable

A = TypeVar("A", bound=Any)  # an array, of whichever class

_INTEGERS = (int, np.integer, np.bool_)
_ARRAYS = (list, tuple, np.ndarray, Handle, range)


class Key(NamedTuple):
    """A key ready for torch: entries for each axis, and the axes of the result to turn around.

    Torch slices forwards only, so a slice with a negative step is taken forwards and flipped.
    """

    entries: tuple[Any, ...]
    flips: tuple[int, ...]
    is_basic: bool


def parse_key(key: Any, shape: Sequence[int], device: torch.device) -> Key:
    """Checks a key against the shape of the array it is for."""
    items = list(key) if isinstance(key, tuple) else [key]
    items = _expand_ellipsis(items, len(shape))
    arrays = [item for item in items if isinstance(item, _ARRAYS)]
    is_basic = not arrays
    # Beside index arrays an integer is one too; torch would take it first and order the axes otherwise.
    stays_integer = not any(_num_axes(item) for item in arrays)
    entries: list[Any] = []
    flips: list[int] = []
    axis = 0
    for item in items:
        if item is None:
            entries.append(None)
            continue
        length = shape[axis]
        if isinstance(item, np.ndarray) and item.ndim == 0:
            item = int(item)
        if isinstance(item, _INTEGERS):
            index = _checked_index(int(item), axis, length)
            entries.append(index if stays_integer else torch.tensor([index], device=device))
        elif isinstance(item, slice):
            forward, turned = _forward_slice(item, length)
            if turned:
                flips.append(sum(not isinstance(entry, int) for entry in entries))
            entries.append(forward)
        else:
            entries.append(_index_array(item, axis, length, device))
        axis += 1
    while len(entries) > 1 and isinstance(entries[-1], slice) and entries[-1] == slice(0, shape[axis - 1], 1):
        entries.pop()  # torch takes all of an axis without being told, and sooner
        axis -= 1
    return Key(tuple(entries), tuple(flips), is_basic)


def _num_axes(index: Any) -> int:
    return int(index._t.dim() if isinstance(index, Handle) else np.ndim(index))


def _expand_ellipsis(items: list[Any], ndim: int) -> list[Any]:
    """Replaces `...`, or the axes left out at the end, by full slices."""
    places = [position for position, item in enumerate(items) if item is Ellipsis]
    if len(places) > 1:
        raise IndexError("[NDArray] received a key with two `...`; expected at most one.")
    used = sum(item is not None and item is not Ellipsis for item in items)
    if used > ndim:
        raise IndexError(f"[NDArray] received {used} indices; expected at most {ndim}, the number of dimensions.")
    for item in items:
        if not (item is None or item is Ellipsis or isinstance(item, (slice, *_INTEGERS, *_ARRAYS))):
            raise ValueError(
                f"[NDArray] received the key {item!r} of type {type(item).__name__}; expected integers, slices, `...`, "
                "None, lists or arrays of integers."
            )
    at = places[0] if places else len(items)
    return items[:at] + [slice(None)] * (ndim - used) + items[at + 1 :]


def _checked_index(index: int, axis: int, length: int) -> int:
    if not -length <= index < length:
        raise IndexError(f"[NDArray] index {index} is out of bounds for axis {axis} of length {length}.")
    return index


def _forward_slice(item: slice, length: int) -> tuple[slice, bool]:
    chosen = range(*item.indices(length))
    if chosen.step > 0:
        return slice(chosen.start, max(chosen.start, chosen.stop), chosen.step), False
    if not chosen:
        return slice(0, 0), False
    return slice(chosen[-1], chosen[0] + 1, -chosen.step), True


def _index_array(item: Any, axis: int, length: int, device: torch.device) -> torch.Tensor:
    if isinstance(item, Handle):
        if item._t.dtype is torch.bool:
            raise ValueError(
                "[NDArray] received a bool array as a key; expected integers. To select by a mask, use "
                "nd.contrib.boolean_mask(data, mask), or mask.asnumpy().nonzero() as the key."
            )
        index = plain(item).to(device=device, dtype=torch.int64)
        if index.numel() and not index.is_meta:  # where only shapes are wanted, there are no values to check
            # Both ends at once: on a GPU, each reading waits for the device.
            low, high = torch.stack(index.aminmax()).tolist()
            _check_ends(low, high, axis, length)
        return index
    array = np.asarray([plain(x).tolist() if isinstance(x, Handle) else x for x in item]).astype(np.int64)
    if array.size:
        _check_ends(int(array.min()), int(array.max()), axis, length)
    return torch.from_numpy(array).to(device)


def _check_ends(low: int, high: int, axis: int, length: int) -> None:
    if low < -length or high >= length:
        raise IndexError(f"[NDArray] an index array reaches from {low} to {high}; axis {axis} has length {length}.")


def selected(tensor: torch.Tensor, key: Key) -> torch.Tensor:
    """What a key selects: a view where it is basic."""
    if key.is_basic:
        result = tensor[key.entries[0] if len(key.entries) == 1 else key.entries]
        return result.flip(key.flips) if key.flips else result
    if key.flips:
        tensor, key = _turned_first(tensor, key)
    try:
        result = tensor[key.entries]
    except IndexError as error:
        raise OpShapeError(f"[NDArray] the index arrays do not fit together: {error}") from None
    return result.clone() if is_view(result, (tensor,)) else result  # of index arrays without axes torch makes a view


def _turned_first(tensor: torch.Tensor, key: Key) -> tuple[torch.Tensor, Key]:
    """Takes backward slices before the index arrays, which may move axes, are applied."""
    basic = tuple(entry if isinstance(entry, slice) or entry is None else slice(None) for entry in key.entries)
    rest = tuple(slice(None) if isinstance(entry, slice) or entry is None else entry for entry in key.entries)
    return tensor[basic].flip(key.flips), Key(rest, (), False)


def get_item(array: A, key: Any) -> A:
    """`array[key]`."""
    tensor, tape = array._t, state.tape
    parsed = parse_key(key, tensor.shape, tensor.device)

    def taken(source: torch.Tensor) -> torch.Tensor:
        result = selected(source, parsed)
        if result.dim() == 0 and source.dim() > 0 and not switches.np_shape:
            result = result.reshape(1)
        return result.contiguous() if parsed.is_basic and not result.is_contiguous() else result

    if tape is not None:
        return array._recorded_view(taken, tape)
    return array._result_type(taken(plain(array)), array._ctx)


def _value_tensor(value: Any, like: torch.Tensor) -> Any:
    """The value to assign, as a scalar or a tensor of the target's dtype."""
    if isinstance(value, Handle):
        if getattr(value, "stype", "default") != "default":
            value = value.tostype("default")  # type: ignore[attr-defined]  # which sparse arrays have
        tape = state.tape
        tensor = recorded_input(value, tape) if tape is not None else plain(value)
        tensor = tensor.to(like.device)
        return tensor if tensor.dtype is like.dtype else cast(tensor, like.dtype)
    if isinstance(value, numeric_types):
        number = value.item() if isinstance(value, np.generic) else value
        return number if like.dtype is torch.bool else fit_scalar(like, number)[1]
    if isinstance(value, torch.Tensor):
        return value.detach().to(device=like.device, dtype=like.dtype)
    try:
        array = np.asarray(value)
    except ValueError:
        array = np.asarray(value, dtype=object)
    if array.dtype == object or array.dtype.kind not in "biuf":
        raise TypeError(
            f"[NDArray] cannot assign a value of type {type(value).__module__}.{type(value).__name__}; expected a "
            "number, an NDArray, a NumPy array or nested lists of numbers."
        )
    array = np.require(array, requirements=["C", "W"])  # torch warns of memory it may not write to
    return torch.from_numpy(array).to(device=like.device, dtype=like.dtype)


def set_item(array: Any, key: Any, value: Any) -> None:
    """`array[key] = value`, in the memory that views of the array share."""
    check_writable(array, "x[...] = value")
    storage = plain(array)
    parsed = parse_key(key, storage.shape, storage.device)
    tensor = _value_tensor(value, storage)
    tape = state.tape
    if tape is not None and isinstance(tensor, torch.Tensor) and tensor.requires_grad:
        # The value is part of the graph: the array becomes the result of a recorded assignment.
        result = storage.clone()
        _assign(result, parsed, tensor)
        storage.copy_(result.detach())
        array._node, array._tape = result, tape
        return
    _assign(storage, parsed, tensor)


def _assign(target: torch.Tensor, key: Key, value: Any) -> None:
    if isinstance(value, torch.Tensor) and value.untyped_storage().data_ptr() == target.untyped_storage().data_ptr():
        value = value.clone()  # x[:-1] = x[1:] reads what it overwrites
    try:
        if not key.flips:
            target[key.entries] = value
        elif key.is_basic:
            given = value if isinstance(value, torch.Tensor) else torch.as_tensor(value, dtype=target.dtype)
            selection = target[key.entries].shape
            while given.dim() > len(selection) and given.shape[0] == 1:
                given = given[0]
            target[key.entries] = given.expand(selection).flip(key.flips)
        else:
            # Index arrays beside a backward slice: write through the positions that the key selects.
            chosen = selected(torch.arange(target.numel(), device=target.device).reshape(target.shape), key)
            target[torch.unravel_index(chosen, target.shape)] = value
    except (RuntimeError, IndexError) as error:
        shape = f"of shape {tuple(value.shape)}" if isinstance(value, torch.Tensor) else repr(value)
        raise OpShapeError(
            f"[NDArray] cannot assign a value {shape} to this selection of an array of shape {tuple(target.shape)}; "
            f"expected the shape of the selection, or one that broadcasts to it: {error}"
        ) from None


def get_indexing_dispatch_code(key: tuple[Any, ...]) -> int:
    """What kind of key it is: 0 basic, 1 with index arrays, 2 empty, -1 not supported. Kept for MXNet programs."""
    if not isinstance(key, tuple):
        raise TypeError(f"[get_indexing_dispatch_code] received {type(key).__name__}; expected a tuple.")
    if not key:
        return 2
    kinds = (slice, *_INTEGERS, *_ARRAYS)
    if not all(item is None or item is Ellipsis or isinstance(item, kinds) for item in key):
        return -1
    return int(any(isinstance(item, _ARRAYS) for item in key))


def slice_is_contiguous(slc_key: Sequence[slice], shape: Sequence[int]) -> bool:
    """Whether what these slices, one an axis, take from an array of the shape lies side by side in memory."""
    return np.empty(shape, np.bool_)[tuple(slc_key)].flags.c_contiguous


def indexing_key_expand_implicit_axes(key: Any, shape: Sequence[int]) -> tuple[Any, ...]:
    """The key with `...` and missing axes written out as full slices."""
    items = list(key) if isinstance(key, tuple) else [key]
    return tuple(_expand_ellipsis(items, len(shape)))


def get_oshape_of_gather_nd_op(dshape: Sequence[int], ishape: Sequence[int]) -> tuple[int, ...]:
    """The shape that gather_nd gives for data and indices of these shapes."""
    return tuple(ishape[1:]) + tuple(dshape[ishape[0] :])
