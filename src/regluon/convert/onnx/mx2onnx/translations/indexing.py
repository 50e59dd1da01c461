"""Parts of arrays, and elements by their places."""

import numpy as np

from ..call import Call
from ..table import Untranslatable, translates

_FAR = 2**62  # beyond every end


def _sliced(call: Call, data: str, begin: list[int], end: list[int], axes: list[int], step: list[int]) -> str:
    return call.op("Slice", data, *[call.ints(*values) for values in (begin, end, axes, step)])


@translates("slice")
def slice_(call: Call) -> str:
    """Slice; None is the outermost place."""
    params = call.params
    steps = [step or 1 for step in params["step"] or [1] * len(params["begin"])]
    begin = [
        (0 if s > 0 else _FAR) if first is None else first for first, s in zip(params["begin"], steps, strict=True)
    ]
    end = [(_FAR if s > 0 else -_FAR) if last is None else last for last, s in zip(params["end"], steps, strict=True)]
    return _sliced(call, call.x, begin, end, list(range(len(steps))), steps)


@translates("slice_axis")
def slice_axis(call: Call) -> str:
    """Slice along one axis."""
    end = call.params["end"]
    return _sliced(
        call, call.x, [call.params["begin"]], [_FAR if end is None else end], [call.axis(call.params["axis"])], [1]
    )


@translates("slice_like")
def slice_like(call: Call) -> str:
    """Slice to the other's lengths."""
    axes = [call.axis(axis) for axis in call.params["axes"]] or list(range(call.rank()))
    lengths = call.op("Gather", call.shape_of(call.inputs[1]), call.ints(*axes), axis=0)
    return call.op("Slice", call.x, call.ints(*[0] * len(axes)), lengths, call.ints(*axes))


@translates("Crop")
def crop(call: Call) -> str:
    """Slice of height and width."""
    _, _, height, width = call.output_shape()
    if height <= 0 or width <= 0:
        raise Untranslatable("needs a fixed height and width of the result")
    top, left = call.params["offset"]
    if call.params["center_crop"]:
        top, left = (call.length(2) - height) // 2, (call.length(3) - width) // 2
    return _sliced(call, call.x, [top, left], [top + height, left + width], [2, 3], [1, 1])


def _places(call: Call, indices: str, length: int | None, mode: str) -> str:
    """Places as whole numbers within an axis: clipped to it, or counted round it."""
    places = call.cast(indices, "int64")
    if length is None:
        raise Untranslatable("needs a fixed length of the axis that is looked up")
    if mode == "wrap":
        return call.op("Mod", places, call.constant(length, "int64"))
    return call.op("Clip", places, call.constant(0, "int64"), call.constant(length - 1, "int64"))


@translates("Embedding", "_contrib_SparseEmbedding")
def embedding(call: Call) -> str:
    """Gather of rows; places outside are clipped, as MXNet does."""
    indices, weight = call.inputs
    return call.op("Gather", weight, _places(call, indices, call.params["input_dim"], "clip"), axis=0)


@translates("take")
def take(call: Call) -> str:
    """Gather along an axis."""
    data, indices = call.inputs
    axis = call.axis(call.params["axis"])
    return call.op("Gather", data, _places(call, indices, call.length(axis), call.params["mode"]), axis=axis)


@translates("pick")
def pick(call: Call) -> str:
    """GatherElements along an axis."""
    axis = call.axis(-1 if call.params["axis"] is None else call.params["axis"])
    if call.params["axis"] is None:
        raise Untranslatable("axis=None has no counterpart")
    places = _places(call, call.inputs[1], call.length(axis), call.params["mode"])
    if call.rank(1) < call.rank():
        places = call.op("Unsqueeze", places, call.ints(axis))
    found = call.op("GatherElements", call.x, places, axis=axis)
    return found if call.params["keepdims"] else call.op("Squeeze", found, call.ints(axis))


@translates("batch_take")
def batch_take(call: Call) -> str:
    """GatherElements along the rows."""
    places = _places(call, call.inputs[1], call.length(1), "clip")
    found = call.op("GatherElements", call.x, call.reshape(places, (-1, 1)), axis=1)
    return call.reshape(found, (-1,))


@translates("gather_nd")
def gather_nd(call: Call) -> str:
    """GatherND, which wants the coordinates on the last axis."""
    order = [*range(1, call.rank(1)), 0]
    return call.op("GatherND", call.x, call.transpose(call.cast(call.inputs[1], "int64"), order))


@translates("one_hot")
def one_hot(call: Call) -> str:
    """A comparison with all places: OneHot would count negative ones from the end."""
    params, dtype = call.params, call.output_dtype()
    places = call.op("Unsqueeze", call.cast(call.x, "int64"), call.ints(-1))
    hits = call.op("Equal", places, call.constant(np.arange(params["depth"]), "int64"))
    yes, no = call.number(params["on_value"], dtype), call.number(params["off_value"], dtype)
    return call.op("Where", hits, yes, no)


@translates("SequenceMask")
def sequence_mask(call: Call) -> str:
    """Where, by comparing places in time with the lengths."""
    params = call.params
    if not params["use_sequence_length"]:
        return call.x
    return _masked(call, params["axis"], params["value"])


def _masked(call: Call, axis: int, value: float) -> str:
    steps = np.arange(call.length(axis))
    places = call.constant(steps[:, None] if axis == 0 else steps[None, :], call.dtype(1))
    lengths = call.reshape(call.inputs[1], (1, -1) if axis == 0 else (-1, 1))
    inside = call.op("Less", places, lengths)
    if call.rank() > 2:
        inside = call.op("Unsqueeze", inside, call.ints(*range(2, call.rank())))
    return call.op("Where", inside, call.x, call.number(value))


@translates("SequenceLast")
def sequence_last(call: Call) -> str:
    """The last step; with lengths, the last one of each sequence."""
    axis, length = call.params["axis"], call.length(call.params["axis"])
    if not call.params["use_sequence_length"]:
        return call.op("Gather", call.x, call.constant(length - 1, "int64"), axis=axis)
    data = call.x if axis == 1 else call.transpose(call.x, [1, 0, *range(2, call.rank())])
    last = call.op("Sub", call.cast(call.inputs[1], "int64"), call.constant(1, "int64"))
    return call.op("GatherND", data, call.op("Unsqueeze", last, call.ints(-1)), batch_dims=1)


@translates("SequenceReverse")
def sequence_reverse(call: Call) -> str:
    """ReverseSequence, or Slice backwards where all have one length."""
    if call.params["use_sequence_length"]:
        lengths = call.cast(call.inputs[1], "int64")
        return call.op("ReverseSequence", call.x, lengths, time_axis=0, batch_axis=1)
    return _sliced(call, call.x, [-1], [-_FAR], [0], [-1])
