"""`nd.imdecode`: the oldest way to decode an image, kept for old programs. New ones call `mx.image.imdecode`."""

from collections.abc import Sequence

import numpy as np

from ..context import cpu
from ..errors import OpParamError, OpShapeError
from ..ops.image.codec import decode_image
from .creation import array
from .ndarray import NDArray

__all__ = ["imdecode"]


def imdecode(
    str_img: bytes | bytearray | memoryview,
    clip_rect: Sequence[int] = (0, 0, 0, 0),
    out: NDArray | None = None,
    index: int = 0,
    channels: int = 3,
    mean: NDArray | None = None,
) -> NDArray:
    """Decodes the bytes of an image file to float32 of (channels, height, width), red first.

    Args:
        str_img: the bytes.
        clip_rect: the part to keep, (x0, y0, x1, y1); all of it if empty.
        out: an array to write to: (channels, height, width), or a batch of those.
        index: where in a batch `out` to write.
        channels: 3, or 1 for gray.
        mean: to subtract, of the shape of the result.
    """
    if channels not in (1, 3):
        raise OpParamError(f"[nd.imdecode] channels: received {channels}; expected 3, or 1 for gray.")
    pixels = decode_image(np.frombuffer(str_img, np.uint8), flag=int(channels == 3))
    x0, y0, x1, y1 = clip_rect
    if x1 > x0 and y1 > y0:
        height, width = pixels.shape[:2]
        if x0 < 0 or y0 < 0 or x1 > width or y1 > height:
            raise OpParamError(
                f"[nd.imdecode] clip_rect: received {tuple(clip_rect)}; expected a part of the image, which is {width} "
                f"wide and {height} high."
            )
        pixels = pixels[y0:y1, x0:x1]
    result = array(pixels.transpose(2, 0, 1), ctx=cpu() if out is None else out.context)
    if mean is not None:
        result -= mean
    if out is None:
        return result
    target = out if out.ndim == 3 else out[index]
    if target.shape != result.shape:
        raise OpShapeError(f"[nd.imdecode] out: received room for {target.shape}; expected {result.shape}.")
    target[:] = result
    return out
