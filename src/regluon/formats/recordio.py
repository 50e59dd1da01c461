"""RecordIO files (`.rec`) and their indexes (`.idx`): bytes to records and back.

Layout, all little-endian:

    file     records, one after the other
    record   one part, or several: its bytes are cut wherever they hold the mark itself at a multiple of four
    part     u32 mark 0xced7230a, u32 (kind in 3 bits, length in 29), bytes, zeros up to a multiple of four
    kind     0 a whole record, 1 its first part, 2 a middle part, 3 the last part; the mark comes back between parts
    index    a line `key TAB offset` for each record

A length is compared with the bytes that the file has before anything is read for it.
"""

import io
import os
import struct
from collections.abc import Callable, Iterator
from typing import Any, Final, NamedTuple, TypeAlias

from ..base import MXNetError
from ..errors import FileFormatError, OpParamError, OpTypeError
from .atomic import Path, open_current

Key: TypeAlias = Any
Fetch: TypeAlias = Callable[[int, int], bytes]

MAGIC: Final = 0xCED7230A
MAGIC_BYTES: Final = MAGIC.to_bytes(4, "little")
MAX_LENGTH: Final = (1 << 29) - 1
WHOLE, FIRST, MIDDLE, LAST = range(4)
KINDS = ("a whole record", "a first part", "a middle part", "a last part")

HEADER = struct.Struct("<II")


class Damage(NamedTuple):
    """A place that is no readable record, and why."""

    offset: int
    reason: str


class RecordError(FileFormatError):
    """There is no whole record where one was expected.

    Attributes:
        place: the byte where the bytes stop making sense: the record's own header or that of a later part.
    """

    def __init__(self, place: int, text: str) -> None:
        super().__init__(place, text)
        self.place = place
        self.text = text

    def __str__(self) -> str:
        return self.text


def encode_record(data: bytes | bytearray | memoryview, who: str = "MXRecordIO.write") -> bytes:
    """The bytes that a record takes in a file.

    Raises:
        OpTypeError: the record is not given as bytes.
        OpParamError: the record is longer than the format can say.
    """
    try:
        data = memoryview(data).tobytes()
    except TypeError:
        raise OpTypeError(
            f"[{who}] received {type(data).__name__}; expected a record as bytes. Write `text.encode()` for a text."
        ) from None
    if len(data) > MAX_LENGTH:
        raise OpParamError(
            f"[{who}] received a record of {len(data)} bytes; expected at most {MAX_LENGTH}. Split it over several."
        )
    out = []
    start = 0
    for cut in marks_in(data):
        out += [HEADER.pack(MAGIC, (FIRST if start == 0 else MIDDLE) << 29 | (cut - start)), data[start:cut]]
        start = cut + 4
    out += [HEADER.pack(MAGIC, (LAST if start else WHOLE) << 29 | (len(data) - start)), data[start:]]
    out.append(bytes(-len(data) % 4))
    return b"".join(out)


def marks_in(data: bytes) -> Iterator[int]:
    """Where the mark stands in the data at a multiple of four: there a reader would take it for a header."""
    found = data.find(MAGIC_BYTES)
    while found >= 0:
        if found % 4 == 0:
            yield found
        found = data.find(MAGIC_BYTES, found + (4 if found % 4 == 0 else 1))


def read_record(fetch: Fetch, size: int, offset: int) -> tuple[bytes, int]:
    """The record that begins at an offset, and the offset after it.

    Args:
        fetch: gives the bytes of a place: `fetch(offset, count)`.
        size: how many bytes there are.
        offset: where the record begins.

    Raises:
        FileFormatError: there is no whole record at this place. The text says what is wrong, without naming the file.
    """
    kind, length, body = read_header(fetch, size, offset)
    if kind == WHOLE:
        return _body(fetch, body, length), body + (length + 3 & ~3)
    if kind != FIRST:
        raise RecordError(offset, f"byte {offset}: received {KINDS[kind]}; expected the beginning of a record.")
    parts = []
    while True:
        parts.append(_body(fetch, body, length))
        place = body + (length + 3 & ~3)
        if kind == LAST:
            return MAGIC_BYTES.join(parts), place
        if place >= size:
            raise RecordError(place, f"byte {place}: the file ends; expected the next part of the record at {offset}.")
        kind, length, body = read_header(fetch, size, place)
        if kind not in (MIDDLE, LAST):
            raise RecordError(
                place,
                f"byte {place}: received {KINDS[kind]}; expected a middle or last part of the record at {offset}.",
            )


def _body(fetch: Fetch, offset: int, length: int) -> bytes:
    body = fetch(offset, length)
    if len(body) != length:
        raise RecordError(
            offset, f"byte {offset}: received {len(body)} bytes; expected {length}: the file became shorter."
        )
    return body


def read_header(fetch: Fetch, size: int, offset: int) -> tuple[int, int, int]:
    """Kind, length and place of the bytes of the part that begins at an offset; all three are sure to be good."""
    head = fetch(offset, HEADER.size) if 0 <= offset <= size - HEADER.size else b""
    if len(head) != HEADER.size:
        raise RecordError(
            offset, f"byte {offset}: the file has {size} bytes; expected a record's header of 8 bytes here."
        )
    magic, word = HEADER.unpack(head)
    kind, length, body = word >> 29, word & MAX_LENGTH, offset + HEADER.size
    if magic != MAGIC:
        raise RecordError(offset, f"byte {offset}: received 0x{magic:08x}; expected a record's mark, 0x{MAGIC:08x}.")
    if kind > LAST:
        raise RecordError(offset, f"byte {offset}: received a part of kind {kind}; expected 0, 1, 2 or 3.")
    if length + 3 & ~3 > size - body:  # the zeros too, as in MXNet: without them its writer died here
        raise RecordError(
            offset, f"byte {offset}: the header says {length} bytes; expected at most the {size - body} that follow it."
        )
    return kind, length, body


def read_index(
    path: Path, key_type: Callable[[str], Key] = int, who: str = "MXIndexedRecordIO"
) -> tuple[list[Key], dict[Key, int]]:
    """The keys of an index file in its order, and the offset of each; of a key given twice, the last.

    Raises:
        FileNotFoundError: there is no such file.
        FileFormatError: a line is not a key and an offset.
    """
    name = os.fspath(path)
    keys: list[Key] = []
    index: dict[Key, int] = {}
    try:
        with io.TextIOWrapper(open_current(name), encoding="utf-8", newline=None) as stream:
            for number, line in enumerate(stream, 1):
                key, offset = _index_line(line, number, key_type, f"[{who}] {name}")
                keys.append(key)
                index[key] = offset
    except FileNotFoundError:
        raise FileNotFoundError(
            f"[{who}] received {name!r}; expected an existing index file, and there is none. "
            "Make it with `python -m mxnet.tools.rec2idx records.rec records.idx`."
        ) from None
    except UnicodeDecodeError as error:
        raise FileFormatError(
            f"[{who}] {name}: received bytes that are no text ({error.reason}); expected lines `key TAB offset`. "
            "Was the .rec file given in place of the .idx file?"
        ) from None
    except OSError as error:
        raise MXNetError(
            f"[{who}] received {name!r}; expected an index file that can be read: {error.strerror or error}."
        ) from error
    return keys, index


def _index_line(line: str, number: int, key_type: Callable[[str], Key], where: str) -> tuple[Key, int]:
    fields = line.strip().split("\t")
    # A long run of digits is no offset, and costly to read as a number.
    if len(fields) < 2 or not (fields[1].isascii() and fields[1].isdigit() and len(fields[1]) <= 19):
        raise FileFormatError(
            f"{where}, line {number}: received {line.strip()[:60]!r}; expected a key, a tabulator and an offset."
        )
    try:
        return key_type(fields[0]), int(fields[1])
    except (ValueError, TypeError):
        wanted = getattr(key_type, "__name__", str(key_type))
        raise FileFormatError(
            f"{where}, line {number}: received the key {fields[0][:60]!r}; expected what `{wanted}` reads. "
            "Give the right `key_type`."
        ) from None


def index_line(key: Key, offset: int) -> str:
    """A record's line in an index file."""
    return f"{key}\t{offset}\n"


def check_on_bad(on_bad: str, who: str) -> None:
    """Refuses any other choice than the two that exist."""
    if on_bad not in ("raise", "skip"):
        raise OpParamError(f"[{who}] received on_bad={on_bad!r}; expected 'raise' or 'skip'.")
