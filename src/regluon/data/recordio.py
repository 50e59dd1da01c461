"""Records of bytes in `.rec` files, by order or by key, and the header that image records begin with.

Files are MXNet's, byte for byte. Reading works from every thread; after a fork or in a spawned worker, a reader opens
its file anew.
"""

import logging
import os
from collections.abc import Callable
from types import TracebackType
from typing import Any, TypeVar

from ..base import MXNetError
from ..errors import OpParamError, OpTypeError
from ..formats import recordio
from ..formats.atomic import Path
from ..formats.image_record import IRHeader, pack, pack_img, unpack, unpack_img
from ..formats.record_file import Appender, RecordFile
from ..formats.recordio import Damage

__all__ = ["IRHeader", "MXIndexedRecordIO", "MXRecordIO", "pack", "pack_img", "unpack", "unpack_img"]

_Self = TypeVar("_Self", bound="MXRecordIO")


class MXRecordIO:
    """A `.rec` file, written or read from its beginning to its end.

    Args:
        uri: the file.
        flag: `"r"` to read, `"w"` to write anew.
        on_bad: for reading: `"raise"` stops at a damaged record with an error; `"skip"` goes on with the next whole
            one, warns in the log, and notes what was left out in `damages`.

    Example:
        >>> with mx.recordio.MXRecordIO("tmp.rec", "w") as file:
        ...     file.write(b"first")
        >>> mx.recordio.MXRecordIO("tmp.rec", "r").read()
        b'first'
    """

    __module__ = "mxnet.recordio"

    # Also of an object whose constructor was called wrongly, for __del__.
    is_open = False
    pid: int | None = None

    def __init__(self, uri: Path, flag: str, *, on_bad: str = "raise") -> None:
        self._clear()
        recordio.check_on_bad(on_bad, type(self).__name__)
        self.uri: str = os.fspath(uri)
        self.flag = flag
        self.on_bad = on_bad
        self.open()

    def _clear(self) -> None:
        self.pid = None
        self.is_open = False
        self.writable = False
        self.damages: list[Damage] = []
        self._reader: RecordFile | None = None
        self._writer: Appender | None = None
        self._place = 0

    def open(self) -> None:
        """Opens the file; for writing, what it held is gone."""
        if self.flag not in ("r", "w"):
            raise ValueError(f"[{self._who()}] received flag={self.flag!r}; expected 'r' to read or 'w' to write.")
        self.writable = self.flag == "w"
        self._place = 0
        if self.writable:
            self._writer = Appender(self.uri, self._who())
            self._clear_files(self._writer)
        else:
            self._reader = RecordFile(self.uri, self._who())
        self.pid = os.getpid()
        self.is_open = True

    def _clear_files(self, writer: Appender) -> None:
        """Empties what is to be written anew."""
        writer.clear()

    def close(self) -> None:
        """Closes the file. May be called twice."""
        if not self.is_open:
            return
        self.is_open = False
        writer, reader, pid = self._writer, self._reader, self.pid
        self.pid = self._writer = self._reader = None
        if writer is not None:
            # What a parent process has not written yet is the parent's to write.
            writer.close(abandon=pid != os.getpid())
        if reader is not None:
            reader.close()

    def reset(self) -> None:
        """Back to the first record; a file open for writing becomes empty."""
        self.close()
        self.open()

    def write(self, buf: bytes | bytearray | memoryview) -> None:
        """Adds a record.

        Raises:
            MXNetError: the file is open for reading, or closed, or was opened by another process.
        """
        stream = self._for_writing("write")
        stream.write(recordio.encode_record(buf, f"{self._who()}.write"))

    def read(self) -> bytes | None:
        """The next record, or None at the end of the file.

        Raises:
            FileFormatError: the record is damaged.
            MXNetError: the file is open for writing, or closed, or was opened by another process: two processes that
                read on from one place would read the same records. Call `reset`, or read by key.
        """
        reader = self._for_reading("read", may_reopen=False)
        if self.on_bad == "skip":
            return self._read_sound(reader)
        if reader.at_end(self._place):
            return None
        data, self._place = reader.read_at(self._place)
        return data

    def _read_sound(self, reader: RecordFile) -> bytes | None:
        known = len(self.damages)
        found = reader.read_next(self._place, self.damages)
        for damage in self.damages[known:]:
            logging.warning("%s Left out.", damage.reason)
        if found is None:
            self._place = reader.size
            return None
        data, _, self._place = found
        return data

    def _for_reading(self, what: str, may_reopen: bool) -> RecordFile:
        if self._reader is None:
            raise MXNetError(
                f"[{self._who()}.{what}] {self.uri} is {'open for writing' if self.is_open else 'closed'}; "
                "expected a file open for reading: give flag='r', or call `open()`."
            )
        if self.pid != os.getpid():
            self._check_pid(allow_reset=may_reopen)
        return self._reader

    def _for_writing(self, what: str) -> Appender:
        if self._writer is None:
            raise MXNetError(
                f"[{self._who()}.{what}] {self.uri} is {'open for reading' if self.is_open else 'closed'}; "
                "expected a file open for writing: give flag='w'."
            )
        self._check_pid()
        return self._writer

    def _check_pid(self, allow_reset: bool = False) -> None:
        """Refuses to go on in another process than the one that opened the file, or opens it again there."""
        if self.pid == os.getpid():
            return
        if not allow_reset:
            raise MXNetError(
                f"[{self._who()}] {self.uri} was opened by process {self.pid} and is used by {os.getpid()}: forbidden "
                "operation in multiple processes. Call `reset()` to read from the beginning, or read by key."
            )
        self.reset()

    def _who(self) -> str:
        return type(self).__name__

    def __enter__(self: _Self) -> _Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __del__(self) -> None:
        self.close()

    def __getstate__(self) -> dict[str, Any]:
        """What a worker process needs to open the file itself."""
        if self.writable and self.is_open:
            raise MXNetError(
                f"[{self._who()}] {self.uri} is open for writing and cannot be given to another process, which would "
                "empty it. Write in one process, or one file in each."
            )
        state = dict(self.__dict__)
        for own in ("_reader", "_writer", "pid"):
            state[own] = None
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        if state["is_open"]:
            self.is_open = False
            self.open()


class MXIndexedRecordIO(MXRecordIO):
    """A `.rec` file with an index, read and written by key.

    Args:
        idx_path: the index file.
        uri: the record file.
        flag: `"r"` to read, `"w"` to write both anew.
        key_type: makes a key of its text in the index file.
        on_bad: as in `MXRecordIO`, for `read`. `read_idx` asks for one record and always raises if it is damaged.

    Attributes:
        idx: offset by key.
        keys: the keys in the index's order.

    Example:
        >>> with mx.recordio.MXIndexedRecordIO("tmp.idx", "tmp.rec", "w") as file:
        ...     file.write_idx(7, b"seven")
        >>> mx.recordio.MXIndexedRecordIO("tmp.idx", "tmp.rec", "r").read_idx(7)
        b'seven'
    """

    __module__ = "mxnet.recordio"

    def __init__(
        self, idx_path: Path, uri: Path, flag: str, key_type: Callable[[Any], Any] = int, *, on_bad: str = "raise"
    ) -> None:
        self.idx_path: str = os.fspath(idx_path)
        self.idx: dict[Any, int] = {}
        self.keys: list[Any] = []
        self.key_type = key_type
        self.fidx: Appender | None = None
        super().__init__(uri, flag, on_bad=on_bad)

    def open(self) -> None:
        """Opens both files; for writing, what they held is gone."""
        super().open()
        if self.writable:
            self.idx, self.keys = {}, []
            return
        try:
            self.keys, self.idx = recordio.read_index(self.idx_path, self.key_type, self._who())
        except BaseException:
            super().close()
            raise

    def _clear_files(self, writer: Appender) -> None:
        try:
            self.fidx = Appender(self.idx_path, self._who(), follows=writer)
        except BaseException:
            self._writer = None
            writer.close()
            raise
        # First, so that the index never tells of records that are gone.
        self.fidx.clear()
        writer.clear()

    def close(self) -> None:
        """Closes both files. May be called twice."""
        foreign = self.pid != os.getpid()
        super().close()
        index, self.fidx = getattr(self, "fidx", None), None
        if index is not None:
            index.close(abandon=foreign)

    def seek(self, idx: Any) -> None:
        """Lets the next `read` give the record of a key."""
        self._for_reading("seek", may_reopen=True)
        self._place = self._offset(idx, "seek")

    def tell(self) -> int:
        """Where the next record will be written."""
        return self._for_writing("tell").size

    def read_idx(self, idx: Any) -> bytes:
        """The record of a key.

        Raises:
            KeyError: the index has no such key.
            FileFormatError: the record is damaged, or the index points outside the file.
        """
        reader = self._for_reading("read_idx", may_reopen=True)
        try:
            offset = self.idx[idx]
        except KeyError:
            offset = self._offset(idx, "read_idx")
        try:
            data, self._place = recordio.read_record(reader.fetch, reader.size, offset)
        except recordio.RecordError:
            data, self._place = reader.read_at(offset, f"key {idx!r} at offset {offset}")
        return data

    def _offset(self, idx: Any, what: str) -> int:
        try:
            return self.idx[idx]
        except KeyError:
            known = f"{len(self.keys)} keys, {self.keys[0]!r} to {self.keys[-1]!r}" if self.keys else "no keys at all"
            raise KeyError(
                f"[{self._who()}.{what}] received the key {idx!r}; expected one of the index {self.idx_path}, which "
                f"has {known}."
            ) from None

    def write_idx(self, idx: Any, buf: bytes | bytearray | memoryview) -> None:
        """Adds a record under a key."""
        place = self.tell()
        key = self._key(idx)
        self.write(buf)
        assert self.fidx is not None  # open for as long as the record file is
        self.fidx.write(recordio.index_line(key, place).encode())
        self.idx[key] = place
        self.keys.append(key)

    def _key(self, idx: Any) -> Any:
        try:
            key = self.key_type(idx)
        except (ValueError, TypeError) as error:
            raise OpTypeError(
                f"[{self._who()}.write_idx] received the key {idx!r}; expected what key_type={self.key_type!r} takes: "
                f"{error}."
            ) from None
        if any(mark in str(key) for mark in "\t\r\n"):
            raise OpParamError(
                f"[{self._who()}.write_idx] received the key {key!r}; expected one without tabulators and line ends, "
                "which separate the fields of an index file."
            )
        return key

    def __getstate__(self) -> dict[str, Any]:
        state = super().__getstate__()
        state.update(fidx=None)
        if self.is_open:
            state.update(idx={}, keys=[])  # read again where it arrives
        return state
