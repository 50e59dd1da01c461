"""Opening files to read without copying them, and replacing files so that no reader ever sees half of one."""

import contextlib
import difflib
import mmap
import os
import secrets
import stat
from collections.abc import Iterator
from typing import BinaryIO, TypeAlias

from ..base import MXNetError
from ..error import FileFormatError

Path: TypeAlias = str | os.PathLike[str]

# Below this a plain read is quicker than the page faults of a map.
MAP_FROM_BYTES = 1 << 20


def open_mapped(path: Path, who: str = "nd.load") -> bytearray | mmap.mmap:
    """The bytes of a file, writable in memory without any change to the file.

    Large files are mapped privately: pages are read when touched, and copied when written.

    Args:
        path: the file.
        who: the function named in errors.

    Returns:
        A buffer; a map is released with the last array that views it.

    Raises:
        MXNetError: the file is missing, is no regular file, cannot be read, or is empty.
    """
    name = os.fspath(path)
    try:
        # Before opening: a pipe nobody writes to would be waited for.
        mode = os.stat(name).st_mode
        if not stat.S_ISREG(mode):
            raise MXNetError(
                f"[{who}] received {name!r}, which is {_kind(mode)}; expected a regular file. "
                "The bytes of anything else can be given to `nd.load_frombuffer`."
            )
        with open(name, "rb") as stream:
            size = os.fstat(stream.fileno()).st_size
            if size >= MAP_FROM_BYTES:
                return mmap.mmap(stream.fileno(), size, access=mmap.ACCESS_COPY)
            content = bytearray(stream.read())
    except FileNotFoundError:
        raise MXNetError(
            f"[{who}] received {name!r}; expected an existing file, and there is none.{_nearest(name)}"
        ) from None
    except (OSError, ValueError) as error:
        raise MXNetError(f"[{who}] received {name!r}; expected a readable file: {_reason(error)}.") from error
    if not content:
        raise FileFormatError(
            f"[{who}] {name}, byte 0: received an empty file of 0 bytes; expected saved arrays. "
            "The download may be incomplete, or the disk was full when it was saved: fetch or save it again."
        )
    return content


@contextlib.contextmanager
def atomic_write(path: Path, who: str = "nd.save") -> Iterator[BinaryIO]:
    """A binary stream whose content becomes the file when the block ends well.

    Until then, and for ever if the block raises, the old file stays as it was.

    Example:
        >>> with atomic_write("net.params") as stream:
        ...     stream.write(b"...")
    """
    with atomic_path(path, who) as temporary, open(temporary, "wb") as stream:
        yield stream


@contextlib.contextmanager
def atomic_path(path: Path, who: str = "nd.save") -> Iterator[str]:
    """The path of a temporary file, in the same folder, that replaces `path` when the block ends well.

    A symbolic link stays a link: the file it points at is replaced. Permissions of an existing file are kept. Pipes
    and devices cannot be replaced, so they are written directly.
    """
    name = os.fspath(path)
    target = os.path.realpath(name)
    try:
        if _is_special(target, name, who):
            yield target
            return
        temporary = _create_beside(target, name, who)
        try:
            mode = stat.S_IMODE(os.stat(target if os.path.exists(target) else temporary).st_mode)
            yield temporary
            # Last, because the block may have put another file in the temporary one's place.
            os.chmod(temporary, mode)
            _flush_to_disk(temporary)
            os.replace(temporary, target)
        except BaseException:
            with contextlib.suppress(OSError):
                os.unlink(temporary)
            raise
    except OSError as error:
        raise MXNetError(
            f"[{who}] received {name!r}; expected a file that can be written: {_reason(error)}. "
            "What was there before is unchanged."
        ) from error
    if os.name == "posix":
        # The new name reaches the disk with the folder. Some network disks cannot; the file itself is safe by then.
        with contextlib.suppress(OSError):
            _flush_to_disk(os.path.dirname(target))


def _is_special(target: str, name: str, who: str) -> bool:
    """Whether the target is a pipe or a device; refuses folders and files that may not be written."""
    if os.path.isdir(target):
        raise MXNetError(f"[{who}] received {name!r}; expected a file, and this is a folder. Add a file name.")
    folder = os.path.dirname(target)
    if not os.path.isdir(folder):
        raise MXNetError(
            f"[{who}] received {name!r}; expected an existing folder, and {folder!r} is none. "
            f"Make it with `os.makedirs({folder!r}, exist_ok=True)`."
        )
    if not os.path.exists(target):
        return False
    # Replacing asks for rights in the folder only, so a protected file has to be respected here.
    if not os.access(target, os.W_OK):
        raise MXNetError(f"[{who}] received {name!r}; expected a file that can be written: it is read-only.")
    return not os.path.isfile(target)


def _create_beside(target: str, name: str, who: str) -> str:
    folder, base = os.path.split(target)
    temporary = os.path.join(folder, f".{base[:32]}.{secrets.token_hex(8)}.tmp")
    try:
        # Created by hand and not with tempfile, so that the user's umask decides on the rights of a new file.
        os.close(os.open(temporary, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o666))
    except OSError as error:
        raise MXNetError(
            f"[{who}] received {name!r}; expected a folder where files can be made: {_reason(error)} in {folder!r}."
        ) from error
    return temporary


def _flush_to_disk(path: str) -> None:
    # Windows flushes only what is open for writing; folders open for reading only.
    descriptor = os.open(path, os.O_RDONLY if os.path.isdir(path) else os.O_RDWR)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _nearest(name: str) -> str:
    """Names of the folder that a mistyped one may have meant."""
    folder, base = os.path.split(os.path.abspath(name))
    try:
        close = difflib.get_close_matches(base, os.listdir(folder), n=3)
    except OSError as error:
        return f" The folder {folder!r} cannot be read either: {_reason(error)}."
    return f" Near it: {', '.join(close)}." if close else ""


def _kind(mode: int) -> str:
    return "a folder" if stat.S_ISDIR(mode) else "a pipe or a device"


def _reason(error: Exception) -> str:
    return getattr(error, "strerror", None) or str(error)
