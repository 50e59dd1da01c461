"""Enlarging images."""

import functools
from collections.abc import Mapping
from typing import Any, Literal

import torch
from torch import Tensor

from ...errors import OpParamError, OpShapeError
from ..common import expect_floating, expect_shape, same_dtype
from ..params import Shape
from ..registry import operator, shape_of
from ..shape_rules import Params, Result, Specs, images


def _weight_shapes(data: Shape, *, scale: int, sample_type: str, **_: Any) -> dict[str, Shape]:
    if sample_type == "nearest":
        return {}
    size = 2 * scale - scale % 2
    return {"weight": (data[1], 1, size, size)}


def _inputs(params: Mapping[str, Any]) -> tuple[str, ...]:
    return ("data", "weight") if params["sample_type"] == "bilinear" else ()


@operator(
    "UpSampling",
    count_param="num_args",
    completes=_weight_shapes,
    takes=_inputs,
    initializers={"weight": '["bilinear", {}]'},
)
def up_sampling(
    *data: Tensor,
    scale: int,
    num_filter: int = 0,
    sample_type: Literal["bilinear", "nearest"],
    multi_input_mode: Literal["concat", "sum"] = "concat",
    workspace: int = 512,
) -> Tensor:
    """Enlarges images by a whole factor.

    Args:
        *data: images (batch, channels, height, width). With 'nearest' there may be several of different sizes, all
            enlarged to the size of the first one's result. With 'bilinear' the second input is the weight,
            (channels, 1, size, size) with the size 2 * scale - scale % 2.
        scale: the factor.
        num_filter: number of channels; only 'bilinear' uses it.
        sample_type: 'nearest' repeats elements, 'bilinear' is a deconvolution with the given weight.
        multi_input_mode: whether several results are joined along the channels or added.
        workspace: has no effect.
    """
    if scale < 1:
        raise OpParamError(f"scale={scale}; expected a number not below 1")
    for image in data:
        if image.dim() != 4:
            raise OpShapeError(f"expected inputs of 4 dimensions (batch, channels, height, width), got {image.dim()}")
        expect_floating(image)
    same_dtype(**{f"data[{i}]": image for i, image in enumerate(data)})
    if sample_type == "bilinear":
        return _bilinear(data, scale, num_filter)
    size = data[0].shape[2] * scale, data[0].shape[3] * scale
    enlarged = [_repeated(image, size) for image in data]
    if len(enlarged) == 1:
        return enlarged[0] if scale > 1 else data[0].clone()
    axis = 1 if multi_input_mode == "concat" else None
    shapes = {tuple(n for i, n in enumerate(image.shape) if i != axis) for image in enlarged}
    if len(shapes) > 1:
        listed = ", ".join(str(tuple(image.shape)) for image in data)
        raise OpShapeError(f"multi_input_mode={multi_input_mode!r}: the batches or channels of {listed} do not agree")
    return torch.cat(enlarged, 1) if axis == 1 else functools.reduce(torch.add, enlarged)


def _repeated(image: Tensor, size: tuple[int, int]) -> Tensor:
    batch, channels, height, width = image.shape
    factor = size[0] // height
    if (height * factor, width * factor) != size:
        raise OpShapeError(f"an input of size {(height, width)} cannot be enlarged to {size} by a whole factor")
    if factor == 1:
        return image
    # Torch's own interpolation finds the source elements by multiplying with 1 / factor, which need not be exact.
    repeated = image[:, :, :, None, :, None].expand(batch, channels, height, factor, width, factor)
    return repeated.reshape(batch, channels, *size).contiguous()  # one pixel would stay a view


def _bilinear(data: tuple[Tensor, ...], scale: int, num_filter: int) -> Tensor:
    if len(data) != 2:
        raise OpShapeError(f"sample_type='bilinear' takes two inputs, data and weight, got {len(data)}")
    image, weight = data
    channels = image.shape[1]
    if num_filter != channels:
        raise OpParamError(f"num_filter={num_filter}; expected the number of channels, {channels}")
    shapes = _weight_shapes(tuple(image.shape), scale=scale, sample_type="bilinear")
    expect_shape("the weight", weight, shapes["weight"])
    pad = scale // 2
    return torch.nn.functional.conv_transpose2d(image, weight, None, scale, pad, groups=channels)


@shape_of("UpSampling")
def _up_sampling_shape(specs: Specs, params: Params) -> Result:
    data = images(specs)
    if data is None or len(specs) != 1 or params["sample_type"] != "nearest" or params["scale"] < 1:
        return None
    (batch, channels, height, width), dtype = data
    return [((batch, channels, height * params["scale"], width * params["scale"]), dtype)]
