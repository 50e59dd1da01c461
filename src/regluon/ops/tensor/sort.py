"""Sort arrays, select the largest elements, and mask or reverse sequences."""

import math
from collections.abc import Mapping
from typing import Any, Literal

import torch
from torch import Tensor

from ...errors import OpIndexError, OpParamError, OpShapeError, OpTypeError
from ..common import expect_shape
from ..dtype_rules import DATA, PARAM, DtypeRule, Source
from ..nn.checks import optional
from ..params import DType, Shape
from ..partial_shapes import PartialShapes, joined
from ..precision import fitted, single
from ..registry import operator, partial_shapes_of, shape_of
from ..shape_rules import Params, Result, Specs, along, of_one

_IN_PART = 8  # sorting is done in part when fewer than one in this many elements are wanted
_FEW = 64  # and only in blocks when fewer than one in this many are
_LONG = 1 << 15  # length of a line from which on torch sorts whole numbers digit by digit
# The whole numbers that take the bits of real ones, and the bits behind the sign.
_BITS = {torch.float32: (torch.int32, 31), torch.float64: (torch.int64, 63)}


def _lines(data: Tensor, axis: int | None) -> tuple[Tensor, int]:
    """The array and the axis to sort along; None sorts the array as one line."""
    if data.dtype is torch.bool:
        raise OpTypeError("expected numbers, got a bool array; convert it with astype('int32')")
    if axis is None:
        return data.reshape(-1), 0
    if not -data.dim() <= axis < data.dim():
        raise OpIndexError(f"axis={axis} is out of range for an array of {data.dim()} dimensions")
    return data, axis % data.dim()


def _keys(line: Tensor, is_ascend: bool) -> Tensor:
    """Whole numbers that are in order where the elements are, zeros of either sign and NaNs being equal among them."""
    if line.is_floating_point():
        numbers = line if line.dtype in _BITS else line.float()
        whole, width = _BITS[numbers.dtype]
        bits = torch.where(numbers.isnan(), torch.nan, numbers + 0.0).view(whole)
        line = bits ^ ((bits >> width) & torch.iinfo(whole).max)
    return line if is_ascend else ~line


def _sorted(lines: Tensor, axis: int, is_ascend: bool) -> tuple[Tensor, Tensor]:
    """The values of each line in order, and their places; equal values keep their order, NaN counts as the largest."""
    length = lines.shape[axis]
    if length < _LONG or lines.numel() != length or lines.device.type != "cpu":
        return torch.sort(lines, dim=axis, descending=not is_ascend, stable=True)
    # Five times as fast as comparing; torch does it for one line of whole numbers only, and upwards only.
    line = lines.reshape(-1)
    places = torch.sort(_keys(line.detach(), is_ascend), stable=True).indices
    return line.index_select(0, places).reshape(lines.shape), places.reshape(lines.shape)


def _largest(line: Tensor, k: int) -> tuple[Tensor, Tensor]:
    """The k largest elements of one long line: they stand in the k blocks that have the largest ones.

    For the smallest this would not do: NaN counts as the largest, but a block that has it has no smallest element.
    """
    size = math.isqrt(line.shape[0] // k)  # as many elements in k blocks as there are blocks
    whole = line.shape[0] // size * size
    blocks = line[:whole].reshape(-1, size)
    chosen = torch.topk(blocks.amax(1), k, sorted=False).indices
    inside = chosen.unsqueeze(1) * size + torch.arange(size, device=line.device)
    rest = torch.arange(whole, line.shape[0], device=line.device)
    values, found = torch.topk(torch.cat((blocks[chosen].reshape(-1), line[whole:])), k)
    return values, torch.cat((inside.reshape(-1), rest))[found]


def _foremost(lines: Tensor, axis: int, k: int, is_ascend: bool) -> tuple[Tensor, Tensor]:
    """The first k values of each sorted line and their places; equal values keep their order in short lines."""
    length = lines.shape[axis]
    if k * _IN_PART <= length:
        if length >= _LONG and k * _FEW <= length and lines.numel() == length and not is_ascend:
            values, places = _largest(lines.reshape(-1), k)
            shape = [k if each == axis else 1 for each in range(lines.dim())]
            return values.reshape(shape), places.reshape(shape)
        return torch.topk(lines, k, axis, largest=not is_ascend)
    values, places = _sorted(lines, axis, is_ascend)
    return values.narrow(axis, 0, k), places.narrow(axis, 0, k)


def _topk_dtypes(params: Mapping[str, Any]) -> tuple[Source, ...]:
    return {"both": (DATA, PARAM), "indices": (PARAM,)}.get(params["ret_typ"], (DATA,))


def _num_total_outputs(params: Mapping[str, Any]) -> int:
    """The places are found with the values."""
    return 2 if params["ret_typ"] in ("value", "both") else 1


@operator(
    "topk",
    "_npx_topk",
    returns_view=True,
    zero_inputs=("data",),  # of indices and masks; values have a gradient
    outputs=lambda params: 2 if params["ret_typ"] == "both" else 1,
    dtypes=DtypeRule(outputs=_topk_dtypes),
    total_outputs=_num_total_outputs,
)
def topk(
    data: Tensor,
    *,
    axis: int | None = -1,
    k: int = 1,
    ret_typ: Literal["both", "indices", "mask", "value"] = "indices",
    is_ascend: bool = False,
    dtype: DType = torch.float32,
) -> Tensor | tuple[Tensor, ...]:
    """Finds the k largest elements along an axis, in order.

    Args:
        data: the array.
        axis: the axis; None takes the array as one line.
        k: how many, all if less than 1.
        ret_typ: return the values, their indices, both, or an array of the shape of the data with ones at their places.
        is_ascend: find the smallest instead.
        dtype: of the indices.
    """
    lines, line_axis = _lines(data, axis)
    length = lines.shape[line_axis]
    if k > length:
        raise OpParamError(f"k={k}; expected at most {length}, the number of elements on the axis")
    values, places = _foremost(lines, line_axis, k if k > 0 else length, is_ascend)
    if ret_typ == "mask":
        return torch.zeros_like(lines).scatter_(line_axis, places, 1).reshape(data.shape)
    if ret_typ == "value":
        return values
    indices = places.to(dtype)
    return (values, indices) if ret_typ == "both" else indices


@operator("sort", "_npi_sort", total_outputs=2)
def sort(data: Tensor, *, axis: int | None = -1, is_ascend: bool = True) -> Tensor:
    """Sorts the elements along an axis; None sorts all of them into one line.

    Args:
        data: the array.
        axis: the axis.
        is_ascend: whether the smallest comes first.
    """
    lines, line_axis = _lines(data, axis)
    return _sorted(lines, line_axis, is_ascend)[0]


@operator("argsort", "_npi_argsort", zero_gradient=True, dtypes=DtypeRule(outputs=(PARAM,)))
def argsort(data: Tensor, *, axis: int | None = -1, is_ascend: bool = True, dtype: DType = torch.float32) -> Tensor:
    """The indices that would sort an array along an axis; equal elements keep their order.

    Args:
        data: the array.
        axis: the axis; None takes the array as one line.
        is_ascend: whether the smallest comes first.
        dtype: of the indices.
    """
    lines, line_axis = _lines(data, axis)
    return _sorted(lines.detach(), line_axis, is_ascend)[1].to(dtype)


@shape_of("topk")
def _topk_shape(specs: Specs, params: Params) -> Result:
    found = along(specs, params)
    if found is None or not isinstance(params["dtype"], torch.dtype):
        return None
    shape, axis, dtype = found
    if params["k"] > shape[axis]:
        return None
    if params["ret_typ"] == "mask":
        return [(shape, dtype)]
    taken = (*shape[:axis], params["k"] if params["k"] > 0 else shape[axis], *shape[axis + 1 :])
    values, indices = (taken, dtype), (taken, params["dtype"])
    return {"both": [values, indices], "value": [values], "indices": [indices]}[params["ret_typ"]]


@shape_of("sort")
def _sort_shape(specs: Specs, params: Params) -> Result:
    return None if along(specs, params) is None else [specs[0]]  # type: ignore[list-item]


@shape_of("argsort")
def _argsort_shape(specs: Specs, params: Params) -> Result:
    found = along(specs, params)
    return None if found is None or not isinstance(params["dtype"], torch.dtype) else [(found[0], params["dtype"])]


_INPUTS = optional("data", sequence_length="use_sequence_length")


def _lengths(data: Tensor, sequence_length: Tensor | None, use_sequence_length: bool, axis: int) -> Tensor | None:
    """The checked lengths as whole numbers, None if all sequences are full."""
    if axis not in (0, 1):
        raise OpParamError(f"axis={axis}; expected 0 or 1, the axis of time")
    if data.dim() < 2:
        raise OpShapeError(f"expected at least 2 axes, time and batch, got {data.dim()}")
    if use_sequence_length != (sequence_length is not None):
        raise OpParamError(
            "expected sequence_length together with use_sequence_length=True, got only one of them; pass both, or none"
        )
    if sequence_length is None:
        return None
    expect_shape("sequence_length", sequence_length, (data.shape[1 - axis],))
    return sequence_length.detach().to(torch.int64)


def _on_axis(values: Tensor, axis: int, ndim: int) -> Tensor:
    """A vector along one axis, ready to be broadcast over the others."""
    shape: Shape = (1,) * axis + (-1,) + (1,) * (ndim - axis - 1)
    return values.reshape(shape)


@operator("SequenceMask", "_npx_sequence_mask", returns_view=True, takes=_INPUTS)
def sequence_mask(
    data: Tensor,
    sequence_length: Tensor | None = None,
    *,
    use_sequence_length: bool = False,
    value: float = 0.0,
    axis: int = 0,
) -> Tensor:
    """Overwrites what lies behind the end of each sequence.

    Args:
        data: (time, batch, ...), or (batch, time, ...) with axis 1.
        sequence_length: the length of each sequence of the batch.
        use_sequence_length: whether lengths are given; nothing is overwritten otherwise.
        value: what to write.
        axis: the axis of time.
    """
    lengths = _lengths(data, sequence_length, use_sequence_length, axis)
    if lengths is None:
        return data
    time = _on_axis(torch.arange(data.shape[axis], device=data.device), axis, data.dim())
    behind = time >= _on_axis(lengths, 1 - axis, data.dim())
    return data.masked_fill(behind, fitted(single(value), data.dtype))


@operator("SequenceLast", returns_view=True, takes=_INPUTS)
def sequence_last(
    data: Tensor, sequence_length: Tensor | None = None, *, use_sequence_length: bool = False, axis: int = 0
) -> Tensor:
    """Takes the last element of each sequence.

    Args:
        data: (time, batch, ...), or (batch, time, ...) with axis 1.
        sequence_length: the length of each sequence of the batch, at least 1.
        use_sequence_length: whether lengths are given; the last place of the axis is taken otherwise.
        axis: the axis of time.
    """
    lengths = _lengths(data, sequence_length, use_sequence_length, axis)
    if lengths is None:
        return data.select(axis, data.shape[axis] - 1)
    # Lengths out of range would read foreign memory in MXNet.
    places = (lengths - 1).clamp(0, data.shape[axis] - 1)
    batch = torch.arange(data.shape[1 - axis], device=data.device)
    return data[places, batch] if axis == 0 else data[batch, places]


@operator("SequenceReverse", returns_view=True, takes=_INPUTS)
def sequence_reverse(
    data: Tensor, sequence_length: Tensor | None = None, *, use_sequence_length: bool = False, axis: int = 0
) -> Tensor:
    """Reverses each sequence; what lies behind its end stays where it is.

    Args:
        data: (time, batch, ...).
        sequence_length: the length of each sequence of the batch.
        use_sequence_length: whether lengths are given; sequences are full otherwise.
        axis: the axis of time, 0 always.
    """
    if axis != 0:
        raise OpParamError(f"axis={axis}; expected 0: time must be the first axis, see swapaxes")
    lengths = _lengths(data, sequence_length, use_sequence_length, axis)
    if lengths is None:
        return data.flip(0)
    count = data.shape[0]
    time = torch.arange(count, device=data.device).unsqueeze(1)
    lengths = lengths.clamp(0, count)
    places = torch.where(time < lengths, lengths - 1 - time, time)
    return data[places, torch.arange(data.shape[1], device=data.device)]


@shape_of("SequenceMask")
@of_one
def _masked_shape(shape: Shape, params: Params) -> Shape | None:
    return shape if len(shape) > 1 and params["axis"] in (0, 1) else None


@shape_of("SequenceReverse")
def _sequence_reverse_shape(specs: Specs, params: Params) -> Result:
    if specs[0] is None or len(specs[0][0]) < 2 or params["axis"] != 0:
        return None
    lengths = specs[1] if len(specs) > 1 else None
    return [specs[0]] if lengths is None or lengths[0] == specs[0][0][1:2] else None


@shape_of("SequenceLast")
def _sequence_last_shape(specs: Specs, params: Params) -> Result:
    data, axis = specs[0], params["axis"]
    lengths = specs[1] if len(specs) > 1 else None
    if data is None or len(data[0]) < 2 or axis not in (0, 1) or 0 in data[0]:
        return None
    batch = data[0][1 - axis]
    if params["use_sequence_length"] != (lengths is not None) or (lengths is not None and lengths[0] != (batch,)):
        return None
    return [((batch, *data[0][2:]), data[1])]


@partial_shapes_of("SequenceMask", "SequenceReverse")
def _sequence_shapes(params: Params, inputs: PartialShapes, outputs: PartialShapes) -> PartialShapes:
    """Sequences along one axis, examples along the other of the first two; each has a length of its own."""
    data = joined(inputs[0], outputs[0])
    batch = None if data is None or len(data) < 2 or params["axis"] not in (0, 1) else (data[1 - params["axis"]],)
    return [data, *[batch] * (len(inputs) - 1), data]


@partial_shapes_of("SequenceLast")
def _last_step_shapes(params: Params, inputs: PartialShapes, outputs: PartialShapes) -> PartialShapes:
    data, axis = inputs[0], params["axis"]
    if data is None or len(data) < 2 or axis not in (0, 1):
        return []
    return [data, *[(data[1 - axis],)] * (len(inputs) - 1), (*data[:axis], *data[axis + 1 :])]
