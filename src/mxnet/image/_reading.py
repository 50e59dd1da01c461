"""Reading, resizing and bordering images with OpenCV.

An image is an array of (height, width, channels), red first. Interpolations have OpenCV's codes, 0 nearest, 1 linear,
2 cubic, 3 area, 4 Lanczos, and two more: 9 takes cubic to enlarge, area to shrink and linear otherwise, 10 chooses
at random.
"""

import os
from typing import Any

import numpy as np

import mxnet.ndarray as nd
from regluon.array.kinds import in_force

from ..context import cpu
from ..error import OpParamError, OpShapeError, OpTypeError
from ..ndarray import NDArray
from ._draws import integer

__all__ = ["copyMakeBorder", "imdecode", "imread", "imresize"]

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
