"""Opening files to read without copying them, and saving files so that no crash loses the old one.

Every file that the library saves goes through `atomic_write` or `atomic_path`. The content goes to a temporary file in
the same folder, is complete and on the disk before anything else changes, and then becomes the file:

- A new file, or one that nobody holds: the temporary file takes the name, in one step. Others see the old content or
  the new.
- A file with other names (hard links), or open in this process, or open for writing in another: a record is written
  (`commits`), then the content is copied into the same file. Handles and other names see the new content, as with
  MXNet; readers of this library never see half of it, nor does a crash lose it. The same holds for files that
  another one cannot stand for: of an owner or with extended attributes that cannot be given away, or mounted.
- A file that is mapped into the memory of another process: as one that nobody holds, for that memory must not change.
  Maps of this process are detached from the file first.
- A pipe, a device, `/dev/stdout`, `/dev/fd/3`, a file without a name: written through, as MXNet does.
- A file in a folder where no other can be made: copied from a temporary file elsewhere. This is the one case in which
  a crash can leave half a file.

Symbolic links are followed. A file that is there keeps its permissions and its owner; a new one gets what the umask
says. Files that belong together are saved in a `together` block: they become visible together, see `commits`, which
also tells what happens when the process dies in between.
"""

import contextlib
import mmap
import os
import shutil
import stat
import tempfile
import threading
from collections.abc import Callable, Iterator, Sequence
from typing import BinaryIO, NoReturn, TypeAlias, TypeVar

from ..arguments import nearest
from ..base import MXNetError
from ..errors import FileFormatError
from .commits import Move, commit, current, flush, promised, recover, state_of
from .mapped_files import is_held, map_file
from .temporary_files import create_beside, sweep

Path: TypeAlias = str | os.PathLike[str]
Result = TypeVar("Result")

# Below this a plain read is quicker than the page faults of a map.
MAP_FROM_BYTES = 1 << 20
# How often files that belong together are read again because they were saved meanwhile.
_MOST_READS = 100


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
        _expect_regular(name, who)
        while True:
            with open_current(name) as stream:
                before = os.fstat(stream.fileno())
                if before.st_size >= MAP_FROM_BYTES:
                    return map_file(stream)
                content = bytearray(stream.read())
                after = os.fstat(stream.fileno())
            # Again if it was, or is being, written in place.
            is_same = (before.st_size, before.st_mtime_ns) == (after.st_size, after.st_mtime_ns)
            if is_same and (stream.name != name or current(name) == name):
                break
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


def read_together(paths: Sequence[Path], read: Callable[[], Result]) -> Result:
    """What a function reads from several files, all of the same save.

    Another process may save them while they are read; then they are read once more.
    """

    def states() -> list[object]:
        return [state_of(current(os.fspath(path))) for path in paths]

    for _ in range(_MOST_READS):
        before = states()
        try:
            result = read()
        except Exception:
            if before == states():
                raise
            continue  # the files do not fit each other because one of them is newer
        if before == states():
            return result
    raise MXNetError(
        f"[load] {', '.join(os.fspath(path) for path in paths)} were saved again {_MOST_READS} times while they were "
        "read; expected files that rest for a moment."
    )


def _expect_regular(name: str, who: str) -> None:
    """Refuses a pipe before it is opened, which would wait for somebody who writes to it."""
    mode = os.stat(name).st_mode if os.path.exists(name) else stat.S_IFREG
    if not stat.S_ISREG(mode):
        raise MXNetError(
            f"[{who}] received {name!r}, which is {_kind(mode)}; expected a regular file. "
            "The bytes of anything else can be given to `nd.load_frombuffer`."
        )


def open_current(path: Path) -> BinaryIO:
    """Opens a file to read: the one that is to take its place if a save was interrupted.

    Raises:
        OSError: it cannot be opened.
    """
    name = os.fspath(path)
    while True:
        place = current(name)
        try:
            return open(place, "rb")
        except FileNotFoundError as error:
            if place == name:
                near = _nearest(name).rstrip(".")
                raise FileNotFoundError(
                    error.errno, f"{error.strerror}.{near}" if near else error.strerror, name
                ) from None
            # It was put in place meanwhile.


# -- saving ---------------------------------------------------------------------------------------------------------


class _Group(threading.local):
    """The files of the `together` block that this thread is in."""

    moves: list[Move] | None = None


_group = _Group()


@contextlib.contextmanager
def together(who: str = "nd.save") -> Iterator[None]:
    """Files saved inside become visible when the block ends well, all at once; none of them if it raises.

    Example:
        >>> with together("export"):
        ...     symbol.save("net-symbol.json")
        ...     nd.save("net-0000.params", arrays)
    """
    if _group.moves is not None:
        yield
        return
    moves = _group.moves = []
    try:
        yield
    except BaseException:
        _discard(moves)
        raise
    finally:
        _group.moves = None
    _commit_all(moves, who)


@contextlib.contextmanager
def atomic_write(path: Path, who: str = "nd.save") -> Iterator[BinaryIO]:
    """A binary stream whose content becomes the file when the block ends well.

    Until then, and for ever if the block raises, the old file stays as it was.

    Example:
        >>> with atomic_write("net.params") as stream:
        ...     stream.write(b"...")
    """
    name = os.fspath(path)
    if _is_written_through(name):
        with _named_errors(name, who), open(name, "wb") as stream:
            yield stream
        return
    with atomic_path(path, who) as temporary, open(temporary, "wb") as stream:
        yield stream


@contextlib.contextmanager
def atomic_path(path: Path, who: str = "nd.save") -> Iterator[str]:
    """The path of a temporary file whose content becomes that of `path` when the block ends well."""
    name = os.fspath(path)
    target = os.path.realpath(name)
    is_through = _is_written_through(name)
    if not is_through:
        _check_target(target, name, who)
    with _named_errors(name, who):
        folder = os.path.dirname(target)
        if not is_through:
            recover(folder)
            sweep(folder, lambda: [move.temporary for move in promised(folder)])
        temporary = "" if is_through else _create_beside(target, name, who)
        if not temporary:
            with _elsewhere(name) as temporary:
                yield temporary
            return
        moves: list[Move] = []
        try:
            mode = stat.S_IMODE(os.stat(temporary).st_mode)
            yield temporary
            moves.append(_prepared(temporary, target, mode))
        except BaseException:
            with contextlib.suppress(OSError):
                os.unlink(temporary)
            raise
    if _group.moves is None:
        _commit_all(moves, who)
    else:
        _discard([move for move in _group.moves if move.target == target])
        _group.moves[:] = [*(move for move in _group.moves if move.target != target), *moves]


def _is_written_through(name: str) -> bool:
    """Whether a path leads to a pipe or a device, or to a file that has no name any more."""
    try:
        status = os.stat(name)
    except (OSError, ValueError):
        return False
    if stat.S_ISDIR(status.st_mode):
        return False
    try:
        # The links of /dev/fd lead to what is open, whatever their text says.
        return not stat.S_ISREG(status.st_mode) or not os.path.samestat(os.stat(os.path.realpath(name)), status)
    except OSError:
        return True


def _check_target(target: str, name: str, who: str) -> None:
    """Refuses folders and files that may not be written."""
    if os.path.isdir(target):
        raise MXNetError(f"[{who}] received {name!r}; expected a file, and this is a folder. Add a file name.")
    folder = os.path.dirname(target)
    if not os.path.isdir(folder):
        raise MXNetError(
            f"[{who}] received {name!r}; expected an existing folder, and {folder!r} is none. "
            f"Make it with `os.makedirs({folder!r}, exist_ok=True)`."
        )
    # Replacing asks for rights in the folder only, so a protected file has to be respected here.
    if os.path.exists(target) and not os.access(target, os.W_OK):
        raise MXNetError(f"[{who}] received {name!r}; expected a file that can be written: it is read-only.")


def _create_beside(target: str, name: str, who: str) -> str:
    """A temporary file in the target's folder; none where the file can be written and the folder cannot."""
    try:
        return create_beside(target)
    except OSError as error:
        if isinstance(error, PermissionError) and os.path.exists(target):
            return ""
        raise MXNetError(
            f"[{who}] received {name!r}; expected a folder where files can be made: {_reason(error)} in "
            f"{os.path.dirname(target)!r}."
        ) from error


@contextlib.contextmanager
def _elsewhere(name: str) -> Iterator[str]:
    """A temporary file in the system's folder for them, copied to a path when it is complete."""
    with tempfile.TemporaryDirectory(prefix="mxnet-") as folder:
        temporary = os.path.join(folder, "content")
        with open(temporary, "wb"):
            pass
        yield temporary
        with open(temporary, "rb") as content, open(name, "wb") as stream:
            shutil.copyfileobj(content, stream, 1 << 20)
            stream.flush()
            if stat.S_ISREG(os.fstat(stream.fileno()).st_mode):
                os.fsync(stream.fileno())


def _prepared(temporary: str, target: str, mode: int) -> Move:
    """A complete temporary file with the rights of the file it becomes, on the disk."""
    # Last, because the block may have put another file in the temporary one's place.
    try:
        status = os.stat(target)
    except FileNotFoundError:
        os.chmod(temporary, mode)
        flush(temporary)
        return Move(temporary, target, False, None)
    in_place = not _is_given_owner(temporary, status) or _has_attributes(target) or is_held(target, status)
    os.chmod(temporary, stat.S_IMODE(status.st_mode))
    flush(temporary)
    return Move(temporary, target, in_place, state_of(target))


def _is_given_owner(temporary: str, status: os.stat_result) -> bool:
    made = os.stat(temporary)
    if (made.st_uid, made.st_gid) != (status.st_uid, status.st_gid):
        try:
            os.chown(temporary, status.st_uid, status.st_gid)
        except OSError:
            return False
    return True


def _has_attributes(target: str) -> bool:
    """Whether a file has attributes of its own, such as a list of who may read it, that a new one would lack."""
    if not hasattr(os, "listxattr"):
        return False
    try:
        return any(not name.startswith("security.") for name in os.listxattr(target))
    except OSError:
        return False


def _commit_all(moves: list[Move], who: str) -> None:
    """Puts files in place, folder by folder."""
    folders: dict[str, list[Move]] = {}
    for move in moves:
        folders.setdefault(os.path.dirname(move.target), []).append(move)
    for folder, part in folders.items():
        try:
            commit(part)
        except OSError as error:
            if promised(folder):
                raise MXNetError(
                    f"[{who}] {part[0].target!r} is saved, completely, beside its place and could not be put there: "
                    f"{_reason(error)}. Loading finds it; the next save in {folder!r}, or `python -m mxnet repair "
                    f"{folder}`, puts it there."
                ) from error
            _discard(part)
            _raise_unwritable(part[0].target, who, error)


def _discard(moves: list[Move]) -> None:
    for move in moves:
        with contextlib.suppress(OSError):
            os.unlink(move.temporary)


@contextlib.contextmanager
def _named_errors(name: str, who: str) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        _raise_unwritable(name, who, error)


def _raise_unwritable(name: str, who: str, error: OSError) -> NoReturn:
    unchanged = "" if _is_written_through(name) else " What was there before is unchanged."
    raise MXNetError(
        f"[{who}] received {name!r}; expected a file that can be written: {_reason(error)}.{unchanged}"
    ) from error


def _nearest(name: str) -> str:
    """Names of the folder that a mistyped one may have meant."""
    folder, base = os.path.split(os.path.abspath(name))
    try:
        close = nearest(base, os.listdir(folder), 3)
    except OSError as error:
        return f" The folder {folder!r} cannot be read either: {_reason(error)}."
    return f" Near it: {', '.join(close)}." if close else ""


def _kind(mode: int) -> str:
    return "a folder" if stat.S_ISDIR(mode) else "a pipe or a device"


def _reason(error: Exception) -> str:
    return getattr(error, "strerror", None) or str(error)
