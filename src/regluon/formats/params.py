"""MXNet's `.params` files: a list of arrays, each with its own header, then a list of names.

Every number read from a file is compared with the bytes that are left, as an exact Python integer, before anything is
allocated for it. Data stays where it is: an array that was read is a NumPy view of the given buffer.

Layout, all little-endian:

    file    u64 0x112, u64 reserved, u64 count, arrays, u64 count of names (0 for a list), names
    name    u64 length, utf-8 bytes
    array   u32 mark, [i32 storage type, [storage shape]], shape, i32 device type, i32 device id, i32 dtype flag,
            [i32 dtype flag and shape of each index array], data, [index arrays]
    shape   u32 count, i64 each (u32 each in the oldest files, whose count stands where later ones have the mark)

What stands in brackets came with the second mark (storage type) and exists for sparse arrays only (the rest).
"""

import contextlib
import math
import struct
from collections.abc import Callable, Iterator, Sequence
from typing import Any, BinaryIO, TypeVar

import numpy as np

from ..dtypes import FLAG_OF_NAME, NAME_OF_FLAG
from ..errors import FileFormatError, OpParamError
from .tensors import (
    INDEX_ARRAYS,
    INDEX_DTYPES,
    MAX_BYTES,
    MAX_NDIM,
    NONE,
    NP_NONE,
    NUMBER_OF_STYPE,
    STORAGE_OF_NAME,
    STYPE_OF_NUMBER,
    Array,
    Buffer,
    Contents,
    Shape,
    Stored,
    as_stored,
    is_countable,
)

_Result = TypeVar("_Result")

LIST_MAGIC = 0x112
V1_MAGIC = 0xF993FAC8
V2_MAGIC = 0xF993FAC9
V3_MAGIC = 0xF993FACA

# The smallest array (the oldest kind of "no array") and the smallest name, to refuse impossible counts at once.
MIN_ARRAY_BYTES = 4
MIN_NAME_BYTES = 8

_U32 = struct.Struct("<I")
_I32 = struct.Struct("<i")
_U64 = struct.Struct("<Q")
_CONTEXT = struct.Struct("<ii")

_ADVICE = "The download may be incomplete or the file damaged: fetch or save it again."
_FOREIGN = (
    (b"version https://git-lfs", "This is a Git LFS pointer, not the file itself: run `git lfs pull`."),
    (b"<", "This looks like a web page: the download address led to a page instead of the file."),
    (b"PK\x03\x04", "This is a zip archive: unpack it first."),
    (b"\x1f\x8b", "This is a gzip file: unpack it first."),
    (b"\x89HDF", "This is an HDF5 file: it was not written by MXNet."),
    (b"\x80", "This looks like a Python pickle, which is never loaded as arrays."),
    (b"{", "This looks like JSON: load a network's symbol file with `mx.sym.load`."),
)


def read(buffer: Buffer, name: str = "buffer", who: str = "nd.load") -> Contents:
    """Reads a whole `.params` file that is in memory or mapped.

    Args:
        buffer: the bytes; the arrays stay views of it, writable where it is.
        name: what to call the bytes in errors, usually the path.
        who: the function named in errors.

    Returns:
        The arrays and names. Bytes after the names are ignored, as MXNet does.

    Raises:
        FileFormatError: the bytes are no complete `.params` file.
    """
    return _read_to_end(_read_list, _Cursor(buffer, f"[{who}] {name}"))


def decode_array(buffer: Buffer, name: str = "buffer", who: str = "NDArray.__setstate__") -> Stored:
    """Reads one array without the list around it: what MXNet puts into a pickle."""
    return _read_to_end(_read_array, _Cursor(buffer, f"[{who}] {name}"))


def write(
    stream: BinaryIO,
    arrays: Sequence[Stored | Array],
    names: Sequence[str] = (),
    np_shape: bool | None = None,
    who: str = "nd.save",
) -> None:
    """Writes a `.params` file, byte for byte as MXNet 1.9.1 writes the same arrays.

    Nothing is written before everything was checked.

    Args:
        stream: where the bytes go.
        arrays: what to save; NumPy arrays are saved as dense arrays on the CPU.
        names: one for each array, or none to save a list.
        np_shape: whether to save with NumPy shape semantics; MXNet loads such a file only under the same semantics.
            By default it is used when an array needs it (a shape of `()`) or came from such a file.
        who: the function named in errors.
    """
    stored = [as_stored(array, who) for array in arrays]
    if names and len(names) != len(stored):
        raise OpParamError(
            f"[{who}] received {len(names)} names for {len(stored)} arrays; expected one name for each array or none."
        )
    encoded = [_encode_name(name, who) for name in names]
    semantics = _np_shape(stored, np_shape, who)
    stream.write(struct.pack("<QQQ", LIST_MAGIC, 0, len(stored)))
    for array in stored:
        for chunk in _array_chunks(array, semantics):
            stream.write(chunk)
    stream.write(_U64.pack(len(encoded)))
    for text in encoded:
        stream.write(_U64.pack(len(text)) + text)


def encode_array(array: Stored | Array, np_shape: bool | None = None, who: str = "NDArray.__getstate__") -> bytes:
    """The bytes of one array without the list around it: what MXNet puts into a pickle."""
    stored = as_stored(array, who)
    return b"".join(_array_chunks(stored, _np_shape([stored], np_shape, who)))


# Reading


class _Cursor:
    """A place in a buffer that moves forward only over bytes that exist."""

    __slots__ = ("at", "met_scalar", "part", "scalars", "source", "view")

    def __init__(self, buffer: Buffer, source: str, scalars: bool = False) -> None:
        self.view = memoryview(buffer).cast("B")
        self.at = 0
        self.source = source
        self.part = ""
        self.scalars = scalars
        self.met_scalar = False

    @property
    def left(self) -> int:
        return len(self.view) - self.at

    def take(self, count: int, what: str) -> int:
        """Moves over `count` bytes and returns where they start."""
        start = self.at
        if count > self.left:
            expected = f"{count} bytes for {what}{self.part}"
            raise self.error(start, f"{self.left} bytes before the end at {len(self.view)}", expected)
        self.at = start + count
        return start

    def unpack(self, layout: struct.Struct, what: str) -> tuple[Any, ...]:
        return layout.unpack_from(self.view, self.take(layout.size, what))

    def number(self, layout: struct.Struct, what: str) -> int:
        return int(self.unpack(layout, what)[0])

    def error(self, at: int, received: str, expected: str, advice: str = _ADVICE) -> FileFormatError:
        return FileFormatError(f"{self.source}, byte {at}: received {received}; expected {expected}. {advice}")


def _read_to_end(reader: Callable[[_Cursor], _Result], cursor: _Cursor) -> _Result:
    """What the bytes hold, whichever of its two meanings an array of shape () has in them.

    Without NumPy semantics MXNet reads () as "no array" and expects nothing more of it, but saves `nd.array(1)` as ()
    with its value, and cannot load its own file (apache/mxnet#15988). So where () occurs and the first meaning does
    not fit, the second counts if it explains the bytes to the last one.
    """
    failure = None
    try:
        result = reader(cursor)
    except FileFormatError as error:
        failure = error
    if cursor.met_scalar and (failure or cursor.left):
        again = _Cursor(cursor.view, cursor.source, scalars=True)
        with contextlib.suppress(FileFormatError):
            second = reader(again)
            if not again.left:
                return second
    if failure:
        raise failure
    return result


def _read_list(cursor: _Cursor) -> Contents:
    _read_magic(cursor)
    cursor.unpack(_U64, "the reserved field of the header")
    count = _read_count(cursor, "arrays", MIN_ARRAY_BYTES)
    arrays = []
    for number in range(count):
        cursor.part = f" of array {number + 1} of {count}"
        arrays.append(_read_array(cursor))
    cursor.part = ""
    start = cursor.at
    num_names = _read_count(cursor, "names", MIN_NAME_BYTES)
    if num_names not in (0, count):
        raise cursor.error(start, f"{num_names} names", f"{count} names, one an array, or none")
    return Contents(arrays, [_read_name(cursor, number) for number in range(num_names)])


def _read_magic(cursor: _Cursor) -> None:
    head = bytes(cursor.view[:32])
    if len(head) < 8 or _U64.unpack_from(head)[0] != LIST_MAGIC:
        advice = next((text for prefix, text in _FOREIGN if head.lstrip().startswith(prefix)), _ADVICE)
        if head[8:9] == b"{":
            advice = "This looks like a safetensors file: give it the suffix .safetensors."
        received = f"{len(cursor.view)} bytes beginning with {head[:8].hex(' ') or 'nothing'}"
        raise cursor.error(0, received, "a .params file, which begins with 12 01 00 00 00 00 00 00 (8 bytes)", advice)
    cursor.at = 8


def _read_count(cursor: _Cursor, what: str, smallest: int) -> int:
    start = cursor.at
    count = cursor.number(_U64, f"the number of {what}")
    if count * smallest > cursor.left:
        received = f"a count of {count} {what}, which need at least {count * smallest} bytes"
        raise cursor.error(start, received, f"a count that fits the {cursor.left} bytes that follow")
    return count


def _read_name(cursor: _Cursor, number: int) -> str:
    cursor.part = f" of name {number + 1}"
    length = cursor.number(_U64, "the length")
    start = cursor.take(length, "the text")
    try:
        return str(cursor.view[start : start + length], "utf-8")
    except UnicodeDecodeError as error:
        at = start + error.start
        raise cursor.error(at, f"byte {cursor.view[at]:#04x}", f"utf-8 text{cursor.part}") from None


def _read_array(cursor: _Cursor) -> Stored:
    start = cursor.at
    mark = cursor.number(_U32, "the version mark")
    if mark in (V2_MAGIC, V3_MAGIC):
        return _read_marked(cursor, np_shape=mark == V3_MAGIC)
    if mark == V1_MAGIC:
        shape = _read_shape(cursor)
    elif mark <= MAX_NDIM:
        shape = _read_dims(cursor, struct.Struct(f"<{mark}I"), "the shape", 0)
    else:
        expected = f"a version mark or a number of dimensions up to {MAX_NDIM}{cursor.part}"
        raise cursor.error(start, f"{mark:#x}", expected)
    if not shape:
        return NONE
    context, dtype = _read_context(cursor), _read_dtype(cursor)
    return Stored(dtype, shape, _read_values(cursor, dtype, shape, "the data"), context)


def _read_marked(cursor: _Cursor, np_shape: bool) -> Stored:
    """An array of the second or third version, after its mark."""
    start = cursor.at
    number = cursor.number(_I32, "the storage type")
    stype = STYPE_OF_NUMBER.get(number)
    if stype is None or (np_shape and stype != "default"):
        expected = "0 (dense)" if np_shape else "0 (dense), 1 (row_sparse) or 2 (csr)"
        raise cursor.error(start, f"storage type {number}", expected + cursor.part)
    if stype != "default":
        # Only moved over: the shapes of the index arrays say the same. A real MXNet was seen to write another length
        # here, once; the data that followed agreed with the index arrays.
        _read_shape(cursor, "the storage shape")
    # With NumPy semantics an unknown length is -1 and an array of unknown shape was never made.
    shape = _read_shape(cursor, lowest=-1 if np_shape else 0)
    if -1 in shape:
        return NP_NONE
    if not shape and not np_shape:
        cursor.met_scalar = True
        if stype != "default" or not cursor.scalars:
            return NONE
    context, dtype = _read_context(cursor), _read_dtype(cursor)
    if stype != "default":
        return _read_sparse(cursor, stype, shape, context, dtype)
    return Stored(dtype, shape, _read_values(cursor, dtype, shape, "the data"), context, np_shape=np_shape)


def _read_shape(cursor: _Cursor, what: str = "the shape", lowest: int = 0) -> Shape:
    start = cursor.at
    ndim = cursor.number(_U32, f"the number of dimensions of {what}")
    if ndim > MAX_NDIM:
        raise cursor.error(start, f"{ndim} dimensions for {what}", f"at most {MAX_NDIM}{cursor.part}")
    return _read_dims(cursor, struct.Struct(f"<{ndim}q"), what, lowest)


def _read_dims(cursor: _Cursor, layout: struct.Struct, what: str, lowest: int) -> Shape:
    start = cursor.at
    shape = cursor.unpack(layout, what)
    if any(length < lowest for length in shape):
        raise cursor.error(start, f"{shape} for {what}", f"no length below {lowest}{cursor.part}")
    return shape


def _read_sparse(cursor: _Cursor, stype: str, shape: Shape, context: tuple[int, int], dtype: str) -> Stored:
    start = cursor.at
    heads = []
    for _ in range(INDEX_ARRAYS[stype]):
        index_dtype = _read_dtype(cursor, INDEX_DTYPES)
        heads.append((index_dtype, _read_shape(cursor, "the shape of an index array")))
    if stype == "csr" and len(shape) != 2:
        raise cursor.error(start, f"a csr array of shape {shape}", f"two dimensions{cursor.part}")
    if any(len(length) != 1 for _, length in heads):
        received = f"index arrays of shapes {[length for _, length in heads]}"
        raise cursor.error(start, received, f"one dimension each{cursor.part}")
    num_stored = heads[-1][1][0]
    data_shape = (num_stored, *shape[1:]) if stype == "row_sparse" else (num_stored,)
    data = _read_values(cursor, dtype, data_shape, "the stored values")
    starts = cursor.at
    aux = tuple(_read_values(cursor, name, length, "an index array") for name, length in heads)
    _check_indices(cursor, starts, stype, shape, aux)
    return Stored(dtype, shape, data, context, stype, aux)


def _check_indices(cursor: _Cursor, start: int, stype: str, shape: Shape, aux: tuple[Array, ...]) -> None:
    """Refuses indices that would lead outside the array; their order is the reader's business."""
    columns = aux[-1]
    limit = shape[0] if stype == "row_sparse" else shape[1]
    if columns.size and (columns.min() < 0 or columns.max() >= limit):
        received = f"indices from {columns.min()} to {columns.max()}"
        raise cursor.error(start, received, f"indices from 0 to {limit - 1}{cursor.part}")
    if stype == "csr":
        starts = aux[0]
        # An array that was never filled may have no row starts at all.
        if starts.size == columns.size == 0:
            return
        if starts.size != shape[0] + 1:
            raise cursor.error(start, f"{starts.size} row starts", f"{shape[0] + 1} for {shape[0]} rows{cursor.part}")
        if starts[0] != 0 or starts[-1] != columns.size or (starts[1:] < starts[:-1]).any():
            received = f"row starts from {starts[0]} to {starts[-1]}"
            raise cursor.error(start, received, f"numbers rising from 0 to {columns.size}{cursor.part}")


def _read_context(cursor: _Cursor) -> tuple[int, int]:
    device_type, device_id = cursor.unpack(_CONTEXT, "the context")
    return int(device_type), int(device_id)


def _read_dtype(cursor: _Cursor, among: Sequence[str] = tuple(FLAG_OF_NAME)) -> str:
    start = cursor.at
    flag = cursor.number(_I32, "the dtype flag")
    name = NAME_OF_FLAG.get(flag)
    if name is None or name not in among:
        expected = ", ".join(f"{FLAG_OF_NAME[known]} ({known})" for known in among)
        raise cursor.error(start, f"dtype flag {flag}", f"one of {expected}{cursor.part}")
    return name


def _read_values(cursor: _Cursor, dtype: str, shape: Shape, what: str) -> Array:
    storage = STORAGE_OF_NAME[dtype]
    # An empty array needs no bytes, so only this keeps its other lengths within what NumPy and torch can count.
    if not is_countable(shape, storage.itemsize):
        raise cursor.error(cursor.at, f"shape {shape} for {what}", f"at most {MAX_BYTES} bytes of {dtype}{cursor.part}")
    start = cursor.take(math.prod(shape) * storage.itemsize, f"{what} ({dtype} of shape {shape})")
    if 0 in shape:
        return np.empty(shape, storage)
    return np.ndarray(shape, storage, buffer=cursor.view, offset=start)


# Writing


def _encode_name(name: str, who: str) -> bytes:
    try:
        return name.encode("utf-8")
    except (UnicodeEncodeError, AttributeError):
        raise OpParamError(f"[{who}] received the name {name!r}; expected text that utf-8 can hold.") from None


def _np_shape(arrays: Sequence[Stored], asked: bool | None, who: str) -> bool:
    """Whether a file of these arrays uses NumPy shape semantics; MXNet loads no file that mixes both."""
    scalars = [array for array in arrays if not array.is_none and not array.shape]
    if asked is False and scalars:
        raise OpParamError(
            f"[{who}] received an array of shape () to save without NumPy shape semantics, where () means unknown; "
            "expected at least one dimension. Use `reshape((1,))`, or save under `mx.util.np_shape()`."
        )
    needed = bool(scalars) or any(array.np_shape for array in arrays)
    chosen = needed if asked is None else asked
    if chosen and any(array.aux for array in arrays):
        raise OpParamError(
            f"[{who}] received sparse arrays to save with NumPy shape semantics"
            f"{' (an array has shape ())' if scalars else ''}; expected dense arrays only, because MXNet loads no such "
            "file. Save sparse arrays to a file of their own."
        )
    return chosen


def _array_chunks(array: Stored, np_shape: bool) -> Iterator[bytes | memoryview]:
    mark = _U32.pack(V3_MAGIC if np_shape else V2_MAGIC)
    if array.is_none:
        # MXNet 1.9.1 reads these and never writes them; an unknown shape is (-1,) to NumPy semantics, else ().
        yield mark + _I32.pack(0) + _shape_bytes((-1,) if np_shape else ())
        return
    head = [mark, _I32.pack(NUMBER_OF_STYPE[array.stype])]
    if array.aux:
        head.append(_shape_bytes(array.data.shape))
    head += [_shape_bytes(array.shape), _CONTEXT.pack(*array.context), _I32.pack(FLAG_OF_NAME[array.dtype])]
    for index in array.aux:
        head += [_I32.pack(FLAG_OF_NAME[index.dtype.name]), _shape_bytes(index.shape)]
    yield b"".join(head)
    yield _value_bytes(array.data)
    for index in array.aux:
        yield _value_bytes(index)


def _shape_bytes(shape: Shape) -> bytes:
    return struct.pack(f"<I{len(shape)}q", len(shape), *shape)


def _value_bytes(values: Array) -> bytes | memoryview:
    """The values in file order; no copy where they already lie that way."""
    if not values.size:
        return b""
    ordered = np.asarray(values, values.dtype.newbyteorder("<"), order="C")
    return ordered.reshape(-1).view(np.uint8).data
