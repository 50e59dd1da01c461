"""Images of another size: bilinear interpolation, and means over a given number of regions."""

from collections.abc import Mapping
from typing import Any, Literal

from torch import Tensor
from torch.nn import functional

from ...errors import OpParamError, OpShapeError
from ..common import ZeroGradient, expect_floating, grad_needed, reaching
from ..params import Shape
from ..registry import operator, shape_of
from ..shape_rules import Params, Result, Specs, images

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
