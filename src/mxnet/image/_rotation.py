"""Turning images, here of (channels, height, width): `imrotate` and `random_rotate`."""

import math
from numbers import Number

import mxnet.image._draws as draws
import mxnet.ndarray as nd
from regluon.dtypes import dtype_name

from ..ndarray import NDArray

__all__ = ["imrotate", "random_rotate"]


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
