"""Read images and lists of images."""

import math
import os
from collections.abc import Sequence
from numbers import Number
from typing import Any

import numpy as np

import mxnet.image._augmenter as draws
import mxnet.ndarray as nd
from regluon.array.array_kind import in_force
from regluon.dtypes import dtype_name

from ..base import numeric_types
from ..context import cpu
from ..error import FileFormatError, OpParamError, OpShapeError, OpTypeError
from ..ndarray import NDArray
from ._augmenter import integer

__all__ = ["copyMakeBorder", "imdecode", "imread", "imresize", "imrotate", "random_rotate"]


copyMakeBorder = nd._internal._cvcopyMakeBorder


def imread(filename: str | os.PathLike[str], *args: Any, **kwargs: Any) -> NDArray:
    """Reads an image file.

    Args:
        filename: its path.
        *args: `flag`: 1 for three channels (the default), 0 for gray; then `to_rgb`: True (the default) puts red
            first, False blue, as OpenCV has it.
        **kwargs: the same by name, and `out`, an array to write to.

    Returns:
        uint8 of (height, width, channels), on the CPU, turned upright if the file says how.

    Raises:
        MXNetError: the file is missing.
        FileFormatError: it is damaged, or not an image.
    """
    with cpu():
        return in_force(nd._internal._cvimread(os.fspath(filename), *args, **kwargs))


def imdecode(buf: Any, *args: Any, **kwargs: Any) -> NDArray:
    """Decodes the bytes of an image file.

    Args:
        buf: bytes, bytearray, memoryview, a NumPy array or an NDArray of uint8.
        *args: see `imread`.
        **kwargs: see `imread`.
    """
    if not isinstance(buf, NDArray):
        if not isinstance(buf, (bytes, bytearray, memoryview, np.ndarray)):
            hint = " Read the file in binary mode: open(path, 'rb')." if isinstance(buf, str) else ""
            raise ValueError(
                f"[image.imdecode] buf: received {type(buf).__name__}; expected bytes, bytearray, a NumPy array or an "
                f"NDArray with the bytes of an image file.{hint}"
            )
        buf = nd.array(np.frombuffer(buf, np.uint8), ctx=cpu(), dtype=np.uint8)
    return in_force(nd._internal._cvimdecode(buf, *args, **kwargs))


def imresize(src: NDArray, w: int, h: int, *args: Any, **kwargs: Any) -> NDArray:
    """Resizes an image.

    Args:
        src: the image: uint8, float32 or float64.
        w: the new width.
        h: the new height.
        *args: `interp`: the interpolation, 1 (linear) by default.
        **kwargs: the same by name, and `out`, an array to write to.
    """
    if args or "interp" in kwargs:
        height, width = image_size(src, "image.imresize")
        interp = args[0] if args else kwargs.pop("interp")
        kwargs["interp"] = chosen_interpolation(interp, (height, width, h, w))
    return nd._internal._cvimresize(src, w, h, *args[1:], **kwargs)


def image_size(src: NDArray, who: str) -> tuple[int, int]:
    """Height and width of an image; refuses what is none."""
    if not isinstance(src, NDArray):
        raise OpTypeError(
            f"[{who}] src: received {type(src).__module__}.{type(src).__name__}; expected an NDArray. Wrap it: "
            "nd.array(image, dtype=image.dtype)."
        )
    if src.ndim != 3:
        raise OpShapeError(
            f"[{who}] src: received an array of shape {src.shape}; expected an image (height, width, channels)."
        )
    return src.shape[0], src.shape[1]


def chosen_interpolation(interp: int, sizes: tuple[int, int, int, int] | tuple[()] = ()) -> int:
    """The interpolation, 0 to 4, that a code stands for.

    Args:
        interp: 0 to 4, 9 or 10.
        sizes: old height, old width, new height, new width, for 9 to decide by; without them it is cubic.
    """
    if interp == 9:
        if not sizes:
            return 2
        old_height, old_width, new_height, new_width = sizes
        if new_height > old_height and new_width > old_width:
            return 2
        return 3 if new_height < old_height and new_width < old_width else 1
    if interp == 10:
        return integer(0, 4)
    if interp not in range(5):
        raise OpParamError(
            f"[image] interp: received {interp}; expected 0 nearest, 1 linear, 2 cubic, 3 area, 4 Lanczos, 9 by the "
            "sizes, or 10 at random."
        )
    return interp


Listed = dict[Any, tuple[NDArray, str]]  # label and path by key, in the order given


def read_list(path: str | os.PathLike[str], dtype: str) -> Listed:
    """The images of a `.lst` file, whose lines are key, label(s) and path, separated by tabulators.

    Raises:
        FileFormatError: a line is not of this form; the text says which one.
    """
    listed: Listed = {}
    with open(path, encoding="utf-8", errors="surrogateescape") as file:
        for number, line in enumerate(file, 1):
            fields = line.strip().split("\t")
            if fields == [""]:
                continue
            try:
                key, labels = int(fields[0]), [float(field) for field in fields[1:-1]]
            except ValueError as error:
                raise FileFormatError(f"[ImageIter] {os.fspath(path)}, line {number}: {error}.") from None
            if not labels:
                raise FileFormatError(
                    f"[ImageIter] {os.fspath(path)}, line {number}: received {line.rstrip()[:60]!r}; expected key, "
                    "label(s) and path, separated by tabulators."
                )
            listed[key] = (nd.array(labels, dtype=dtype), fields[-1])
    return listed


def make_list(images: Sequence[Sequence[Any]], dtype: str) -> Listed:
    """The images of a list of [label, path], the label being a number or several, or of [label, label, ..., path]."""
    listed: Listed = {}
    for number, image in enumerate(images, 1):
        if len(image) < 2 or not isinstance(image[-1], (str, os.PathLike)):
            raise OpParamError(
                f"[ImageIter] imglist: received {image!r} as item {number - 1}; expected [label, path], where the "
                "label is a number or a list of numbers."
            )
        if len(image) > 2:
            labels = image[:-1]
        else:
            labels = [image[0]] if isinstance(image[0], numeric_types) else image[0]
        listed[str(number)] = (nd.array(labels, dtype=dtype), os.fspath(image[-1]))
    return listed


def imrotate(src: NDArray, rotation_degrees: float | NDArray, zoom_in: bool = False, zoom_out: bool = False) -> NDArray:
    """Turns images around their middle; what comes from outside of them is 0.

    Args:
        src: float32 of (channels, height, width), or a batch with N in front.
        rotation_degrees: an angle, counterclockwise; for a batch it may be an array of one for each image.
        zoom_in: enlarge, so that nothing from outside shows.
        zoom_out: shrink, so that all of the image shows.
    """
    _check(src, rotation_degrees, zoom_in, zoom_out)
    single = src.ndim == 3
    images = src.expand_dims(axis=0) if single else src
    count, _, height, width = images.shape
    if isinstance(rotation_degrees, NDArray):
        degrees = rotation_degrees.as_in_context(src.context).astype("float32")
    else:
        degrees = nd.full((count,), rotation_degrees, ctx=src.context)
    if len(degrees) != count:
        raise ValueError(
            f"[image.imrotate] received {count} image(s) and {len(degrees)} angles; expected one angle for each."
        )
    angles = (degrees * (math.pi / 180)).reshape((count, 1, 1))
    grid = _turned_grid(angles, height, width)
    if zoom_in or zoom_out:
        grid = grid * _zoom(angles, height, width, zoom_out).expand_dims(axis=3)
    rotated = nd.BilinearSampler(images, grid)
    return rotated[0] if single else rotated


def _check(src: NDArray, rotation_degrees: float | NDArray, zoom_in: bool, zoom_out: bool) -> None:
    if zoom_in and zoom_out:
        raise ValueError("[image.imrotate] received zoom_in=True and zoom_out=True; expected at most one of them.")
    if dtype_name(src.dtype) != "float32":
        raise TypeError(
            f"[image.imrotate] src: received {dtype_name(src.dtype)}; expected float32. Convert it: "
            "src.astype('float32')."
        )
    if src.ndim not in (3, 4):
        raise ValueError(
            f"[image.imrotate] src: received an array of shape {src.shape}; expected an image (channels, height, "
            "width) or a batch of them."
        )
    allowed: tuple[type, ...] = (Number,) if src.ndim == 3 else (Number, NDArray)
    if not isinstance(rotation_degrees, allowed):
        raise TypeError(
            f"[image.imrotate] rotation_degrees: received {type(rotation_degrees).__name__}; expected a number, or for "
            "a batch of images an NDArray of one for each."
        )


def _turned_grid(angles: NDArray, height: int, width: int) -> NDArray:
    """Where each pixel of the result comes from: (N, 2, height, width) of x and y from -1 to 1."""
    half_height, half_width = (height - 1) / 2, (width - 1) / 2
    rows = nd.arange(height, ctx=angles.context).reshape((1, height, 1)) - half_height
    columns = nd.arange(width, ctx=angles.context).reshape((1, 1, width)) - half_width
    cosines, sines = nd.cos(angles), nd.sin(angles)
    # Turned in pixels, then scaled to the range of the sampler: the other way round would shear.
    x = (nd.broadcast_sub(columns * cosines, rows * sines)) / half_width
    y = (nd.broadcast_add(columns * sines, rows * cosines)) / half_height
    return nd.stack(x, y, axis=1)


def _zoom(angles: NDArray, height: int, width: int, out: bool) -> NDArray:
    """The factor of the grid that shows the whole turned image, or nothing but it: (N, 1, 1)."""
    diagonal, corner = math.hypot(height, width), math.atan(height / width)
    turned = nd.abs(angles)
    reach_x = diagonal * nd.maximum(nd.abs(nd.cos(turned + corner)), nd.abs(nd.cos(corner - turned)))
    reach_y = diagonal * nd.maximum(nd.abs(nd.sin(turned + corner)), nd.abs(nd.sin(corner - turned)))
    if out:
        return nd.maximum(reach_x / width, reach_y / height)
    return nd.minimum(width / reach_x, height / reach_y)


def random_rotate(
    src: NDArray, angle_limits: tuple[float, float], zoom_in: bool = False, zoom_out: bool = False
) -> NDArray:
    """Turns images by random angles.

    Args:
        src: float32 of (channels, height, width), or a batch with N in front, each image of which gets its own angle.
        angle_limits: least and greatest angle in degrees.
        zoom_in: see `imrotate`.
        zoom_out: see `imrotate`.
    """
    low, high = angle_limits
    if src.ndim == 3:
        return imrotate(src, float(draws.uniforms(low, high, 1)[0]), zoom_in=zoom_in, zoom_out=zoom_out)
    angles = nd.array(draws.uniforms(low, high, len(src)), ctx=src.context)
    return imrotate(src, angles, zoom_in=zoom_in, zoom_out=zoom_out)
