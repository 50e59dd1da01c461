"""Resize, crop, flip and normalize images."""

from collections.abc import Mapping
from typing import Any, Literal

import torch
from torch import Tensor
from torch.nn import functional

from ...errors import OpParamError, OpShapeError
from ..common import ZeroGradient, expect_floating, grad_needed, reaching
from ..params import Floats, Shape
from ..registry import operator, shape_of
from ..shape_rules import Params, Result, Specs, images
from .codec import expect_resizable, from_cpu_array, resize_image, to_cpu_array


def expect_image(data: Tensor) -> None:
    """Refuses what is not one image with one channel or three, these last."""
    if data.dim() != 3 or data.shape[2] not in (1, 3):
        raise OpShapeError(
            f"expected one image of shape (height, width, channels) with 1 or 3 channels, got {tuple(data.shape)}"
        )


def _expect_images(data: Tensor) -> None:
    if data.dim() not in (3, 4):
        raise OpShapeError(
            "expected an image of shape (height, width, channels), or a batch (N, height, width, channels), "
            f"got {tuple(data.shape)}"
        )


@operator("_image_to_tensor", "_npx__image_to_tensor")
def to_tensor(data: Tensor) -> Tensor:
    """Converts images from (height, width, channels) of 0 to 255 to float32 (channels, height, width) of 0 to 1.

    Args:
        data: one image, or a batch with N in front, of any dtype.
    """
    _expect_images(data)
    channels_first = data.movedim(-1, -3)
    if data.is_floating_point():
        return channels_first.div(255).to(torch.float32).contiguous()
    return channels_first.to(torch.float32, memory_format=torch.contiguous_format).div_(255)


@operator("_image_normalize", "_npx__image_normalize")
def normalize(data: Tensor, *, mean: Floats = (0.0, 0.0, 0.0, 0.0), std: Floats = (1.0, 1.0, 1.0, 1.0)) -> Tensor:
    """Subtracts a mean from each channel and divides by a standard deviation.

    Args:
        data: an image of (channels, height, width), or a batch with N in front; 1 or 3 channels.
        mean: one number, or one for each channel.
        std: likewise.
    """
    if data.dim() not in (3, 4) or data.shape[-3] not in (1, 3):
        raise OpShapeError(
            "expected an image of shape (channels, height, width) with 1 or 3 channels, or a batch of them, "
            f"got {tuple(data.shape)}"
        )
    shift, scale = (_by_channel(name, given, data) for name, given in (("mean", mean), ("std", std)))
    if data.is_floating_point():
        return (data - shift) / scale
    return ((data.to(torch.float32) - shift) / scale).to(torch.int64).to(data.dtype)


def _by_channel(name: str, given: Floats, data: Tensor) -> Tensor:
    """One number per channel, shaped to be combined with the data."""
    channels = data.shape[-3]
    if len(given) not in (1, channels):
        raise OpParamError(f"{name}={given}; expected 1 number, or {channels} for {channels} channel(s)")
    dtype = data.dtype if data.is_floating_point() else torch.float32
    return torch.tensor(given, dtype=dtype, device=data.device).view(-1, 1, 1)


@operator("_image_crop", "_npx__image_crop", returns_view=True)
def crop(data: Tensor, *, x: int, y: int, width: int, height: int) -> Tensor:
    """Cuts a rectangle out of images.

    Args:
        data: an image of (height, width, channels), or a batch with N in front.
        x: the leftmost column to keep.
        y: the topmost row to keep.
        width: of the rectangle.
        height: of the rectangle.
    """
    _expect_images(data)
    if width < 1 or height < 1:
        raise OpParamError(f"width={width}, height={height}; expected at least 1")
    rows, columns = data.shape[-3], data.shape[-2]
    if x < 0 or y < 0 or x + width > columns or y + height > rows:
        raise OpParamError(
            f"x={x}, y={y}, width={width}, height={height} reaches outside of the image, which is {columns} wide and "
            f"{rows} high"
        )
    return data[..., y : y + height, x : x + width, :]


@operator("_image_flip_left_right", "_npx__image_flip_left_right")
def flip_left_right(data: Tensor) -> Tensor:
    """Mirrors an image of (height, width, channels) from left to right."""
    expect_image(data)
    return data.flip(1)


@operator("_image_flip_top_bottom", "_npx__image_flip_top_bottom")
def flip_top_bottom(data: Tensor) -> Tensor:
    """Turns an image of (height, width, channels) upside down, as a mirror does."""
    expect_image(data)
    return data.flip(0)


@operator("_image_resize", "_npx__image_resize", has_gradient=False, reads_values=True)
def resize(data: Tensor, *, size: Shape = (), keep_ratio: bool = False, interp: int = 1) -> Tensor:
    """Resizes images with OpenCV; no gradient passes.

    Args:
        data: an image of (height, width, channels), or a batch with N in front: uint8, float32 or float64.
        size: (width, height), or one number: both, or with `keep_ratio` the shorter side.
        keep_ratio: keeps the ratio of the sides if `size` is one number.
        interp: 0 nearest, 1 linear, 2 cubic, 3 area, 4 Lanczos.
    """
    _expect_images(data)
    expect_resizable(data)
    width, height = _new_size(data, size, keep_ratio)
    if data.device.type == "meta":
        return data.new_empty((*data.shape[:-3], height, width, data.shape[-1]))
    images = to_cpu_array(data)
    if data.dim() == 3:
        return from_cpu_array(resize_image(images, width, height, interp), data)
    resized = torch.empty((len(images), height, width, images.shape[-1]), dtype=data.dtype)
    for image, target in zip(images, resized.numpy(), strict=True):
        target[...] = resize_image(image, width, height, interp)
    return resized.to(data.device)


def _new_size(data: Tensor, size: Shape, keep_ratio: bool) -> tuple[int, int]:
    """Width and height after resizing."""
    if len(size) not in (1, 2) or any(side is None or side < 1 for side in size):
        raise OpParamError(f"size={size}; expected (width, height) or one number, each at least 1")
    if len(size) == 2:
        return size[0], size[1]
    if not keep_ratio:
        return size[0], size[0]
    height, width = data.shape[-3], data.shape[-2]
    if height > width:
        return size[0], height * size[0] // width
    return width * size[0] // height, size[0]


Mode = Literal["like", "odd_scale", "size", "to_even_down", "to_even_up", "to_odd_down", "to_odd_up"]


def _expectimages(name: str, data: Tensor) -> None:
    if data.dim() != 4:
        raise OpShapeError(f"expected {name} of shape (batch, channels, height, width), got {tuple(data.shape)}")


def _target(size: int, mode: str, given: int, scale: float | None) -> int:
    """The new height or width."""
    if mode == "size":
        return given if scale is None else int(scale * size)
    if mode == "odd_scale":
        assert scale is not None
        return int((size - 1) * scale) + 1 if size % 2 else int(size * scale)
    wanted_odd = mode.startswith("to_odd")
    step = 1 if mode.endswith("up") else -1
    return size if size % 2 == wanted_odd else size + step


def _new_sizes(
    data: Tensor, mode: str, height: int, width: int, scale_height: float | None, scale_width: float | None
) -> tuple[int, int]:
    if (scale_height is None) is not (scale_width is None) or (mode == "odd_scale" and scale_height is None):
        raise OpParamError(
            f"scale_height={scale_height}, scale_width={scale_width}; expected both"
            + (" for mode='odd_scale'" if mode == "odd_scale" else ", or none of them")
        )
    return (
        _target(data.shape[2], mode, height, scale_height),
        _target(data.shape[3], mode, width, scale_width),
    )


def _expect_sizes(data: Tensor, sizes: tuple[int, int]) -> None:
    """Refuses a result without rows or columns, except for images that have none themselves."""
    old = tuple(data.shape[2:])
    if any(new < 1 and (new or length) for length, new in zip(old, sizes, strict=True)):
        raise OpParamError(f"the result would have the height and width {sizes}; expected none below 1")
    if any(new and not length for length, new in zip(old, sizes, strict=True)):
        raise OpShapeError(f"images of the height and width {old} have nothing to make {sizes} of")


def _inputs(params: Mapping[str, Any]) -> tuple[str, ...]:
    return ("data", "like") if params["mode"] == "like" else ("data",)


@operator("_contrib_BilinearResize2D", takes=_inputs, returns_view=True)
def bilinear_resize(
    data: Tensor,
    like: Tensor | None = None,
    *,
    height: int = 1,
    width: int = 1,
    scale_height: float | None = None,
    scale_width: float | None = None,
    mode: Mode = "size",
    align_corners: bool = True,
) -> Tensor:
    """Gives images another height and width, by bilinear interpolation.

    Args:
        data: (batch, channels, height, width).
        like: images that have the wanted height and width, in the mode 'like' only.
        height: the new height, in the mode 'size'.
        width: the new width, in the mode 'size'.
        scale_height: the new height as a multiple of the old one, in place of `height`; in the mode 'odd_scale' an odd
            height n becomes (n - 1) * scale + 1.
        scale_width: likewise.
        mode: how the new size is chosen. 'to_even_up' and its kin go to the next even or odd number, up or down.
        align_corners: whether the centers of the outermost elements stay where they are; otherwise the outer edges do.
    """
    expect_floating(data)
    _expectimages("data", data)
    if (like is not None) is not (mode == "like"):
        raise OpParamError(f"mode={mode!r}; expected the input like in the mode 'like', and only there")
    if like is not None:
        _expectimages("like", like)
        sizes = (like.shape[2], like.shape[3])
    else:
        sizes = _new_sizes(data, mode, height, width, scale_height, scale_width)
    _expect_sizes(data, sizes)
    if data.numel() == 0:  # torch wants channels and places
        return reaching(data.new_zeros((*data.shape[:2], *sizes)), data, *(() if like is None else (like,)))
    if not align_corners:  # a single row or column is the first one here, where torch takes the middle
        data = data[:, :, : 1 if sizes[0] == 1 else None, : 1 if sizes[1] == 1 else None]
    result = functional.interpolate(data, sizes, mode="bilinear", align_corners=align_corners)
    if like is not None and grad_needed(like):
        result = result + ZeroGradient.apply(result.new_zeros(()), like)
    return result


@operator("_contrib_AdaptiveAvgPooling2D")
def adaptive_avg_pooling(data: Tensor, *, output_size: Shape = ()) -> Tensor:
    """Means over a given number of regions of images, all of about the same size.

    Args:
        data: (batch, channels, height, width).
        output_size: number of regions down and across; one number for both, and 1 if not given.
    """
    expect_floating(data)
    _expectimages("data", data)
    if len(output_size) > 2 or any(not size or size < 1 for size in output_size):
        raise OpParamError(f"output_size={output_size}; expected one or two numbers, none below 1")
    sizes = output_size or (1,)
    return functional.adaptive_avg_pool2d(data, (sizes[0], sizes[-1]))


@shape_of("_contrib_AdaptiveAvgPooling2D")
def _adaptive_pooling_shape(specs: Specs, params: Params) -> Result:
    data = images(specs)
    sizes = params["output_size"] or (1,)
    if data is None or len(sizes) > 2 or any(not size or size < 1 for size in sizes):
        return None
    return [((*data[0][:2], sizes[0], sizes[-1]), data[1])]


@shape_of("_contrib_BilinearResize2D")
def _bilinear_resize_shape(specs: Specs, params: Params) -> Result:
    data = images(specs[:1])
    scales = [params["scale_height"], params["scale_width"]]
    if (
        data is None
        or params["mode"] != "size"
        or len([spec for spec in specs if spec]) != 1
        or scales.count(None) == 1
    ):
        return None
    shape, dtype = data
    if None in scales:
        sizes = [params["height"], params["width"]]
    else:
        sizes = [int(scale * length) for scale, length in zip(scales, shape[2:], strict=True)]
    return [((*shape[:2], *sizes), dtype)] if min(sizes) > 0 else None
