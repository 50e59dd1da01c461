"""Encoded images (JPEG, PNG, ...) to NumPy pixels and back, by OpenCV: MXNet's own choice, so pixels agree."""

from types import ModuleType
from typing import Any, TypeAlias

import numpy as np

from ..base import MXNetError
from ..errors import FileFormatError, OpParamError, OpTypeError
from . import image_headers

Pixels: TypeAlias = np.ndarray[Any, Any]

# OpenCV writes no image with a side above this.
_MAX_SIDE = 65500


def opencv(who: str) -> ModuleType:
    """The OpenCV module.

    Raises:
        MXNetError: it is not installed; the text says how to install it.
    """
    try:
        import cv2
    except ImportError as error:
        raise MXNetError(
            f"[{who}] needs OpenCV to read and write images, and it cannot be imported ({error}). "
            "Install it: pip install 'regluon[image]'."
        ) from error
    module: ModuleType = cv2
    return module


def decode(data: bytes | memoryview | Pixels, flag: int = 1, who: str = "imdecode", name: str = "") -> Pixels:
    """Pixels of an encoded image, channels in the order blue, green, red.

    Args:
        data: the file's bytes.
        flag: OpenCV's: 1 three channels, 0 gray, -1 as it is.
        who: the function named in errors.
        name: what the image is called in errors.

    Raises:
        FileFormatError: the bytes are no image that OpenCV reads, or the header claims sizes out of proportion.
    """
    cv2 = opencv(who)
    encoded = np.frombuffer(data, dtype=np.uint8)
    of = f" of {name}" if name else ""
    if not encoded.size:
        raise FileFormatError(f"[{who}] received 0 bytes{of}; expected an encoded image such as JPEG or PNG.")
    image_headers.check(encoded, who, name)
    try:
        pixels: Pixels | None = cv2.imdecode(encoded, flag)
        reason = ""
    except cv2.error as error:
        pixels, reason = None, f": {error.err}" if getattr(error, "err", "") else ""
    if pixels is None:
        raise FileFormatError(
            f"[{who}] received {encoded.size} bytes{of} beginning {bytes(encoded[:8])!r}; expected an encoded image "
            f"such as JPEG or PNG{reason}. The image is damaged or of a kind that OpenCV does not read."
        )
    return pixels


def encode(pixels: Pixels, quality: int = 95, suffix: str = ".jpg", who: str = "pack_img") -> bytes:
    """The bytes of an image file.

    Args:
        pixels: height, width and perhaps channels in the order blue, green, red.
        quality: 1 to 100 for JPEG, the degree of compression 0 to 9 for PNG, without meaning for other kinds.
        suffix: the kind, such as `".jpg"` or `".png"`.
        who: the function named in errors.
    """
    cv2 = opencv(who)
    if not isinstance(pixels, np.ndarray):
        raise OpTypeError(f"[{who}] received an image of type {type(pixels).__name__}; expected a numpy.ndarray.")
    if pixels.ndim not in (2, 3) or not pixels.size or max(pixels.shape[:2]) > _MAX_SIDE:
        raise OpParamError(
            f"[{who}] received an image of shape {pixels.shape}; expected (height, width) or (height, width, channels)."
        )
    kind = suffix.upper() if isinstance(suffix, str) else ""
    settings: list[int] = []
    if kind in (".JPG", ".JPEG"):
        settings = [cv2.IMWRITE_JPEG_QUALITY, int(quality)]
    elif kind == ".PNG":
        settings = [cv2.IMWRITE_PNG_COMPRESSION, int(quality)]
    try:
        done, encoded = cv2.imencode(suffix, pixels, settings)
    except cv2.error as error:
        raise OpParamError(
            f"[{who}] received pixels of {pixels.dtype} and shape {pixels.shape} to write as {suffix!r}; expected a "
            f"kind that OpenCV writes, such as '.jpg' or '.png', and pixels that fit it: {error.err or error}."
        ) from None
    if not done:
        raise MXNetError(f"[{who}] OpenCV could not write pixels of {pixels.dtype} and shape {pixels.shape}.")
    out: bytes = encoded.tobytes()
    return out
