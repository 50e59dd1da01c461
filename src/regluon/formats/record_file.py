"""Files of records, opened to read at any offset or to write from the beginning."""

import os
import stat
import threading
from collections.abc import Iterator

from ..base import MXNetError
from .atomic import Path
from .commits import current, recover
from .recordio import (
    FIRST,
    KINDS,
    LAST,
    WHOLE,
    Damage,
    Fetch,
    RecordError,
    marks_in,
    read_header,
    read_record,
)

# What is read at a time while looking for the next record after a damaged one: first, and at most.
_SEARCH_BYTES = (1 << 9, 1 << 20)
# What is gathered before it is written.
_WRITE_BYTES = 1 << 18


class RecordFile:
    """A `.rec` file open for reading at any offset, from any thread.

    Args:
        path: the file.
        who: the function named in errors.
    """

    __slots__ = ("path", "who", "size", "fetch", "_descriptor", "_lock")

    def __init__(self, path: Path, who: str = "MXRecordIO") -> None:
        self._descriptor = -1
        self.path = os.fspath(path)
        self.who = who
        self._descriptor = _open(self.path, who)
        self.size = os.fstat(self._descriptor).st_size
        self._lock = threading.Lock()
        self.fetch: Fetch = self._pread if hasattr(os, "pread") else self._seek_and_read

    def read_at(self, offset: int, name: str = "") -> tuple[bytes, int]:
        """The record at an offset and the offset after it.

        Args:
            offset: where the record begins, as an index file says.
            name: what the record is called in errors, such as `"key 7"`.

        Raises:
            FileFormatError: there is no whole record; the text names the file, the record and the byte.
        """
        try:
            return read_record(self.fetch, self.size, offset)
        except RecordError as damage:
            if self._grown():
                return self.read_at(offset, name)
            raise self._named(damage, offset, name) from None

    def _named(self, damage: RecordError, offset: int, name: str = "") -> RecordError:
        """The error about a damaged record with the file's and the record's name and advice."""
        record = f"{name}, " if name else ""
        if offset >= self.size:
            advice = "The index belongs to another or a longer file: make it again, or fetch both files again."
        elif offset == 0:
            advice = "This may be no RecordIO file, or a damaged one: fetch or make it again."
        else:
            advice = "The file is damaged or the index is not its own: fetch both again."
        return RecordError(damage.place, f"[{self.who}] {self.path}, {record}{damage} {advice}")

    def at_end(self, offset: int) -> bool:
        """Whether no byte stands at or after an offset."""
        return offset >= self.size and not self._grown()

    def read_next(self, offset: int, damages: list[Damage]) -> tuple[bytes, int, int] | None:
        """The next whole record at or after an offset, with its place and the place after it; None at the end.

        Args:
            offset: where to begin.
            damages: receives a note of each damaged place that was passed over.
        """
        while not self.at_end(offset):
            try:
                self._check_next(offset)
                data, after = self.read_at(offset)
            except RecordError as damage:
                damages.append(Damage(offset, str(damage)))
                # What stands before the place of damage was read as this record's parts and cannot begin another one.
                offset = self._search(damage.place if damage.place > offset else offset + 4)
            else:
                return data, offset, after
        return None

    def _check_next(self, offset: int) -> None:
        """Refuses a whole record that would swallow others, because a bit of its length was damaged.

        A sound record holds no mark at a multiple of four, and is followed by another or by the end of the file.
        """
        kind, length, body = self._header(offset)
        after = body + (length + 3 & ~3)
        if kind == WHOLE and after < self.size and not self._is_header(after):
            mark = next(self._marks(body, after), None)
            if mark is not None:
                raise self._named(
                    RecordError(offset, f"byte {offset}: another record begins at {mark}, inside."), offset
                )

    def _search(self, offset: int) -> int:
        """The first place from here on where a record begins that is followed by another; or the file's end."""
        for place in self._marks((offset + 3) & ~3, self.size):
            if self._is_header(place):
                kind, length, body = read_header(self.fetch, self.size, place)
                after = body + (length + 3 & ~3)
                if kind in (WHOLE, FIRST) and (after >= self.size or self._is_header(after)):
                    return place
        return self.size

    def _marks(self, start: int, end: int) -> Iterator[int]:
        """The multiples of four in a range where the mark stands."""
        count = _SEARCH_BYTES[0]
        while start < end:
            yield from (start + mark for mark in marks_in(self.fetch(start, min(count, end - start + 3 & ~3))))
            start += count
            # Little at first, because the next mark is near as a rule; more and more if it is not.
            count = min(2 * count, _SEARCH_BYTES[1])

    def _is_header(self, offset: int) -> bool:
        try:
            read_header(self.fetch, self.size, offset)
        except RecordError:
            return False
        return True

    def _header(self, offset: int) -> tuple[int, int, int]:
        try:
            return read_header(self.fetch, self.size, offset)
        except RecordError as damage:
            if self._grown():
                return self._header(offset)
            raise self._named(damage, offset) from None

    def offsets(self) -> list[int]:
        """Where each record begins, found by going from header to header.

        Raises:
            FileFormatError: as `read_at`.
        """
        found, _, damage = self.scan()
        if damage is not None:
            raise damage
        return found

    def scan(self) -> tuple[list[int], int, RecordError | None]:
        """Where each whole record begins up to the first damaged one, where they end, and what is wrong there."""
        found: list[int] = []
        end = place = 0
        begin: int | None = None  # of a record in several parts
        try:
            while place < self.size:
                kind, length, body = self._header(place)
                if (kind in (WHOLE, FIRST)) != (begin is None):
                    raise self._named(
                        RecordError(place, f"byte {place}: received {KINDS[kind]} out of its order."), place
                    )
                begin = place if begin is None else begin
                place = body + (length + 3 & ~3)
                if kind in (WHOLE, LAST):
                    found.append(begin)
                    begin, end = None, place
            if begin is not None:
                raise self._named(RecordError(begin, f"byte {begin}: the file ends inside this record."), begin)
        except RecordError as damage:
            return found, end, damage
        return found, end, None

    def is_torn(self, end: int) -> bool:
        """Whether no record begins behind a place: what stands there is the one that a writer died over."""
        return self._search(end + 4) >= self.size

    def close(self) -> None:
        """Gives the file back. May be called twice."""
        descriptor, self._descriptor = (
            getattr(self, "_descriptor", -1),
            -1,
        )  # absent after a wrong call
        if descriptor >= 0:
            os.close(descriptor)

    def __del__(self) -> None:
        self.close()

    def _grown(self) -> bool:
        """Whether a program that still writes the file has added to it."""
        size = os.fstat(self._descriptor).st_size
        grown = size > self.size
        self.size = size
        return grown

    def _pread(self, offset: int, count: int) -> bytes:
        data = os.pread(self._descriptor, count, offset)
        if len(data) < count and offset + len(data) < self.size:  # the system gives at most 2 GB, or less, at a time
            rest = self._pread(offset + len(data), count - len(data))
            return data + rest if rest else data
        return data

    def _seek_and_read(self, offset: int, count: int) -> bytes:
        with self._lock:
            os.lseek(self._descriptor, offset, os.SEEK_SET)
            return os.read(self._descriptor, count)


class Appender:
    """A file written from its beginning, in large pieces.

    Unlike a stream of the standard library, a copy in a forked process never writes what the parent has yet to write.

    Args:
        path: the file; what it held is gone when `clear` is called.
        who: the function named in errors.
        follows: another file that is written first, because this one tells of its content.
    """

    __slots__ = ("path", "who", "size", "_follows", "_pending", "_pending_bytes", "_descriptor")

    def __init__(self, path: Path, who: str = "MXRecordIO", follows: "Appender | None" = None) -> None:
        self._descriptor = -1
        self.path = os.fspath(path)
        self.who = who
        self.size = 0
        self._follows = follows
        self._pending: list[bytes] = []
        self._pending_bytes = 0
        try:
            recover(os.path.dirname(os.path.realpath(self.path)))
            flags = os.O_WRONLY | os.O_CREAT | getattr(os, "O_BINARY", 0)
            self._descriptor = os.open(self.path, flags, 0o666)
        except OSError as error:
            raise MXNetError(
                f"[{who}] received {self.path!r}; expected a file that can be written: {error.strerror or error}."
            ) from error

    def clear(self) -> None:
        """Empties the file, before anything is written."""
        if stat.S_ISREG(os.fstat(self._descriptor).st_mode):
            os.ftruncate(self._descriptor, 0)

    def write(self, data: bytes) -> None:
        """Adds bytes; they are in the file after `flush` or `close`."""
        self._pending.append(data)
        self._pending_bytes += len(data)
        self.size += len(data)
        if self._pending_bytes >= _WRITE_BYTES or (self._follows is not None and self._follows.is_written):
            self.flush()

    @property
    def is_written(self) -> bool:
        """Whether everything that was added is in the file."""
        return not self._pending

    def flush(self) -> None:
        """Writes what was added."""
        if self._follows is not None:
            self._follows.flush()
        rest = memoryview(b"".join(self._pending))
        self._pending, self._pending_bytes = [], 0
        try:
            while rest:
                rest = rest[os.write(self._descriptor, rest) :]
        except OSError as error:
            raise MXNetError(f"[{self.who}] {self.path} cannot be written: {error.strerror or error}.") from error

    def close(self, abandon: bool = False) -> None:
        """Writes what was added, unless it is to be abandoned, and gives the file back. May be called twice."""
        if self._descriptor < 0:
            return
        try:
            if not abandon:
                self.flush()
        finally:
            descriptor, self._descriptor = self._descriptor, -1
            os.close(descriptor)


def _open(path: str, who: str) -> int:
    try:
        # Before opening: a pipe nobody writes to would be waited for.
        if not stat.S_ISREG(os.stat(current(path)).st_mode):
            raise MXNetError(f"[{who}] received {path!r}; expected a regular file, and this is a folder or a device.")
        return os.open(current(path), os.O_RDONLY | getattr(os, "O_BINARY", 0))
    except OSError as error:
        raise MXNetError(
            f"[{who}] received {path!r}; expected a file that can be read: {error.strerror or error}."
        ) from error
