"""Joining, cutting, inserting and choosing parts in mx.np."""

from collections.abc import Mapping
from typing import Any

import torch
from torch import Tensor

from ...dtypes import NAME_OF_TORCH
from ...errors import DynamicShapeError, OpIndexError, OpParamError, OpShapeError, OpTypeError
from ..common import cast, normal_axis, prod, same_dtype
from ..dtype_rules import DATA, INDICES, DtypeRule
from ..legacy.extras import split_v2_backward
from ..params import Shape
from ..partial_shapes import joined_along, stacked
from ..precision import fitted
from ..registry import operator, shape_of
from ..shape_rules import Params, Result, Specs, axis_from_front
from ..tensor.concatenation import concat, split_v2
from ..tensor.concatenation import stack as legacy_stack


@operator("_npi_concatenate", count_param="num_args", partial_shapes=joined_along("axis"))
def concatenate(*data: Tensor, axis: int | None = 0) -> Tensor:
    """Joins arrays along an axis they have, or all their elements in one row for axis None."""
    if axis is None:
        data, axis = tuple(array.reshape(-1) for array in data), 0
    return concat(*data, dim=normal_axis(axis, data[0].dim()))


@operator("_npi_stack", count_param="num_args", partial_shapes=stacked)
def stack(*data: Tensor, axis: int = 0) -> Tensor:
    """Joins arrays of the same shape along a new axis."""
    return legacy_stack(*data, axis=axis)


@operator("_npi_vstack", count_param="num_args")
def vstack(*data: Tensor) -> Tensor:
    """Joins arrays along the first axis; those of one axis become rows."""
    return concat(*[array.reshape(1, -1) if array.dim() < 2 else array for array in data], dim=0)


@operator("_npi_hstack", count_param="num_args")
def hstack(*data: Tensor, dim: int = 1) -> Tensor:
    """Joins arrays along the second axis, or the first if they have no other; `dim` is not used."""
    wide = [array.reshape(1) if array.dim() == 0 else array for array in data]
    return concat(*wide, dim=0 if wide[0].dim() == 1 else 1)


@operator("_npi_dstack", count_param="num_args")
def dstack(*data: Tensor, dim: int = 1) -> Tensor:
    """Joins arrays along the third axis; (n,) counts as (1, n, 1), and (m, n) as (m, n, 1). `dim` is not used."""
    deep = [array.reshape(1, -1, 1) if array.dim() < 2 else array for array in data]
    return concat(*[array.unsqueeze(2) if array.dim() == 2 else array for array in deep], dim=2)


@operator("_npi_column_stack", count_param="num_args")
def column_stack(*data: Tensor) -> Tensor:
    """Joins arrays along the second axis; those of one axis become columns."""
    return concat(*[array.reshape(-1, 1) if array.dim() < 2 else array for array in data], dim=1)


def _num_parts(params: Mapping[str, Any]) -> int:
    return params["sections"] if params["sections"] > 0 else len(params["indices"])


@operator("_npi_hsplit", returns_view=True, outputs=_num_parts)
def hsplit(
    data: Tensor, *, indices: Shape, axis: int = 1, squeeze_axis: bool = False, sections: int = 0
) -> tuple[Tensor, ...]:
    """Cuts an array along its second axis, or its only one.

    Args:
        data: the array.
        indices: where each part starts; the first number is 0.
        axis: not used.
        squeeze_axis: leave the axis out of the parts, which then must have length 1 on it.
        sections: the number of parts, instead of `indices`.
    """
    if data.dim() == 0:
        raise OpShapeError("expected at least one axis, got an array of shape ()")
    place = 1 if data.dim() > 1 else 0
    return split_v2(data, indices=indices, axis=place, squeeze_axis=squeeze_axis, sections=sections)


@operator("_npi_dsplit", returns_view=True, outputs=_num_parts)
def dsplit(
    data: Tensor, *, indices: Shape, axis: int = 1, squeeze_axis: bool = False, sections: int = 0
) -> tuple[Tensor, ...]:
    """Cuts an array along its third axis.

    Args:
        data: the array.
        indices: where each part starts; the first number is 0.
        axis: not used.
        squeeze_axis: leave the axis out of the parts, which then must have length 1 on it.
        sections: the number of parts, instead of `indices`.
    """
    if data.dim() < 3:
        raise OpShapeError(f"expected at least 3 axes, got {data.dim()}")
    return split_v2(data, indices=indices, axis=2, squeeze_axis=squeeze_axis, sections=sections)


@operator("_npi_hsplit_backward")
def hsplit_backward(
    *ograds: Tensor, indices: Shape, axis: int = 1, squeeze_axis: bool = False, sections: int = 0
) -> Tensor:
    """The gradient of `hsplit` from those of the parts: put together again.

    Args:
        ograds: gradients of the parts.
        indices: where each part starts; the first number is 0.
        axis: not used.
        squeeze_axis: whether the parts lack the axis.
        sections: the number of parts, if the axis was cut into so many instead.
    """
    place = 1 if ograds[0].dim() + squeeze_axis > 1 else 0
    return split_v2_backward(*ograds, indices=indices, axis=place, squeeze_axis=squeeze_axis, sections=sections)


def _flat(arr: Tensor, axis: int | None) -> tuple[Tensor, int]:
    """The array and the axis to work on: all elements in one row where no axis is given."""
    if axis is None:
        return arr.reshape(-1), 0
    return arr, normal_axis(axis, arr.dim())


def _sliced(length: int, start: int | None, stop: int | None, step: int | None) -> range:
    """The places that a slice names."""
    if step == 0:
        raise OpParamError("step=0; expected a step other than 0")
    return range(length)[slice(start, stop, step)]


def _values(arr: Tensor, values: Tensor | None, val: float | None) -> Tensor:
    """What to insert, in the dtype of the array and with as many axes."""
    if values is not None:
        block = cast(values, arr.dtype)
    elif val is not None:
        block = torch.full((), fitted(val, arr.dtype), dtype=arr.dtype, device=arr.device)
    else:
        raise OpParamError("there is nothing to insert; expected values, or the number val")
    missing = arr.dim() - block.dim()
    if prod(block.shape[: max(-missing, 0)]) != 1:
        raise OpShapeError(f"expected values of at most {arr.dim()} axes, got {tuple(block.shape)}")
    return block.reshape((1,) * missing + tuple(block.shape[max(-missing, 0) :]))


def _slices(arr: Tensor, values: Tensor, count: int, axis: int) -> Tensor:
    """The values stretched to so many slices of the array."""
    shape = (*arr.shape[:axis], count, *arr.shape[axis + 1 :])
    if any(old not in (1, new) for old, new in zip(values.shape, shape, strict=True)):
        raise OpShapeError(f"values of shape {tuple(values.shape)} cannot be stretched to what is inserted, {shape}")
    return values.expand(shape)


def _inserted(arr: Tensor, values: Tensor, places: Tensor, axis: int) -> Tensor:
    """Puts one slice before each of the places, which count in the array as it was; several before a single one."""
    count = values.shape[axis] if places.numel() == 1 else places.numel()
    joined = torch.cat([arr, _slices(arr, values, count, axis)], axis)
    # What is inserted stands in front of the element at its place, in the order it was given.
    own = torch.arange(arr.shape[axis], device=arr.device)
    order = torch.cat([2 * own + 1, (2 * places).expand(count)]).argsort(stable=True)
    return joined.index_select(axis, order)


_INSERT_DTYPES = DtypeRule(free=("values", "obj"), takes={"obj": torch.int64})


@operator("_npi_insert_scalar", dtypes=_INSERT_DTYPES)
def insert_scalar(
    arr: Tensor,
    values: Tensor | None = None,
    *,
    val: float | None = None,
    start: int | None = None,
    stop: int | None = None,
    step: int | None = None,
    int_ind: int | None = None,
    axis: int | None = None,
) -> Tensor:
    """Inserts values before one place of an axis.

    Args:
        arr: the array.
        values: what to insert; its first axis is the one along which several slices stand.
        val: a number to insert instead.
        start: not used.
        stop: not used.
        step: not used.
        int_ind: the place.
        axis: the axis; if not given, all elements stand in one row first.
    """
    arr, axis = _flat(arr, axis)
    length, place = arr.shape[axis], 0 if int_ind is None else int_ind
    if not -length <= place <= length:
        raise OpIndexError(f"int_ind={place} is out of range for an axis of length {length}")
    place = place + length if place < 0 else place
    block = _values(arr, values, val).movedim(0, axis)
    before, after = arr.split((place, length - place), axis)
    return torch.cat([before, _slices(arr, block, block.shape[axis], axis), after], axis)


@operator("_npi_insert_slice", dtypes=_INSERT_DTYPES)
def insert_slice(
    arr: Tensor,
    values: Tensor | None = None,
    *,
    val: float | None = None,
    start: int | None = None,
    stop: int | None = None,
    step: int | None = None,
    int_ind: int | None = None,
    axis: int | None = None,
) -> Tensor:
    """Inserts values before the places that a slice of an axis names.

    Args:
        arr: the array.
        values: what to insert, one slice for each place or one for all.
        val: a number to insert instead.
        start: the first place.
        stop: the place after the last.
        step: the distance from place to place.
        int_ind: not used.
        axis: the axis; if not given, all elements stand in one row first.
    """
    arr, axis = _flat(arr, axis)
    named = _sliced(arr.shape[axis], start, stop, step)
    places = torch.arange(len(named), device=arr.device) * named.step + named.start
    return _inserted(arr, _values(arr, values, val), places, axis)


@operator("_npi_insert_tensor", reads_values=True, dtypes=_INSERT_DTYPES)
def insert_tensor(
    arr: Tensor,
    values: Tensor | None = None,
    obj: Tensor | None = None,
    *,
    val: float | None = None,
    start: int | None = None,
    stop: int | None = None,
    step: int | None = None,
    int_ind: int | None = None,
    axis: int | None = None,
) -> Tensor:
    """Inserts values before the given places of an axis.

    Args:
        arr: the array.
        values: what to insert, one slice for each place or one for all; with `val`, the places.
        obj: the places.
        val: a number to insert instead of values.
        start: not used.
        stop: not used.
        step: not used.
        int_ind: not used.
        axis: the axis; if not given, all elements stand in one row first.
    """
    arr, axis = _flat(arr, axis)
    if val is not None and obj is None:
        values, obj = None, values
    if obj is None:
        raise OpParamError("there are no places to insert at; expected obj, an array of int64")
    block = _values(arr, values, val)
    return _inserted(arr, block if obj.dim() else block.movedim(0, axis), _places(obj, arr.shape[axis]), axis)


def _places(obj: Tensor, length: int) -> Tensor:
    """Places to insert at, counted from the front."""
    if obj.dim() > 1:
        raise OpShapeError(f"expected the places obj in one axis, got an array of shape {tuple(obj.shape)}")
    if obj.dtype is not torch.int64:
        raise OpTypeError(f"expected the places obj as int64, got {NAME_OF_TORCH[obj.dtype]}; use astype('int64')")
    places = obj.reshape(-1)
    if not obj.is_meta and bool(((places < -length) | (places > length)).any()):
        raise OpIndexError(f"a place in obj is out of range for an axis of length {length}")
    return torch.where(places < 0, places + length, places)


@operator("_npi_delete", zero_inputs=("obj",), reads_values=True, dtypes=DtypeRule(free=("obj",)))
def delete(
    arr: Tensor,
    obj: Tensor | None = None,
    *,
    start: int | None = None,
    stop: int | None = None,
    step: int | None = None,
    int_ind: int | None = None,
    axis: int | None = None,
) -> Tensor:
    """Leaves out places of an axis.

    Args:
        arr: the array.
        obj: the places, or they are given as follows; those out of range, negative ones too, are passed over.
        start: the first place of a slice.
        stop: the place after its last.
        step: the distance from place to place.
        int_ind: a single place.
        axis: the axis; if not given, all elements stand in one row first.
    """
    arr, axis = _flat(arr, axis)
    length = arr.shape[axis]
    keep = torch.ones(length, dtype=torch.bool)
    if obj is not None:
        if obj.is_meta:
            raise DynamicShapeError(
                "the length of the result depends on the values of obj, so it cannot be known beforehand"
            )
        places = obj.detach().reshape(-1).to(torch.int64)
        keep = keep.to(arr.device)
        keep[places[(places >= 0) & (places < length)]] = False
    elif int_ind is not None:
        if not -length <= int_ind < length:
            raise OpIndexError(f"int_ind={int_ind} is out of range for an axis of length {length}")
        keep[int_ind] = False
    elif step is not None:
        named = _sliced(length, start, stop, step)
        named = named if step > 0 else named[::-1]
        keep[named.start : max(named.stop, 0) : named.step] = False
    else:
        raise OpParamError("there are no places to leave out; expected obj, int_ind, or start, stop and step")
    return arr.index_select(axis, keep.nonzero().reshape(-1).to(arr.device))


def _num_unique(params: Mapping[str, Any]) -> int:
    return 1 + params["return_index"] + params["return_inverse"] + params["return_counts"]


@operator(
    "_npi_unique",
    zero_gradient=True,
    outputs=_num_unique,
    reads_values=True,
    dtypes=DtypeRule(outputs=(DATA, torch.int64)),
)
def unique(
    data: Tensor,
    *,
    return_index: bool = False,
    return_inverse: bool = False,
    return_counts: bool = False,
    axis: int | None = None,
) -> Any:
    """The different elements in ascending order, or the different slices along an axis.

    Args:
        data: the array.
        return_index: also where each one occurs first.
        return_inverse: also, for every element, which of them it is.
        return_counts: also how often each one occurs.
        axis: the axis of the slices; if not given, all elements stand in one row first.
    """
    if data.is_meta:
        raise DynamicShapeError(
            "the number of different elements depends on their values, so it cannot be known beforehand"
        )
    data, axis = _flat(data.detach(), axis if data.dim() else None)
    if data.dim() > 1 and not data.numel() and data.shape[axis]:
        raise OpShapeError(f"expected slices with elements, got {data.shape[axis]} empty ones along axis {axis}")
    # Elements are sorted faster than slices are.
    along = axis if data.dim() > 1 else None
    values, inverse, counts = torch.unique(data, dim=along, return_inverse=True, return_counts=True)
    results = [values]
    if return_index:
        order = torch.arange(data.shape[axis], device=data.device)
        results.append(torch.zeros_like(counts).scatter_reduce(0, inverse, order, "amin", include_self=False))
    results += [inverse] if return_inverse else []
    results += [counts] if return_counts else []
    return tuple(results) if len(results) > 1 else values


@operator("_npx_nonzero", "_npi_nonzero", zero_gradient=True, reads_values=True, dtypes=INDICES)
def nonzero(x: Tensor) -> Tensor:
    """The places of all elements other than zero, a row for each."""
    if x.is_meta:
        raise DynamicShapeError(
            "the number of elements other than zero depends on their values, so it cannot be known beforehand"
        )
    return (x if x.dim() else x.reshape(1)).nonzero()


def _covering(data: Tensor, mask: Tensor, start_axis: int) -> Tensor:
    """The mask as bool; refuses one that does not fit the axes it covers."""
    end = start_axis + mask.dim()
    if start_axis < 0 or end > data.dim() or mask.shape != data.shape[start_axis:end]:
        raise OpShapeError(
            f"expected a mask as long as the axes of the array from start_axis={start_axis} on, got "
            f"{tuple(mask.shape)} for {tuple(data.shape)}"
        )
    return mask.to(torch.bool)


@operator("_npi_boolean_mask_assign_scalar", dtypes=DtypeRule(free=("mask",)))
def boolean_mask_assign_scalar(data: Tensor, mask: Tensor, *, value: float, start_axis: int = 0) -> Tensor:
    """A copy of the array with a number in all places where the mask is True; it covers axes from `start_axis` on."""
    truth = _covering(data, mask, start_axis)
    number = torch.full((), fitted(value, data.dtype), dtype=data.dtype, device=data.device)
    return torch.where(truth.reshape((*mask.shape, *(1,) * (data.dim() - start_axis - mask.dim()))), number, data)


@operator("_npi_boolean_mask_assign_tensor", dtypes=DtypeRule(free=("mask",)))
def boolean_mask_assign_tensor(data: Tensor, mask: Tensor, value: Tensor, *, start_axis: int = 0) -> Tensor:
    """A copy of the array with values in the places where the mask is True.

    Args:
        data: the array.
        mask: where to write.
        value: one slice for each True of the mask, or one for all.
        start_axis: the first axis that the mask covers.
    """
    same_dtype(data=data, value=value)
    truth = _covering(data, mask, start_axis)
    if data.is_meta:
        return torch.empty_like(data)
    count = int(truth.sum())
    shape = (*data.shape[:start_axis], count, *data.shape[start_axis + mask.dim() :])
    if not count:
        return data.clone()
    fits = all(mine in (1, length) for mine, length in zip(value.shape[::-1], shape[::-1], strict=False))
    if not fits or prod(value.shape[: max(value.dim() - len(shape), 0)]) != 1:
        raise OpShapeError(f"values of shape {tuple(value.shape)} do not fit the places under the mask, {shape}")
    index: tuple[Any, ...] = (slice(None),) * start_axis + (truth,)
    result = data.clone()
    result[index] = value
    return result


@shape_of("_npi_stack")
def _stacked_shape(specs: Specs, params: Params) -> Result:
    first = specs[0] if specs else None
    if first is None or any(spec != first for spec in specs):
        return None
    axis = axis_from_front(params["axis"], len(first[0]) + 1)
    return None if axis is None else [((*first[0][:axis], len(specs), *first[0][axis:]), first[1])]


@shape_of("_npi_concatenate")
def _concatenated_shape(specs: Specs, params: Params) -> Result:
    known = [spec for spec in specs if spec is not None]
    if not known or len({dtype for _, dtype in known}) > 1:
        return None
    shape, dtype = known[0]
    axis = axis_from_front(params["axis"], len(shape))
    if axis is None or len({(*each[:axis], *each[axis + 1 :], len(each)) for each, _ in known}) > 1:
        return None
    return [((*shape[:axis], sum(each[axis] for each, _ in known), *shape[axis + 1 :]), dtype)]
