"""Image records: a header with labels and numbers, then the bytes of an encoded image.

Layout, all little-endian: u32 count of labels, f32 label, u64 id, u64 id2; then f32 labels if the count is not 0; then
the image.
"""

import numbers
import struct
from typing import Any, NamedTuple

import numpy as np

from ..errors import FileFormatError, OpParamError, OpTypeError
from . import images


class IRHeader(NamedTuple):
    """What stands before the bytes of an image record.

    Attributes:
        flag: how many numbers the label has; 0 if it is a single number, kept in the header itself.
        label: a number or an array of float32.
        id: the record's number.
        id2: its higher bits, 0 as a rule.
    """

    flag: Any
    label: Any
    id: Any
    id2: Any

    def __repr__(self) -> str:
        return f"HEADER(flag={self.flag!r}, label={self.label!r}, id={self.id!r}, id2={self.id2!r})"


IRHeader.__module__ = "mxnet.recordio"


_IR_FORMAT = "<IfQQ"
_IR = struct.Struct(_IR_FORMAT)
_IR_SIZE = _IR.size


def pack(header: Any, s: bytes) -> bytes:
    """A record from its header and its bytes.

    Args:
        header: an IRHeader or the four values of one. Its flag is set from the label: 0 for a number, the count of
            numbers for an array.
        s: the bytes, such as an encoded image.

    Example:
        >>> mx.recordio.pack(mx.recordio.IRHeader(0, [1, 2, 3], 7, 0), b"image")
    """
    try:
        flag, label, number, number2 = header
    except (TypeError, ValueError):
        raise OpTypeError(f"[pack] received the header {header!r}; expected IRHeader(flag, label, id, id2).") from None
    if not isinstance(s, (bytes, bytearray, memoryview)):
        raise OpTypeError(f"[pack] received {type(s).__name__}; expected the record's bytes.")
    if isinstance(label, numbers.Number):
        flag, vector = 0, b""
    else:
        values = np.asarray(label, dtype="<f4")
        flag, label, vector = values.size, 0, values.tobytes()
    try:
        return _IR.pack(flag, label, number, number2) + vector + s
    except (struct.error, OverflowError, TypeError) as error:
        raise OpParamError(
            f"[pack] received IRHeader(label={label!r}, id={number!r}, id2={number2!r}); expected a label that fits "
            f"float32 and ids from 0 to 2**64 - 1: {error}."
        ) from None


def unpack(s: bytes) -> tuple[IRHeader, bytes]:
    """Header and bytes of a record that `pack` made.

    The header's label is a number, or an array if the record has a vector of labels.

    Raises:
        FileFormatError: the bytes are too few for a header, or for the labels that it announces.
    """
    if len(s) < _IR_SIZE:
        raise FileFormatError(f"[unpack] received a record of {len(s)} bytes; expected a header of {_IR_SIZE} or more.")
    flag, label, number, number2 = _IR.unpack_from(s)
    if flag == 0:
        return IRHeader(flag, label, number, number2), s[_IR_SIZE:]
    if flag > (len(s) - _IR_SIZE) // 4:
        raise FileFormatError(
            f"[unpack] received a record of {len(s)} bytes whose header says {flag} labels; expected at most the "
            f"{(len(s) - _IR_SIZE) // 4} that there are bytes for. The record is damaged, or not made by `pack`."
        )
    labels = np.frombuffer(s, "<f4", flag, _IR_SIZE)
    return IRHeader(flag, labels, number, number2), s[_IR_SIZE + 4 * flag :]


def unpack_img(s: bytes, iscolor: int = -1) -> tuple[IRHeader, images.Pixels]:
    """Header and pixels of an image record; channels are in OpenCV's order: blue, green, red.

    Args:
        s: the record.
        iscolor: 1 for three channels, 0 for gray, -1 for what the image has.

    Raises:
        FileFormatError: the record is damaged, or holds no image.
    """
    header, encoded = unpack(s)
    return header, images.decode(encoded, iscolor, "unpack_img", f"the record with id {header.id}")


def pack_img(header: Any, img: images.Pixels, quality: int = 95, img_fmt: str = ".jpg") -> bytes:
    """An image record from pixels.

    Args:
        header: as in `pack`.
        img: pixels, channels in OpenCV's order: blue, green, red.
        quality: 1 to 100 for JPEG, the degree of compression 0 to 9 for PNG.
        img_fmt: the kind of image, `".jpg"` or `".png"`.
    """
    return pack(header, images.encode(img, quality, img_fmt, "pack_img"))
