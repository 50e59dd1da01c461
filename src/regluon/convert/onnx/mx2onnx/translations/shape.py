"""Translate shape and indexing operators."""

import numpy as np

from ..call import Call, Untranslatable, translates


@translates("Reshape")
def reshape(call: Call) -> str:
    """Reshape; MXNet's codes are worked out here, and only one length may be left to the run."""
    shape, source = call.output_shape(), call.shape()
    if sum(length <= 0 for length in shape) <= 1:
        return call.reshape_to_output(call.x)
    # ONNX has one code of MXNet's: 0, the length on the same axis.
    codes = call.params["shape"]
    kept = [
        not call.params["reverse"]
        and place < len(source)
        and place < len(codes)
        and all(c == 0 for c in codes[: place + 1])
        for place in range(len(shape))
    ]
    target = [0 if keep else length or -1 for keep, length in zip(kept, shape, strict=True)]
    if target.count(-1) > 1:
        raise Untranslatable(f"shape={codes} leaves more than one length to the run: {tuple(n or None for n in shape)}")
    return call.op("Reshape", call.x, call.ints(*target))


@translates("Flatten")
def flatten(call: Call) -> str:
    """Flatten after the first axis."""
    return call.op("Flatten", call.x, axis=1)


@translates("expand_dims")
def expand_dims(call: Call) -> str:
    """Unsqueeze."""
    return call.op("Unsqueeze", call.x, call.ints(call.params["axis"] % (call.rank() + 1)))


@translates("squeeze")
def squeeze(call: Call) -> str:
    """Squeeze."""
    axes = call.params["axis"]
    named = [axis for axis, n in enumerate(call.sizes()) if n == 1] if axes is None else [call.axis(a) for a in axes]
    if len(named) == call.rank():  # MXNet has no arrays without axes
        return call.reshape(call.x, (1,))
    return call.op("Squeeze", call.x, call.ints(*named)) if named else call.x


@translates("transpose")
def transpose(call: Call) -> str:
    """Transpose."""
    axes = call.params["axes"] or range(call.rank())[::-1]
    return call.transpose(call.x, [call.axis(axis) for axis in axes])


@translates("SwapAxis")
def swap_axes(call: Call) -> str:
    """Transpose of two axes."""
    order = list(range(call.rank()))
    first, second = call.axis(call.params["dim1"]), call.axis(call.params["dim2"])
    order[first], order[second] = second, first
    return call.transpose(call.x, order)


@translates("reshape_like")
def reshape_like(call: Call) -> str:
    """Reshape to the other's shape."""
    if any(call.params[key] is not None for key in ("lhs_begin", "lhs_end", "rhs_begin", "rhs_end")):
        return call.reshape_to_output(call.x)
    return call.op("Reshape", call.x, call.shape_of(call.inputs[1]))


@translates("Concat")
def concat(call: Call) -> str:
    """Concat."""
    return call.op("Concat", *call.inputs, axis=call.axis(call.params["dim"]))


@translates("_rnn_param_concat")
def rnn_param_concat(call: Call) -> str:
    """Concat."""
    return concat(call)


@translates("stack")
def stack(call: Call) -> str:
    """Concat along a new axis."""
    axis = call.params["axis"] % (call.rank() + 1)
    return call.op("Concat", *[call.op("Unsqueeze", each, call.ints(axis)) for each in call.inputs], axis=axis)


def _split(call: Call, lengths: list[int], axis: int) -> list[str]:
    if len(lengths) == 1:
        parts = [call.x]
    else:
        parts = call.ops("Split", len(lengths), call.x, call.ints(*lengths), axis=axis)
    if call.params["squeeze_axis"]:
        parts = [call.op("Squeeze", part, call.ints(axis)) for part in parts]
    return parts


@translates("SliceChannel")
def slice_channel(call: Call) -> list[str]:
    """Split into equal parts."""
    axis, count = call.axis(call.params["axis"]), call.params["num_outputs"]
    return _split(call, [call.length(axis) // count] * count, axis)


@translates("_split_v2")
def split_v2(call: Call) -> list[str]:
    """Split at given places."""
    axis, sections = call.axis(call.params["axis"]), call.params["sections"]
    length = call.length(axis)
    if sections > 0:
        lengths = [len(part) for part in np.array_split(np.arange(length), sections)]
    else:
        lengths = [int(n) for n in np.diff([*call.params["indices"], length])]
    return _split(call, lengths, axis)


@translates("tile")
def tile(call: Call) -> str:
    """Tile."""
    reps, data = list(call.params["reps"]), call.x
    if len(reps) > call.rank():
        data = call.op("Unsqueeze", data, call.ints(*range(len(reps) - call.rank())))
    return call.op("Tile", data, call.ints(*[1] * (call.rank() - len(reps)), *reps))


@translates("repeat")
def repeat(call: Call) -> str:
    """Each element several times: a new axis after its own, stretched and merged."""
    axis, times = call.params["axis"], call.params["repeats"]
    data, rank = call.x, call.rank()
    if axis is None:
        data, axis, rank = call.reshape(data, (-1,)), 0, 1
    else:
        axis = call.axis(axis)
    stretched = call.op("Tile", call.op("Unsqueeze", data, call.ints(axis + 1)), call.ints(*_ones(rank, axis, times)))
    shape = call.output_shape()
    if sum(length <= 0 for length in shape) > 1:
        raise Untranslatable("leaves more than one length to the run")
    return call.reshape(stretched, [length or -1 for length in shape])


def _ones(rank: int, axis: int, times: int) -> list[int]:
    return [times if place == axis + 1 else 1 for place in range(rank + 1)]


@translates("reverse")
def reverse(call: Call) -> str:
    """Slice with steps of -1."""
    axes = [call.axis(axis) for axis in call.params["axis"]]
    count = len(axes)
    starts, ends = call.ints(*[-1] * count), call.ints(*[-(2**62)] * count)
    return call.op("Slice", call.x, starts, ends, call.ints(*axes), call.ints(*[-1] * count))


@translates("Pad")
def pad(call: Call) -> str:
    """Pad; MXNet names both ends of an axis together, ONNX all beginnings first."""
    widths, mode = call.params["pad_width"], call.params["mode"]
    amounts = call.ints(*widths[::2], *widths[1::2])
    if mode == "constant":
        return call.op("Pad", call.x, amounts, call.number(call.params["constant_value"]), mode="constant")
    return call.op("Pad", call.x, amounts, mode=mode)


@translates("depth_to_space")
def depth_to_space(call: Call) -> str:
    """DepthToSpace, whose first mode is MXNet's."""
    return call.op("DepthToSpace", call.x, blocksize=call.params["block_size"], mode="DCR")


@translates("space_to_depth")
def space_to_depth(call: Call) -> str:
    """SpaceToDepth."""
    return call.op("SpaceToDepth", call.x, blocksize=call.params["block_size"])


@translates("broadcast_to", "broadcast_axis")
def broadcast_to(call: Call) -> str:
    """Expand; a length of 1 leaves an axis as it is, so that varying ones may stay."""
    shape, source = call.output_shape(), call.shape()
    return call.op("Expand", call.x, call.ints(*[1 if a == b else b for a, b in zip(source, shape, strict=True)]))


@translates("broadcast_like")
def broadcast_like(call: Call) -> str:
    """Expand to the other's shape."""
    if call.params["lhs_axes"] is None:
        return call.op("Expand", call.x, call.shape_of(call.inputs[1]))
    return call.op("Expand", call.x, call.ints(*call.output_sizes()))


@translates("shape_array")
def shape_array(call: Call) -> str:
    """Shape."""
    return call.shape_of(call.x)


@translates("size_array")
def size_array(call: Call) -> str:
    """Size, in one element."""
    return call.reshape(call.op("Size", call.x), (1,))


@translates("_zeros", "_ones", "_full", "_zeros_without_dtype")
def filled(call: Call) -> str:
    """A constant, of the shape that its users tell if it has none itself."""
    value = {"_ones": 1, "_full": call.params.get("value", 0)}.get(call.node.op_name, 0)
    return call.constant(np.full(call.output_sizes(), value), call.output_dtype())


@translates("_contrib_arange_like")
def arange_like(call: Call) -> str:
    """A constant, for data of a fixed size."""
    params, shape = call.params, call.output_sizes()
    count = int(np.prod(shape))
    places = np.arange(-(-count // params["repeat"])).repeat(params["repeat"])[:count]
    return call.constant((params["start"] + params["step"] * places).reshape(shape), call.output_dtype())


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
