"""The idx format of MNIST and its kin: arrays of any rank, big-endian, often compressed with gzip.

Layout: two zero bytes, one for the type of the elements, one for the number of axes; a big-endian u32 for each length;
then the elements, the last axis fastest.
"""

import gzip
import io
import math
import os
import struct
import zlib
from typing import Any, BinaryIO

import numpy as np

from ..errors import FileFormatError, OpTypeError
from .atomic import Path

# The type codes of the format, as NumPy writes them.
_DTYPES = {0x08: ">u1", 0x09: ">i1", 0x0B: ">i2", 0x0C: ">i4", 0x0D: ">f4", 0x0E: ">f8"}
_CODES = {np.dtype(text): code for code, text in _DTYPES.items()}
_GZIP = b"\x1f\x8b"
# What deflate can make of one byte at most: a file that announces more than its bytes can hold is refused unread.
_BEST_RATIO = 1032
_CHUNK = 1 << 20
_MAX_AXES = 32
_MAX_COUNT = 2**59  # elements, of 8 bytes at most, that NumPy can count


def read(path: Path, who: str = "idx.read") -> np.ndarray[Any, Any]:
    """The array of an idx file, compressed or not.

    Args:
        path: the file.
        who: the function named in errors.

    Returns:
        An array in native byte order, which owns its memory.

    Raises:
        FileFormatError: the file is damaged or not of this format.
    """
    name = os.fspath(path)
    with open(name, "rb") as stream:
        return _decoded(stream, os.fstat(stream.fileno()).st_size, who, name)


def decode(data: bytes | bytearray | memoryview, who: str = "idx.decode", name: str = "buffer") -> np.ndarray[Any, Any]:
    """The array in the bytes of an idx file, compressed or not."""
    return _decoded(io.BytesIO(data), len(data), who, name)


def encode(array: np.ndarray[Any, Any]) -> bytes:
    """The bytes of an idx file, not compressed."""
    code = _CODES.get(array.dtype.newbyteorder(">"))
    if code is None or not 1 <= array.ndim <= _MAX_AXES:
        raise OpTypeError(
            f"[idx.encode] received an array of {array.dtype} with {array.ndim} axes; expected 1 to {_MAX_AXES} axes "
            f"of {', '.join(np.dtype(text).name for text in _DTYPES.values())}."
        )
    header = struct.pack(f">BBBB{array.ndim}I", 0, 0, code, array.ndim, *array.shape)
    return header + array.astype(array.dtype.newbyteorder(">")).tobytes()


def _decoded(stream: BinaryIO, size: int, who: str, name: str) -> np.ndarray[Any, Any]:
    is_packed = stream.read(2) == _GZIP
    stream.seek(0)
    try:
        if not is_packed:
            return _array(stream, size, who, name)
        with gzip.GzipFile(fileobj=stream) as unpacked:
            return _array(unpacked, size * _BEST_RATIO, who, name)  # type: ignore[arg-type]
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise FileFormatError(
            f"[{who}] {name}: the compressed file is damaged or incomplete: {error}. Fetch it again."
        ) from None


def _array(stream: BinaryIO, most: int, who: str, name: str) -> np.ndarray[Any, Any]:
    """Reads header and elements; `most` is what the file can hold at most."""
    start = stream.read(4)
    if len(start) < 4 or start[:2] != b"\0\0" or start[2] not in _DTYPES or not 1 <= start[3] <= _MAX_AXES:
        raise FileFormatError(
            f"[{who}] {name}: begins with {start!r}; expected the header of an idx file: two zero bytes, the type of "
            f"the elements ({', '.join(f'0x{code:02x}' for code in _DTYPES)}) and the number of axes."
        )
    dtype, ndim = np.dtype(_DTYPES[start[2]]), start[3]
    lengths = stream.read(4 * ndim)
    if len(lengths) < 4 * ndim:
        raise FileFormatError(f"[{who}] {name}: ends within the lengths of its {ndim} axes; the file is incomplete.")
    shape = struct.unpack(f">{ndim}I", lengths)
    count = 1
    for length in shape:
        count *= length  # a Python number: it cannot overflow
    needed = count * dtype.itemsize
    if needed > most:
        raise FileFormatError(
            f"[{who}] {name}: announces an array of shape {shape} and {needed} bytes; the file can hold {most} at most."
        )
    if needed == 0 and math.prod(length for length in shape if length) > _MAX_COUNT:
        raise FileFormatError(f"[{who}] {name}: announces an array of shape {shape}, which no array can have.")
    data = _read_exactly(stream, needed, who, name, shape)
    array = np.frombuffer(data, dtype=dtype).reshape(shape)
    return array.astype(dtype.newbyteorder("="), copy=False)


def _read_exactly(stream: BinaryIO, needed: int, who: str, name: str, shape: tuple[int, ...]) -> bytearray:
    data = bytearray()
    while len(data) < needed:
        chunk = stream.read(min(_CHUNK, needed - len(data)))
        if not chunk:
            raise FileFormatError(
                f"[{who}] {name}: announces an array of shape {shape} and {needed} bytes; there are {len(data)}. "
                "The file is incomplete."
            )
        data += chunk
    if stream.read(1):
        raise FileFormatError(f"[{who}] {name}: there are more bytes than the {needed} of its shape {shape}.")
    return data
