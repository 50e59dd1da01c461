"""Convolutions and dense layers."""

import numpy as np

from ..call import Call
from ..table import Untranslatable, translates


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
