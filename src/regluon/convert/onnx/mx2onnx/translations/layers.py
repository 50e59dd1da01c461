"""Translate layers: convolution, normalization, pooling and recurrent networks."""

from math import prod
from typing import Any

import numpy as np

from .....kernels.recurrent_layout import parameter_layout
from ..call import Call, Untranslatable, translates


def to_front(call: Call, rank: int) -> list[int]:
    """The order of axes that puts channels first."""
    return [0, rank - 1, *range(1, rank - 1)]


def to_back(rank: int) -> list[int]:
    """The order of axes that puts channels last."""
    return [0, *range(2, rank), 1]


def is_channels_last(call: Call) -> bool:
    """Whether the layout has the channels at the end."""
    return (call.params.get("layout") or "").endswith("C")


def per_axis(values: tuple[int, ...], count: int, otherwise: int) -> list[int]:
    """One number for each spatial axis."""
    return list(values) or [otherwise] * count


@translates("Convolution", "Convolution_v1")
def convolution(call: Call) -> str:
    """Conv; with the channels last, between two transpositions."""
    params, count = call.params, len(call.params["kernel"])
    data, weight, *bias = call.inputs
    last = is_channels_last(call)
    if last:
        order = to_front(call, count + 2)
        data, weight = call.transpose(data, order), call.transpose(weight, order)
    result = call.op(
        "Conv",
        data,
        weight,
        *bias,
        kernel_shape=list(params["kernel"]),
        strides=per_axis(params["stride"], count, 1),
        dilations=per_axis(params["dilate"], count, 1),
        pads=per_axis(params["pad"], count, 0) * 2,
        group=params["num_group"],
    )
    return call.transpose(result, to_back(count + 2)) if last else result


@translates("Deconvolution")
def deconvolution(call: Call) -> str:
    """ConvTranspose."""
    params, kernel = call.params, call.params["kernel"]
    count = len(kernel)
    data, weight, *bias = call.inputs
    last = is_channels_last(call)
    if last:
        order = to_front(call, count + 2)
        data, weight = call.transpose(data, order), call.transpose(weight, order)
    strides, dilates = per_axis(params["stride"], count, 1), per_axis(params["dilate"], count, 1)
    pads, adjusts = per_axis(params["pad"], count, 0), per_axis(params["adj"], count, 0)
    if any(params["target_shape"]):
        sizes = [call.length(axis + (1 if last else 2)) for axis in range(count)]
        excess = [
            stride * (size - 1) + dilate * (width - 1) + 1 - wanted
            for size, stride, dilate, width, wanted in zip(
                sizes, strides, dilates, kernel, params["target_shape"], strict=True
            )
        ]
        pads, adjusts = [(n + 1) // 2 for n in excess], [n % 2 for n in excess]
    result = call.op(
        "ConvTranspose",
        data,
        weight,
        *bias,
        kernel_shape=list(kernel),
        strides=strides,
        dilations=dilates,
        pads=pads * 2,
        output_padding=adjusts,
        group=params["num_group"],
    )
    return call.transpose(result, to_back(count + 2)) if last else result


@translates("FullyConnected")
def fully_connected(call: Call) -> str:
    """Gemm on rows; MatMul where the leading axes stay."""
    data, weight, *bias = call.inputs
    if call.params["flatten"] and call.rank() != 2:
        data = call.op("Flatten", data, axis=1)
    elif call.rank() != 2:
        product = call.op("MatMul", data, call.transpose(weight, (1, 0)))
        return call.op("Add", product, *bias) if bias else product
    return call.op("Gemm", data, weight, *bias, transB=1)


@translates("UpSampling")
def up_sampling(call: Call) -> str:
    """Nearest neighbours by Resize, bilinear by the deconvolution that it is in MXNet."""
    params, scale = call.params, call.params["scale"]
    if params["sample_type"] == "bilinear":
        size, pad, channels = 2 * scale - scale % 2, scale // 2, call.length(1)
        data, weight = call.inputs
        attrs = {"kernel_shape": [size, size], "strides": [scale, scale], "pads": [pad] * 4, "group": channels}
        return call.op("ConvTranspose", data, weight, **attrs)
    enlarged = [_nearest(call, place, scale) for place in range(len(call.inputs))]
    if len(enlarged) == 1:
        return enlarged[0]
    return call.op("Concat", *enlarged, axis=1) if params["multi_input_mode"] == "concat" else call.op("Sum", *enlarged)


def _nearest(call: Call, place: int, scale: int) -> str:
    factor = scale
    if place:
        factor = call.length(2) * scale // call.length(2, place)
    scales = call.constant(np.array([1, 1, factor, factor]), "float32")
    attrs = {"mode": "nearest", "coordinate_transformation_mode": "asymmetric", "nearest_mode": "floor"}
    return call.op("Resize", call.inputs[place], "", scales, **attrs)


@translates("_contrib_BilinearResize2D")
def bilinear_resize(call: Call) -> str:
    """Resize to the height and width that the operator would choose."""
    batch, channels, height, width = call.output_shape()
    if height <= 0 or width <= 0 or channels <= 0:
        raise Untranslatable("needs a fixed height and width of the result")
    if not call.params["align_corners"] and 1 in (height, width):
        raise Untranslatable("takes the first row or column for a single one, which Resize does not")
    if batch > 0:
        target = call.ints(batch, channels, height, width)
    else:
        first = call.op("Slice", call.shape_of(call.x), call.ints(0), call.ints(1), call.ints(0))
        target = call.op("Concat", first, call.ints(channels, height, width), axis=0)
    way = "align_corners" if call.params["align_corners"] else "half_pixel"
    return call.op("Resize", call.x, "", "", target, mode="linear", coordinate_transformation_mode=way)


def _only_the_result(call: Call) -> None:
    if call.params.get("output_mean_var"):
        raise Untranslatable("output_mean_var=True asks for statistics, which have no counterpart")


def _with(axis: int, rank: int) -> list[int]:
    """The order of axes in which an axis changes places with axis 1."""
    order = list(range(rank))
    order[1], order[axis] = order[axis], order[1]
    return order


@translates("BatchNorm", "BatchNorm_v1", "_contrib_SyncBatchNorm", "_contrib_BatchNormWithReLU")
def batch_norm(call: Call) -> str:
    """BatchNormalization with the moving averages."""
    _only_the_result(call)
    data, gamma, beta, mean, variance = call.inputs[:5]
    axis = call.axis(call.params.get("axis", 1))
    if call.params["fix_gamma"]:
        gamma = call.constant(np.ones(call.sizes(3)), call.dtype(3))
    if axis != 1:
        data = call.transpose(data, _with(axis, call.rank()))
    result = call.op("BatchNormalization", data, gamma, beta, mean, variance, epsilon=float(call.params["eps"]))
    if axis != 1:
        result = call.transpose(result, _with(axis, call.rank()))
    return call.op("Relu", result) if call.node.op_name == "_contrib_BatchNormWithReLU" else result


@translates("LayerNorm")
def layer_norm(call: Call) -> str:
    """LayerNormalization over the last axis."""
    _only_the_result(call)
    data, gamma, beta = call.inputs
    axis, rank = call.axis(call.params["axis"]), call.rank()
    order = [place for place in range(rank) if place != axis] + [axis]
    turned = axis != rank - 1
    if turned:
        data = call.transpose(data, order)
    result = call.op("LayerNormalization", data, gamma, beta, axis=-1, epsilon=float(call.params["eps"]))
    return call.transpose(result, list(np.argsort(order))) if turned else result


@translates("InstanceNorm")
def instance_norm(call: Call) -> str:
    """InstanceNormalization."""
    return call.op("InstanceNormalization", *call.inputs, epsilon=float(call.params["eps"]))


@translates("GroupNorm")
def group_norm(call: Call) -> str:
    """InstanceNormalization of the groups as channels; gamma and beta belong to groups in MXNet too."""
    _only_the_result(call)
    data, gamma, beta = call.inputs
    groups = call.params["num_groups"]
    grouped = call.op("Reshape", data, call.ints(0, groups, -1))
    scales = [call.reshape(value, (groups,)) for value in (gamma, beta)]
    result = call.op("InstanceNormalization", grouped, *scales, epsilon=float(call.params["eps"]))
    return call.op("Reshape", result, call.shape_of(data))


@translates("L2Normalization")
def l2_normalization(call: Call) -> str:
    """The data divided by the root of the sum of squares."""
    axes = {"instance": range(1, call.rank()), "channel": (1,), "spatial": range(2, call.rank())}[call.params["mode"]]
    sums = call.op("ReduceSum", call.op("Mul", call.x, call.x), call.ints(*axes), keepdims=1)
    return call.op("Div", call.x, call.op("Sqrt", call.op("Add", sums, call.number(call.params["eps"]))))


@translates("LRN")
def lrn(call: Call) -> str:
    """LRN, which MXNet and ONNX define alike."""
    params = call.params
    return call.op(
        "LRN", call.x, alpha=params["alpha"], beta=params["beta"], bias=params["knorm"], size=params["nsize"]
    )


@translates("moments")
def moments(call: Call) -> list[str]:
    """Mean and variance."""
    axes = [call.axis(axis) for axis in call.params["axes"] or range(call.rank())]
    keep = int(call.params["keepdims"])
    mean = call.op("ReduceMean", call.x, axes=axes, keepdims=1)
    apart = call.op("Sub", call.x, mean)
    variance = call.op("ReduceMean", call.op("Mul", apart, apart), axes=axes, keepdims=keep)
    return [mean if keep else call.op("Squeeze", mean, call.ints(*axes)), variance]


@translates("Pooling", "Pooling_v1")
def pooling(call: Call) -> str:
    """Pools data that have their channels first."""
    rank, data = call.rank(), call.x
    last = is_channels_last(call)
    if last:
        data = call.transpose(data, to_front(call, rank))
    if call.params["global_pool"]:
        result = _global(call, data)
    else:
        sizes = call.shape()[1:-1] if last else call.shape()[2:]
        result = _windows(call, data, sizes)
    return call.transpose(result, to_back(rank)) if last else result


def _global(call: Call, data: str) -> str:
    kind = call.params["pool_type"]
    if kind in ("max", "avg"):
        return call.op("GlobalMaxPool" if kind == "max" else "GlobalAveragePool", data)
    axes = call.ints(*range(2, call.rank()))
    return _root(call, call.op("ReduceSum", _powered(call, data), axes, keepdims=1))


def _windows(call: Call, data: str, sizes: tuple[int, ...]) -> str:
    params, count = call.params, len(sizes)
    kernel, kind = list(params["kernel"]), params["pool_type"]
    strides, pads = per_axis(params["stride"], count, 1), per_axis(params["pad"], count, 0)
    if any(pad >= width for pad, width in zip(pads, kernel, strict=True)):
        raise Untranslatable(f"has pad={tuple(pads)}, not below kernel={tuple(kernel)}: windows without any data")
    plain = params["pooling_convention"] == "valid"
    ends = pads if plain else _ends(call, sizes, kernel, strides, pads)
    # ONNX wants padding smaller than the window; a last window that lies wholly in the padding is added afterwards.
    empty = [int(end >= width) for end, width in zip(ends, kernel, strict=True)]
    ends = [max(end - stride * far, 0) for end, stride, far in zip(ends, strides, empty, strict=True)]
    attrs = {"kernel_shape": kernel, "strides": strides, "pads": pads + ends}
    include = params.get("count_include_pad") is not False
    if kind == "max":
        lowest = float(np.finfo(call.dtype()).min)
        return _extended(call, call.op("MaxPool", data, **attrs), empty, lowest)
    if kind != "avg":
        sums = call.op("AveragePool", _powered(call, data), count_include_pad=1, **attrs)
        result = _root(call, call.op("Mul", sums, call.number(prod(kernel))))
    elif ends == pads or not include:
        result = call.op("AveragePool", data, count_include_pad=int(include), **attrs)
    else:
        means = call.op("AveragePool", data, count_include_pad=1, **attrs)
        factors = prod(kernel) / _counts(sizes, kernel, strides, pads, ends)
        result = call.op("Mul", means, call.constant(factors, call.dtype()))
    return _extended(call, result, empty, 0)


def _ends(call: Call, sizes: tuple[int, ...], kernel: list[int], strides: list[int], pads: list[int]) -> list[int]:
    """The padding after the data with which the last, partial window is a whole one."""
    if any(size <= 0 for size in sizes):
        raise Untranslatable(f"pooling_convention={call.params['pooling_convention']!r} needs data of a fixed size")
    ends = []
    for size, width, stride, pad in zip(sizes, kernel, strides, pads, strict=True):
        if call.params["pooling_convention"] == "same":
            outputs = -(-size // stride)
        else:
            outputs = -(-(size + 2 * pad - width) // stride) + 1
        ends.append(max((outputs - 1) * stride + width - size - pad, 0))
    return ends


def _extended(call: Call, result: str, empty: list[int], value: float) -> str:
    """The result with what windows without data give at the end of each axis."""
    if not any(empty):
        return result
    amounts = call.ints(*[0] * (len(empty) + 4), *empty)
    return call.op("Pad", result, amounts, call.number(value), mode="constant")


def _counts(
    sizes: tuple[int, ...], kernel: list[int], strides: list[int], pads: list[int], ends: list[int]
) -> np.ndarray:
    """Over how many elements each mean is taken: padding counts, what lies beyond it does not."""
    total = np.ones(())
    for size, width, stride, pad, end in zip(sizes, kernel, strides, pads, ends, strict=True):
        first = np.arange((size + pad + end - width) // stride + 1) * stride - pad
        total = total[..., None] * np.maximum(np.minimum(first + width, size + pad) - first, 1)
    return total


def _power(call: Call) -> int:
    return call.params.get("p_value") or 1 if call.params["pool_type"] == "lp" else 1


def _powered(call: Call, data: str) -> str:
    return data if _power(call) == 1 else call.op("Pow", data, call.number(_power(call)))


def _root(call: Call, sums: str) -> str:
    if _power(call) == 1:
        return sums
    if _power(call) == 2:
        return call.op("Sqrt", sums)
    return call.op("Mul", call.op("Sign", sums), call.op("Pow", call.op("Abs", sums), call.number(1 / 3)))


@translates("_contrib_AdaptiveAvgPooling2D")
def adaptive_avg_pooling(call: Call) -> str:
    """A global mean, or windows where the regions are all of one size."""
    wanted = call.params["output_size"] or (1,)
    outputs = (wanted[0], wanted[-1])
    if outputs == (1, 1):
        return call.op("GlobalAveragePool", call.x)
    kernel = [call.length(axis) // size for axis, size in zip((2, 3), outputs, strict=True)]
    if any(call.length(axis) % size for axis, size in zip((2, 3), outputs, strict=True)):
        raise Untranslatable(f"output_size={wanted} divides data of shape {call.shape()} into regions of unequal size")
    return call.op("AveragePool", call.x, kernel_shape=kernel, strides=kernel)


# ONNX's order of the gates, as places in MXNet's.
_GATES = {"lstm": (0, 3, 1, 2), "gru": (1, 0, 2), "rnn_tanh": (0,), "rnn_relu": (0,)}
_OPERATORS = {"lstm": "LSTM", "gru": "GRU", "rnn_tanh": "RNN", "rnn_relu": "RNN"}


@translates("RNN")
def rnn(call: Call) -> list[str]:
    """LSTM, GRU or RNN, layer by layer; ONNX joins directions on an axis of their own."""
    params, mode = call.params, call.params["mode"]
    if params["projection_size"] or params["lstm_state_clip_min"] is not None:
        raise Untranslatable("projection_size and lstm_state_clip_min have no counterpart")
    weights = _weights(call)
    data = call.x
    lengths = call.input("sequence_length")
    steps = call.cast(lengths, "int32") if lengths else ""
    last: list[list[str]] = []
    for layer in range(params["num_layers"]):
        states = [_initial(call, name, layer) for name in (("state", "state_cell") if mode == "lstm" else ("state",))]
        outputs, *after = call.ops(
            _OPERATORS[mode], 3 if mode == "lstm" else 2, data, *weights[layer], steps, *states, **_attrs(params)
        )
        last.append(after)
        # (time, directions, batch, size) to (time, batch, directions * size)
        data = call.op("Reshape", call.op("Transpose", outputs, perm=[0, 2, 1, 3]), call.ints(0, 0, -1))
    finals = [call.op("Concat", *each, axis=0) if len(each) > 1 else each[0] for each in zip(*last, strict=True)]
    return [data, *finals][: call.node.num_outputs]


def _attrs(params: dict[str, Any]) -> dict[str, Any]:
    sides = 2 if params["bidirectional"] else 1
    attrs: dict[str, Any] = {
        "hidden_size": params["state_size"],
        "direction": "bidirectional" if sides == 2 else "forward",
    }
    if params["mode"] == "gru":
        attrs["linear_before_reset"] = 1
    elif params["mode"] != "lstm":
        attrs["activations"] = ["Relu" if params["mode"] == "rnn_relu" else "Tanh"] * sides
    return attrs


def _weights(call: Call) -> list[list[str]]:
    """Of each layer the weights for the input, those for the state, and the biases, as ONNX orders them."""
    params, mode = call.params, call.params["mode"]
    vector = call.value(call.inputs[1])
    if vector is None:
        raise Untranslatable("has parameters that are computed; expected constants")
    size, sides = params["state_size"], "lr" if params["bidirectional"] else "l"
    layout = parameter_layout(mode, call.length(2), size, params["num_layers"], params["bidirectional"])
    pieces = {
        piece.name: vector[piece.offset : piece.offset + int(np.prod(piece.shape))].reshape(piece.shape)
        for piece in layout
    }

    def ordered(name: str) -> np.ndarray:
        rows = pieces[name]
        return np.concatenate([rows[gate * size : (gate + 1) * size] for gate in _GATES[mode]])

    layers = []
    for layer in range(params["num_layers"]):
        names = [f"{side}{layer}" for side in sides]
        inputs = np.stack([ordered(f"{name}_i2h_weight") for name in names])
        states = np.stack([ordered(f"{name}_h2h_weight") for name in names])
        both = [np.concatenate([ordered(f"{name}_i2h_bias"), ordered(f"{name}_h2h_bias")]) for name in names]
        layers.append([call.constant(each) for each in (inputs, states, np.stack(both))])
    return layers


def _initial(call: Call, name: str, layer: int) -> str:
    """The state before the first step; nothing where it is zero."""
    place = call.node.input_names.index(name)
    source = call.node.inputs[place].node
    if source.op_name in ("_zeros", "zeros_like"):
        return ""
    sides = 2 if call.params["bidirectional"] else 1
    begin, end = call.ints(layer * sides), call.ints((layer + 1) * sides)
    return call.op("Slice", call.inputs[place], begin, end, call.ints(0))
