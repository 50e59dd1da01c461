"""Operators that pad images and volumes, and that exchange space and depth."""

from typing import Literal

import torch
from torch import Tensor

from ...errors import OpParamError, OpShapeError, OpTypeError
from ..common import reaching
from ..params import Shape
from ..precision import as_float
from ..registry import operator, shape_of
from ..shape_rules import Params, Result, Specs, one_float_dtype


def _check_images(data: Tensor, block_size: int) -> None:
    if data.dim() != 4:
        raise OpShapeError(f"expected 4 axes (batch, channel, height, width), got {data.dim()}")
    if block_size < 1:
        raise OpParamError(f"block_size={block_size}; expected a positive number")
    if 0 in data.shape:
        raise OpShapeError(f"expected axes of at least one element each, got the shape {tuple(data.shape)}")


@operator("depth_to_space", names_input=True)
def depth_to_space(data: Tensor, *, block_size: int) -> Tensor:
    """Moves blocks of channels into the plane: (n, c b b, h, w) becomes (n, c, h b, w b) with b the block size.

    Args:
        data: images (batch, channel, height, width).
        block_size: the length of a block's edge.
    """
    _check_images(data, block_size)
    batch, channels, height, width = data.shape
    if channels % (block_size * block_size):
        raise OpShapeError(
            f"expected a number of channels divisible by block_size squared, {block_size * block_size}, got {channels}"
        )
    depth = channels // (block_size * block_size)
    blocks = data.reshape(batch, block_size, block_size, depth, height, width).permute(0, 3, 4, 1, 5, 2)
    owned = blocks.clone(memory_format=torch.contiguous_format)
    return owned.view(batch, depth, height * block_size, width * block_size)


@operator("space_to_depth", names_input=True)
def space_to_depth(data: Tensor, *, block_size: int) -> Tensor:
    """Moves blocks of the plane into channels: (n, c, h b, w b) becomes (n, c b b, h, w) with b the block size.

    Args:
        data: images (batch, channel, height, width).
        block_size: the length of a block's edge.
    """
    _check_images(data, block_size)
    batch, channels, height, width = data.shape
    if height % block_size or width % block_size:
        raise OpShapeError(f"expected a plane divisible by block_size={block_size}, got {(height, width)}")
    rows, columns = height // block_size, width // block_size
    blocks = data.reshape(batch, channels, rows, block_size, columns, block_size).permute(0, 3, 5, 1, 2, 4)
    owned = blocks.clone(memory_format=torch.contiguous_format)
    return owned.view(batch, channels * block_size * block_size, rows, columns)


_TORCH_PADDING = {"constant": "constant", "edge": "replicate", "reflect": "reflect"}


@operator("Pad", "pad", names_input=True)
def pad(
    data: Tensor, *, mode: Literal["constant", "edge", "reflect"], pad_width: Shape, constant_value: float = 0.0
) -> Tensor:
    """Adds a border to images (4 axes) or volumes (5 axes).

    Args:
        data: a batch with the channels in the second axis.
        mode: what the border holds: a constant, the nearest element, or the elements mirrored at the edge.
        pad_width: how much to add before and after each axis, in pairs; nothing for batch and channels.
        constant_value: the constant.
    """
    if data.dim() not in (4, 5):
        raise OpShapeError(f"expected 4 axes (images) or 5 axes (volumes), got {data.dim()}")
    if not data.is_floating_point():
        raise OpTypeError("expected floating-point numbers; convert the array with astype('float32')")
    if len(pad_width) != 2 * data.dim():
        raise OpParamError(f"pad_width={pad_width}; expected {2 * data.dim()} numbers, two for each axis")
    if any(pad_width[:4]):
        raise OpParamError(f"pad_width={pad_width}; expected 0 for the first two axes, four zeros in front")
    if mode == "reflect":
        _check_reflection(data, pad_width)
    if mode != "constant" and data.numel() == 0:  # torch takes no axis without elements but the batch
        return _empty_border(data, pad_width)
    pairs = [pad_width[2 * axis : 2 * axis + 2] for axis in range(data.dim() - 1, 1, -1)]
    widths = [width for pair in pairs for width in pair]
    constant = as_float(constant_value, data.dtype) if mode == "constant" else None
    return torch.nn.functional.pad(data, widths, _TORCH_PADDING[mode], constant)


def _check_reflection(data: Tensor, pad_width: Shape) -> None:
    for axis, length in enumerate(data.shape[2:], 2):
        if max(pad_width[2 * axis : 2 * axis + 2]) >= length:
            raise OpShapeError(
                f"cannot mirror {pad_width[2 * axis : 2 * axis + 2]} elements at axis {axis} of length {length}; "
                "expected fewer than its length"
            )


def _empty_border(data: Tensor, pad_width: Shape) -> Tensor:
    """The padded form of an array without elements, which has none either."""
    for axis, length in enumerate(data.shape):
        if not length and any(pad_width[2 * axis : 2 * axis + 2]):
            raise OpShapeError(f"axis {axis} has no element to repeat; expected at least one, or mode='constant'")
    widths = zip(data.shape, pad_width[::2], pad_width[1::2], strict=True)
    return reaching(data.new_zeros([length + before + after for length, before, after in widths]), data)


@shape_of("Pad")
def _padded_shape(specs: Specs, params: Params) -> Result:
    if not one_float_dtype(specs) or specs[0] is None:
        return None
    (shape, dtype), widths = specs[0], params["pad_width"]
    is_usual = len(shape) in (4, 5) and len(widths) == 2 * len(shape) and not any(widths[:4]) and min(widths) >= 0
    if not is_usual or 0 in shape or params["mode"] == "reflect":  # which is refused beyond the length of an axis
        return None
    return [(tuple(n + a + b for n, a, b in zip(shape, widths[::2], widths[1::2], strict=True)), dtype)]
