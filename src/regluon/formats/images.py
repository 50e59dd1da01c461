"""Decode, encode and inspect JPEG, PNG and other images."""

import re
import struct
from collections.abc import Callable, Iterator
from types import ModuleType
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from ..base import MXNetError
from ..config import read as read_setting
from ..errors import FileFormatError, OpParamError, OpTypeError

SETTING = "MXNET_IMAGE_MAX_PIXELS"

Buffer: TypeAlias = Any  # bytes, or an array of them

_PNG = b"\x89PNG\r\n\x1a\n"
# Marks of JPEG's frame headers, which hold the size, and of segments without a length.
_FRAMES = {*range(0xC0, 0xD0)} - {0xC4, 0xC8, 0xCC}
_BARE = {0x01, *range(0xD0, 0xD9)}
_SCAN = 0xDA
_MARK = re.compile(rb"\xff+([^\x00\xff])", re.DOTALL)
_PNM = re.compile(rb"P[1-6Ff](?:\s|#[^\n]*\n)+(\d{1,9})(?:\s|#[^\n]*\n)+(\d{1,9})")
_PAM = re.compile(rb"P7\n(?:[^\n]*\n)*?WIDTH\s+(\d{1,9})\n(?:[^\n]*\n)*?HEIGHT\s+(\d{1,9})")
_RADIANCE = re.compile(rb"[-+]Y\s+(\d{1,9})\s+[-+]X\s+(\d{1,9})")
_JPEG_2000 = re.compile(rb"\xff\x4f\xff\x51.{4}(.{16})", re.DOTALL)
_AVIF = re.compile(rb"ispe.{4}(.{8})", re.DOTALL)
_HEAD = 4096  # bytes that text headers are looked for in

# Compression of these kinds never packs more pixels into a byte; headers that claim more are refused, beyond a size
# that does no harm.
_DENSE = ("PNG", "JPEG", "GIF")
_PIXELS_IN_A_BYTE = 16384
_HARMLESS = 1 << 25


class Size(NamedTuple):
    """What an image is, and what its header claims."""

    kind: str
    width: int
    height: int


def read_size(data: Buffer) -> Size | None:
    """Kind, width and height of an encoded image; None where the header is damaged or of an unknown kind."""
    head = bytes(data[:16])
    for mark, kind, read in _KINDS:
        if head.startswith(mark):
            try:
                found = read(data)
            except (struct.error, IndexError):  # the header ends too early: the decoder says so
                return None
            return None if found is None else Size(kind, *found)
    return None


def check(data: Buffer, who: str, name: str = "") -> None:
    """Refuses an image whose header claims more bytes than there are, or more pixels than may be decoded.

    Args:
        data: the bytes of the file.
        who: the function named in errors.
        name: what the image is called in errors.

    Raises:
        FileFormatError: the header's claims are out of proportion.
    """
    of = f" of {name}" if name else ""
    if bytes(data[:8]) == _PNG:
        _check_chunks(data, f"[{who}] received {len(data)} bytes{of}")
    size = read_size(data)
    if size is None:
        return
    pixels = size.width * size.height
    if pixels > _HARMLESS and size.kind in _DENSE and pixels > len(data) * _PIXELS_IN_A_BYTE:
        raise FileFormatError(
            f"[{who}] received {len(data)} bytes{of} whose header says {size.kind}, {size.width} by {size.height} "
            "pixels; expected bytes in proportion to them. The image is damaged."
        )
    most = budget()
    if pixels > most:
        raise FileFormatError(
            f"[{who}] received {len(data)} bytes{of} whose header says {size.kind}, {size.width} by {size.height} "
            f"pixels; expected at most {most} pixels in all. Set the environment variable {SETTING} to decode larger "
            "images."
        )


def budget() -> int:
    """How many pixels an image may have."""
    text = read_setting(SETTING)
    if not text.isdigit():
        raise OpParamError(f"[{SETTING}] received {text!r}; expected a number of pixels, such as 268435456.")
    return int(text)


def _chunks(data: Buffer) -> Iterator[tuple[int, bytes, int]]:
    """Place, name and length of each chunk of a PNG, up to the one that ends the image."""
    place, end = 8, len(data)
    while place + 8 <= end:
        length, name = struct.unpack_from(">I4s", data, place)
        yield place, name, length
        if name == b"IEND":
            return
        place += length + 12


def _check_chunks(data: Buffer, received: str) -> None:
    for place, name, length in _chunks(data):
        if length > len(data) - place - 8:
            raise FileFormatError(
                f"{received} of a PNG image whose chunk {name!r} at byte {place} says it has {length} bytes; expected "
                f"at most the {len(data) - place - 8} that follow. The image is damaged or cut off."
            )


def _png(data: Buffer) -> tuple[int, int] | None:
    width, height = struct.unpack_from(">II", data, 16)
    return (width, height) if bytes(data[12:16]) == b"IHDR" else None


def _jpeg(data: Buffer) -> tuple[int, int] | None:
    place = 2
    while (found := _MARK.search(data, place)) is not None:
        mark, place = found.group(1)[0], found.end()
        if mark in _FRAMES:
            height, width = struct.unpack_from(">HH", data, place + 3)
            return width, height
        if mark == _SCAN:
            return None
        if mark not in _BARE:
            place += struct.unpack_from(">H", data, place)[0]
    return None


def _bmp(data: Buffer) -> tuple[int, int] | None:
    (header,) = struct.unpack_from("<I", data, 14)
    width, height = struct.unpack_from("<HH" if header == 12 else "<ii", data, 18)
    return abs(width), abs(height)


def _gif(data: Buffer) -> tuple[int, int] | None:
    width, height = struct.unpack_from("<HH", data, 6)
    return width, height


def _webp(data: Buffer) -> tuple[int, int] | None:
    kind = bytes(data[12:16])
    if bytes(data[8:12]) != b"WEBP":
        return None
    if kind == b"VP8X":
        return int.from_bytes(data[24:27], "little") + 1, int.from_bytes(data[27:30], "little") + 1
    if kind == b"VP8L":
        bits = int.from_bytes(data[21:25], "little")
        return (bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1
    width, height = struct.unpack_from("<HH", data, 26)
    return width & 0x3FFF, height & 0x3FFF


def _tiff(data: Buffer) -> tuple[int, int] | None:
    """The largest of the image and its tiles, from the first directory."""
    order = "<" if data[0] == ord("I") else ">"
    is_big = struct.unpack_from(f"{order}H", data, 2)[0] == 43
    place = struct.unpack_from(f"{order}{'Q' if is_big else 'I'}", data, 8 if is_big else 4)[0]
    (count,) = struct.unpack_from(f"{order}{'Q' if is_big else 'H'}", data, place)
    place += 8 if is_big else 2
    found: dict[int, int] = {}
    for entry in range(min(count, (len(data) - place) // (20 if is_big else 12))):
        start = place + entry * (20 if is_big else 12)
        tag, kind = struct.unpack_from(f"{order}HH", data, start)
        layout = {3: "H", 4: "I", 16: "Q"}.get(kind)
        if layout is not None and tag in (256, 257, 322, 323):
            found[tag] = struct.unpack_from(f"{order}{layout}", data, start + (12 if is_big else 8))[0]
    if 256 not in found or 257 not in found:
        return None
    image, tile = (found[256], found[257]), (found.get(322, 0), found.get(323, 0))
    return max(image, tile, key=lambda size: size[0] * size[1])


def _sun(data: Buffer) -> tuple[int, int] | None:
    width, height = struct.unpack_from(">II", data, 4)
    return width, height


def _text(pattern: re.Pattern[bytes], reverse: bool = False) -> Callable[[Buffer], tuple[int, int] | None]:
    def read(data: Buffer) -> tuple[int, int] | None:
        found = pattern.search(bytes(data[:_HEAD]))
        if found is None:
            return None
        width, height = (int(each) for each in found.groups())
        return (height, width) if reverse else (width, height)

    return read


def _jpeg_2000(data: Buffer) -> tuple[int, int] | None:
    found = _JPEG_2000.search(data)
    if found is None:
        return None
    right, bottom, left, top = struct.unpack(">4I", found.group(1))
    return max(0, right - left), max(0, bottom - top)


def _boxed(data: Buffer) -> tuple[int, int] | None:
    """The largest image in a file of boxes: AVIF, or JPEG 2000."""
    if bytes(data[4:8]) == b"jP  ":
        return _jpeg_2000(data)
    sizes = [struct.unpack(">II", found.group(1)) for found in _AVIF.finditer(bytes(data[:_HEAD]))]
    return max(sizes, key=lambda size: size[0] * size[1], default=None)


_KINDS: tuple[tuple[bytes, str, Callable[[Buffer], tuple[int, int] | None]], ...] = (
    (b"\xff\xd8", "JPEG", _jpeg),
    (_PNG, "PNG", _png),
    (b"BM", "BMP", _bmp),
    (b"GIF8", "GIF", _gif),
    (b"RIFF", "WebP", _webp),
    (b"II*\0", "TIFF", _tiff),
    (b"MM\0*", "TIFF", _tiff),
    (b"II+\0", "TIFF", _tiff),
    (b"MM\0+", "TIFF", _tiff),
    (b"P7", "PAM", _text(_PAM)),
    (b"P", "PNM", _text(_PNM)),
    (b"#?", "Radiance HDR", _text(_RADIANCE, reverse=True)),
    (b"\x59\xa6\x6a\x95", "Sun raster", _sun),
    (b"\xff\x4f\xff\x51", "JPEG 2000", _jpeg_2000),
    (b"\0\0\0", "image of boxes", _boxed),
)


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
    check(encoded, who, name)
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
