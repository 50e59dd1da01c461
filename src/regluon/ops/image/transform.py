"""Images as tensors: layout, crops, flips, resizing, normalizing."""

import torch
from torch import Tensor

from ...errors import OpParamError, OpShapeError
from ..params import Floats, Shape
from ..registry import operator
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
