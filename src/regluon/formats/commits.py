"""Putting complete temporary files in the place of others so that a crash leaves all of the old or all of the new.

One file that nobody holds takes its name in one step of the system. Everything else needs several steps: files that
belong together, and files that are written in place because somebody holds them. Then a record, `.mxnet-commit`, is
written into the folder first. It names the temporary files, which are complete and on the disk by then, and from that
moment on they count: readers are led to them (`current`), and if the process dies, the next save in the folder, or
`python -m mxnet repair`, puts them in place (`recover`).

What else happens to the files stays safe. The record tells what a target looked like before, so a target that another
program has written since then is left as it is. Names are of the record's own folder and of temporary files, so a
hostile record reaches nothing else.
"""

import contextlib
import errno
import json
import os
import stat
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from .mapped_files import detach
from .temporary_files import create_beside, is_temporary

if sys.platform != "win32":
    import fcntl

RECORD = ".mxnet-commit"
_MOST_BYTES = 1 << 20
_COPY_BYTES = 1 << 20
_BLOCK = 4096
_WAIT_SECONDS = 60.0
_State = tuple[int, int, int]  # inode, size, time of the last change


class Move(NamedTuple):
    """A complete temporary file and the file it becomes, both in one folder.

    Attributes:
        temporary: the path of the complete file.
        target: the path that shall have its content.
        in_place: whether the target has to stay the same file.
        old: what the target looked like before; None if there was none.
    """

    temporary: str
    target: str
    in_place: bool
    old: _State | None


def state_of(path: str) -> _State | None:
    """What tells one content of a regular file from the next, without reading it."""
    status = _status(path)
    if status is None or not stat.S_ISREG(status.st_mode):
        return None
    return status.st_ino, status.st_size, status.st_mtime_ns


def _status(path: str) -> os.stat_result | None:
    try:
        return os.stat(path)
    except OSError:
        return None


# -- committing -----------------------------------------------------------------------------------------------------


def commit(moves: Sequence[Move]) -> None:
    """Puts temporary files of one folder in place: all of them, whatever happens.

    Raises:
        OSError: it was impossible. If no record is left, nothing was changed.
    """
    if len(moves) == 1 and not moves[0].in_place:
        try:
            os.replace(moves[0].temporary, moves[0].target)
        except OSError:  # a file that is mounted, or open on Windows, or another user's in a folder such as /tmp
            moves = [moves[0]._replace(in_place=True)]
        else:
            flush_folder(os.path.dirname(moves[0].target))
            return
    folder = os.path.dirname(moves[0].target)
    with _recorded(folder, moves):
        for move in moves:
            _finish(move)
        flush_folder(folder)


@contextlib.contextmanager
def _recorded(folder: str, moves: Sequence[Move]) -> Iterator[None]:
    """Keeps a record in the folder, locked, until the block ends well."""
    path = os.path.join(folder, RECORD)
    temporary = ""
    try:
        temporary = create_beside(path)
        descriptor = os.open(temporary, os.O_RDWR)
        try:
            _try_lock(descriptor)
            os.lseek(descriptor, 0, os.SEEK_SET)
            os.write(descriptor, _encode(moves))
            os.fsync(descriptor)
            _publish(temporary, path, folder)
        except BaseException:
            os.close(descriptor)
            raise
    except BaseException:
        for each in (temporary, *(move.temporary for move in moves)):
            with contextlib.suppress(OSError):
                os.unlink(each)
        raise
    try:
        flush_folder(folder)
        yield
    except BaseException:
        os.close(descriptor)
        raise
    _drop(path, descriptor)
    flush_folder(folder)


def _drop(path: str, descriptor: int) -> None:
    """Removes a record and its lock."""
    if os.name == "nt":  # removes nothing that is open
        os.close(descriptor)
        os.unlink(path)
        return
    try:
        os.unlink(path)  # first, so that nobody else gets the lock of a record that is about to go
    finally:
        os.close(descriptor)


def _publish(temporary: str, path: str, folder: str) -> None:
    """Gives the record its name, which only one process has at a time."""
    deadline = time.monotonic() + _WAIT_SECONDS
    while True:
        try:
            if os.name == "nt":
                os.rename(temporary, path)  # refuses to replace a file there
                return
            os.link(temporary, path)
        except FileExistsError:
            recover(folder)
            if time.monotonic() > deadline:
                raise
        except OSError:  # a file system without second names: two processes in the same moment are not told apart
            if not os.path.lexists(path):
                os.rename(temporary, path)
                return
            recover(folder)
        else:
            os.unlink(temporary)
            return


def _finish(move: Move) -> None:
    if not move.in_place:
        try:
            os.replace(move.temporary, move.target)
            return
        except OSError:
            if not os.path.exists(move.target):
                raise
    try:
        _copy_into(move.temporary, move.target)
    except OSError:
        # A disk without room for two copies: rather another file under this name than half of one.
        os.replace(move.temporary, move.target)
        return
    os.unlink(move.temporary)


def _copy_into(source: str, target: str) -> None:
    # Emptied first: what an interrupted copy leaves is then always the beginning of the source, see _is_interrupted.
    descriptor = os.open(target, os.O_WRONLY | getattr(os, "O_BINARY", 0))
    try:
        detach(os.fstat(descriptor))
        with open(source, "rb") as content:
            os.ftruncate(descriptor, 0)
            while piece := content.read(_COPY_BYTES):
                rest = memoryview(piece)
                while rest:
                    rest = rest[os.write(descriptor, rest) :]
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def flush(path: str) -> None:
    """Has a file's content on the disk before anything else happens."""
    descriptor = os.open(path, os.O_RDWR)  # Windows flushes only what is open for writing
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def flush_folder(folder: str) -> None:
    """Has a folder's names on the disk, where it can be asked for; some network disks cannot."""
    if os.name == "posix":
        with contextlib.suppress(OSError):
            descriptor = os.open(folder, os.O_RDONLY)
            try:
                os.fsync(descriptor)
            finally:
                os.close(descriptor)


# -- records --------------------------------------------------------------------------------------------------------


def _encode(moves: Iterable[Move]) -> bytes:
    entries = [
        [os.path.basename(move.temporary), os.path.basename(move.target), move.in_place, move.old] for move in moves
    ]
    return json.dumps({"moves": entries}).encode()


def _decode(folder: str, content: bytes) -> list[Move]:
    """The moves of a record; none if it is damaged: it never was complete then, or is nobody's of us."""
    try:
        return [_move(folder, *entry) for entry in json.loads(content)["moves"]]
    except (ValueError, TypeError, KeyError, RecursionError):
        return []


def _move(folder: str, temporary: Any, target: Any, in_place: Any, old: Any) -> Move:
    for name in (temporary, target):
        if not isinstance(name, str) or os.path.basename(name) != name or name in ("", ".", "..", RECORD):
            raise ValueError(name)
    if not is_temporary(temporary) or "\0" in temporary + target:
        raise ValueError(temporary)
    if old is not None:
        inode, size, changed = (int(number) for number in old)
        old = (inode, size, changed)
    return Move(os.path.join(folder, temporary), os.path.join(folder, target), bool(in_place), old)


def promised(folder: str) -> list[Move]:
    """The moves that the record in a folder tells of; none without a record."""
    path = os.path.join(folder, RECORD)
    try:
        if not stat.S_ISREG(os.lstat(path).st_mode):
            return []
        with open(path, "rb") as stream:
            return _decode(folder, stream.read(_MOST_BYTES))
    except OSError:
        return []


def _is_pending(move: Move) -> bool:
    """Whether a promised move has still to be made; not if another program has written the target since."""
    source, target = _status(move.temporary), _status(move.target)
    if source is None or not stat.S_ISREG(source.st_mode) or not _is_trusted(move, source, target):
        return False
    state = None if target is None else (target.st_ino, target.st_size, target.st_mtime_ns)
    if state == move.old:
        return True
    if target is None or move.old is None or target.st_ino != move.old[0]:
        return False
    return target.st_size <= source.st_size and _is_interrupted(move)


def _is_trusted(move: Move, source: os.stat_result, target: os.stat_result | None) -> bool:
    """In a folder where everyone may make files, such as /tmp, the content has to come from the target's owner."""
    folder = _status(os.path.dirname(move.target))
    is_shared = folder is not None and bool(folder.st_mode & stat.S_ISVTX)
    return not is_shared or target is None or source.st_uid in (target.st_uid, getattr(os, "geteuid", int)(), 0)


def _is_interrupted(move: Move) -> bool:
    """Whether a target is what a copy leaves that was cut off: each block as in the source, or not written yet."""
    empty = bytes(_BLOCK)
    try:
        with open(move.temporary, "rb") as source, open(move.target, "rb") as target:
            while piece := target.read(_BLOCK):
                if piece != source.read(_BLOCK)[: len(piece)] and piece != empty[: len(piece)]:
                    return False
    except FileNotFoundError:
        return False  # its process lives and has just finished
    return True


# -- reading --------------------------------------------------------------------------------------------------------


def current(path: str) -> str:
    """The file that has the content of a path: itself, or the temporary file that is promised to become it.

    So files that were saved together are read together, although the process that saved them died in between.
    """
    target = os.path.realpath(path)
    for move in promised(os.path.dirname(target)):
        if move.target == target and _is_pending(move):
            return move.temporary
    return path


# -- recovering -----------------------------------------------------------------------------------------------------


def recover(folder: str) -> list[str]:
    """Makes the moves that a process promised and died over; waits for one that is alive.

    Returns:
        The files that were put in place.

    Raises:
        OSError: they cannot be, for instance because the disk is full.
        TimeoutError: a process that is alive has not finished within a minute.
    """
    path = os.path.join(folder, RECORD)
    deadline = time.monotonic() + _WAIT_SECONDS
    while os.path.lexists(path):
        try:
            descriptor = os.open(path, os.O_RDWR | getattr(os, "O_NOFOLLOW", 0))
        except FileNotFoundError:
            break
        if _try_lock(descriptor):
            there = _status(path)
            if there is not None and os.path.samestat(os.fstat(descriptor), there):
                return _roll_forward(folder, path, descriptor)
            os.close(descriptor)  # its owner has finished since it was opened
            continue
        os.close(descriptor)
        if time.monotonic() > deadline:
            raise TimeoutError(
                errno.EAGAIN, f"another process has been putting files in place for a minute, see {path}"
            )
        time.sleep(0.002)
    return []


def _roll_forward(folder: str, path: str, descriptor: int) -> list[str]:
    done = []
    try:
        for move in promised(folder):
            if _is_pending(move):
                _finish(move)
                done.append(move.target)
            elif os.path.lexists(move.temporary):
                os.unlink(move.temporary)
        flush_folder(folder)
    except BaseException:
        os.close(descriptor)
        raise
    _drop(path, descriptor)
    flush_folder(folder)
    return done


def _try_lock(descriptor: int) -> bool:
    """Locks a record for as long as this process lives; False if another one that lives has it."""
    try:
        if sys.platform == "win32":
            import msvcrt

            os.lseek(descriptor, _MOST_BYTES, os.SEEK_SET)  # behind the content, which others may read
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        else:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        if error.errno in (errno.EAGAIN, errno.EACCES, errno.EWOULDBLOCK):
            return False
        # A file system without locks: a commit that has stood for so long is nobody's any more.
        return time.time() - os.fstat(descriptor).st_mtime > _WAIT_SECONDS
    return True
