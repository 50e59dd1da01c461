"""Implement spatial transformers, grid sampling and upsampling."""

import functools
from collections.abc import Callable, Mapping
from typing import Any, Literal

import torch
from torch import Tensor
from torch.nn import functional

from ...errors import OpParamError, OpShapeError
from ..common import expect_floating, expect_shape, reaching, same_dtype
from ..params import Shape
from ..partial_shapes import PartialShapes, common
from ..registry import operator, partial_shapes_of, shape_of
from ..shape_rules import Params, Result, Specs, images


def _expect_images(name: str, data: Tensor) -> None:
    expect_floating(data, name)
    if data.dim() != 4:
        raise OpShapeError(f"expected {name} of shape (batch, channels, height, width), got {tuple(data.shape)}")


def _sample(data: Tensor, grid: Tensor) -> Tensor:
    """Samples (batch, channels, height, width) at a grid of (batch, rows, columns, 2)."""
    if data.dtype is torch.float16:  # too coarse for places in an image
        return _sample(data.float(), grid.float()).to(data.dtype)
    if 0 in data.shape[2:]:  # every place is outside of the image
        return reaching(data.new_zeros((*data.shape[:2], *grid.shape[1:3])), data, grid)
    return functional.grid_sample(data, grid, "bilinear", "zeros", align_corners=True)


@operator("BilinearSampler", total_outputs=2, output_names=("output", "tmp"))
def bilinear_sampler(data: Tensor, grid: Tensor, *, cudnn_off: bool | None = None) -> Tensor:
    """Reads images between their elements, by bilinear interpolation; around them everything is zero.

    Args:
        data: (batch, channels, height, width).
        grid: (batch, 2, output height, output width): for each place of the result the column, then the row to read,
            where -1 is the first one and 1 the last one.
        cudnn_off: has no effect.
    """
    _expect_images("data", data)
    same_dtype(data=data, grid=grid)
    if grid.dim() != 4 or grid.shape[:2] != (data.shape[0], 2):
        raise OpShapeError(f"expected grid of shape ({data.shape[0]}, 2, height, width), got {tuple(grid.shape)}")
    return _sample(data, grid.permute(0, 2, 3, 1))


Axis = Callable[[int, Tensor], Tensor]


def _stepped_axis(length: int, like: Tensor) -> Tensor:
    """Places from -1 to 1 by a rounded step; a single one is NaN, as in MXNet: it is nowhere in particular."""
    step = 2 / torch.tensor(length - 1, dtype=like.dtype, device=like.device)
    return torch.arange(length, dtype=like.dtype, device=like.device) * step - 1


def _exact_axis(length: int, like: Tensor) -> Tensor:
    """Places from -1 to 1, each rounded: the identity then reads elements themselves, not beside them."""
    return (torch.arange(length, dtype=torch.float64, device=like.device) * 2 / (length - 1) - 1).to(like.dtype)


def _affine(theta: Tensor, target: Shape, name: str, axis: Axis) -> Tensor:
    """The grid, (batch, height, width, 2), that an affine transformation of the target's places gives."""
    expect_shape(name, theta, (theta.shape[0] if theta.dim() else 0, 6))
    if len(target) != 2 or min(target) < 1:
        raise OpParamError(f"target_shape={target}; expected the height and width of the result, none below 1")
    height, width = target
    columns = axis(width, theta).expand(height, width)
    rows = axis(height, theta).unsqueeze(1).expand(height, width)
    places = torch.stack([columns, rows, torch.ones_like(rows)], -1).reshape(height * width, 3)
    return torch.matmul(places, theta.reshape(-1, 2, 3).transpose(1, 2)).reshape(-1, height, width, 2)


@operator("GridGenerator", total_outputs=2, output_names=("output", "grid_dst"))
def grid_generator(data: Tensor, *, transform_type: Literal["affine", "warp"], target_shape: Shape = (0, 0)) -> Tensor:
    """Makes the grid that `BilinearSampler` reads at.

    Args:
        data: for 'affine' (batch, 6): two rows of three numbers, by which (column, row, 1) is multiplied. For 'warp'
            (batch, 2, height, width): how many elements to the right and down each place moves.
        transform_type: what the data means.
        target_shape: height and width of the grid for 'affine'.

    Returns:
        (batch, 2, height, width).
    """
    expect_floating(data)
    if transform_type == "affine":
        return _affine(data, target_shape, "data", _stepped_axis).permute(0, 3, 1, 2).contiguous()
    if data.dim() != 4 or data.shape[1] != 2:
        raise OpShapeError(f"expected data of shape (batch, 2, height, width), got {tuple(data.shape)}")
    height, width = data.shape[2:]
    columns = torch.arange(width, dtype=data.dtype, device=data.device)
    rows = torch.arange(height, dtype=data.dtype, device=data.device).unsqueeze(1)
    x = (data[:, 0] + columns) / ((width - 1) / 2) - 1
    y = (data[:, 1] + rows) / ((height - 1) / 2) - 1
    return torch.stack([x, y], 1)


@operator(
    "SpatialTransformer",
    completes=lambda data, **_: {"loc": (data[0], 6)},
    total_outputs=3,
    output_names=("output", "grid_dst", "grid_src"),
)
def spatial_transformer(
    data: Tensor,
    loc: Tensor,
    *,
    target_shape: Shape = (0, 0),
    transform_type: Literal["affine"],
    sampler_type: Literal["bilinear"],
    cudnn_off: bool | None = None,
) -> Tensor:
    """Moves, turns and stretches images by affine transformations, one for each.

    Args:
        data: (batch, channels, height, width).
        loc: (batch, 6): two rows of three numbers, by which the place (column, row, 1) in the result is multiplied to
            give the place in the image; both run from -1 to 1.
        target_shape: height and width of the result.
        transform_type: 'affine'.
        sampler_type: 'bilinear'.
        cudnn_off: has no effect.
    """
    _expect_images("data", data)
    same_dtype(data=data, loc=loc)
    expect_shape("loc", loc, (data.shape[0], 6))
    return _sample(data, _affine(loc, target_shape, "loc", _exact_axis))


@operator("Correlation", total_outputs=3, output_names=("output", "tmp1", "tmp2"))
def correlation(
    data1: Tensor,
    data2: Tensor,
    *,
    kernel_size: int = 1,
    max_displacement: int = 1,
    stride1: int = 1,
    stride2: int = 1,
    pad_size: int = 0,
    is_multiply: bool = True,
) -> Tensor:
    """Compares each neighbourhood of one image with those around the same place in another, as for optical flow.

    Args:
        data1: (batch, channels, height, width).
        data2: likewise.
        kernel_size: size of the neighbourhoods, an odd number.
        max_displacement: how far away the places in the second image are at most.
        stride1: step between neighbourhoods in the first image.
        stride2: step between displacements in the second one.
        pad_size: zeros put around both images.
        is_multiply: whether to take the mean product of elements; otherwise it is their mean distance.

    Returns:
        (batch, number of displacements, rows, columns), displacements row by row.
    """
    _expect_images("data1", data1)
    same_dtype(data1=data1, data2=data2)
    expect_shape("data2", data2, tuple(data1.shape))
    if kernel_size % 2 != 1 or kernel_size < 1 or stride1 < 1 or stride2 < 1:
        raise OpParamError(
            f"kernel_size={kernel_size}, stride1={stride1}, stride2={stride2}; expected an odd kernel_size and strides "
            "not below 1"
        )
    border = 2 * (max_displacement + kernel_size // 2)
    sizes = [-(-(n + 2 * pad_size - border) // stride1) for n in data1.shape[2:]]
    if min(sizes) < 1 or max_displacement < 0 or pad_size < 0:
        raise OpShapeError(
            f"a neighbourhood of {kernel_size} with displacements up to {max_displacement} exceeds the images, even "
            f"with pad_size={pad_size}"
        )
    pad = (pad_size,) * 4
    first, second = functional.pad(data1, pad), functional.pad(data2, pad)
    rows, columns = ((size - 1) * stride1 + kernel_size for size in sizes)

    def part(image: Tensor, down: int, right: int) -> Tensor:
        top, left = max_displacement + down, max_displacement + right
        step = stride1 if kernel_size == 1 else 1
        return image[:, :, top : top + rows : step, left : left + columns : step]

    here = part(first, 0, 0)
    reach = max_displacement // stride2
    moves = [move * stride2 for move in range(-reach, reach + 1)]
    compared = torch.stack([_compare(here, part(second, y, x), is_multiply) for y in moves for x in moves], 1)
    return compared if kernel_size == 1 else functional.avg_pool2d(compared, kernel_size, stride1)


def _compare(one: Tensor, other: Tensor, is_multiply: bool) -> Tensor:
    if is_multiply:
        return (one * other).mean(1)
    # Not abs(): where both are equal MXNet's gradient is 1 for the first one and -1 for the second one.
    return torch.where(one >= other, one - other, other - one).mean(1)


@partial_shapes_of("Correlation")
def _same_inputs(_: Params, inputs: PartialShapes, outputs: PartialShapes) -> PartialShapes:
    return [common(inputs)] * len(inputs)


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
