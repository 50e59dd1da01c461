"""Operators on batches of sequences of different lengths."""

import torch
from torch import Tensor

from ...errors import OpParamError, OpShapeError
from ..common import expect_shape
from ..nn.inputs import optional
from ..params import Shape
from ..partial_shapes import PartialShapes, joined
from ..registry import operator, partial_shapes_of, shape_of
from ..scalars import fitted, single
from ..shape_rules import Params, Result, Specs, of_one

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
